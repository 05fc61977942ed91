/* judgements: examination and relevance from counts of clicks (lib/relevance), against other
 * derivations: likelihoods and gradients written out in long double, posterior means and
 * likelihoods by integration, errors by differences, and cases that are solved by hand. And log
 * gamma with its derivative. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/real.h"
#include "math/rng.h"
#include "relevance/estimate.h"
#include "relevance/held_out.h"
#include "relevance/marginal.h"
#include "relevance/stopping.h"
#include "relevance/users.h"
#include "relevance/within.h"

enum { QUERIES = 12, DOCS = 5, PAIRS = QUERIES * DOCS, PLACES = 4, DIM = 3 };
enum { FREE = PLACES - 1, X = FREE + DIM + 2 }; /* what the marginal likelihood depends on */

static struct fault fault;
static struct watch watch;

static void check(bool right, const char *what, double got, double wanted)
{
    if (right)
        return;
    fprintf(stderr, "judgements: %s: %.17g, not %.17g\n", what, got, wanted);
    exit(1);
}

static void near(double got, long double wanted, double within, const char *what)
{
    check(fabsl((long double)got - wanted) <= (long double)within * (1 + fabsl(wanted)), what, got,
          (double)wanted);
}

/* A small log: every pair at up to PLACES positions, some pairs never shown, some never clicked. */
struct small {
    struct evidence evidence;
    size_t query[QUERIES + 1], first[PAIRS + 1];
    struct evidence_cell cell[PAIRS * PLACES];
    float x[PAIRS][DIM];
    struct matrix z[QUERIES];
};

/* Counts of a cell at position k, drawn. */
static struct impressions_counts draw(struct rng *rng, uint32_t k, bool clicked)
{
    struct impressions_counts counts = { .n = 2 + rng_below(rng, 100) };
    counts.after = k ? rng_below(rng, (uint32_t)counts.n) : 0;
    if (!clicked)
        return counts;
    counts.after_clicks = rng_below(rng, 1 + (uint32_t)counts.after / (2 * k + 2));
    counts.clicks = counts.after_clicks +
                    rng_below(rng, 1 + (uint32_t)(counts.n - counts.after) / (k + 1));
    return counts;
}

static void make(struct small *log, uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_SAMPLE, 1);
    size_t c = 0;
    for (size_t q = 0; q <= QUERIES; q++)
        log->query[q] = q * DOCS;
    for (size_t j = 0; j < PAIRS; j++) {
        log->first[j] = c;
        for (size_t i = 0; i < DIM; i++)
            log->x[j][i] = (float)rng_unit(&rng);
        for (uint32_t k = 0; k < PLACES && j % 7 != 6; k++)
            if (k == 0 || rng_below(&rng, 3) > 0)
                log->cell[c++] = (struct evidence_cell){ k, draw(&rng, k, j % 5 != 3) };
    }
    log->first[PAIRS] = c;
    for (size_t q = 0; q < QUERIES; q++)
        log->z[q] = (struct matrix){ .kind = MATRIX_DENSE, .docs = DOCS, .dim = DIM,
                                     .x = (const unsigned char *)log->x[q * DOCS] };
    log->evidence = (struct evidence){ QUERIES, PAIRS, PLACES, DIM, log->query, log->first,
                                       log->cell, log->z };
}

/* ---- log gamma ---- */

static void log_gamma(void)
{
    for (double x = 1e-300; x < 1e300; x *= x < 1e-3 || x > 1e6 ? 1.7 : 1.0003) {
        long double wanted = lgammal((long double)x);
        double unit = nextafter(fabs((double)wanted), INFINITY) - fabs((double)wanted);
        double most = 3 * unit > 1e-14 ? 3 * unit : 1e-14, got = real_log_gamma(x);
        check(fabsl((long double)got - wanted) <= (long double)most, "log gamma", got,
              (double)wanted);
    }
    check(isinf(real_log_gamma(0)) && isinf(real_log_gamma(INFINITY)), "log gamma of 0", 0, 0);
    check(isnan(real_log_gamma(-1)) && isnan(real_log_gamma(NAN)), "log gamma of -1", 0, 0);
}

