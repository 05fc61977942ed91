/* Every number in SVM-light text becomes the float nearest to its decimal: lib/text/svm.c against
 * strtof, which takes no shortcut, over random decimals and over those where a shortcut would err.
 * What strtof finds too large must be refused.
 *
 * usage: number [POINTS]    (default: a million) */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unaligned.h"
#include "math/rng.h"
#include "text/svm.h"

enum { EACH = 20000, ROOM = 256 };

static int between(struct rng *rng, int low, int high)
{
    return low + (int)rng_below(rng, (uint32_t)(high - low + 1));
}

/* As many bits as you like. */
static uint64_t any_whole(struct rng *rng)
{
    uint64_t bits = rng_bits(rng);
    return bits >> rng_below(rng, 64);
}

/* The digits of n with a point somewhere among them, before or after. */
static int with_point(struct rng *rng, char *text, uint64_t n)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, n), place = between(rng, 0, count);
    return snprintf(text, ROOM, "%.*s.%s", place, digits, digits + place);
}

/* Here and below each draw is a statement of its own, so that all compilers draw alike. */
static void unit(struct rng *rng, char *text)
{
    int places = between(rng, 0, 19);
    snprintf(text, ROOM, "%.*f", places, rng_unit(rng));
}

static void middling(struct rng *rng, char *text)
{
    int places = between(rng, 0, 13);
    snprintf(text, ROOM, "%.*f", places, 1e6 * rng_unit(rng));
}

static void whole(struct rng *rng, char *text)
{
    snprintf(text, ROOM, "%" PRIu64, any_whole(rng));
}

static void brief(struct rng *rng, char *text)
{
    int front = between(rng, 0, 999), width = between(rng, 1, 9);
    snprintf(text, ROOM, "%d.%0*d", front, width, between(rng, 0, 9));
}

/* Any float, subnormal ones too, in up to 20 digits. */
static void any_float(struct rng *rng, char *text)
{
    uint32_t bits = rng_below(rng, 0x7f800000);
    int places = between(rng, 0, 19);
    snprintf(text, ROOM, between(rng, 0, 1) ? "%.*g" : "%.*e", places, (double)unaligned_f4(&bits));
}

/* Half-way between two floats that are neighbours. */
static double half_way(struct rng *rng)
{
    uint32_t wide = rng_below(rng, 0x7f7fffff), narrow = 0x30000000 + wide % 0x20000000;
    uint32_t low = between(rng, 0, 3) ? narrow : wide, high = low + 1; /* narrow: 5e-10 to 3e10 */
    return ((double)unaligned_f4(&low) + (double)unaligned_f4(&high)) / 2;
}

/* Cut to 15 to 21 digits, and up to six of a double's last places beside it. */
static void near_half_way(struct rng *rng, char *text)
{
    double x = half_way(rng);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (between(rng, 0, 1))
        bits += (uint64_t)between(rng, -6, 6);
    x = unaligned_f8(&bits);
    int places = between(rng, 15, 20);
    snprintf(text, ROOM, between(rng, 0, 1) ? "%.*g" : "%.*e", places, x);
}

/* Cut after few decimals, as most text has them. */
static void near_half_way_plain(struct rng *rng, char *text)
{
    int places = between(rng, 6, 20);
    snprintf(text, ROOM, "%.*f", places, half_way(rng));
}

/* To its last digit, or so little above or below that nothing but the last digit tells. */
static void exactly_half_way(struct rng *rng, char *text)
{
    int n = snprintf(text, ROOM, "%.150f", half_way(rng)), side = between(rng, -1, 1);
    char *last = text + n - 1;
    while (*last == '0' && last[-1] != '.')
        last--;
    if (side < 0 && *last > '0')
        --*last;
    if (side != 0)
        sprintf(last + 1, "%.*s%d", between(rng, 0, 7), side < 0 ? "9999999" : "0000000",
                side < 0 ? 9 : 1);
}

