/* Every number in SVM-light text becomes the float nearest to its decimal: lib/svm.c against
 * strtof, over random decimals and over those nearly half-way between two floats.
 *
 * usage: number [POINTS]    (a million unless told) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "rng.h"
#include "svm.h"

/* A decimal of one of many shapes. */
static void make_number(struct rng *rng, char *text, size_t room)
{
    uint32_t kind = rng_below(rng, 6), bits = (uint32_t)rng_bits(rng) & 0x7fffffff;
    int places = (int)rng_below(rng, 19);
    float value = load_f4(&bits);
    if (kind == 0)
        snprintf(text, room, "%.*f", places, rng_unit(rng));
    else if (kind == 1)
        snprintf(text, room, "%.*f", places, 1e6 * (rng_unit(rng) - 0.5));
    else if (kind == 2)
        snprintf(text, room, "%" PRIu64, rng_bits(rng) >> rng_below(rng, 64));
    else if (kind == 3 || !(value < 1e38f))
        snprintf(text, room, "%u.%0*u", rng_below(rng, 1000), 1 + places % 9, rng_below(rng, 10));
    else if (kind == 4)
        snprintf(text, room, "%.*g", places, (double)value);
    else { /* from 0.125 to 0.9, half-way to the next float but for the last of 16 digits */
        uint32_t low = 0x3e000000 + bits % 0x01660000, high = low + 1;
        double half = ((double)load_f4(&low) + (double)load_f4(&high)) / 2;
        snprintf(text, room, "%.*f", places % 2 ? 16 : 20 + places, half);
    }
}

static int check_file(char *name, char (*text)[64], size_t n)
{
    char *files[] = { name, NULL };
    struct svm_options options = { .widths = true, .dim = n };
    struct watch watch = WATCH_NOTHING;
    struct fault fault = { FAULT_NONE, "" };
    struct svm svm;
    struct svm_query query;
    svm_open(&svm, files, &options, &watch);
    if (svm_next(&svm, &query, &fault) <= 0 || query.x.form != MATRIX_DENSE) {
        printf("number: %s\n", fault.text);
        return 1;
    }
    for (size_t j = 0; j < n; j++) {
        float want = strtof(text[j], NULL), got = load_f4(query.x.x + 4 * j);
        if (memcmp(&want, &got, sizeof want) != 0) {
            printf("number: %s gives %a, not %a\n", text[j], (double)got, (double)want);
            return 1;
        }
    }
    svm_close(&svm);
    return 0;
}

int main(int argc, char **argv)
{
    enum { EACH = 50000 };
    static char text[EACH][64];
    char name[] = "/tmp/number.XXXXXX";
    uint64_t points = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    int fd = mkstemp(name), bad = fd < 0;
    FILE *file = bad ? NULL : fdopen(fd, "w+");
    for (uint64_t done = 0; file && !bad && done < points; done += EACH) {
        struct rng rng = rng_at(1, RNG_SAMPLE, done + 1);
        rewind(file);
        fprintf(file, "0 qid:1");
        for (size_t j = 0; j < EACH; j++) {
            make_number(&rng, text[j], sizeof *text);
            fprintf(file, " %zu:%s", j + 1, text[j]);
        }
        fprintf(file, "\n");
        bad = fflush(file) != 0 || ftruncate(fd, ftell(file)) != 0 || check_file(name, text, EACH);
    }
    remove(name);
    printf("%" PRIu64 " numbers as strtof reads them%s\n", points, bad ? ": NOT" : "");
    return bad;
}
