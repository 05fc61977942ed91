#include "relevance/marginal.h"

#include <math.h>
#include <string.h>

#include "math/lbfgs.h"
#include "math/real.h"

static const double START = 0.2, RIDGE = 5, SHAPE_RIDGE = 0.25, LEAST_SPREAD = 1e-6;
static const double MOST_THETA = 20, MOST_MEAN = 30, MOST_SHAPE = 10; /* of their logarithms */
static const double FLAT = 1e-6;
enum { STEPS = 300 };

/* Sets the ridge. 0 or a fault (memory). */
static int find_spread(struct marginal *marginal, const struct evidence *evidence,
                       struct fault *fault)
{
    size_t dim = evidence->dim;
    struct buffer memory = { 0 };
    double *sum = buffer_for(&memory, dim + 1, 2 * sizeof *sum + sizeof(uint32_t), fault);
    double J = (double)evidence->pairs, square = 0;
    if (!sum) return -1;
    memset(sum, 0, dim * sizeof *sum);
    for (size_t q = 0; dim && q < evidence->queries; q++)
        for (size_t i = 0; i < evidence->z[q].docs; i++) {
            struct row row = matrix_row(&evidence->z[q], i, sum + dim, (uint32_t *)(sum + 2 * dim));
            square += matrix_row_square(&row) / J;
            matrix_row_add(&row, 1 / J, sum);
        }
    for (size_t i = 0; i < dim; i++)
        square -= sum[i] * sum[i];
    marginal->ridge = RIDGE * (square > LEAST_SPREAD ? square : LEAST_SPREAD);
    buffer_free(&memory);
    return 0;
}

int marginal_open(struct marginal *marginal, const struct evidence *evidence, struct fault *fault)
{
    size_t J = evidence->pairs, K = evidence->positions, n = evidence->dim + 2;
    double *at = buffer_for(&marginal->memory, 4 * J + K + n, sizeof *at, fault);
    if (!at || find_spread(marginal, evidence, fault) < 0) return -1;
    marginal->mean = at;
    marginal->s = at + J;
    marginal->E = at + 2 * J;
    marginal->slope = at + 3 * J;
    marginal->theta = at + 4 * J;
    marginal->x = marginal->theta + K;
    for (size_t k = 0; k < K; k++)
        marginal->theta[k] = 1 / (double)(k + 1);
    memset(marginal->x, 0, n * sizeof *marginal->x);
    marginal->x[evidence->dim] = real_log(START);
    return 0;
}

void marginal_close(struct marginal *marginal)
{
    buffer_free(&marginal->memory);
}

static double held(double value, double most)
{
    return value > most ? most : value > -most ? value : -most;
}

double marginal_shape(const struct marginal *marginal, size_t dim)
{
    return real_exp(held(marginal->x[dim + 1], MOST_SHAPE));
}

static bool is_held(double value, double most)
{
    return value >= most || value <= -most;
}

/* s of the pairs of query q. */
static void expect_query(const struct marginal *marginal, const struct evidence *evidence, size_t q,
                   const double *w, double b)
{
    size_t from = evidence->query[q], to = evidence->query[q + 1];
    double *s = marginal->s;
    if (evidence->dim)
        matrix_times(&evidence->z[q], w, 1, evidence->dim, s + from, NULL);
    for (size_t j = from; j < to; j++)
        s[j] = held(evidence->dim ? s[j] + b : b, MOST_MEAN);
}

/* Is it a number of clicks of which the pairs are counted, in `above`? */
static bool is_whole(double clicks)
{
    return clicks < MARGINAL_WHOLES && clicks == (double)(int)clicks;
}

/* ln Gamma(c + a) - ln Gamma(a) of pairs with few clicks, all together: the sum of ln(a + i) over
 * all i below c. *slope: its derivative by a. */
static double few_clicks(const double *above, double a, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < MARGINAL_WHOLES && above[i] > 0; i++) {
        sum += above[i] * real_log(a + i);
        *slope += above[i] / (a + i);
    }
    return sum;
}

double marginal_of_pair(double c, double E, double s, double a)
{
    return real_log_gamma(c + a) - real_log_gamma(a) + a * real_log(a) + c * s -
           (c + a) * real_log(a + E * real_exp(s));
}

/* What is known of a while pairs are added up. */
struct shape {
    double a, log_gamma, digamma;
    double slope;   /* of the likelihood by a, so far */
    double product; /* of the rates of pairs without a click, whose logarithms are not yet added */
};