/* Where floats, doubles and 64 bits run out of whole numbers. */
static void edge_of_bits(struct rng *rng, char *text)
{
    static const char *const behind[] = { "", ".", ".0", ".5", ".00000001", ".49999999999",
                                          ".500000000000000000000000001" };
    static const unsigned bits[] = { 24, 25, 26, 53, 54, 63 };
    uint64_t n = (uint64_t)1 << bits[rng_below(rng, 6)];
    n += (uint64_t)between(rng, -9, 9);
    if (between(rng, 0, 1))
        with_point(rng, text, between(rng, 0, 1) ? n : (uint64_t)0 - rng_below(rng, 2000));
    else
        snprintf(text, ROOM, "%" PRIu64 "%s", n, behind[rng_below(rng, 7)]);
}

/* Zeros before, between and after. */
static void many_zeros(struct rng *rng, char *text)
{
    static const char zeros[] = "00000000000000000000";
    int before = between(rng, 1, 40), front = between(rng, 0, 99), middle = between(rng, 0, 20);
    int after = between(rng, 1, 40), behind = between(rng, 0, 20);
    snprintf(text, ROOM, "%0*d%.*s.%0*" PRIu64 "%.*s", before, front, middle, zeros, after,
             any_whole(rng), behind, zeros);
}

static void exponent(struct rng *rng, char *text)
{
    int n = with_point(rng, text, any_whole(rng)), minus = between(rng, 0, 1);
    int power = minus ? between(rng, 0, 70) : between(rng, 0, n < 38 ? 38 - n : 0);
    char letter = between(rng, 0, 1) ? 'e' : 'E';
    const char *sign = minus ? "-" : between(rng, 0, 1) ? "+" : "";
    snprintf(text + n, ROOM - (size_t)n, "%c%s%0*d", letter, sign, between(rng, 1, 6), power);
}

/* Half-way to 2^128 and to the smallest float of all; zeros; exponents past any count. */
static void one_of_the_worst(struct rng *rng, char *text)
{
    static const char *const worst[] = {
        "0", "0.0", ".0", "0.", "00", "0e5", "0e99999999999999999999", "0.0e-99999999999999999999",
        "16777217", "16777219", "16777217.0000000000000000000000000000000000001", "33554434.999",
        "340282346638528859811704183484516925440", "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568447.99999999", "3.4028235677973366e38",
        "340282356779733661637539395458142568448", "340282356779733661637539395458142568448.1",
        "3.4028235677973367e38", "3.4028235677973367E+0038", "9999999999999999999e20", "1e39",
        "1e400", "10e18446744073709551617",
        "1e18446744073709551616", "1e-18446744073709551616", "1e4294967296", "1e-4294967296",
        "9007199254740993e22", "1844674407370955161600000000000000000000", "9999999999999999999e19",
        "7.0064923216240853e-46", "7.0064923216240854e-46", "1.4012984643248170e-45", "1e-46",
        "1.1754943508222875e-38", "1.1754942807573643e-38", "1.17549431578982581e-38", "1e-400",
        "9999999999999999999e-22", "9999999999999999999e-23", "1e-22", "1e-23", "1e18", "1e19",
        "18446744073709551616e-19", "0.1e-0000000022", "1e+0000000018", "99999999999999999999e0" };
    snprintf(text, ROOM, "%s", worst[rng_below(rng, sizeof worst / sizeof *worst)]);
}

/* A decimal of one of many shapes, with one of the signs there are. */
static void make_number(struct rng *rng, char *text)
{
    static void (*const shape[])(struct rng *, char *) = {
        unit, middling, whole, brief, any_float, near_half_way, near_half_way, near_half_way_plain,
        exactly_half_way, edge_of_bits, many_zeros, exponent,
    };
    static const char *const sign[] = { "", "", "", "-", "-", "+" };
    size_t n = (size_t)sprintf(text, "%s", sign[rng_below(rng, 6)]);
    if (rng_below(rng, 100) == 0)
        one_of_the_worst(rng, text + n);
    else
        shape[rng_below(rng, sizeof shape / sizeof *shape)](rng, text + n);
}

