#include "memory/memory_beliefs.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"

/* The floor has the range of h once in so many answers before the first; equal means differ by so
 * much of what they were. */
static const double floor_prior = 20, order_kept = 1e-7;

static size_t count_atoms(const double *beliefs)
{
    size_t n = 0;
    while (n < MEMORY_ATOMS && beliefs[MEMORY_COUNTS + n] > 0)
        n++;
    return n;
}

struct memory_prospect memory_prospect(const double beliefs[MEMORY_BELIEFS])
{
    struct memory_prospect p = { .atoms = count_atoms(beliefs), .value = beliefs + MEMORY_VALUES,
                                 .count = beliefs + MEMORY_COUNTS };
    if (p.atoms == 0)
        return p;
    double sum = 0;
    for (size_t l = 0; l < p.atoms; l++) {
        p.first += p.count[l];
        sum += p.count[l] * p.value[l];
    }
    p.a = sum / p.first;
    p.lo = p.value[0];
    p.hi = p.value[p.atoms - 1];
    p.least = p.lo + (p.hi - p.lo + beliefs[MEMORY_FLOOR_SUM]) /
                         (floor_prior + beliefs[MEMORY_FLOOR_COUNT]);
    p.least = p.least > p.hi ? p.hi : p.least;
    return p;
}

double memory_spread(const double beliefs[MEMORY_BELIEFS])
{
    const struct memory_prospect p = memory_prospect(beliefs);
    double sum = 1;
    for (size_t l = 0; l < p.atoms; l++)
        sum += p.count[l] * (p.value[l] - p.a) * (p.value[l] - p.a);
    return sqrt(sum / (1 + p.first));
}

double memory_hold(const struct memory_prospect *prospect, double mu)
{
    double held = mu < prospect->least ? prospect->least : mu > prospect->hi ? prospect->hi : mu;
    return held + order_kept * mu;
}

/* ---- the histogram ---- */

/* Merges the two nearest of value[n], with count[n]. */
static void merge(size_t n, double *value, double *count)
{
    size_t l = 0;
    for (size_t i = 1; i + 1 < n; i++)
        if (value[i + 1] - value[i] < value[l + 1] - value[l])
            l = i;
    double both = count[l] + count[l + 1];
    value[l] = (count[l] * value[l] + count[l + 1] * value[l + 1]) / both;
    count[l] = both;
    memmove(value + l + 1, value + l + 2, (n - l - 2) * sizeof *value);
    memmove(count + l + 1, count + l + 2, (n - l - 2) * sizeof *count);
}

/* Adds y so many times. */
static void add_atom(double *beliefs, double y, double much)
{
    double value[MEMORY_ATOMS + 1], count[MEMORY_ATOMS + 1];
    size_t n = count_atoms(beliefs), l = 0;
    while (l < n && beliefs[MEMORY_VALUES + l] < y)
        l++;
    if (l < n && beliefs[MEMORY_VALUES + l] == y) {
        beliefs[MEMORY_COUNTS + l] += much;
        return;
    }
    memcpy(value, beliefs + MEMORY_VALUES, l * sizeof *value);
    memcpy(count, beliefs + MEMORY_COUNTS, l * sizeof *count);
    memcpy(value + l + 1, beliefs + MEMORY_VALUES + l, (n - l) * sizeof *value);
    memcpy(count + l + 1, beliefs + MEMORY_COUNTS + l, (n - l) * sizeof *count);
    value[l] = y;
    count[l] = much;
    if (++n > MEMORY_ATOMS)
        merge(n--, value, count);
    memcpy(beliefs + MEMORY_VALUES, value, n * sizeof *value);
    memcpy(beliefs + MEMORY_COUNTS, count, n * sizeof *count);
}

/* ---- what is counted ---- */

void memory_first_answer(double beliefs[MEMORY_BELIEFS], double score, double y, double much)
{
    if (!(much > 0))
        return;
    const struct memory_prospect p = memory_prospect(beliefs);
    if (p.atoms > 1 && score <= memory_hold(&p, p.least)) {
        beliefs[MEMORY_FLOOR_SUM] += much * (y - p.lo);
        beliefs[MEMORY_FLOOR_COUNT] += much;
    }
    add_atom(beliefs, y, much);
}

double memory_examined(const double beliefs[MEMORY_BELIEFS], bool click, double theta)
{
    const struct memory_prospect p = memory_prospect(beliefs);
    double a = (p.a * p.first + 0.5) / (p.first + 1);
    theta = theta < 1 ? theta : 1;
    return click ? 1 : theta * (1 - a) / (1 - theta * a);
}

void memory_count_answers(double beliefs[MEMORY_BELIEFS], double answers)
{
    beliefs[MEMORY_ANSWERS] += answers;
    beliefs[MEMORY_ANSWERED] += answers > 0;
}

/* Answers of a round that has some. */
static double mean_answers(const double *beliefs)
{
    double rounds = beliefs[MEMORY_ANSWERED];
    double mean = rounds > 0 ? beliefs[MEMORY_ANSWERS] / rounds : 1;
    return mean < 1 ? 1 : mean;
}