static void near_units(double got, long double wanted, const char *what)
{
    double unit = nextafter(fabs((double)wanted), INFINITY) - fabs((double)wanted);
    double most = 4 * unit > 1e-14 ? 4 * unit : 1e-14;
    check(fabsl((long double)got - wanted) <= (long double)most, what, got, (double)wanted);
}

/* The derivative: of known values, which are rational with Euler's constant, pi and logarithms (the
 * theorem of Gauss); from them by psi(x + 1) = psi(x) + 1/x; and twice x by x and x + 1/2. */
static void digamma(void)
{
    const long double euler = 0.57721566490153286060651209008240243L, pi = acosl(-1);
    const long double known[][2] = {
        { 1, -euler },
        { 0.5L, -euler - 2 * logl(2) },
        { 0.25L, -euler - pi / 2 - 3 * logl(2) },
        { 0.75L, -euler + pi / 2 - 3 * logl(2) }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        long double x = known[i][0], wanted = known[i][1];
        for (int n = 0; n < 1000; n++) {
            near_units(real_digamma((double)x), wanted, "digamma");
            wanted += 1 / x;
            x += 1;
        }
    }
    for (double x = 1e-290; x < 1e290; x *= x < 1e-3 || x > 1e6 ? 1.7 : 1.003)
        near(real_digamma(2 * x), ((long double)real_digamma(x) +
                                   (long double)real_digamma(x + 0.5)) / 2 + logl(2), 3e-15,
             "digamma of twice x");
    check(isinf(real_digamma(0)) && real_digamma(0) < 0, "digamma of 0", real_digamma(0), 0);
    check(isinf(real_digamma(INFINITY)) && isnan(real_digamma(-1)) && isnan(real_digamma(NAN)),
          "digamma of infinity", real_digamma(INFINITY), 0);
}

/* ---- what is counted ---- */

static void counted(const struct small *log)
{
    struct counts counts = { 0 };
    bool keep[QUERIES] = { false, true };
    double share[QUERIES];
    for (size_t q = 0; q < QUERIES; q++)
        share[q] = 0.25 * (double)q;
    for (int what = COUNTS_ALL; what <= COUNTS_SHARE; what++) {
        near(counts_make(&counts, &log->evidence, (enum counts_of)what, share,
                         what == COUNTS_FIRST ? keep : NULL, &fault), 0, 0, "counts_make");
        for (size_t j = 0; j < PAIRS; j++)
            for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
                const struct impressions_counts *of = &log->cell[c].counts;
                bool in = what != COUNTS_FIRST || j / DOCS == 1;
                double n = what == COUNTS_ALL ? of->n : of->n - of->after;
                n += what == COUNTS_SHARE ? share[j / DOCS] * of->after : 0;
                near(counts.n[c], in ? (long double)n : 0, 0, "impressions that count");
                double clicks = of->clicks - (what == COUNTS_FIRST ? of->after_clicks : 0);
                near(counts.clicks[c], in ? (long double)clicks : 0, 0, "clicks that count");
            }
    }
    counts_close(&counts);
}

/* ---- the marginal likelihood ---- */

/* The sum over features of their variances over the pairs. */
static long double spread(const struct small *log)
{
    long double all = 0;
    for (size_t i = 0; i < DIM; i++) {
        long double mean = 0;
        for (size_t j = 0; j < PAIRS; j++)
            mean += (long double)log->x[j][i] / PAIRS;
        for (size_t j = 0; j < PAIRS; j++)
            all += ((long double)log->x[j][i] - mean) * ((long double)log->x[j][i] - mean) / PAIRS;
    }
    return all;
}

/* The loss, where the features are moved by `centre`. */
static long double written_out(const struct small *log, const struct counts *counts,
                               const double *centre, const long double *x)
{
    long double a = expl(x[X - 1]), sum = 0, clicks = 0, square = 0;
    for (size_t j = 0; j < PAIRS; j++) {
        long double s = x[X - 2], E = 0, C = 0;
        for (size_t i = 0; i < DIM; i++)
            s += x[FREE + i] * ((long double)log->x[j][i] - (long double)centre[i]);
        for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
            size_t k = log->cell[c].position;
            E += (long double)counts->n[c] * (k ? expl(x[k - 1]) : 1);
            C += (long double)counts->clicks[c];
        }
        if (!(E > 0))
            continue;
        clicks += C;
        sum += lgammal(C + a) - lgammal(a) + a * logl(a) + C * s - (C + a) * logl(a + E * expl(s));
    }
    for (size_t k = 1; k < PLACES; k++)
        sum += (long double)counts->at[k] * x[k - 1];
    for (size_t i = 0; i < DIM; i++)
        square += x[FREE + i] * x[FREE + i];
    return (5 * spread(log) * square / 2 + x[X - 1] * x[X - 1] / 8 - sum) / clicks;
}

