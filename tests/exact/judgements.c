/* judgements: examination and relevance from counts of clicks (lib/relevance), against other
 * derivations: gradients by differences in long double, posterior means and likelihoods by
 * integration, alternations written out, and cases that are solved by hand. And log gamma. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/lbfgs.h"
#include "math/real.h"
#include "math/rng.h"
#include "relevance/estimate.h"
#include "relevance/poisson.h"

enum { QUERIES = 9, DOCS = 5, PAIRS = QUERIES * DOCS, PLACES = 4, DIM = 3 };

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
    double clicks[PAIRS];
    float x[PAIRS][DIM];
    struct matrix z[QUERIES];
};

static void make(struct small *log, uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_SAMPLE, 1);
    size_t c = 0;
    for (size_t q = 0; q <= QUERIES; q++)
        log->query[q] = q * DOCS;
    for (size_t j = 0; j < PAIRS; j++) {
        log->first[j] = c;
        log->clicks[j] = 0;
        for (size_t i = 0; i < DIM; i++)
            log->x[j][i] = (float)rng_unit(&rng);
        for (uint32_t k = 0; k < PLACES && j % 7 != 6; k++) {
            if (k > 0 && rng_below(&rng, 3) == 0)
                continue;
            double n = 1 + rng_below(&rng, 40), clicks = rng_below(&rng, 1 + (uint32_t)n / (k + 1));
            if (j % 5 == 3)
                clicks = 0;
            log->cell[c++] = (struct evidence_cell){ k, n, j % 4 ? clicks : clicks / 2 };
            log->clicks[j] += log->cell[c - 1].clicks;
        }
    }
    log->first[PAIRS] = c;
    for (size_t q = 0; q < QUERIES; q++)
        log->z[q] = (struct matrix){ .kind = MATRIX_DENSE, .docs = DOCS, .dim = DIM,
                                     .x = (const unsigned char *)log->x[q * DOCS] };
    log->evidence = (struct evidence){ QUERIES, PAIRS, PLACES, DIM, log->query, log->first,
                                       log->cell, log->clicks, log->z };
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

/* ---- the regression ---- */

/* Its value, written out. */
static long double written_out(const struct poisson *poisson, const long double *x)
{
    const struct small *log = (const struct small *)poisson->evidence;
    long double sum = 0, clicks = 0, square = 0;
    for (size_t j = 0; j < PAIRS; j++) {
        long double s = x[DIM], u = (long double)poisson->u[j], C = (long double)log->clicks[j];
        for (size_t i = 0; i < DIM; i++)
            s += x[i] * (long double)log->x[j][i];
        s = s > 30 ? 30 : s < -30 ? -30 : s;
        clicks += u * C;
        sum += u * ((long double)poisson->E[j] * expl(s) - C * s);
    }
    for (size_t i = 0; i < DIM; i++)
        square += x[i] * x[i];
    return sum / (clicks > 1 ? clicks : 1) + 1e-4L * square / 2;
}

static void regression(struct small *log, struct rng *rng)
{
    double E[PAIRS], u[PAIRS], log_mean[PAIRS], slope[PAIRS], x[DIM + 1], g[DIM + 1];
    long double y[DIM + 1];
    for (size_t j = 0; j < PAIRS; j++) {
        E[j] = log->clicks[j] > 0 || j % 2 ? 1 + 20 * rng_unit(rng) : 0;
        u[j] = j % 6 ? rng_unit(rng) : 0;
    }
    struct poisson poisson = { .evidence = &log->evidence, .E = E, .u = u, .log_mean = log_mean,
                               .slope = slope };
    poisson_start(&poisson);
    for (int time = 0; time < 20; time++) {
        double size = time < 15 ? 2 : 60; /* also where exponents are held */
        for (size_t i = 0; i <= DIM; i++)
            y[i] = x[i] = size * (rng_unit(rng) - 0.5);
        near(poisson_value(&poisson, x, g), written_out(&poisson, y), 1e-12, "the loss");
        for (size_t i = 0; i <= DIM; i++) {
            long double h = 1e-5L, at = y[i], one[2];
            for (int side = 0; side < 2; side++) {
                y[i] = at + (side ? h : -h);
                one[side] = written_out(&poisson, y);
            }
            y[i] = at;
            near(g[i], (one[1] - one[0]) / (2 * h), 1e-7, "a gradient");
        }
    }
    memset(x, 0, sizeof x);
    near(poisson_fit(&poisson, x, &fault), 0, 0, "poisson_fit");
    poisson_value(&poisson, x, g);
    for (size_t i = 0; i <= DIM; i++)
        near(g[i], 0, 2e-5, "the gradient at the minimum");
}

