#include "relevance/joint.h"

#include <math.h>
#include <string.h>

#include "math/real.h"
#include "relevance/poisson.h"

enum { SHAPES = 15, SWEEPS = 10, WHOLES = 64 };
static const double LEAST_SHAPE = 0.05, MOST_SHAPE = 50, START = 0.2;

int joint_open(struct joint *joint, const struct evidence *evidence, struct fault *fault)
{
    size_t J = evidence->pairs, K = evidence->positions, n = evidence->dim + 1;
    double *at = buffer_for(&joint->memory, 5 * J + 2 * K + n, sizeof *at, fault);
    if (!at) return -1;
    joint->mean = at;
    joint->log_prior = at + J;
    joint->E = at + 2 * J;
    joint->u = at + 3 * J;
    joint->slope = at + 4 * J;
    joint->theta = at + 5 * J;
    joint->clicks = joint->theta + K;
    joint->x = joint->clicks + K;
    for (size_t k = 0; k < K; k++)
        joint->theta[k] = 1 / (double)(k + 1);
    memset(joint->x, 0, n * sizeof *joint->x);
    joint->x[n - 1] = real_log(START);
    return 0;
}

void joint_close(struct joint *joint)
{
    buffer_free(&joint->memory);
}

static double weight_of(const double *weight, size_t q)
{
    return weight ? weight[q] : 1;
}

/* clicks[positions], with the weights of the queries. */
static void count_clicks(struct joint *joint, const struct evidence *evidence, const double *weight)
{
    memset(joint->clicks, 0, evidence->positions * sizeof *joint->clicks);
    for (size_t q = 0; q < evidence->queries; q++) {
        size_t from = evidence->first[evidence->query[q]];
        size_t to = evidence->first[evidence->query[q + 1]];
        for (size_t c = from; c < to; c++)
            joint->clicks[evidence->cell[c].position] +=
                weight_of(weight, q) * evidence->cell[c].clicks;
    }
}

/* b and w: log_prior. `shaped`: the shape is known, and log_prior is that of the pass before. */
static int regress(struct joint *joint, const struct evidence *evidence, const double *weight,
                   bool shaped, struct fault *fault)
{
    struct poisson poisson = { .evidence = evidence, .E = joint->E, .u = joint->u,
                               .log_mean = joint->log_prior, .slope = joint->slope };
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++) {
            double m = shaped ? real_exp(joint->log_prior[j]) : 0;
            joint->u[j] = weight_of(weight, q) / (shaped ? 1 + joint->E[j] * m / joint->shape : 1);
        }
    return poisson_fit(&poisson, joint->x, fault);
}

/* ln Gamma(c + a) - ln Gamma(a) for c = 0, 1, 2 ... */
static void rising_logs(double a, double rising[WHOLES])
{
    rising[0] = 0;
    for (int c = 1; c < WHOLES; c++)
        rising[c] = rising[c - 1] + real_log(a + (c - 1));
}

/* u[pairs] is 1 / m. */
static double likelihood(const struct joint *joint, const struct evidence *evidence,
                         const double *weight, double a)
{
    double rising[WHOLES], sum = 0, log_a = real_log(a), gamma_a = real_log_gamma(a);
    rising_logs(a, rising);
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++) {
            double C = evidence->clicks[j], E = joint->E[j], s = joint->log_prior[j];
            if (!(E > 0) || weight_of(weight, q) == 0)
                continue;
            bool whole = C < WHOLES && C == (int)C;
            double risen = whole ? rising[(int)C] : real_log_gamma(C + a) - gamma_a;
            double rate = a * joint->u[j];
            sum += weight_of(weight, q) * (risen + a * (log_a - s) - (C + a) * real_log(E + rate));
        }
    return sum;
}

static void choose_shape(struct joint *joint, const struct evidence *evidence, const double *weight)
{
    double best = -INFINITY, step = real_log(MOST_SHAPE / LEAST_SHAPE) / (SHAPES - 1);
    for (int i = 0; i < SHAPES; i++) {
        double a = LEAST_SHAPE * real_exp(i * step), value = likelihood(joint, evidence, weight, a);
        if (value > best) {
            best = value;
            joint->shape = a;
        }
    }
}

/* E and the means, by theta; u[pairs] is 1 / m. */
static void expect(struct joint *joint, const struct evidence *evidence)
{
    evidence_exposure(evidence, joint->theta, joint->E);
    for (size_t j = 0; j < evidence->pairs; j++)
        joint->mean[j] = (evidence->clicks[j] + joint->shape) /
                         (joint->E[j] + joint->shape * joint->u[j]);
}

/* theta_k = C_k / sum_j n_jk mean_j, in which `sum` is space for the positions. A position without
 * impressions keeps its theta. */
static void examine(struct joint *joint, const struct evidence *evidence, const double *weight,
                    double *sum)
{
    size_t K = evidence->positions;
    memset(sum, 0, K * sizeof *sum);
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++)
            for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
                sum[evidence->cell[c].position] +=
                    weight_of(weight, q) * evidence->cell[c].n * joint->mean[j];
    for (size_t k = 0; k < K; k++)
        if (sum[k] > 0)
            joint->theta[k] = joint->clicks[k] / sum[k];
    double top = joint->theta[0];
    for (size_t k = 0; k < K; k++)
        joint->theta[k] /= top;
}

int joint_fit(struct joint *joint, const struct evidence *evidence, const double *weight,
              bool given, bool shaped, unsigned passes, struct watch *watch, struct fault *fault)
{
    struct buffer memory = { 0 };
    double *sum = buffer_for(&memory, evidence->positions, sizeof *sum, fault);
    int result = sum ? 0 : -1;
    count_clicks(joint, evidence, weight);
    for (unsigned pass = 0; pass < passes && result == 0; pass++) {
        evidence_exposure(evidence, joint->theta, joint->E);
        result = regress(joint, evidence, weight, shaped || pass > 0, fault);
        if (result == 0)
            result = watch_stopped(watch, 0, fault);
        for (size_t j = 0; j < evidence->pairs; j++)
            joint->u[j] = real_exp(-joint->log_prior[j]);
        if (!shaped)
            choose_shape(joint, evidence, weight);
        for (int sweep = 0; !given && sweep < SWEEPS; sweep++) {
            expect(joint, evidence);
            examine(joint, evidence, weight, sum);
        }
        expect(joint, evidence);
    }
    buffer_free(&memory);
    return result;
}