static void gradient(const struct small *log, const struct counts *counts, struct rng *rng)
{
    struct marginal marginal = { 0 };
    double x[X], g[X], above[MARGINAL_WHOLES] = { 0 }, sum[PLACES];
    static const double centre[DIM] = { 0.5, -1, 0.25 };
    long double y[X];
    struct marginal_loss loss = { .marginal = &marginal, .counts = counts, .centre = centre,
                                  .above = above, .sum = sum, .watch = &watch, .fault = &fault };
    near(marginal_open(&marginal, &log->evidence, &fault), 0, 0, "marginal_open");
    for (size_t j = 0; j < PAIRS; j++) {
        bool shown = false;
        for (size_t c = log->first[j]; c < log->first[j + 1]; c++)
            shown = shown || counts->n[c] > 0;
        loss.shown += shown;
        loss.clicks += counts->of_pair[j];
        for (int i = 0; i < (int)counts->of_pair[j] && counts->of_pair[j] < MARGINAL_WHOLES; i++)
            above[i]++;
    }
    for (int time = 0; time < 20; time++) {
        for (size_t i = 0; i < X; i++)
            y[i] = x[i] = 3 * (rng_unit(rng) - 0.5);
        near(marginal_loss(&loss, x, g), written_out(log, counts, centre, y), 1e-12, "the loss");
        for (size_t i = 0; i < X; i++) {
            long double h = 1e-5L, at = y[i], one[2];
            for (int side = 0; side < 2; side++) {
                y[i] = at + (side ? h : -h);
                one[side] = written_out(log, counts, centre, y);
            }
            y[i] = at;
            near(g[i], (one[1] - one[0]) / (2 * h), 1e-8, "a gradient");
        }
    }
    marginal_close(&marginal);
}

/* The fit is where the gradient is 0, from both starts; a change of any parameter is worse. */
static void greatest(const struct small *log, const struct counts *counts)
{
    struct marginal one = { 0 }, other = { 0 };
    static const double none[DIM];
    long double y[X], least;
    near(marginal_open(&one, &log->evidence, &fault), 0, 0, "marginal_open");
    near(marginal_open(&other, &log->evidence, &fault), 0, 0, "marginal_open");
    for (size_t k = 0; k < PLACES; k++)
        other.theta[k] = 1;
    near(marginal_fit(&one, counts, false, &watch, &fault), 0, 0, "marginal_fit");
    near(marginal_fit(&other, counts, false, &watch, &fault), 0, 0, "marginal_fit");
    near(one.theta[0], 1, 0, "theta of position 1");
    for (size_t k = 1; k < PLACES; k++) {
        near(one.theta[k], other.theta[k], 0.003, "theta from another start");
        y[k - 1] = logl(one.theta[k]);
    }
    for (size_t i = 0; i < DIM + 2; i++)
        y[FREE + i] = one.x[i];
    least = written_out(log, counts, none, y);
    for (size_t i = 0; i < X; i++)
        for (int side = -1; side <= 1; side += 2) {
            y[i] += 0.05L * side;
            check(written_out(log, counts, none, y) > least, "less than the least", (double)i,
                  side);
            y[i] -= 0.05L * side;
        }
    marginal_close(&one);
    marginal_close(&other);
}

/* The integral over r of r^power times Gamma(r; a, a/m) and all Poisson probabilities of pair j,
 * without the factors that depend on neither r nor a: by the trapezoidal rule in ln r. */