/* ---- joint ---- */

/* The integral over r of r^power times Gamma(r; a, a/m) and all Poisson probabilities of pair j,
 * without the factors that depend on neither r nor a: by the trapezoidal rule in ln r. */
static long double integral(const struct small *log, const double *theta, size_t j, long double a,
                            long double m, int power)
{
    long double sum = 0, step = 0.05L;
    for (long double t = a < 1 ? -40 / a : -40; t < 8; t += step) {
        long double r = expl(t);
        long double exponent = a * logl(a / m) - lgammal(a) + (a - 1) * t - a / m * r;
        for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
            long double rate = (long double)log->cell[c].n *
                               (long double)theta[log->cell[c].position];
            exponent += (long double)log->cell[c].clicks * t - rate * r;
        }
        sum += expl(exponent + (power + 1) * t) * step;
    }
    return sum;
}

static void posterior(struct small *log)
{
    static const double theta[PLACES] = { 1, 0.6, 0.3, 0.2 };
    struct joint joint = { 0 };
    long double best = -INFINITY, chosen = 0;
    near(joint_open(&joint, &log->evidence, &fault), 0, 0, "joint_open");
    memcpy(joint.theta, theta, sizeof theta);
    near(joint_fit(&joint, &log->evidence, NULL, true, false, 3, &watch, &fault), 0, 0, "fit");
    for (size_t k = 0; k < PLACES; k++)
        near(joint.theta[k], theta[k], 0, "theta that was given");
    for (size_t j = 0; j < PAIRS; j++) {
        long double m = expl(joint.log_prior[j]);
        long double mean = integral(log, theta, j, joint.shape, m, 1) /
                           integral(log, theta, j, joint.shape, m, 0);
        near(joint.mean[j], mean, 1e-9, "a posterior mean");
    }
    for (int i = 0; i < 15; i++) {
        long double a = 0.05L * powl(1000, i / 14.0L), sum = 0;
        for (size_t j = 0; j < PAIRS; j++)
            if (log->first[j + 1] > log->first[j])
                sum += logl(integral(log, theta, j, a, expl(joint.log_prior[j]), 0));
        if (sum > best) {
            best = sum;
            chosen = a;
        }
    }
    near(joint.shape, chosen, 1e-12, "the shape of the largest likelihood");
    joint_close(&joint);
}

/* After many passes the regression is at its minimum for u_j = 1 / (1 + E_j m_j / a), of its own
 * m. */
static void weights(struct small *log)
{
    static const double theta[PLACES] = { 1, 0.6, 0.3, 0.2 };
    struct joint joint = { 0 };
    double E[PAIRS], u[PAIRS], log_mean[PAIRS], slope[PAIRS], g[DIM + 1];
    near(joint_open(&joint, &log->evidence, &fault), 0, 0, "joint_open");
    memcpy(joint.theta, theta, sizeof theta);
    near(joint_fit(&joint, &log->evidence, NULL, true, false, 60, &watch, &fault), 0, 0, "fit");
    evidence_exposure(&log->evidence, theta, E);
    for (size_t j = 0; j < PAIRS; j++)
        u[j] = 1 / (1 + E[j] * exp(joint.log_prior[j]) / joint.shape);
    struct poisson poisson = { .evidence = &log->evidence, .E = E, .u = u, .log_mean = log_mean,
                               .slope = slope };
    poisson_start(&poisson);
    poisson_value(&poisson, joint.x, g);
    for (size_t i = 0; i <= DIM; i++)
        near(g[i], 0, 1e-4, "the gradient by its own weights");
    joint_close(&joint);
}

