/* surrogate: surrogate losses of ranking measures, and unbiased estimates of their gradients with
 * respect to the scores, from partial feedback. Pure functions of arrays. */
#ifndef RANKPIPE_SURROGATE_H
#define RANKPIPE_SURROGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/propensity.h"
#include "loss/slam.h"
#include "loss/surrogate_options.h"

#define SURROGATE_ALL SIZE_MAX /* `least` of a loss that needs every relevance */
enum { SURROGATE_SCRATCH = SLAM_SCRATCH }; /* numbers of scratch for each document */

struct surrogate {
    const char *name;
    const char *measure; /* its loss as a measure */
    size_t least; /* places that need feedback for an unbiased estimate, in a longer list */
    bool cut;     /* does it use options->cutoff?                                         */

    /* g[docs]: an unbiased estimate of the gradient of the loss at scores s[docs], from feedback on
     * at least min(least, docs) places; the gradient itself if all places have feedback. `scratch`
     * has room for SURROGATE_SCRATCH * docs. NULL where `loss` leaves it in its scratch[docs], as
     * those of slam.h do. */
    void (*gradient)(const struct exposure *exposure, const double *s,
                     const struct surrogate_options *options, double *g, double *scratch);

    /* The loss of scores s[m] under relevances R[m]; `scratch` as above. */
    double (*loss)(size_t m, const double *s, const double *R,
                   const struct surrogate_options *options, double *scratch);
};

/* squared, kl, smoothdcg, ranksvm, listnet and squared-ndcg (Chaudhuri & Tewari 2016, sections 4
 * and 5); slam, slam-ap and minimax, as slam.h has them; ended by a NULL name. */
enum surrogate_number {
    SURROGATE_SQUARED, SURROGATE_KL, SURROGATE_SMOOTHDCG, SURROGATE_RANKSVM, SURROGATE_LISTNET,
    SURROGATE_SQUARED_NDCG, SURROGATE_SLAM, SURROGATE_SLAM_AP, SURROGATE_MINIMAX
};
extern const struct surrogate surrogates[];

/* The loss of surrogate i as a measure, from 0, or NULL after the last. */
const char *surrogate_measure(size_t i);

/* The surrogate of that name, or NULL. */
const struct surrogate *surrogate_find(const char *name);

#endif