static long double integral(const struct counts *counts, const double *theta, size_t j,
                            long double a, long double m, int power)
{
    const struct evidence *evidence = counts->evidence;
    long double sum = 0, step = 0.05L;
    for (long double t = a < 1 ? -40 / a : -40; t < 8; t += step) {
        long double r = expl(t);
        long double exponent = a * logl(a / m) - lgammal(a) + (a - 1) * t - a / m * r;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            long double rate = (long double)counts->n[c] *
                               (long double)theta[evidence->cell[c].position];
            exponent += (long double)counts->clicks[c] * t - rate * r;
        }
        sum += expl(exponent + (power + 1) * t) * step;
    }
    return sum;
}

static void posterior(const struct small *log, const struct counts *counts)
{
    static const double theta[PLACES] = { 1, 0.6, 0.3, 0.2 };
    struct marginal marginal = { 0 };
    near(marginal_open(&marginal, &log->evidence, &fault), 0, 0, "marginal_open");
    memcpy(marginal.theta, theta, sizeof theta);
    near(marginal_fit(&marginal, counts, true, &watch, &fault), 0, 0, "marginal_fit");
    for (size_t k = 0; k < PLACES; k++)
        near(marginal.theta[k], theta[k], 0, "theta that was given");
    double a = marginal_shape(&marginal, DIM), E[PAIRS];
    counts_exposure(counts, theta, E);
    for (size_t j = 0; j < PAIRS; j++) {
        long double m = expl(marginal.s[j]), all = integral(counts, theta, j, a, m, 0);
        near(marginal.mean[j], integral(counts, theta, j, a, m, 1) / all, 1e-9,
             "a posterior mean");
        if (E[j] > 0) /* Gamma(C + a) / Gamma(a) (a/m)^a / (E + a/m)^(C + a) */
            near(marginal_of_pair(counts->of_pair[j], E[j], marginal.s[j], a), logl(all), 1e-9,
                 "the likelihood of a pair");
    }
    marginal_close(&marginal);
}

/* ---- theta within documents ---- */

static long double within_written_out(const struct counts *counts, const double *prior,
                                      const long double *t)
{
    const struct evidence *evidence = counts->evidence;
    long double sum = 0;
    for (size_t j = 0; j < PAIRS; j++) {
        long double E = 0, C = 0;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            E += (long double)counts->n[c] * expl(t[evidence->cell[c].position]);
            C += (long double)counts->clicks[c];
            sum += (long double)counts->clicks[c] * t[evidence->cell[c].position];
        }
        sum -= C > 0 ? C * logl(E) : 0;
    }
    for (size_t k = 1; k < PLACES; k++)
        sum -= (t[k] - prior[k]) * (t[k] - prior[k]) / (2 * 0.3L * 0.3L);
    return sum;
}

/* At theta the slopes are 0. The errors are those of the inverse of second derivatives, by
 * differences and by Cramer's rule for three positions. */
static void within(const struct counts *counts)
{
    static const double prior[PLACES] = { 0, -0.5, -1, -1.2 };
    double theta[PLACES], error[PLACES];
    long double t[PLACES], H[3][3], h = 1e-4L;
    near(within_fit(counts, prior, theta, error, &fault), 0, 0, "within_fit");
    near(theta[0], 1, 0, "theta of position 1");
    near(error[0], 0, 0, "its error");
    for (size_t k = 0; k < PLACES; k++)
        t[k] = logl(theta[k]);
    for (int a = 0; a < 3; a++) {
        long double side[2];
        for (int s = 0; s < 2; s++) {
            t[a + 1] += s ? h : -h;
            side[s] = within_written_out(counts, prior, t);
            t[a + 1] -= s ? h : -h;
        }
        near((double)((side[1] - side[0]) / (2 * h)), 0, 0.05, "the slope at theta");
        for (int b = 0; b < 3; b++) {
            long double corner[4];
            for (int s = 0; s < 4; s++) {
                t[a + 1] += s & 1 ? h : -h;
                t[b + 1] += s & 2 ? h : -h;
                corner[s] = within_written_out(counts, prior, t);
                t[a + 1] -= s & 1 ? h : -h;
                t[b + 1] -= s & 2 ? h : -h;
            }
            H[a][b] = -(corner[3] - corner[2] - corner[1] + corner[0]) / (4 * h * h);
        }
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        long double minor = H[b][b] * H[c][c] - H[b][c] * H[c][b];
        long double all = H[a][a] * minor - H[a][b] * (H[b][a] * H[c][c] - H[b][c] * H[c][a]) +
                          H[a][c] * (H[b][a] * H[c][b] - H[b][b] * H[c][a]);
        near(error[a + 1], sqrtl(minor / all), 1e-4, "an error");
    }
}