/* One pass: ten times E, means and theta, from 1/k, with the a and m that it found. `weight`: so
 * often each query. */
static void alternation(struct small *log, const double *weight)
{
    struct joint joint = { 0 };
    long double theta[PLACES], mean[PAIRS] = { 0 };
    near(joint_open(&joint, &log->evidence, &fault), 0, 0, "joint_open");
    near(joint_fit(&joint, &log->evidence, weight, false, false, 1, &watch, &fault), 0, 0, "fit");
    for (size_t k = 0; k < PLACES; k++)
        theta[k] = 1 / (long double)(k + 1);
    for (int time = 0; time <= 10; time++) {
        long double up[PLACES] = { 0 }, down[PLACES] = { 0 };
        for (size_t j = 0; j < PAIRS; j++) {
            long double a = joint.shape, m = expl(joint.log_prior[j]), E = 0;
            long double u = weight ? weight[j / DOCS] : 1;
            for (size_t c = log->first[j]; c < log->first[j + 1]; c++)
                E += (long double)log->cell[c].n * theta[log->cell[c].position];
            mean[j] = ((long double)log->clicks[j] + a) / (E + a / m);
            for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
                up[log->cell[c].position] += u * (long double)log->cell[c].clicks;
                down[log->cell[c].position] += u * (long double)log->cell[c].n * mean[j];
            }
        }
        for (size_t k = 0; k < PLACES && time < 10; k++)
            theta[k] = up[k] / down[k] * down[0] / up[0];
    }
    for (size_t k = 0; k < PLACES; k++)
        near(joint.theta[k], theta[k], 1e-12, "theta after ten times");
    for (size_t j = 0; j < PAIRS; j++)
        near(joint.mean[j], mean[j], 1e-12, "the means after them");
    joint_close(&joint);
}

/* ---- fixed ---- */

/* At the end both equations hold: those of theta over the pairs that say something. */
static void stationary(struct small *log, const double *weight)
{
    struct fixed fixed = { 0 };
    long double up[PLACES] = { 0 }, down[PLACES] = { 0 };
    near(fixed_open(&fixed, &log->evidence, &fault), 0, 0, "fixed_open");
    fixed_fit(&fixed, &log->evidence, weight, 100000);
    for (size_t j = 0; j < PAIRS; j++) {
        long double E = 0, u = weight ? weight[j / DOCS] : 1;
        for (size_t c = log->first[j]; c < log->first[j + 1]; c++)
            E += (long double)log->cell[c].n * (long double)fixed.theta[log->cell[c].position];
        for (size_t c = log->first[j]; c < log->first[j + 1]; c++) {
            up[log->cell[c].position] += u * (long double)log->cell[c].clicks;
            down[log->cell[c].position] += u * (long double)log->cell[c].n *
                                           (long double)log->clicks[j] / (E > 0 ? E : 1);
        }
    }
    near(fixed.theta[0], 1, 0, "theta of position 1");
    for (size_t k = 0; k < PLACES; k++)
        near(fixed.theta[k], up[k] / down[k], 1e-5, "C_k over sum n_jk r_j");
    fixed_close(&fixed);
}

/* Pairs shown as often at both of two positions: theta_2 is the ratio of the clicks. Others, and a
 * third and fourth position without pairs in common with them, change nothing. */
