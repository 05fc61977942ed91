#include "relevance/users.h"

#include <string.h>

#include "math/real.h"
#include "relevance/stopping.h"
#include "relevance/within.h"

static const double DRAWN = 5; /* examined impressions that kappa counts beside those of a query */

static int open_users(struct users *users, const struct evidence *evidence, struct fault *fault)
{
    size_t K = evidence->positions;
    double *at = buffer_for(&users->memory, 4 * K + evidence->queries, sizeof *at, fault);
    if (!at || marginal_open(&users->marginal, evidence, fault) < 0) return -1;
    users->theta = at;
    users->first = at + K;
    users->error = at + 2 * K;
    users->rho = at + 4 * K;
    return 0;
}

void users_close(struct users *users)
{
    marginal_close(&users->marginal);
    buffer_free(&users->memory);
}

/* Everyone is examined, to begin with, or what is known. */
static void set_theta(struct users *users, size_t K, const double *given)
{
    for (size_t k = 0; k < K; k++) {
        users->first[k] = given ? given[k] : 1;
        users->error[k] = 0;
    }
    memcpy(users->theta, users->first, K * sizeof *users->theta);
}

/* theta by within.h, from `first`; of the marginal, too. 0 or a fault. */
static int correct(struct users *users, const struct counts *counts, const double *given,
                   struct fault *fault)
{
    size_t K = counts->evidence->positions;
    double *prior = users->error + K;
    for (size_t k = 0; k < K; k++)
        prior[k] = real_log(users->first[k]);
    if (!given && within_fit(counts, prior, users->theta, users->error, fault) < 0) return -1;
    memcpy(users->marginal.theta, users->theta, K * sizeof *users->theta);
    return 0;
}

/* rho of each query, by theta and the relevances. */
static void share_queries(struct users *users, const struct evidence *evidence)
{
    for (size_t q = 0; q < evidence->queries; q++) {
        double D = DRAWN * users->kappa, M = DRAWN;
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++)
            for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
                const struct evidence_cell *cell = &evidence->cell[c];
                D += cell->counts.after_clicks;
                M += cell->counts.after * users->theta[cell->position] * users->marginal.mean[j];
            }
        users->rho[q] = D / M;
    }
}

/* They stop; `counts` are those of first clicks. 0 or a fault. */
static int fit_stopping(struct users *users, struct counts *counts, const bool *keep,
                        const double *given, struct watch *watch, struct fault *fault)
{
    const struct evidence *evidence = counts->evidence;
    if (correct(users, counts, given, fault) < 0 ||
        marginal_fit(&users->marginal, counts, true, watch, fault) < 0)
        return -1;
    share_queries(users, evidence);
    return counts_make(counts, evidence, COUNTS_SHARE, users->rho, keep, fault);
}

/* They do not. */
static int fit_reading(struct users *users, const struct counts *counts, const double *given,
                       struct watch *watch, struct fault *fault)
{
    struct marginal *marginal = &users->marginal;
    if (!given && marginal_fit(marginal, counts, false, watch, fault) < 0) return -1;
    if (!given)
        memcpy(users->first, marginal->theta, counts->evidence->positions * sizeof(double));
    return correct(users, counts, given, fault);
}

int users_fit(struct users *users, bool stop, const struct evidence *evidence, const bool *keep,
              const double *given, const struct users *start, struct watch *watch,
              struct fault *fault)
{
    struct counts counts = { 0 };
    struct stopping stopping;
    stopping_measure(evidence, keep, &stopping);
    int result = open_users(users, evidence, fault);
    if (result == 0)
        result = counts_make(&counts, evidence, stop ? COUNTS_FIRST : COUNTS_ALL, NULL, keep,
                             fault);
    if (result == 0) {
        users->stop = stop;
        users->kappa = stopping.kappa;
        set_theta(users, evidence->positions, given);
        if (start) {
            memcpy(users->marginal.x, start->marginal.x, (evidence->dim + 2) * sizeof(double));
            memcpy(users->marginal.theta, start->first, evidence->positions * sizeof(double));
        }
        result = stop ? fit_stopping(users, &counts, keep, given, watch, fault)
                      : fit_reading(users, &counts, given, watch, fault);
    }
    if (result == 0) {
        counts_by_value(&counts);
        result = marginal_fit(&users->marginal, &counts, true, watch, fault);
    }
    counts_close(&counts);
    return result;
}