/* A log of pairs that are all shown alike: 600 times at positions 1 and 2. */
static void set(struct small *log, const double clicks[][2])
{
    size_t c = 0;
    for (size_t j = 0; j < PAIRS; j++) {
        log->first[j] = c;
        for (uint32_t k = 0; k < 2; k++)
            log->cell[c++] = (struct evidence_cell){ k, { 600, clicks[j % 3][k], 0, 0, 0 } };
    }
    log->first[PAIRS] = c;
}

/* With as many impressions at both, the clicks at position 2 are a share theta / (1 + theta) of
 * all: so without a prior theta is their ratio, and 1 / error^2 is C share (1 - share). */
static void within_by_hand(struct small *log)
{
    static const double clicks[][2] = { { 200, 80 }, { 100, 70 }, { 100, 50 } };
    double prior[PLACES] = { 0 }, theta[PLACES], error[PLACES];
    struct counts counts = { 0 };
    set(log, clicks);
    prior[1] = real_log(0.5);
    near(counts_make(&counts, &log->evidence, COUNTS_ALL, NULL, NULL, &fault), 0, 0, "counts");
    near(within_fit(&counts, prior, theta, error, &fault), 0, 0, "within_fit");
    near(theta[1], 0.5L, 1e-5, "theta of position 2"); /* 200 of 400, which is the prior, too */
    near(error[1], 1 / sqrtl(12000.0L * 2 / 9 + 1 / 0.09L), 1e-5, "its error");
    near(theta[2], 1, 1e-9, "theta of a position that nothing says of");
    near(error[2], 0.3L, 1e-12, "its error: the prior's");
    counts_close(&counts);
}

/* Position 2 was shown, and nothing clicked on there: it counts half a click, here and in the
 * marginal likelihood; positions 3 and 4 were not shown. Then .5 - C share - (t - prior) / .09 is
 * 0. */
static void half_a_click(struct small *log)
{
    static const double clicks[][2] = { { 20, 0 }, { 10, 0 }, { 10, 0 } };
    double prior[PLACES] = { 0, -2, 0, 0 }, theta[PLACES], error[PLACES];
    struct counts counts = { 0 };
    set(log, clicks);
    near(counts_make(&counts, &log->evidence, COUNTS_ALL, NULL, NULL, &fault), 0, 0, "counts");
    near(counts.at[0], 800, 0, "clicks at position 1");
    near(counts.at[1], 0.5, 0, "clicks of a position without any");
    near(counts.at[2], 0, 0, "clicks of a position that was not shown");
    near(within_fit(&counts, prior, theta, error, &fault), 0, 0, "within_fit");
    long double t = logl(theta[1]), share = theta[1] / (1 + (long double)theta[1]);
    near((double)(0.5L - 800 * share - (t - prior[1]) / 0.09L), 0, 0.01,
         "the slope at half a click");
    counts_close(&counts);
}

/* ---- users ---- */

/* A cell of 6 impressions with 4 clicks, and 4 with 1 click below a click; one without clicks, and
 * one that was never below a click, which say nothing: R = 6/10, S = 16/10, V = 5 24 / 100. */
static void stopping_by_hand(struct small *log)
{
    struct stopping stopping;
    const struct impressions_counts cells[] = { { 10, 5, 4, 1, 0 }, { 10, 0, 4, 0, 0 },
                                                { 9, 3, 0, 0, 0 } };
    for (size_t j = 0; j <= PAIRS; j++)
        log->first[j] = j < 3 ? j : 3;
    for (size_t j = 0; j < 3; j++)
        log->cell[j] = (struct evidence_cell){ j == 2 ? 0 : 1, cells[j] };
    stopping_measure(&log->evidence, NULL, &stopping);
    near(stopping.kappa, 0.375L, 1e-15, "kappa, R being .6");
    near(stopping.error, sqrtl(1.2L / (0.6L * 1.6L)), 1e-15, "its error");
    near(stopping.clickless, 9 - 4 - 3, 0, "requests without a click");
    log->cell[0].counts = (struct impressions_counts){ 100, 0, 50, 0, 0 };
    stopping_measure(&log->evidence, NULL, &stopping);
    near(stopping.kappa, 1, 0, "kappa of nothing");
    near(stopping.error, sqrtl(2), 1e-15, "its error");
    log->cell[0].counts = (struct impressions_counts){ 200, 10, 100, 8, 0 };
    stopping_measure(&log->evidence, NULL, &stopping);
    near(stopping.kappa, 4, 1e-15, "kappa where a click above helps");
}

