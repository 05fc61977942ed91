#include "relevance/held_out.h"

#include <math.h>
#include <string.h>

#include "math/lbfgs.h"
#include "math/real.h"
#include "measure/paired.h"

enum { FIFTH = 5, STEPS = 100 };
static const double LEAST_KAPPA = 1e-3, FLAT = 1e-7;

/* The clicks on a pair, by their values. */
static double clicks_of(const struct evidence *evidence, size_t j)
{
    double sum = 0;
    for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
        sum += evidence->cell[c].counts.clicks - evidence->cell[c].counts.lack / IMPRESSIONS_WHOLE;
    return sum;
}

static double clicks_of_query(const struct evidence *evidence, size_t q)
{
    double sum = 0;
    for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++)
        sum += clicks_of(evidence, j);
    return sum;
}

int held_out_open(struct held_out *held_out, const struct evidence *evidence, struct fault *fault)
{
    size_t Q = evidence->queries, J = evidence->pairs, with = 0;
    char *at = buffer_for(&held_out->memory, (Q + J) * sizeof(double) + 2 * Q + 1, 1, fault);
    if (!at) return -1;
    held_out->evidence = evidence;
    held_out->E = (double *)at;
    held_out->value = held_out->E + J;
    held_out->left = (bool *)(held_out->value + Q);
    held_out->others = held_out->left + Q;
    held_out->queries = 0;
    for (size_t q = 0; q < Q; q++) {
        with += clicks_of_query(evidence, q) > 0;
        held_out->left[q] = clicks_of_query(evidence, q) > 0 && with % FIFTH == 0;
        held_out->others[q] = !held_out->left[q];
        held_out->queries += held_out->left[q];
    }
    return 0;
}

void held_out_close(struct held_out *held_out)
{
    buffer_free(&held_out->memory);
}

bool held_out_tells(const struct held_out *held_out)
{
    const struct evidence *evidence = held_out->evidence;
    double top = 0;
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t c = evidence->first[evidence->query[q]];
             held_out->others[q] && c < evidence->first[evidence->query[q + 1]]; c++)
            top += evidence->cell[c].position == 0 ? evidence->cell[c].counts.clicks : 0;
    return held_out->queries > 1 && top > 0;
}

int held_out_sign(const struct held_out *held_out, const struct ahead *ahead)
{
    double margin = ahead->error * tails_student_quantile(0.05, (double)held_out->queries - 1);
    return (ahead->by > margin) - (ahead->by < -margin);
}

/* E_j of queries that `users` was not fitted to. */
static void find_exposure(const struct held_out *held_out, const struct users *users)
{
    const struct evidence *evidence = held_out->evidence;
    for (size_t j = 0; j < evidence->pairs; j++) {
        held_out->E[j] = 0;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            const struct evidence_cell *cell = &evidence->cell[c];
            held_out->E[j] += users_exposure(users, &cell->counts) * users->theta[cell->position];
        }
    }
}

/* ---- which form ---- */

static double likelihood_of_query(const struct held_out *held_out, const struct users *users,
                                  size_t q)
{
    const struct evidence *evidence = held_out->evidence;
    double share = users->kappa > LEAST_KAPPA ? users->kappa : LEAST_KAPPA, sum = 0;
    double log_share = users->stop ? real_log(share) : 0;
    for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++) {
        double value = 0;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            const struct evidence_cell *cell = &evidence->cell[c];
            value += cell->counts.clicks * real_log(users->theta[cell->position]) +
                     cell->counts.after_clicks * log_share;
        }
        if (held_out->E[j] > 0)
            value += marginal_of_pair(clicks_of(evidence, j), held_out->E[j], users->marginal.s[j],
                                      marginal_shape(&users->marginal, evidence->dim));
        sum += value;
    }
    return sum;
}

struct ahead held_out_likelihood(const struct held_out *held_out, const struct users *one,
                                 const struct users *other)
{
    struct ahead ahead = { 0, 0 };
    double square = 0, n = (double)held_out->queries, *value = held_out->value;
    size_t Q = held_out->evidence->queries;
    find_exposure(held_out, one);
    for (size_t q = 0; q < Q; q++)
        value[q] = held_out->left[q] ? likelihood_of_query(held_out, one, q) : 0;
    find_exposure(held_out, other);
    for (size_t q = 0; q < Q; q++) {
        value[q] -= held_out->left[q] ? likelihood_of_query(held_out, other, q) : 0;
        ahead.by += value[q];
    }
    for (size_t q = 0; q < Q; q++)
        if (held_out->left[q])
            square += (value[q] - ahead.by / n) * (value[q] - ahead.by / n);
    ahead.error = sqrt(n / (n - 1) * square);
    return ahead;
}