/* Adds the logarithm of the product: returns what the likelihood gains. */
static double add_product(struct shape *shape)
{
    double log_rates = real_log(shape->product);
    shape->product = 1;
    shape->slope -= log_rates;
    return -shape->a * log_rates;
}

/* Adds a pair without a click, of the rate a + E m. One logarithm does for many of them. */
static double add_unclicked(struct shape *shape, double rate)
{
    double sum = shape->product > 1e100 || shape->product < 1e-100 ? add_product(shape) : 0;
    shape->product *= rate;
    shape->slope -= shape->a / rate;
    return sum;
}

/* Adds a pair with C clicks. */
static double add_clicked(struct shape *shape, double C, double s, double rate)
{
    double log_rate = real_log(rate);
    shape->slope -= log_rate + (C + shape->a) / rate;
    if (is_whole(C))
        return C * s - (C + shape->a) * log_rate;
    shape->slope += real_digamma(C + shape->a) - shape->digamma;
    return C * s - (C + shape->a) * log_rate + real_log_gamma(C + shape->a) - shape->log_gamma;
}

/* Adds up the pairs of query q: returns their likelihood without a ln a. Sets their means, and
 * slope[j] by s_j. */
static double add_pairs(const struct marginal_loss *loss, size_t q, struct shape *shape)
{
    const struct marginal *my = loss->marginal;
    const struct evidence *evidence = loss->counts->evidence;
    double a = shape->a, sum = 0;
    for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++) {
        double C = loss->counts->of_pair[j], E = my->E[j], m = real_exp(my->s[j]);
        double rate = a + E * m;
        my->mean[j] = (C + a) * m / rate;
        my->slope[j] = 0;
        if (!(E > 0))
            continue;
        if (!is_held(my->s[j], MOST_MEAN))
            my->slope[j] = -a * (C - E * m) / rate;
        if (C > 0)
            sum += add_clicked(shape, C, my->s[j], rate);
        else
            sum += add_unclicked(shape, rate);
    }
    return sum;
}

/* g[k - 1] = -(C_k - theta_k sum_j n_jk mean_j), for k from 1. Returns sum_k C_k ln theta_k. */
static double examine(const struct marginal_loss *loss, const double *t, double *g)
{
    const struct counts *counts = loss->counts;
    const struct evidence *evidence = counts->evidence;
    const struct marginal *my = loss->marginal;
    double value = 0;
    memset(loss->sum, 0, evidence->positions * sizeof *loss->sum);
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; counts->query[q] && j < evidence->query[q + 1]; j++)
            for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
                loss->sum[evidence->cell[c].position] += counts->n[c] * my->mean[j];
    for (size_t k = 1; k < evidence->positions; k++) {
        value += counts->at[k] * held(t[k - 1], MOST_THETA);
        g[k - 1] = is_held(t[k - 1], MOST_THETA) ? 0 : my->theta[k] * loss->sum[k] - counts->at[k];
    }
    return value;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double marginal_loss(void *of, const double *x, double *g)
{
    const struct marginal_loss *loss = of;
    const struct counts *counts = loss->counts;
    const struct evidence *evidence = counts->evidence;
    struct marginal *my = loss->marginal;
    size_t dim = evidence->dim, free = loss->given ? 0 : evidence->positions - 1;
    const double *w = x + free;
    memset(g, 0, (free + dim + 2) * sizeof *g);
    if (watch_stopped(loss->watch, 0, loss->fault) < 0)
        return NAN;
    double *slope = g + free, log_a = held(w[dim + 1], MOST_SHAPE), value;
    double b = w[dim] - dot(dim, w, loss->centre);
    struct shape shape = { .a = real_exp(log_a), .product = 1 };
    for (size_t k = 1; k <= free; k++)
        my->theta[k] = real_exp(held(x[k - 1], MOST_THETA));
    if (free)
        counts_exposure(counts, my->theta, my->E);
    shape.log_gamma = real_log_gamma(shape.a);
    shape.digamma = real_digamma(shape.a);
    value = few_clicks(loss->above, shape.a, &shape.slope) + loss->shown * shape.a * log_a;
    shape.slope += loss->shown * (log_a + 1);
    for (size_t q = 0; q < evidence->queries; q++) {
        if (!counts->query[q])
            continue;
        expect_query(my, evidence, q, w, b);
        value += add_pairs(loss, q, &shape);
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++)
            slope[dim] += my->slope[j];
        if (dim)
            matrix_transposed_times(&evidence->z[q], my->slope + evidence->query[q], slope);
    }
    value += add_product(&shape);
    if (free)
        value += examine(loss, x, g);
    for (size_t i = 0; i < dim; i++)
        slope[i] += my->ridge * w[i] - loss->centre[i] * slope[dim];
    if (!is_held(w[dim + 1], MOST_SHAPE))
        slope[dim + 1] = SHAPE_RIDGE * log_a - shape.a * shape.slope;
    for (size_t i = 0; i < free + dim + 2; i++)
        g[i] /= loss->clicks;
    return (my->ridge / 2 * dot(dim, w, w) + SHAPE_RIDGE / 2 * log_a * log_a - value) /
           loss->clicks;
}

