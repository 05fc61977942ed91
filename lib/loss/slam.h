/* slam: the large-margin losses of the perceptrons that rank (Chaudhuri & Tewari's perceptron
 * paper, "Perceptron-like Algorithms for Online Learning to Rank"), as they meet them: 0 where the
 * ranking is right already. Pure, on arrays. */
#ifndef RANKPIPE_SLAM_H
#define RANKPIPE_SLAM_H

#include <stddef.h>

/* Each returns the loss f(s) of scores s[m] under relevances R[m], and leaves a subgradient of it
 * by s in g[m]. `scratch` has room for SLAM_SCRATCH * m. O(m log m). In all, the ranking is by s,
 * ties in document order, and right where its measure is 1 - 1e-12 or more, or there is no
 * relevant document. G and D are dcg.h's; where gains add up past a double the loss is NaN and g
 * is 0. */
enum { SLAM_SCRATCH = 6 };

/* f = sum_i v_i max(0, max_{R_i > R_j} 1 + s_j - s_i) unless NDCG@cutoff is 1 (equations 9, 11 and
 * 15): with the documents sorted by R, ties by s, v_i = G(R_i) D(i) / Z up to the cutoff and 0
 * beyond it, Z the largest DCG@cutoff. Of several j with the largest s_j it is the one of the
 * higher grade, then of the lower number, that the subgradient looks at (equation 16). */
double slam_ndcg(size_t m, const double *s, const double *R, size_t cutoff, double *g,
                 double *scratch);

/* The same for AP (equation 10): R' = [R > 0] for R, v_i = 1/r for the r relevant documents. */
double slam_ap(size_t m, const double *s, const double *R, double *g, double *scratch);

/* f = max(0, max_{R_i > R_j} 1 + s_j - s_i) unless NDCG is 1 (equations 27 to 29): the one pair,
 * of several the one of the lower i, then of the lower j. It is found by s_j - s_i alone, so that
 * scores of another scale, by a power of two, give the same pair. */
double slam_minimax(size_t m, const double *s, const double *R, double *g, double *scratch);

#endif