/* Text for svm_open to find under a name, always the same. */
struct scratch {
    char name[32];
    FILE *file;
    struct svm svm;
    struct fault fault;
};

/* Has the one query that has been written read. */
static int read_query(struct scratch *scratch, size_t width, struct svm_query *query)
{
    char *files[] = { scratch->name, NULL };
    struct svm_options options = { .widths = true, .dim = width };
    struct watch watch = WATCH_NOTHING;
    FILE *file = scratch->file;
    scratch->fault = (struct fault){ FAULT_NONE, "" };
    if (fflush(file) != 0 || ftruncate(fileno(file), ftell(file)) != 0)
        return fault_system(&scratch->fault, "cannot write %s", scratch->name);
    svm_open(&scratch->svm, files, &options, &watch);
    return svm_next(&scratch->svm, query, &scratch->fault);
}

/* Is a number too large for a float refused as that? */
static int check_refused(struct scratch *scratch, const char *text)
{
    struct svm_query query;
    rewind(scratch->file);
    fprintf(scratch->file, "0 1:%s\n", text);
    int got = read_query(scratch, 1, &query);
    svm_close(&scratch->svm);
    if (got < 0 && strstr(scratch->fault.text, "too large for a float"))
        return 0;
    printf("number: %s is not refused as too large\n", text);
    return 1;
}

/* Do n numbers become what strtof makes of them? The infinite ones are left to check_refused. */
static int check_numbers(struct scratch *scratch, char (*text)[ROOM], const float *want, size_t n)
{
    struct svm_query query;
    int bad = 0;
    rewind(scratch->file);
    fprintf(scratch->file, "0 qid:1");
    for (size_t j = 0; j < n; j++)
        fprintf(scratch->file, " %zu:%s", j + 1, isinf(want[j]) ? "0" : text[j]);
    fprintf(scratch->file, " # end\n");
    if (read_query(scratch, n, &query) <= 0 || query.x.kind != MATRIX_DENSE) {
        printf("number: %s\n", scratch->fault.text);
        n = 0;
        bad = 1;
    }
    for (size_t j = 0; j < n; j++) {
        float got = unaligned_f4(query.x.x + 4 * j);
        if (!isinf(want[j]) && memcmp(&want[j], &got, sizeof got) != 0) {
            printf("number: %s gives %a, not %a\n", text[j], (double)got, (double)want[j]);
            bad = 1;
        }
    }
    svm_close(&scratch->svm);
    return bad;
}

int main(int argc, char **argv)
{
    static char text[EACH][ROOM];
    static float want[EACH];
    static struct scratch scratch = { .name = "/tmp/number.XXXXXX" };
    uint64_t points = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, refused = 0;
    int fd = mkstemp(scratch.name), bad = fd < 0 || !(scratch.file = fdopen(fd, "w+"));
    for (uint64_t done = 0; !bad && done < points; done += EACH) {
        struct rng rng = rng_at(1, RNG_SAMPLE, done + 1);
        size_t n = points - done < EACH ? (size_t)(points - done) : EACH;
        for (size_t j = 0; j < n; j++) {
            make_number(&rng, text[j]);
            want[j] = strtof(text[j], NULL);
        }
        bad = check_numbers(&scratch, text, want, n);
        for (size_t j = 0; j < n && !bad; j++) {
            if (isinf(want[j])) {
                bad = check_refused(&scratch, text[j]);
                refused++;
            }
        }
    }
    remove(scratch.name);
    printf("%" PRIu64 " numbers as strtof reads them, %" PRIu64 " of them refused%s\n", points,
           refused, bad ? ": NOT" : "");
    return bad;
}