static void near_means(const struct users *users, const struct counts *counts)
{
    double a = marginal_shape(&users->marginal, DIM);
    for (size_t j = 0; j < PAIRS; j++) {
        const struct evidence *evidence = counts->evidence;
        long double E = 0;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
            E += (long double)counts->n[c] * (long double)users->theta[evidence->cell[c].position];
        near(users->marginal.mean[j], (counts->of_pair[j] + a) /
             (E + a / expl(users->marginal.s[j])), 1e-12, "a relevance");
    }
}

/* The steps of both forms, one by one. */
static void forms(const struct small *log)
{
    struct users users = { 0 };
    struct marginal marginal = { 0 };
    struct counts counts = { 0 };
    double prior[PLACES] = { 0 }, theta[PLACES], error[PLACES], rho[QUERIES];
    struct stopping stopping;
    const struct evidence *evidence = &log->evidence;
    stopping_measure(evidence, NULL, &stopping);
    near(users_fit(&users, true, evidence, NULL, NULL, NULL, &watch, &fault), 0, 0, "users_fit");
    near(counts_make(&counts, evidence, COUNTS_FIRST, NULL, NULL, &fault), 0, 0, "counts");
    near(within_fit(&counts, prior, theta, error, &fault), 0, 0, "within_fit");
    near(marginal_open(&marginal, evidence, &fault), 0, 0, "marginal_open");
    memcpy(marginal.theta, theta, sizeof theta);
    near(marginal_fit(&marginal, &counts, true, &watch, &fault), 0, 0, "marginal_fit");
    for (size_t q = 0; q < QUERIES; q++) {
        long double D = 5 * (long double)stopping.kappa, M = 5;
        for (size_t j = q * DOCS; j < (q + 1) * DOCS; j++)
            for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
                D += (long double)log->cell[c].counts.after_clicks;
                M += (long double)(log->cell[c].counts.after * theta[log->cell[c].position] *
                                   marginal.mean[j]);
            }
        rho[q] = (double)(D / M);
        near(users.rho[q], D / M, 1e-12, "rho");
    }
    near(counts_make(&counts, evidence, COUNTS_SHARE, rho, NULL, &fault), 0, 0, "counts");
    for (size_t k = 0; k < PLACES; k++)
        near(users.theta[k], theta[k], 1e-12, "theta of users who stop");
    near_means(&users, &counts);
    near(users_fit(&users, false, evidence, NULL, NULL, NULL, &watch, &fault), 0, 0, "users_fit");
    near(counts_make(&counts, evidence, COUNTS_ALL, NULL, NULL, &fault), 0, 0, "counts");
    for (size_t k = 0; k < PLACES; k++)
        prior[k] = real_log(users.first[k]);
    near(within_fit(&counts, prior, theta, error, &fault), 0, 0, "within_fit");
    for (size_t k = 0; k < PLACES; k++)
        near(users.theta[k], theta[k], 1e-9, "theta of users who do not");
    near_means(&users, &counts);
    users_close(&users);
    marginal_close(&marginal);
    counts_close(&counts);
}

/* ---- queries left out ---- */

static long double clicks_of(const struct small *log, size_t j)
{
    long double C = 0;
    for (size_t c = log->first[j]; c < log->first[j + 1]; c++)
        C += (long double)log->cell[c].counts.clicks;
    return C;
}

static long double exposure_of(const struct small *log, const struct users *users, size_t j)
{
    long double E = 0, share = users->stop ? (long double)users->kappa : 1;
    for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
        const struct impressions_counts *counts = &log->cell[c].counts;
        E += ((long double)(counts->n - counts->after) + share * (long double)counts->after) *
             (long double)users->theta[log->cell[c].position];
    }
    return E;
}

