#include "measure/paired.h"

#include <math.h>
#include <stdbool.h>

#include "math/rng.h"
#include "math/tails.h"

enum { GROUP = 4, CHOICES = 1 << GROUP, GROUPS = 64 / GROUP };

/* sum[groups][CHOICES]: each group of four differences with each choice of their signs, where a bit
 * is a difference with its sign changed. Differences of 0 have no part: either sign is the same. */
static size_t sum_groups(const double *d, size_t n, double (*sum)[CHOICES])
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (d[i] == 0)
            continue;
        double *group = sum[k / GROUP];
        for (size_t bits = 0; bits < CHOICES; bits++)
            group[bits] = (k % GROUP ? group[bits] : 0) +
                          (bits >> k % GROUP & 1 ? -d[i] : d[i]);
        k++;
    }
    return k;
}

/* The groups by the signs that `next` has, 16 groups a number. */
static double signed_sum(double (*const sum)[CHOICES], size_t groups, uint64_t first,
                         struct rng *next)
{
    double total = 0;
    uint64_t bits = first;
    for (size_t g = 0; g < groups; g++, bits >>= GROUP) {
        if (next && g % GROUPS == 0)
            bits = rng_bits(next);
        total += sum[g][bits % CHOICES];
    }
    return total;
}

/* The p of the randomisation test of k differences that are not 0. */
static double randomise(double (*const sum)[CHOICES], size_t k, double least, uint64_t most,
                        uint64_t seed)
{
    const size_t groups = (k + GROUP - 1) / GROUP;
    const bool all = k < 53 && (uint64_t)1 << k <= most;
    const uint64_t draws = all ? (uint64_t)1 << k : most;
    uint64_t count = 0;
    for (uint64_t i = 0; i < draws; i++) {
        struct rng rng = rng_at(seed, RNG_SIGNS, i);
        count += fabs(signed_sum(sum, groups, i, all ? NULL : &rng)) >= least;
    }
    return all ? (double)count / (double)draws : ((double)count + 1) / ((double)draws + 1);
}

static void test_t(const double *d, size_t n, struct paired *result)
{
    double squares = 0, freedom = (double)n - 1;
    for (size_t i = 0; i < n; i++)
        squares += (d[i] - result->mean) * (d[i] - result->mean);
    result->low = result->high = result->p_t = NAN;
    if (n < 2)
        return;
    double error = sqrt(squares / freedom / (double)n);
    double away = error * tails_student_quantile(0.05, freedom);
    result->low = result->mean - away;
    result->high = result->mean + away;
    result->p_t = result->mean == 0 ? 1 : tails_student(result->mean / error, freedom);
}

int paired_test(const double *d, size_t n, uint64_t most, uint64_t seed, struct buffer *scratch,
                struct paired *result, struct fault *fault)
{
    double total = 0, size = 0;
    double(*sum)[CHOICES] = buffer_for(scratch, n / GROUP + 1, sizeof *sum, fault);
    if (!sum) return -1;
    *result = (struct paired){ 0 };
    for (size_t i = 0; i < n; i++) {
        result->above += d[i] > 0;
        result->below += d[i] < 0;
        total += d[i];
        size += fabs(d[i]);
    }
    result->same = n - result->above - result->below;
    result->mean = total / (double)n;
    result->p = randomise(sum, sum_groups(d, n, sum), fabs(total) - 1e-12 * size, most, seed);
    result->p_signs = tails_coins(result->above, result->below);
    test_t(d, n, result);
    return 0;
}

void paired_holm(const double *p, size_t n, double *adjusted)
{
    const double waits = -1;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        adjusted[i] = waits;
    for (size_t left = n; left > 0; left--) {
        size_t least = n;
        for (size_t i = 0; i < n; i++)
            if (adjusted[i] == waits && (least == n || p[i] < p[least]))
                least = i;
        double raised = (double)left * p[least];
        if (raised > most)
            most = raised < 1 ? raised : 1;
        adjusted[least] = most;
    }
}