/* ---- what is gained ---- */

/* The gain a click from value[queries], and its error. */
static struct ahead gain_a_click(const struct held_out *held_out)
{
    const struct evidence *evidence = held_out->evidence;
    double Y = 0, N = 0, n = (double)held_out->queries, square = 0;
    for (size_t q = 0; q < evidence->queries; q++)
        if (held_out->left[q]) {
            Y += held_out->value[q];
            N += clicks_of_query(evidence, q);
        }
    for (size_t q = 0; q < evidence->queries; q++)
        if (held_out->left[q]) {
            double share = clicks_of_query(evidence, q) / N;
            double off = (held_out->value[q] - share * Y) / (1 - share);
            square += off * off;
        }
    return (struct ahead){ Y / N, sqrt((n - 1) / n * square) / N };
}

/* ln m_j = s_j + b + u ln(mean position of pair j), by the clicks C_j and E_j of the pairs of the
 * others. */
struct places {
    const struct held_out *held_out;
    const double *log_place; /* log_place[pairs] */
    const double *s;         /* s[pairs]; NULL: 0 */
    double clicks;
};

static double log_mean(const struct places *places, const double *x, size_t j)
{
    return (places->s ? places->s[j] : 0) + x[0] + x[1] * places->log_place[j];
}

/* Adds `sign` times the likelihood of the queries left out, by x, to value[queries]. */
static void add_gains(const struct places *places, const double *x, double sign)
{
    const struct held_out *held_out = places->held_out;
    const struct evidence *evidence = held_out->evidence;
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; held_out->left[q] && j < evidence->query[q + 1]; j++) {
            double s = log_mean(places, x, j), E = held_out->E[j];
            if (E > 0)
                held_out->value[q] += sign * (clicks_of(evidence, j) * s - E * real_exp(s));
        }
}

/* ln(clicks / E) of the others; sets places->clicks. */
static double level(struct places *places)
{
    const struct held_out *held_out = places->held_out;
    const struct evidence *evidence = held_out->evidence;
    double E = 0;
    places->clicks = 0;
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; held_out->others[q] && j < evidence->query[q + 1];
             j++) {
            places->clicks += clicks_of(evidence, j);
            E += held_out->E[j];
        }
    return real_log(places->clicks / E);
}

/* Less the Poisson log likelihood of the others by b and u, divided by their clicks. */
static double places_loss(void *of, const double *x, double *g)
{
    const struct places *places = of;
    const struct evidence *evidence = places->held_out->evidence;
    double value = 0;
    g[0] = g[1] = 0;
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q];
             places->held_out->others[q] && j < evidence->query[q + 1]; j++) {
            double C = clicks_of(evidence, j), E = places->held_out->E[j];
            double s = log_mean(places, x, j), slope = E * real_exp(s) - C;
            if (!(E > 0))
                continue;
            value += E * real_exp(s) - C * s;
            g[0] += slope;
            g[1] += slope * places->log_place[j];
        }
    g[0] /= places->clicks;
    g[1] /= places->clicks;
    return value / places->clicks;
}

/* ln of the mean position at which the pair was shown; 0: it was not. */
static double log_place(const struct evidence *evidence, size_t j)
{
    double n = 0, sum = 0;
    for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
        n += evidence->cell[c].counts.n;
        sum += evidence->cell[c].counts.n * (evidence->cell[c].position + 1.0);
    }
    return n > 0 ? real_log(sum / n) : 0;
}

int held_out_gain(const struct held_out *held_out, const struct users *users, struct ahead *gain,
                  struct fault *fault)
{
    const struct evidence *evidence = held_out->evidence;
    struct buffer memory = { 0 };
    double *at = buffer_for(&memory, evidence->pairs, sizeof *at, fault), x[2] = { 0, 0 };
    if (!at) return -1;
    for (size_t j = 0; j < evidence->pairs; j++)
        at[j] = log_place(evidence, j);
    struct places places = { .held_out = held_out, .log_place = at };
    find_exposure(held_out, users);
    memset(held_out->value, 0, evidence->queries * sizeof *held_out->value);
    x[0] = level(&places);
    (void)lbfgs_minimise(places_loss, &places, 2, x, FLAT, STEPS, fault);
    add_gains(&places, x, -1);
    places.s = users->marginal.s;
    x[0] = x[1] = 0;
    (void)lbfgs_minimise(places_loss, &places, 2, x, FLAT, STEPS, fault);
    add_gains(&places, x, 1);
    *gain = gain_a_click(held_out);
    buffer_free(&memory);
    return fault->kind == FAULT_NONE ? 0 : -1;
}