static void by_hand(struct small *log)
{
    struct fixed fixed = { 0 };
    static const double clicks[][2] = { { 6, 1 }, { 10, 4 }, { 3, 4 } };
    size_t c = 0;
    for (size_t j = 0; j < PAIRS; j++) {
        log->first[j] = c;
        for (uint32_t k = 0; k < 2; k++)
            if (j < 3)
                log->cell[c++] = (struct evidence_cell){ k, 30 + (double)j, clicks[j][k] };
            else if (j < 20)
                log->cell[c++] = (struct evidence_cell){ j % 2 ? 0 : 2 + k, 5, j % 2 && k ? 0 : 2 };
            else
                break;
        if (j >= 3 && j < 20 && j % 2)
            c--; /* once, at position 1 */
        log->clicks[j] = 0;
        for (size_t i = log->first[j]; i < c; i++)
            log->clicks[j] += log->cell[i].clicks;
    }
    log->first[PAIRS] = c;
    near(fixed_open(&fixed, &log->evidence, &fault), 0, 0, "fixed_open");
    fixed_fit(&fixed, &log->evidence, NULL, 1000);
    near(fixed.theta[1], 9.0L / 19, 1e-6, "theta of position 2");
    check(isnan(fixed.theta[2]) && isnan(fixed.theta[3]), "theta that nothing says", 0, 0);
    check(fixed.shared[0] == 3 && fixed.shared[3] == 8, "pairs at two positions",
          (double)fixed.shared[3], 8);
    fixed_close(&fixed);
}

/* ---- standard errors ---- */

/* Many queries with one pair each, as often at both positions, n = 40: theta_2 = C_2 / C_1, and by
 * the delta method its error is theta_2 sqrt(sum_q (C_q2 / C_2 - C_q1 / C_1)^2). */
static void errors(void)
{
    enum { N = 2000 };
    struct evidence_cell *cell = calloc(2 * N, sizeof *cell);
    size_t *query = calloc(N + 1, sizeof *query), *first = calloc(N + 1, sizeof *first);
    double *clicks = calloc(N, sizeof *clicks), sum[2] = { 0 }, square = 0;
    struct rng rng = rng_at(5, RNG_SAMPLE, 2);
    for (size_t q = 0; q < N; q++) {
        double r = rng_unit(&rng);
        for (uint32_t k = 0; k < 2; k++) {
            cell[2 * q + k] = (struct evidence_cell){ k, 40, 0 };
            for (int i = 0; i < 40; i++)
                cell[2 * q + k].clicks += rng_unit(&rng) < (k ? 0.4 : 1) * r;
            sum[k] += cell[2 * q + k].clicks;
            clicks[q] += cell[2 * q + k].clicks;
        }
        query[q + 1] = q + 1;
        first[q + 1] = 2 * q + 2;
    }
    for (size_t q = 0; q < N; q++) {
        double off = cell[2 * q + 1].clicks / sum[1] - cell[2 * q].clicks / sum[0];
        square += off * off;
    }
    struct evidence evidence = { N, N, 2, 0, query, first, cell, clicks, NULL };
    struct estimate estimate = { .by = BY_FIXED, .seed = 1 };
    near(estimate_make(&estimate, &evidence, &watch, &fault), 0, 0, "estimate_make");
    near(estimate.theta[1], sum[1] / sum[0], 1e-6, "theta of position 2, again");
    double error = sum[1] / sum[0] * sqrt(square);
    for (int i = RESAMPLED_JOINT; i <= RESAMPLED_FIXED; i++)
        near(estimate.resampled.error[i][1] / error, 1, 0.25, "a standard error");
    check(estimate.resampled.error[RESAMPLED_RATIO][1] < 0.2 * error, "the difference's error",
          estimate.resampled.error[RESAMPLED_RATIO][1], 0);
    estimate_close(&estimate);
    free(cell);
    free(query);
    free(first);
    free(clicks);
}

int main(void)
{
    static struct small log;
    double weight[QUERIES];
    struct rng rng = rng_at(1, RNG_SAMPLE, 3);
    watch = WATCH_NOTHING;
    log_gamma();
    for (uint64_t seed = 1; seed <= 5; seed++) {
        make(&log, seed);
        for (size_t q = 0; q < QUERIES; q++)
            weight[q] = rng_below(&rng, 4);
        regression(&log, &rng);
        if (seed < 3)
            posterior(&log);
        weights(&log);
        alternation(&log, NULL);
        alternation(&log, weight);
        stationary(&log, NULL);
        stationary(&log, weight);
    }
    by_hand(&log);
    errors();
    return 0;
}
