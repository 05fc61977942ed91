/* clusters: standard errors are those of leaving out each cluster in turn and of the paired t test,
 * a ratio's are those of its numeric gradient, and p is a plain enumeration of signs; with the
 * argument "coverage", intervals of simulated clients hold the truth as often as they say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rng.h"
#include "measure/clusters.h"

enum { MOST = 12, CLIENTS = 400 };

static unsigned long wrong;
static struct buffer scratch[2];
static struct fault fault;

static void near(double got, double want, const char *what, uint64_t at)
{
    if (!(fabs(got - want) <= 1e-12 * (1 + fabs(want))) && wrong++ < 20)
        fprintf(stderr, "%s of case %g is %.17g, not %.17g\n", what, (double)at, got, want);
}

/* Clusters of 1 to 5 lines, or of one; with `gaps` a table lacks some. Part 1 is above 0. */
static void draw(struct rng *rng, struct cluster *at, size_t n, bool single, bool gaps)
{
    memset(at, 0, n * sizeof *at);
    for (size_t c = 0; c < n; c++) {
        size_t lines = single ? 1 : 1 + rng_below(rng, 5);
        if (gaps && rng_below(rng, 3) == 0)
            continue;
        for (size_t i = 0; i < lines; i++) {
            at[c].part[0] += rng_unit(rng) - 0.3;
            at[c].part[1] += 0.1 + rng_unit(rng);
            at[c].part[2] += 1 + rng_unit(rng);
        }
        at[c].lines = (double)lines;
    }
}

/* The mean of a table where cluster `odd` counts `weight` times. */
static double weighted(const struct cluster *at, size_t n, size_t odd, double weight, bool ratio)
{
    double sum[CLUSTER_PARTS] = { 0 }, lines = 0;
    for (size_t c = 0; at && c < n; c++) {
        double w = c == odd ? weight : 1;
        for (size_t i = 0; i < CLUSTER_PARTS; i++)
            sum[i] += w * at[c].part[i];
        lines += w * at[c].lines;
    }
    return !at ? 0 : ratio ? sum[0] * sum[2] / sum[1] / lines : sum[0] / lines;
}

static double difference(const struct clusters *my, size_t odd, double weight)
{
    return weighted(my->at, my->n, odd, weight, my->ratio) -
           weighted(my->base, my->n, odd, weight, my->ratio);
}

/* The error is that of leaving out each cluster in turn. */
static void check_left_out(const struct clusters *my, const struct clusters_sums *sums, uint64_t at)
{
    double squares = 0, clusters = 0;
    for (size_t c = 0; c < my->n; c++) {
        if (my->at[c].lines + (my->base ? my->base[c].lines : 0) == 0)
            continue;
        double away = sums->mean - difference(my, c, 0);
        squares += away * away;
        clusters++;
    }
    near((double)sums->clusters, clusters, "clusters", at);
    near(sums->error, sqrt((clusters - 1) / clusters * squares), "error", at);
}

/* V is that of the slopes, how fast the mean changes with a cluster's weight, times N, or for two
 * tables times twice the lines of one for each line of both. */
static void check_slopes(const struct clusters *my, const struct clusters_sums *sums, uint64_t at)
{
    const double h = 1e-4;
    double squares = 0, a = 0, b = 0;
    for (size_t c = 0; c < my->n; c++) {
        a += my->base ? my->base[c].lines : 0;
        b += my->at[c].lines;
        double slope = (difference(my, c, 1 + h) - difference(my, c, 1 - h)) / (2 * h);
        squares += slope * slope;
    }
    double lines = my->base ? 2 * a * b / (a + b) : b, v = squares * lines * lines;
    near(sums->lines, lines, "lines", at);
    if (!(fabs(sums->squares - v) <= 1e-6 * v) && wrong++ < 20)
        fprintf(stderr, "V of case %g is %.17g, by slopes %.17g\n", (double)at, sums->squares, v);
}

/* p of all 2^n choices of signs. */
static double enumerate(const double *d, size_t n)
{
    double total = 0, count = 0, size = 0;
    for (size_t c = 0; c < n; c++) {
        total += d[c];
        size += fabs(d[c]);
    }
    for (size_t bits = 0; bits < (size_t)1 << n; bits++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++)
            sum += bits >> c & 1 ? -d[c] : d[c];
        count += fabs(sum) >= fabs(total) - 1e-12 * size;
    }
    return count / (double)((size_t)1 << n);
}

static void check_test(const struct clusters *my, const struct clusters_sums *sums, uint64_t at)
{
    struct paired got;
    double d[MOST], lines[2] = { 0 }, freedom = (double)sums->clusters - 1;
    size_t above = 0, below = 0;
    wrong += clusters_test(my, sums, 100000, 1, scratch, &got, &fault) < 0;
    near(tails_student((got.high - got.mean) / sums->error, freedom), 0.05, "interval", at);
    near(got.high + got.low, 2 * sums->mean, "middle", at);
    near(got.p_t, tails_student(sums->mean / sums->error, freedom), "p(t)", at);
    if (!sums->joined) {
        wrong += !isnan(got.p) || !isnan(got.p_signs) || got.above + got.below + got.same != 0;
        return;
    }
    for (size_t c = 0; c < my->n; c++) {
        lines[0] += my->base ? my->base[c].lines : 0;
        lines[1] += my->at[c].lines;
    }
    for (size_t c = 0; c < my->n; c++) {
        const struct cluster *a = my->base ? &my->base[c] : NULL, *b = &my->at[c];
        double mean[] = { a ? a->part[0] / a->lines : 0, b->part[0] / b->lines };
        d[c] = b->part[0] / lines[1] - (a ? a->part[0] / lines[0] : 0);
        above += mean[1] > mean[0];
        below += mean[1] < mean[0];
    }
    if (my->ratio)
        return;
    near(got.p, enumerate(d, my->n), "p", at);
    near(got.p_signs, tails_coins(above, below), "p(sign)", at);
    wrong += got.above != above || got.below != below || got.same != 0;
}

