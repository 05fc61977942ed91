#include "relevance/resampled.h"

#include <math.h>
#include <string.h>

#include "math/real.h"
#include "math/rng.h"

enum { PASSES = 2, TIMES = 200 }; /* of joint; of fixed: they start near where they end */

/* Means and sums of squared deviations, by the recurrence of Welford 1962. */
struct spread {
    double n, mean, square;
};

static void spread_add(struct spread *spread, double value)
{
    if (!isfinite(value))
        return;
    double off = value - spread->mean;
    spread->mean += off / ++spread->n;
    spread->square += off * (value - spread->mean);
}

static double spread_error(const struct spread *spread)
{
    return spread->n > 1 ? sqrt(spread->square / (spread->n - 1)) : NAN;
}

/* weight[queries]: how often each query was drawn in so many draws. */
static void draw_queries(size_t queries, uint64_t seed, unsigned time, double *weight)
{
    struct rng rng = rng_at(seed, RNG_RESAMPLE, time);
    memset(weight, 0, queries * sizeof *weight);
    for (size_t i = 0; i < queries; i++)
        weight[rng_below(&rng, (uint32_t)queries)] += 1;
}

/* What is estimated anew. */
struct again {
    struct joint joint;
    struct fixed fixed;
    struct buffer memory;
    double *weight;        /* weight[queries] */
    struct spread *spread; /* spread[RESAMPLED * positions] */
};

static int open_again(struct again *again, const struct evidence *evidence, struct fault *fault)
{
    size_t Q = evidence->queries, n = RESAMPLED * evidence->positions;
    char *at = buffer_for(&again->memory, Q * sizeof(double) + n * sizeof(struct spread), 1, fault);
    if (!at || joint_open(&again->joint, evidence, fault) < 0 ||
        fixed_open(&again->fixed, evidence, fault) < 0)
        return -1;
    again->spread = (struct spread *)at;
    again->weight = (double *)(again->spread + n);
    memset(again->spread, 0, n * sizeof *again->spread);
    return 0;
}

/* Starts from the estimates of the whole log. */
static void start(struct again *again, const struct evidence *evidence, const struct joint *joint,
                  const struct fixed *fixed)
{
    size_t K = evidence->positions;
    memcpy(again->joint.theta, joint->theta, K * sizeof(double));
    memcpy(again->joint.x, joint->x, (evidence->dim + 1) * sizeof(double));
    memcpy(again->joint.log_prior, joint->log_prior, evidence->pairs * sizeof(double));
    again->joint.shape = joint->shape;
    memcpy(again->fixed.theta, fixed->theta, K * sizeof(double));
}

static void add(struct again *again, const struct evidence *evidence)
{
    size_t K = evidence->positions;
    for (size_t k = 0; k < K; k++) {
        double joint = again->joint.theta[k], fixed = again->fixed.theta[k];
        spread_add(&again->spread[RESAMPLED_JOINT * K + k], joint);
        spread_add(&again->spread[RESAMPLED_FIXED * K + k], fixed);
        spread_add(&again->spread[RESAMPLED_RATIO * K + k],
                   real_log(joint) - real_log(fixed));
    }
}

int resampled_errors(struct resampled *resampled, const struct evidence *evidence,
                     const struct joint *joint, const struct fixed *fixed, unsigned times,
                     uint64_t seed, struct watch *watch, struct fault *fault)
{
    struct again again = { 0 };
    size_t K = evidence->positions;
    double *error = buffer_for(&resampled->memory, RESAMPLED * K, sizeof *error, fault);
    int result = error ? open_again(&again, evidence, fault) : -1;
    for (unsigned time = 1; time <= times && result == 0; time++) {
        draw_queries(evidence->queries, seed, time, again.weight);
        start(&again, evidence, joint, fixed);
        fixed_fit(&again.fixed, evidence, again.weight, TIMES);
        result = joint_fit(&again.joint, evidence, again.weight, false, true, PASSES, watch, fault);
        add(&again, evidence);
    }
    for (size_t i = 0; result == 0 && i < RESAMPLED * K; i++)
        error[i] = spread_error(&again.spread[i]);
    for (size_t i = 0; i < RESAMPLED; i++)
        resampled->error[i] = error + i * K;
    joint_close(&again.joint);
    fixed_close(&again.fixed);
    buffer_free(&again.memory);
    return result;
}

void resampled_close(struct resampled *resampled)
{
    buffer_free(&resampled->memory);
}
