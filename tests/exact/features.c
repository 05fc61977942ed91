/* The reader of plain features that this processor gets and the portable one read the same from
 * the same text to the bit, and stop at the same place: over lines of random words, well-formed and
 * not, and over the lines of files.
 *
 * usage: features [LINES [file ...]]    (default: 300000) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/plain_features.h"
#include "math/rng.h"

enum { LINE = 1 << 20, AFTER = 128 };

static struct output {
    uint32_t idx[LINE];
    float val[LINE];
} right, other;

/* A copy of n bytes of text, a NUL and `after` bytes more, of exactly that length: a sanitizer
 * notices a read past its end. What follows the line looks like more features. */
static char *copy_line(const char *text, size_t n, size_t after)
{
    static const char more[] = " 77:0.5 78:1.25 79:0.125";
    char *copy = malloc(n + 1 + after);
    if (!copy)
        exit(1);
    memcpy(copy, text, n);
    copy[n] = '\0';
    for (size_t i = 0; i < after; i++)
        copy[n + 1 + i] = more[i % (sizeof more - 1)];
    return copy;
}

/* Do both read the same from the line? The number of its features, or -1. */
static int64_t compare(const char *text, size_t n, struct feature_row row, size_t after)
{
    char *line = copy_line(text, n, after);
    struct feature_row want = row;
    want.idx = right.idx;
    want.val = right.val;
    const char *end = plain_features_portable(&want, line, line + n, line + n + 1 + after);
    size_t read = (size_t)(want.idx - right.idx);
    int64_t result = (int64_t)read;
    struct feature_row got = row;
    got.idx = other.idx;
    got.val = other.val;
    const char *stop = plain_features(&got, line, line + n, line + n + 1 + after);
    if (stop != end || got.least != want.least || (size_t)(got.idx - other.idx) != read ||
        (size_t)(got.val - other.val) != read ||
        memcmp(other.idx, right.idx, read * sizeof *right.idx) != 0 ||
        memcmp(other.val, right.val, read * sizeof *right.val) != 0) {
        printf("features: %zu features up to byte %td, not %zu up to %td, of: %s\n",
               (size_t)(got.idx - other.idx), stop - line, read, end - line, line);
        result = -1;
    }
    free(line);
    return result;
}

static int between(struct rng *rng, int low, int high)
{
    return low + (int)rng_below(rng, (uint32_t)(high - low + 1));
}

/* An index, mostly the next one or one soon after it. */
static int put_index(struct rng *rng, char *to, uint64_t *last)
{
    static const char *const odd[] = { "", "0", "x", "1a", "-3", "+4", "12.", "2147483648",
                                       "4294967297", "18446744073709551617", "99999999",
                                       "100000000", "00000000000000000000009", "#", ":" };
    uint32_t kind = rng_below(rng, 200);
    uint64_t step = kind < 150 ? 1 : rng_below(rng, 1u << rng_below(rng, 24));
    *last += step;
    if (kind == 199)
        return sprintf(to, "%s", odd[rng_below(rng, sizeof odd / sizeof *odd)]);
    if (kind == 198)
        *last -= rng_below(rng, 3);
    return sprintf(to, "%0*" PRIu64, kind > 190 ? between(rng, 1, 12) : 1, *last);
}

static int put_value(struct rng *rng, char *to)
{
    static const char *const odd[] = {
        "", ".", "-", "-.", "5.", ".5", "-.5", "+1", "--1", "1-", "-0", "1.2.3", "..1", "1..",
        "nan", "inf", "0x1p3", "1e5", "1e-05", "1E+2", "1e", "1e400", "1:2", "0.1x", "16777217",
        "12345678901234567", "0.1234567890123456", "123456789.1234567", "0.00000000000000001",
        "0.000000000000001", "9.000000000000008",
        "9999999999999999", "99999999999999.9", "1.23456789012345678", "-1234567890.12345",
        "-123456789012.12345", "-1234567890123456"
    };
    uint32_t kind = rng_below(rng, 100);
    double unit = rng_unit(rng);
    int places = between(rng, 0, kind < 80 ? 9 : 19);
    if (kind == 99)
        return sprintf(to, "%s", odd[rng_below(rng, sizeof odd / sizeof *odd)]);
    if (kind < 60)
        return sprintf(to, "%.*f", kind < 30 ? 6 : places, unit);
    if (kind < 70)
        return sprintf(to, "%d", between(rng, -20, 300));
    if (kind < 80)
        return sprintf(to, "%.*f", places, 2000 * unit - 1000);
    if (kind < 90)
        return sprintf(to, "%.9g", (double)(float)(unit * unit * 10));
    return sprintf(to, "%.*f", places, 1e6 * unit - 1e5);
}

static size_t make_line(struct rng *rng, char *line, uint64_t first)
{
    static const char *const gaps[] = { " ", "  ", "\t", " \t ", "#", " #", " # 5:1 6:2", ":",
                                        ",", " 7 " };
    uint64_t last = first;
    char *to = line;
    for (int words = between(rng, 0, 40); words > 0; words--) {
        to += put_index(rng, to, &last);
        *to++ = ':';
        to += put_value(rng, to);
        bool odd = rng_below(rng, 100) == 0;
        if (words > 1 || between(rng, 0, 3) == 0)
            to += sprintf(to, "%s", gaps[odd ? rng_below(rng, sizeof gaps / sizeof *gaps) : 0]);
    }
    *to = '\0';
    return (size_t)(to - line);
}

/* The lines of a file, without label and qid. */
static int64_t compare_file(const char *name, struct feature_row row)
{
    static char line[LINE];
    int64_t total = 0, read = 0;
    FILE *file = fopen(name, "r");
    if (!file)
        return -1;
    while (read >= 0 && fgets(line, LINE, file)) {
        const char *from = strstr(line, "qid:");
        from = text_skip_word(from ? from : line);
        read = compare(from, strcspn(from, "\r\n"), row, AFTER);
        total += read;
    }
    fclose(file);
    return read < 0 ? read : total;
}

int main(int argc, char **argv)
{
    static char line[LINE];
    uint64_t lines = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
    int64_t total = 0, read = 0;
    for (uint64_t t = 1; t <= lines && read >= 0; t++) {
        struct rng rng = rng_at(1, RNG_SAMPLE, t);
        struct feature_row row = { .first = rng_below(&rng, 2), .most = (uint64_t)1 << 31 };
        if (rng_below(&rng, 4) == 0)
            row.most = rng_below(&rng, 60);
        if (rng_below(&rng, 4) == 0)
            row.least = rng_below(&rng, 5);
        size_t n = make_line(&rng, line, row.first + row.least - 1);
        read = compare(line, n, row, (size_t)between(&rng, 0, AFTER));
        total += read;
    }
    for (int i = 2; i < argc && read >= 0; i++) {
        struct feature_row row = { .first = 1, .most = (uint64_t)1 << 31 };
        read = compare_file(argv[i], row);
        total += read;
    }
    printf("%" PRId64 " features alike%s\n", total, read < 0 ? ": NOT" : "");
    return read < 0;
}
