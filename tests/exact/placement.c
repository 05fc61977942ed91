/*
 * Placements of plackett-luce, exactly: P(document at position) by the recursion over sets of
 * documents that come first, in long double, for lists of up to 14; and for long lists of two kinds
 * of documents by the recursion over how many of each have come. Logits span 0 to infinity.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/placement.h"
#include "math/rng.h"

enum { DOCS = 14, MOST = 600 };

static unsigned long cases, wrong;
static double largest;

static void near(const char *what, double got, long double want, size_t m, double span)
{
    double error = fabs((double)(got - want));
    cases++;
    largest = error > largest ? error : largest;
    if (error <= 1e-14)
        return;
    if (wrong++ < 20)
        fprintf(stderr, "placement: %s of %zu, span %g: %.17g, not %.17Lg\n", what, m, span, got,
                want);
}

/* W of every document, for the weights. */
static const double *place(size_t m, const double *logit, size_t places, const double *weight)
{
    static double W[MOST];
    static struct buffer room;
    struct fault fault = { FAULT_NONE, "" };
    if (placement_luce(m, logit, places, weight, W, &room, NULL, &fault) < 0) {
        fprintf(stderr, "placement: %s\n", fault.text);
        exit(1);
    }
    return W;
}

/* chance[set]: that the documents of the set come first, in any order. */
static void check_sets(size_t m, const double *logit, size_t places, const double *weight,
                       double span)
{
    static long double chance[1 << DOCS];
    long double want[DOCS] = { 0 }, p[DOCS];
    memset(chance, 0, sizeof chance);
    chance[0] = 1;
    for (size_t set = 0; set + 1 < (size_t)1 << m; set++) {
        size_t k = 0, first = 0;
        long double total = 0;
        while (set >> first & 1)
            first++;
        for (size_t i = 0; i < m; i++) { /* the logits fall: none of these overflows */
            k += set >> i & 1;
            p[i] = expl((long double)logit[i] - (long double)logit[first]);
            total += set >> i & 1 ? 0 : p[i];
        }
        for (size_t i = 0; i < m; i++)
            if (!(set >> i & 1)) {
                chance[set | (size_t)1 << i] += chance[set] * p[i] / total;
                want[i] += k < places ? chance[set] * p[i] / total * weight[k] : 0;
            }
    }
    const double *W = place(m, logit, places, weight);
    for (size_t i = 0; i < m; i++)
        near("W", W[i], want[i], m, span);
}

static int falls(const void *a, const void *b)
{
    return (*(const double *)a < *(const double *)b) - (*(const double *)a > *(const double *)b);
}

static void check_short(void)
{
    static const double spans[] = { 0, 1e-9, 1, 4, 12, 18, 24, 40, 60, 120, 1e3, 1e308 };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    double logit[DOCS], weight[DOCS];
    for (size_t trial = 0; trial < 240; trial++) {
        double span = spans[trial % 12];
        size_t m = 1 + rng_below(&rng, trial % 5 ? 9 : DOCS);
        size_t places = 1 + rng_below(&rng, (uint32_t)m);
        for (size_t i = 0; i < m; i++) { /* even, or all but one at an end */
            double u = rng_unit(&rng), end = trial % 3 == 1 ? 0 : 1;
            logit[i] = span * (trial % 3 == 0 ? u : i ? end : 1 - end);
        }
        qsort(logit, m, sizeof *logit, falls);
        for (size_t k = 0; k < places; k++)
            weight[k] = trial % 2 ? k + 1 == places : rng_unit(&rng);
        check_sets(m, logit, places, weight, span);
    }
}

/* n documents with logit `upper`, the rest of m with 0; reached[a] is the chance that a of the n
 * are among the first k. */
static void check_long(size_t m, size_t n, double upper, size_t places, size_t only)
{
    static long double reached[MOST + 1], next[MOST + 1];
    static double logit[MOST], weight[MOST];
    long double want[2] = { 0, 0 }, r = expl((long double)upper);
    memset(reached, 0, sizeof reached);
    reached[0] = 1;
    for (size_t k = 0; k < places; k++) {
        weight[k] = only ? k + 1 == only : 1 / log2((double)k + 2);
        memset(next, 0, sizeof next);
        for (size_t a = 0; a <= n && a <= k; a++) {
            if (k - a > m - n)
                continue;
            long double first = (long double)(n - a) * r, second = (long double)(m - n - (k - a));
            long double up = first / (first + second), down = second / (first + second);
            next[a + 1] += reached[a] * up;
            next[a] += reached[a] * down;
            want[0] += reached[a] * up * weight[k];
            want[1] += reached[a] * down * weight[k];
        }
        memcpy(reached, next, sizeof reached);
    }
    for (size_t i = 0; i < m; i++)
        logit[i] = i < n ? upper : 0;
    const double *W = place(m, logit, places, weight);
    near("W of the first kind", n ? W[0] : 0, n ? want[0] / (long double)n : 0, m, upper);
    near("W of the second kind", n < m ? W[m - 1] : 0, n < m ? want[1] / (long double)(m - n) : 0,
         m, upper);
}

int main(void)
{
    static const size_t sizes[] = { 1, 2, 10, 33, 100, 300, MOST };
    static const double uppers[] = { 0, 0.1, 2, 6, 18, 30, 49, 51 };
    check_short();
    printf("placement: %lu cases of short lists, largest error %.1e\n", cases, largest);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t u = 0; u < sizeof uppers / sizeof *uppers; u++) {
            size_t m = sizes[s], ten = m < 10 ? m : 10;
            check_long(m, m / 3, uppers[u], ten, 0);
            check_long(m, 1, uppers[u], ten, ten);
            check_long(m, m - 1, uppers[u], ten, 1);
            if (m <= 100) {
                check_long(m, m / 2, uppers[u], m, 0);
                check_long(m, m - 1, uppers[u], m, (m + 1) / 2);
            }
        }
    printf("placement: %lu cases, largest error %.1e\n", cases, largest);
    if (wrong)
        fprintf(stderr, "placement: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
