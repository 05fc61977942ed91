/* number_set: the set has what was entered, and no more, in whatever order numbers come; runs take
 * no memory. */
#include <stdio.h>
#include <stdlib.h>

#include "base/number_set.h"

enum { SMALL = 40000 };

static unsigned long wrong;

static void tell(int right, const char *what, unsigned long long number)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "number_set: %s (%llu)\n", what, number);
}

static int enter(struct number_set *numbers, uint64_t number)
{
    struct fault fault = { FAULT_NONE, "" };
    int result = number_set_enter(numbers, number, &fault);
    if (result < 0)
        exit(2);
    return result;
}

/* Enters numbers drawn below `most`, and compares with an array of flags. */
static void check_random(unsigned most, uint64_t from, unsigned seed)
{
    struct number_set numbers = { 0 };
    unsigned char *has = calloc(most, 1);
    if (!has)
        exit(2);
    uint64_t state = seed;
    for (unsigned i = 0; i < 4 * most; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned n = (unsigned)((state >> 33) % most);
        tell(enter(&numbers, from + n) == !has[n], "not as entered", from + n);
        has[n] = 1;
    }
    for (unsigned n = 0; n < most; n++)
        tell(enter(&numbers, from + n) == !has[n], "not as entered, at last", from + n);
    for (unsigned n = 0; n < most; n++)
        tell(enter(&numbers, from + n) == 0, "lost", from + n);
    tell(numbers.table.used < 64, "a run takes slots", numbers.table.used);
    number_set_close(&numbers);
    free(has);
}

static void check_order(uint64_t from, uint64_t count)
{
    struct number_set numbers = { 0 };
    for (uint64_t n = from; n < from + count; n++)
        tell(enter(&numbers, n) == 1, "new, but there", n);
    tell(numbers.table.slots <= 128, "numbers in order take slots", numbers.table.slots);
    for (uint64_t n = from; n < from + count; n += 97)
        tell(enter(&numbers, n) == 0, "there, but new", n);
    if (from)
        tell(enter(&numbers, from - 1) == 1, "below, but there", from - 1);
    tell(enter(&numbers, from + count) == 1, "above, but there", from + count);
    number_set_close(&numbers);
}

/* Runs of 64 that become whole one after the other, in a set that is so small that its words are
 * often at its end. */
static void check_runs(uint64_t seed)
{
    enum { RUNS = 12, RUN = 64 };
    struct number_set numbers = { 0 };
    for (unsigned again = 0; again < 2; again++)
        for (unsigned i = 0; i < RUN; i++)
            for (uint64_t run = 0; run < RUNS; run++) {
                uint64_t number = (seed * RUNS + run) * 1000000 * RUN + (i + run) % RUN;
                tell(enter(&numbers, number) == !again, again ? "lost" : "new, but there", number);
            }
    number_set_close(&numbers);
}

int main(void)
{
    const uint64_t most = ((uint64_t)1 << 53) - 1;
    for (unsigned seed = 1; seed <= 5; seed++) {
        check_random(SMALL, 0, seed);
        check_random(SMALL, most - SMALL, seed);
        check_random(100, 63 * seed, seed);
    }
    for (uint64_t seed = 1; seed <= 300; seed++)
        check_runs(seed);
    check_order(1, 1000000);
    check_order(123456789, 300000);
    struct number_set far = { 0 };
    for (uint64_t n = 0; n < 5000; n++)
        tell(enter(&far, n * 1801439850948u) == 1, "far from the others, but there", n);
    for (uint64_t n = 0; n < 5000; n++)
        tell(enter(&far, n * 1801439850948u) == 0, "far from the others, and lost", n);
    number_set_close(&far);
    if (wrong)
        fprintf(stderr, "number_set: %lu wrong\n", wrong);
    return wrong > 0;
}
