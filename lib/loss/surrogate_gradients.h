/* surrogate_gradients: surrogate losses of ranking measures, and unbiased estimates of their
 * gradients with respect to the scores, from partial feedback. Pure functions of arrays. */
#ifndef RANKPIPE_SURROGATE_GRADIENTS_H
#define RANKPIPE_SURROGATE_GRADIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/propensity.h"
#include "io/watch.h"

#define SURROGATE_ALL SIZE_MAX /* `least` of a loss that needs every relevance */
enum { SURROGATE_SCRATCH = 7 }; /* numbers of scratch for each document */

struct surrogate_options {
    double epsilon; /* smoothdcg's                      */
    size_t cutoff;  /* slam's: SIZE_MAX is the whole list; smoothdcg's: SIZE_MAX is 1 */
    bool phi;       /* slam's kin: the surrogate phi (equations 8 and 9), also of a ranking that is
                     * right, where the step's f_t (equation 15) is 0 */
    struct long_work *work; /* counts the steps of what is not linear in the documents; if it was
                             * stopped, the result is good for nothing; NULL: nothing counts */
};

struct surrogate {
    const char *name;
    const char *measure; /* its loss as a measure */
    size_t least; /* places that need feedback for an unbiased estimate, in a longer list */
    bool cut;     /* does it use options->cutoff?                                         */

    /* g[docs]: an unbiased estimate of the gradient of the loss at scores s[docs], from feedback on
     * at least min(least, docs) places; the gradient itself if all places have feedback. `scratch`
     * has room for SURROGATE_SCRATCH * docs. NULL where `loss` leaves a subgradient in its
     * scratch[docs]. */
    void (*gradient)(const struct exposure *exposure, const double *s,
                     const struct surrogate_options *options, double *g, double *scratch);

    /* The loss of scores s[m] under relevances R[m]; `scratch` as above. */
    double (*loss)(size_t m, const double *s, const double *R,
                   const struct surrogate_options *options, double *scratch);
};

/* squared, kl, smoothdcg, ranksvm, listnet and squared-ndcg (Chaudhuri & Tewari 2016, sections 4
 * and 5).
 *
 * slam, slam-ap and minimax are the large-margin losses of ranking perceptrons (Chaudhuri & Tewari,
 * "Perceptron-like Algorithms for Online Learning to Rank"), as the perceptrons use them: 0 if the
 * ranking by s, ties in document order, is already right. It is if its measure is at least
 * 1 - 1e-12, or if no document is relevant. G and D are those of dcg.h; if the sum of the gains
 * overflows, the loss is NaN and the subgradient is 0. So they are if options->work was stopped,
 * which counts the steps of the sorts. O(m log m).
 *
 * The table ends with a NULL name. */
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