/* Of a query left out, all that its clicks' likelihood depends on, by integration. */
static long double likelihood_of(const struct small *log, const struct users *users, size_t q)
{
    long double sum = 0, share = users->stop ? (long double)users->kappa : 1;
    double a = marginal_shape(&users->marginal, DIM), one = 1;
    for (size_t j = q * DOCS; j < (q + 1) * DOCS; j++) {
        struct impressions_counts whole = { 0 };
        struct evidence_cell cell = { 0, whole };
        size_t first[PAIRS + 1] = { 0 };
        double n = (double)exposure_of(log, users, j), C = (double)clicks_of(log, j);
        struct evidence evidence = { .first = first, .cell = &cell };
        struct counts counts = { .evidence = &evidence, .n = &n, .clicks = &C };
        first[j + 1] = 1;
        if (log->first[j + 1] > log->first[j])
            sum += logl(integral(&counts, &one, j, a, expl(users->marginal.s[j]), 0));
        for (size_t c = log->first[j]; c < log->first[j + 1]; c++)
            sum += (long double)log->cell[c].counts.clicks *
                       logl(users->theta[log->cell[c].position]) +
                   (long double)log->cell[c].counts.after_clicks * logl(share);
    }
    return sum;
}

/* The logarithm of the mean position of pair j. */
static long double log_place_of(const struct small *log, size_t j)
{
    long double n = 0, sum = 0;
    for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
        n += (long double)log->cell[c].counts.n;
        sum += (long double)log->cell[c].counts.n * (log->cell[c].position + 1);
    }
    return n > 0 ? logl(sum / n) : 0;
}

/* b[2] of ln m = s + b[0] + b[1] ln(mean position), which Newton's method fits to the queries that
 * are not left out; s is that of the users, or 0. */
static void fit_places(const struct small *log, const struct held_out *held_out,
                       const struct users *users, bool learnt, long double *b)
{
    b[0] = b[1] = 0;
    for (int step = 0; step < 100; step++) {
        long double g[2] = { 0 }, H[3] = { 0 };
        for (size_t j = 0; j < PAIRS; j++) {
            long double x = log_place_of(log, j), s = learnt ? users->marginal.s[j] : 0;
            long double E = held_out->others[j / DOCS] ? exposure_of(log, users, j) : 0;
            long double m = E * expl(s + b[0] + b[1] * x);
            long double off = held_out->others[j / DOCS] ? clicks_of(log, j) - m : 0;
            g[0] += off, g[1] += off * x;
            H[0] += m, H[1] += m * x, H[2] += m * x * x;
        }
        b[0] += (H[2] * g[0] - H[1] * g[1]) / (H[0] * H[2] - H[1] * H[1]);
        b[1] += (H[0] * g[1] - H[1] * g[0]) / (H[0] * H[2] - H[1] * H[1]);
    }
}

/* Gains of the queries left out, of features beside mean positions over mean positions alone. */
static void gains(const struct small *log, const struct held_out *held_out,
                  const struct users *users, size_t queries)
{
    long double a[2], b[2], Y = 0, N = 0, gain[QUERIES] = { 0 }, clicks[QUERIES] = { 0 };
    long double square = 0;
    fit_places(log, held_out, users, true, a);
    fit_places(log, held_out, users, false, b);
    for (size_t j = 0; j < PAIRS; j++) {
        long double C = clicks_of(log, j), E = exposure_of(log, users, j), x = log_place_of(log, j);
        long double level = expl(b[0] + b[1] * x);
        long double m = expl(users->marginal.s[j] + a[0] + a[1] * x);
        gain[j / DOCS] += C * logl(m / level) - E * (m - level);
        clicks[j / DOCS] += C;
    }
    for (size_t q = 0; q < QUERIES; q++)
        if (held_out->left[q]) {
            Y += gain[q];
            N += clicks[q];
        }
    for (size_t q = 0; q < QUERIES; q++)
        if (held_out->left[q]) {
            long double off = (gain[q] - Y / N * clicks[q]) / (1 - clicks[q] / N);
            square += off * off;
        }
    struct ahead got;
    near(held_out_gain(held_out, users, &got, &fault), 0, 0, "held_out_gain");
    near(got.by, Y / N, 1e-5, "the gain a click");
    near(got.error, sqrtl((long double)(queries - 1) / queries * square) / N, 1e-5, "its error");
}

