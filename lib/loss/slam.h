/* slam: large-margin losses of ranking perceptrons (Chaudhuri & Tewari, "Perceptron-like Algorithms
 * for Online Learning to Rank"), as the perceptrons use them: 0 if the ranking is already right.
 * Pure functions of arrays. */
#ifndef RANKPIPE_SLAM_H
#define RANKPIPE_SLAM_H

#include <stddef.h>

#include "loss/surrogate_options.h"

/* Each returns the loss f(s) of scores s[m] under relevances R[m], and leaves a subgradient with
 * respect to s in scratch[0] to scratch[m - 1]. `scratch` has room for SLAM_SCRATCH * m. O(m log
 * m). The ranking is by s, with ties in document order. It is right if its measure is at least
 * 1 - 1e-12, or if no document is relevant. G and D are those of dcg.h; if the sum of the gains
 * overflows, the loss is NaN and the subgradient is 0. So they are if options->work was stopped,
 * which counts the steps of the sorts. They are hooks of struct surrogate. */
enum { SLAM_SCRATCH = 7 };

/* f = sum_i v_i max(0, max_{R_i > R_j} 1 + s_j - s_i) unless NDCG@cutoff is 1 (equations 9, 11 and
 * 15): with the documents sorted by R, ties by s, v_i = G(R_i) D(i) / Z up to the cutoff and 0
 * beyond it, Z the largest DCG@cutoff. Of several j with the largest s_j the subgradient uses the
 * one with the higher grade, then the lower number (equation 16). */
double slam_ndcg(size_t m, const double *s, const double *R,
                 const struct surrogate_options *options, double *scratch);

/* The same for AP (equation 10): R' = [R > 0] for R, v_i = 1/r for the r relevant documents. */
double slam_ap(size_t m, const double *s, const double *R, const struct surrogate_options *options,
               double *scratch);

/* f = max(0, max_{R_i > R_j} 1 + s_j - s_i) unless NDCG is 1 (equations 27 to 29). The subgradient
 * uses one pair: of several the one with the lower i, then the lower j. The pair depends on
 * s_j - s_i alone, so scaling all scores by a power of two gives the same pair. */
double slam_minimax(size_t m, const double *s, const double *R,
                    const struct surrogate_options *options, double *scratch);

#endif
