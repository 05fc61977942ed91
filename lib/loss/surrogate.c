#include "loss/surrogate.h"

#include <math.h>
#include <string.h>

#include "loss/dcg.h"
#include "loss/hinges.h"
#include "loss/long_order.h"
#include "loss/smooth.h"
#include "math/real.h"

/* |s - R|^2 */
static void squared_gradient(const struct exposure *exposure, const double *s,
                             const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options, (void)scratch;
    for (size_t j = 0; j < exposure->docs; j++)
        g[j] = 2 * s[j];
    for (size_t a = 0; a < exposure->places; a++)
        g[exposure->doc[a]] -= 2 * (exposure->relevance[a] / propensity_one(exposure, a));
}

static double squared_loss(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    double sum = 0;
    (void)options, (void)scratch;
    for (size_t j = 0; j < m; j++)
        sum += (s[j] - R[j]) * (s[j] - R[j]);
    return sum;
}

/* Kullback-Leibler divergence of the unnormalised exp(R) and exp(s) */
static void kl_gradient(const struct exposure *exposure, const double *s,
                        const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options, (void)scratch;
    memset(g, 0, exposure->docs * sizeof *g);
    for (size_t a = 0; a < exposure->places; a++) {
        uint32_t j = exposure->doc[a];
        g[j] = (real_exp(s[j]) - real_exp(exposure->relevance[a])) / propensity_one(exposure, a);
    }
}

static double kl_loss(size_t m, const double *s, const double *R,
                      const struct surrogate_options *options, double *scratch)
{
    double sum = 0;
    (void)options, (void)scratch;
    for (size_t j = 0; j < m; j++)
        sum += real_exp(R[j]) * (R[j] - 1 - s[j]) + real_exp(s[j]);
    return sum;
}

/* minus the smooth DCG@cutoff: its first place here, the places below it in smooth.h */
static void smoothdcg_gradient(const struct exposure *exposure, const double *s,
                               const struct surrogate_options *options, double *g, double *scratch)
{
    double *p = scratch, *gain = scratch + exposure->docs, sum = 0;
    softmax(exposure->docs, s, options->epsilon, p);
    memset(g, 0, exposure->docs * sizeof *g);
    memset(gain, 0, exposure->docs * sizeof *gain);
    for (size_t a = 0; a < exposure->places; a++) {
        uint32_t j = exposure->doc[a];
        gain[j] = dcg_gain(exposure->relevance[a]) / propensity_one(exposure, a);
        double c = gain[j] * (p[j] / options->epsilon);
        g[j] = -c;
        sum += c;
    }
    for (size_t j = 0; j < exposure->docs; j++)
        g[j] += sum * p[j];
    smooth_below(exposure->docs, s, gain, options->epsilon, options->cutoff, g,
                 gain + exposure->docs, options->work);
}

static double smoothdcg_loss(size_t m, const double *s, const double *R,
                             const struct surrogate_options *options, double *scratch)
{
    double sum = 0, *gain = scratch + m;
    softmax(m, s, options->epsilon, scratch);
    for (size_t j = 0; j < m; j++) {
        gain[j] = dcg_gain(R[j]);
        sum += gain[j] * scratch[j];
    }
    return -sum -
           smooth_below(m, s, gain, options->epsilon, options->cutoff, NULL, gain + m,
                        options->work);
}

enum { LOOPED = 64 }; /* hinges of more documents are counted without looking at each pair */

/* the hinge of every pair that is in the wrong order, or in the right order by less than 1 */
static void ranksvm_gradient(const struct exposure *exposure, const double *s,
                             const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options;
    if (exposure->places == exposure->docs && exposure->docs > LOOPED) {
        hinges_count(exposure->docs, s, exposure->doc, exposure->relevance, g, scratch);
        return;
    }
    memset(g, 0, exposure->docs * sizeof *g);
    size_t n = exposure->places;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            uint32_t i = exposure->doc[a], j = exposure->doc[b];
            if (exposure->relevance[a] > exposure->relevance[b] && 1 + s[j] > s[i]) {
                double weight = 1 / propensity_two(exposure, a, b);
                g[j] += weight;
                g[i] -= weight;
            }
        }
    }
}