uint64_t memory_judged(const double beliefs[MEMORY_BELIEFS])
{
    double mean = mean_answers(beliefs), most = UINT32_MAX;
    return beliefs[MEMORY_ANSWERED] > 0 ? (uint64_t)((mean < most ? mean : most) + 0.5) : 0;
}

double memory_served(const double beliefs[MEMORY_BELIEFS], double n)
{
    return floor(n / mean_answers(beliefs));
}

/* ---- models without them ---- */

void memory_beliefs_make(double beliefs[MEMORY_BELIEFS], const struct memory_arrays *pairs,
                         uint64_t rounds)
{
    memset(beliefs, 0, MEMORY_BELIEFS * sizeof *beliefs);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < pairs->count; i++) {
            double n = unaligned_f8(pairs->n + 8 * i), sum = unaligned_f8(pairs->sum + 8 * i);
            if (n > 0 && (n == 1) == (pass == 0))
                add_atom(beliefs, sum / n, 1);
            beliefs[MEMORY_ANSWERS] += pass == 0 ? n : 0;
        }
    }
    beliefs[MEMORY_ANSWERED] = (double)rounds;
}

void memory_beliefs_add(double beliefs[MEMORY_BELIEFS], const double share[MEMORY_BELIEFS])
{
    size_t n = count_atoms(share);
    for (size_t l = 0; l < n; l++)
        add_atom(beliefs, share[MEMORY_VALUES + l], share[MEMORY_COUNTS + l]);
    for (size_t i = MEMORY_FLOOR_SUM; i < MEMORY_BELIEFS; i++)
        beliefs[i] += share[i];
}

int memory_beliefs_check(const double beliefs[MEMORY_BELIEFS], struct fault *fault)
{
    size_t n = count_atoms(beliefs);
    for (size_t i = 0; i < MEMORY_BELIEFS; i++)
        if (!isfinite(beliefs[i]) ||
            (i >= MEMORY_COUNTS && i != MEMORY_FLOOR_SUM && beliefs[i] < 0))
            return fault_data(fault, "model: beliefs %zu is %g", i, beliefs[i]);
    for (size_t l = 0; l < MEMORY_ATOMS; l++)
        if (l < n ? l > 0 && !(beliefs[l] > beliefs[l - 1]) : beliefs[MEMORY_COUNTS + l] > 0)
            return fault_data(fault, "model: beliefs %zu is %g: values must rise, and none may "
                              "follow a count of 0", l, beliefs[l]);
    return 0;
}

/* ---- pairs that were dropped ---- */

enum { LOW, HIGH };

static uint64_t slot_of(uint64_t pair)
{
    return (uint64_t)1 << pair % 64;
}

int memory_dropped_mark(struct memory_table *dropped, uint64_t query, uint64_t pair, bool high,
                        struct fault *fault)
{
    struct memory_entry *slots = memory_table_enter(dropped, query, fault);
    if (!slots) return -1;
    slots->bits[high ? HIGH : LOW] |= slot_of(pair);
    slots->bits[high ? LOW : HIGH] &= ~slot_of(pair);
    return 0;
}

bool memory_dropped_clear(struct memory_table *dropped, uint64_t query, uint64_t pair)
{
    struct memory_entry *slots = memory_table_find(dropped, query);
    if (!slots || !((slots->bits[LOW] | slots->bits[HIGH]) & slot_of(pair)))
        return false;
    slots->bits[LOW] &= ~slot_of(pair);
    slots->bits[HIGH] &= ~slot_of(pair);
    if (!(slots->bits[LOW] | slots->bits[HIGH]))
        memory_table_remove(dropped, query);
    return true;
}

/* The mean of the first answers on one side of a; a where there are none. */
static double mean_of(const struct memory_prospect *prospect, bool high)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < prospect->atoms; i++) {
        if ((prospect->value[i] > prospect->a) != high)
            continue;
        sum += prospect->count[i] * prospect->value[i];
        count += prospect->count[i];
    }
    return count > 0 ? sum / count : prospect->a;
}

bool memory_dropped_answer(const struct memory_entry *slots, uint64_t pair,
                           const struct memory_prospect *prospect, double *y)
{
    bool high = slots->bits[HIGH] & slot_of(pair);
    if (!high && !(slots->bits[LOW] & slot_of(pair)))
        return false;
    *y = mean_of(prospect, high);
    return true;
}

int memory_dropped_add(struct memory_table *dropped, const struct memory_table *others,
                       struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(others, &walk))) {
        struct memory_entry *slots = memory_table_enter(dropped, entry->key, fault);
        if (!slots) return -1;
        slots->bits[HIGH] |= entry->bits[HIGH];
        slots->bits[LOW] = (slots->bits[LOW] | entry->bits[LOW]) & ~slots->bits[HIGH];
    }
    return 0;
}