static void left_out(const struct small *log)
{
    const struct evidence *evidence = &log->evidence;
    struct held_out held_out = { 0 };
    struct users one = { 0 }, other = { 0 };
    long double difference[2] = { 0 };
    near(held_out_open(&held_out, evidence, &fault), 0, 0, "held_out_open");
    check(held_out.queries == 2 && held_out.left[4] && held_out.left[9], "queries left out",
          (double)held_out.queries, 2);
    near(users_fit(&one, false, evidence, held_out.others, NULL, NULL, &watch, &fault), 0, 0,
         "users_fit");
    near(users_fit(&other, true, evidence, held_out.others, NULL, NULL, &watch, &fault), 0, 0,
         "users_fit");
    for (size_t i = 0; i < 2; i++)
        difference[i] = likelihood_of(log, &one, 5 * i + 4) - likelihood_of(log, &other, 5 * i + 4);
    struct ahead got = held_out_likelihood(&held_out, &one, &other);
    near(got.by, difference[0] + difference[1], 1e-8, "the difference of likelihoods");
    near(got.error, fabsl(difference[0] - difference[1]), 1e-8, "its error");
    gains(log, &held_out, &one, 2);
    gains(log, &held_out, &other, 2);
    users_close(&one);
    users_close(&other);
    held_out_close(&held_out);
}

/* What is shown at position k is relevant as k^-2, and nothing else: so the mean position says all
 * that can be said. Features that say the same gain nothing, and others lose. */
static void over_places(struct small *log)
{
    struct held_out held_out = { 0 };
    struct users users = { 0 };
    struct ahead gain;
    double given[PLACES] = { 1, 1, 1, 1 };
    for (size_t j = 0; j <= PAIRS; j++)
        log->first[j] = j;
    for (size_t j = 0; j < PAIRS; j++) {
        uint32_t k = j % PLACES;
        log->cell[j] = (struct evidence_cell){ k, { 1600, 720.0 / ((k + 1) * (k + 1)), 0, 0, 0 } };
    }
    near(held_out_open(&held_out, &log->evidence, &fault), 0, 0, "held_out_open");
    near(users_fit(&users, false, &log->evidence, held_out.others, given, NULL, &watch, &fault), 0,
         0, "users_fit");
    for (size_t j = 0; j < PAIRS; j++)
        users.marginal.s[j] = real_log(0.45) - 2 * real_log((double)(j % PLACES) + 1);
    near(held_out_gain(&held_out, &users, &gain, &fault), 0, 0, "over places");
    near(gain.by, 0, 1e-8, "the gain over what places say");
    for (size_t j = 0; j < PAIRS; j++)
        users.marginal.s[j] = j / PLACES % 2 ? 1 : -1;
    near(held_out_gain(&held_out, &users, &gain, &fault), 0, 0, "over places");
    check(gain.by < -0.1, "the loss by features that say something else", gain.by, -0.1);
    users_close(&users);
    held_out_close(&held_out);
}

int main(void)
{
    static struct small log;
    struct rng rng = rng_at(1, RNG_SAMPLE, 3);
    watch = WATCH_NOTHING;
    log_gamma();
    digamma();
    for (uint64_t seed = 1; seed <= 5; seed++) {
        make(&log, seed);
        counted(&log);
        for (int what = COUNTS_ALL; what <= COUNTS_FIRST; what++) {
            struct counts counts = { 0 };
            near(counts_make(&counts, &log.evidence, (enum counts_of)what, NULL, NULL, &fault), 0,
                 0, "counts_make");
            gradient(&log, &counts, &rng);
            greatest(&log, &counts);
            within(&counts);
            if (seed < 3)
                posterior(&log, &counts);
            counts_close(&counts);
        }
        forms(&log);
        left_out(&log);
    }
    within_by_hand(&log);
    half_a_click(&log);
    stopping_by_hand(&log);
    over_places(&log);
    return 0;
}