static double ranksvm_loss(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    double sum = 0, least = INFINITY;
    (void)scratch;
    for (size_t i = 0; i < m; i++)
        least = R[i] < least ? R[i] : least;
    for (size_t i = 0; i < m && long_work_goes_on(options->work, R[i] > least ? m : 1); i++)
        for (size_t j = 0; R[i] > least && j < m; j++)
            if (R[i] > R[j] && 1 + s[j] > s[i])
                sum += 1 + s[j] - s[i];
    return sum;
}

/* cross entropy of softmax(R) and softmax(s) */
static void listnet_gradient(const struct exposure *exposure, const double *s,
                             const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options;
    softmax(exposure->places, exposure->relevance, 1, scratch);
    softmax(exposure->docs, s, 1, g);
    for (size_t a = 0; a < exposure->places; a++)
        g[exposure->doc[a]] -= scratch[a];
}

static double listnet_loss(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    double sum = 0, norm = softmax(m, s, 1, scratch);
    (void)options;
    softmax(m, R, 1, scratch + m);
    for (size_t j = 0; j < m; j++)
        sum += scratch[m + j] * (norm - s[j]);
    return sum;
}

/* target[m] = G(R) / Z, with Z the largest DCG of the list; 0 where no document is relevant.
 * `scratch` has room for 2 m. If `work` was stopped, the targets are 0. */
static void normalise(size_t m, const double *R, double *target, double *scratch,
                      struct long_work *work)
{
    uint32_t *order = (uint32_t *)(scratch + m);
    if (!long_order(work, m, R, order, order + m)) {
        memset(target, 0, m * sizeof *target);
        return;
    }
    for (size_t i = 0; i < m; i++)
        scratch[i] = R[order[i]];
    double most = dcg_sum(m, scratch);
    for (size_t i = 0; i < m; i++)
        target[i] = most > 0 ? dcg_gain(R[i]) / most : 0;
}

/* |s - G(R)/Z|^2, which is calibrated for NDCG */
static void squared_ndcg_gradient(const struct exposure *exposure, const double *s,
                                  const struct surrogate_options *options, double *g,
                                  double *scratch)
{
    size_t m = exposure->docs;
    for (size_t a = 0; a < m; a++)
        scratch[exposure->doc[a]] = exposure->relevance[a];
    normalise(m, scratch, scratch + m, scratch + 2 * m, options->work);
    for (size_t j = 0; j < m; j++)
        g[j] = 2 * (s[j] - scratch[m + j]);
}

static double squared_ndcg_loss(size_t m, const double *s, const double *R,
                                const struct surrogate_options *options, double *scratch)
{
    normalise(m, R, scratch, scratch + m, options->work);
    return squared_loss(m, s, scratch, options, scratch + m);
}

const struct surrogate surrogates[] = {
    [SURROGATE_SQUARED] = { "squared", "loss:squared", 1, false, squared_gradient, squared_loss },
    [SURROGATE_KL] = { "kl", "loss:kl", 1, false, kl_gradient, kl_loss },
    [SURROGATE_SMOOTHDCG] = { "smoothdcg", "loss:smoothdcg", 1, true, smoothdcg_gradient,
                              smoothdcg_loss },
    [SURROGATE_RANKSVM] = { "ranksvm", "loss:ranksvm", 2, false, ranksvm_gradient, ranksvm_loss },
    [SURROGATE_LISTNET] = { "listnet", "loss:listnet", SURROGATE_ALL, false, listnet_gradient,
                            listnet_loss },
    [SURROGATE_SQUARED_NDCG] = { "squared-ndcg", "loss:squared-ndcg", SURROGATE_ALL, false,
                                 squared_ndcg_gradient, squared_ndcg_loss },
    [SURROGATE_SLAM] = { "slam", "loss:slam", SURROGATE_ALL, true, NULL, slam_ndcg },
    [SURROGATE_SLAM_AP] = { "slam-ap", "loss:slam-ap", SURROGATE_ALL, false, NULL, slam_ap },
    [SURROGATE_MINIMAX] = { "minimax", "loss:minimax", SURROGATE_ALL, false, NULL, slam_minimax },
    { NULL, NULL, 0, false, NULL, NULL },
};

const char *surrogate_measure(size_t i)
{
    return i <= SURROGATE_MINIMAX ? surrogates[i].measure : NULL;
}

const struct surrogate *surrogate_find(const char *name)
{
    const struct surrogate *s = surrogates;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return s->name ? s : NULL;
}
