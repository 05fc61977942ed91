#include "measure/clusters.h"

#include <math.h>

/* Sums within a 10^10th of the values that they are made of are rounding; these are squares. */
static const double ROUNDING = 1e-20;

double clusters_differ(double a, double b)
{
    double d = b - a;
    return fabs(d) <= 1e-12 * (fabs(a) + fabs(b)) ? 0 : d;
}

/* What a table's lines count: the sum of slope times part. Of no table, all is 0. */
struct side {
    double slope[CLUSTER_PARTS];
    double lines, mean;
    size_t clusters;
};

static struct side side_of(const struct cluster *at, size_t n, bool ratio)
{
    struct side side = { .slope = { 1 }, .lines = 0 };
    double sum[CLUSTER_PARTS] = { 0 };
    if (!at)
        return side;
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < CLUSTER_PARTS; i++)
            sum[i] += at[c].part[i];
        side.lines += at[c].lines;
        side.clusters += at[c].lines > 0;
    }
    side.mean = side.lines > 0 ? sum[0] / side.lines : NAN;
    if (!ratio)
        return side;
    double scale = sum[2] / sum[1], q = sum[0] / sum[1];
    side.slope[0] = scale;
    side.slope[1] = -scale * q;
    side.slope[2] = q;
    side.mean = sum[1] != 0 ? side.mean * scale : NAN;
    return side;
}

/* Y_c */
static double value(const struct side *side, const struct cluster *at)
{
    double y = side->slope[0] * at->part[0];
    for (size_t i = 1; i < CLUSTER_PARTS; i++)
        if (side->slope[i] != 0)
            y += side->slope[i] * at->part[i];
    return y;
}

/* What one table has of a cluster, added to the three numbers that are squared: e_c / (N - N_c),
 * e_c / N and Y_c / N. */
static void add_side(const struct side *side, const struct cluster *at, double sign,
                     double number[3])
{
    if (at->lines == 0)
        return;
    double e = value(side, at) - side->mean * at->lines;
    number[0] += sign * e / (side->lines - at->lines);
    number[1] += sign * e / side->lines;
    number[2] += sign * value(side, at) / side->lines;
}

static void count(const struct side *side, const struct cluster *at, struct clusters_sums *sums)
{
    double share = at->lines / side->lines;
    sums->largest = share > sums->largest ? share : sums->largest;
    sums->single = sums->single && at->lines == 1;
    sums->joined = sums->joined && at->lines > 0;
}

void clusters_sum(const struct clusters *my, struct clusters_sums *sums)
{
    static const struct cluster none;
    const struct side at = side_of(my->at, my->n, my->ratio);
    const struct side base = side_of(my->base, my->n, my->ratio);
    double square[3] = { 0 }, fourth = 0;
    *sums = (struct clusters_sums){ .base = base.mean, .at = at.mean, .mean = at.mean - base.mean,
                                    .single = true, .joined = true };
    sums->lines = my->base ? 2 / (1 / at.lines + 1 / base.lines) : at.lines;
    for (size_t c = 0; c < my->n; c++) {
        const struct cluster *a = my->base ? &my->base[c] : &none, *b = &my->at[c];
        double number[3] = { 0 };
        if (a->lines + b->lines == 0)
            continue;
        sums->clusters++;
        count(&at, b, sums);
        if (my->base)
            count(&base, a, sums);
        add_side(&at, b, 1, number);
        add_side(&base, a, -1, number);
        for (size_t i = 0; i < 3; i++)
            square[i] += number[i] * number[i];
        fourth += number[2] * number[2] * (number[2] * number[2]);
    }
    const double c = (double)sums->clusters, m = sums->lines;
    bool few = at.clusters < 2 || (my->base && base.clusters < 2);
    sums->error = few ? NAN : sqrt((c - 1) / c * square[0]);
    sums->raw = m * m * square[2];
    sums->effective = square[2] * square[2] / fourth;
    sums->squares = square[1] > ROUNDING * square[2] ? m * m * square[1] : 0;
}

/* The interval and p by the standard error, which is NaN with fewer than two clusters. */
static void test_t(const struct clusters_sums *sums, struct paired *result)
{
    const double freedom = (double)sums->clusters - 1;
    result->mean = sums->mean;
    result->low = result->high = result->p_t = NAN;
    if (isnan(sums->error))
        return;
    double away = sums->error * tails_student_quantile(0.05, freedom);
    result->low = sums->mean - away;
    result->high = sums->mean + away;
    result->p_t = sums->mean == 0 ? 1 : tails_student(sums->mean / sums->error, freedom);
}

int clusters_test(const struct clusters *my, const struct clusters_sums *sums, uint64_t most,
                  uint64_t seed, struct buffer scratch[2], struct paired *result,
                  struct fault *fault)
{
    struct paired counts = { .p = NAN, .p_signs = NAN };
    double *d = buffer_for(&scratch[0], sums->clusters + 1, sizeof *d, fault);
    if (!d) return -1;
    if (sums->joined) {
        const struct side at = side_of(my->at, my->n, my->ratio);
        const struct side base = side_of(my->base, my->n, my->ratio);
        for (size_t c = 0, n = 0; c < my->n; c++) {
            const struct cluster *b = &my->at[c], *a = my->base ? &my->base[c] : NULL;
            if (b->lines == 0)
                continue;
            double y = value(&at, b), x = a ? value(&base, a) : 0;
            /* p is computed from the differences of single lines, or of Y_c / N. */
            double away = clusters_differ(a ? x / a->lines : 0, y / b->lines);
            d[n++] = sums->single ? clusters_differ(x, y)
                            : clusters_differ(a ? x / base.lines : 0, y / at.lines);
            counts.above += away > 0;
            counts.below += away < 0;
            counts.same += away == 0;
        }

        if (paired_test(d, sums->clusters, most, seed, &scratch[1], result, fault) < 0) return -1;
        if (sums->single)
            return 0;
        counts.p = result->p;
        counts.p_signs = tails_coins(counts.above, counts.below);
    }
    *result = counts;
    test_t(sums, result);
    return 0;
}