/* How many pairs with impressions have more than i clicks, of those whose number is whole and
 * small. */
static void count_pairs(struct marginal_loss *loss, double *above)
{
    const struct counts *counts = loss->counts;
    memset(above, 0, MARGINAL_WHOLES * sizeof *above);
    loss->above = above;
    loss->shown = loss->clicks = 0;
    for (size_t j = 0; j < counts->evidence->pairs; j++) {
        double C = counts->of_pair[j];
        if (!(loss->marginal->E[j] > 0))
            continue;
        loss->shown++;
        loss->clicks += C;
        for (int i = 0; is_whole(C) && i < (int)C; i++)
            above[i]++;
    }
    if (loss->clicks < 1)
        loss->clicks = 1;
}

/* centre[dim]: the mean of the features over clicks. */
static void find_centre(const struct marginal_loss *loss, double *centre)
{
    const struct counts *counts = loss->counts;
    const struct evidence *evidence = counts->evidence;
    memset(centre, 0, evidence->dim * sizeof *centre);
    for (size_t q = 0; q < evidence->queries; q++)
        if (evidence->dim && counts->query[q])
            matrix_transposed_times(&evidence->z[q], counts->of_pair + evidence->query[q], centre);
    for (size_t i = 0; i < evidence->dim; i++)
        centre[i] /= loss->clicks;
}

/* s and the means of all pairs, also of queries that were not counted. */
static void judge(struct marginal *my, const struct counts *counts)
{
    const struct evidence *evidence = counts->evidence;
    double a = marginal_shape(my, evidence->dim);
    counts_exposure(counts, my->theta, my->E);
    for (size_t q = 0; q < evidence->queries; q++) {
        expect_query(my, evidence, q, my->x, my->x[evidence->dim]);
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++) {
            double m = real_exp(my->s[j]);
            my->mean[j] = (counts->of_pair[j] + a) * m / (a + my->E[j] * m);
        }
    }
}

int marginal_fit(struct marginal *marginal, const struct counts *counts, bool given,
                 struct watch *watch, struct fault *fault)
{
    const struct evidence *evidence = counts->evidence;
    size_t K = evidence->positions, dim = evidence->dim, free = given ? 0 : K - 1, rest = dim + 2;
    struct buffer memory = { 0 };
    double above[MARGINAL_WHOLES];
    double *x = buffer_for(&memory, free + rest + K + dim, sizeof *x, fault);
    if (!x) return -1;
    double *centre = x + free + rest + K;
    struct marginal_loss loss = { .marginal = marginal, .counts = counts, .given = given,
                                  .centre = centre, .sum = x + free + rest, .watch = watch,
                                  .fault = fault };
    counts_exposure(counts, marginal->theta, marginal->E);
    count_pairs(&loss, above);
    find_centre(&loss, centre);
    for (size_t k = 0; k < free; k++)
        x[k] = real_log(marginal->theta[k + 1]);
    memcpy(x + free, marginal->x, rest * sizeof *x);
    x[free + dim] += dot(dim, marginal->x, centre);
    (void)lbfgs_minimise(marginal_loss, &loss, free + rest, x, FLAT, STEPS, fault);
    int result = fault->kind == FAULT_NONE ? 0 : -1;
    for (size_t k = 0; k < free; k++)
        marginal->theta[k + 1] = real_exp(held(x[k], MOST_THETA));
    memcpy(marginal->x, x + free, rest * sizeof *x);
    marginal->x[dim] -= dot(dim, marginal->x, centre);
    if (result == 0)
        judge(marginal, counts);
    buffer_free(&memory);
    return result;
}