static void check_cases(void)
{
    for (uint64_t at = 0; at < 400; at++) {
        struct rng rng = rng_at(1, RNG_SAMPLE, at);
        struct cluster table[2][MOST];
        size_t n = 4 + rng_below(&rng, MOST - 3);
        bool single = at % 4 == 0, gaps = at % 4 == 1 && at % 8 < 4;
        struct clusters_sums sums;
        draw(&rng, table[0], n, single, gaps);
        draw(&rng, table[1], n, single, gaps);
        for (int ratio = 0; ratio < 2; ratio++) {
            for (int tables = 1; tables < 3; tables++) {
                struct clusters my = { tables > 1 ? table[0] : NULL, table[1], n, ratio };
                clusters_sum(&my, &sums);
                if (isnan(sums.error))
                    continue;
                near(sums.mean, difference(&my, n, 1), "mean", at);
                if (!ratio)
                    check_left_out(&my, &sums, at);
                check_slopes(&my, &sums, at);
                check_test(&my, &sums, at);
                wrong += single && !sums.single;
            }
        }
    }
}

/* Worked by hand: 1,000 wins of one query, and two queries that lost once. */
static void check_by_hand(void)
{
    const struct cluster won[] = { { { 1000 }, 1000 }, { { -1 }, 1 }, { { -1 }, 1 } };
    const struct clusters my = { NULL, won, 3, false };
    struct clusters_sums sums;
    double e = 1000 - 998.0 / 1002 * 1000, f = -1 - 998.0 / 1002;
    clusters_sum(&my, &sums);
    near(sums.mean, 998.0 / 1002, "mean", 0);
    near(sums.squares, e * e + 2 * f * f, "V", 0);
    near(sums.error, sqrt(2.0 / 3 * (e * e / 4 + 2 * f * f / 1001 / 1001)), "error", 0);
    near(sums.largest, 1000.0 / 1002, "largest", 0);
}

/* Where all lines are alike V is 0, not what rounding leaves. */
static void check_alike(void)
{
    struct cluster at[7] = { { { 0 }, 0 } };
    struct clusters my = { NULL, at, 7, false };
    struct clusters_sums sums;
    for (size_t c = 0; c < 7; c++)
        for (size_t i = 0; i <= c; i++) {
            at[c].part[0] += 0.1;
            at[c].lines++;
        }
    clusters_sum(&my, &sums);
    wrong += sums.squares != 0 || !(sums.raw > 0);
    my.n = 1; /* and of one cluster there is no error */
    clusters_sum(&my, &sums);
    wrong += isnan(sums.error) ? 0 : 1;
}

/* A client has 1 to 100 lines by a heavy tail, and values about a mean of its own. */
static void visit(struct rng *rng, struct cluster *at)
{
    double taste = rng_unit(rng) - 0.5, lines = floor(pow(1 - rng_unit(rng), -1 / 1.2));
    at->lines = lines < 100 ? lines : 100;
    for (double i = 0; i < at->lines; i++)
        at->part[0] += taste + rng_unit(rng) - 0.5;
}

/* Of 4,000 samples: how many intervals hold the mean 0; by one table, or by half of the clients in
 * each of two. */
static void check_coverage(size_t clients, bool two)
{
    enum { SAMPLES = 4000 };
    static struct cluster at[2][CLIENTS];
    double held = 0;
    for (uint64_t sample = 0; sample < SAMPLES; sample++) {
        struct rng rng = rng_at(clients, RNG_SAMPLE, sample);
        struct clusters my = { two ? at[0] : NULL, at[1], clients, false };
        struct clusters_sums sums;
        memset(at, 0, sizeof at);
        for (size_t c = 0; c < clients; c++)
            visit(&rng, &at[two ? c % 2 : 1][c]);
        clusters_sum(&my, &sums);
        held += tails_student(sums.mean / sums.error, (double)sums.clusters - 1) >= 0.05;
    }
    printf("%zu clients in %d: %.1f of 100 intervals hold the mean\n", clients, two + 1,
           100 * held / SAMPLES);
    if (!(held / SAMPLES >= 0.9 && held / SAMPLES <= 0.965)) /* 10 clients have most lines */
        wrong++;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "coverage") == 0) {
        for (size_t clients = 50; clients <= CLIENTS; clients *= 2)
            for (int two = 0; two < 2; two++)
                check_coverage(clients, two);
    } else {
        check_by_hand();
        check_alike();
        check_cases();
    }
    buffer_free(&scratch[0]);
    buffer_free(&scratch[1]);
    return wrong != 0;
}
