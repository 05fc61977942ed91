/* policy: who is shown where, and with what probability (Chaudhuri & Tewari 2016, equation 1, with
 * every document's case and not the greedy one's alone; Plackett 1975, Luce 1959). */
#ifndef RANKPIPE_POLICY_H
#define RANKPIPE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"

/* How the order of one round of m documents was drawn; but for the last one with probability gamma,
 * and else it is the greedy one. */
enum draw {
    DRAW_UNIFORM, /* any order; or any for the first so many places, no fewer than seen          */
    DRAW_SWAP,    /* one of the first `places` changed places with one below them                */
    DRAW_LUCE     /* each place goes to one of those left, with a probability in proportion to
                   * exp(logit)                                                                  */
};

enum { LUCE_PLACES = 2 }; /* as many are seen where not all are */

struct luce {
    double one[LUCE_PLACES], two; /* pi_j of the documents seen, pi_ij of the first and second */
};

/* What a user said about the first places of one round. The arrays are the caller's. */
struct exposure {
    size_t docs;   /* m                                                       */
    size_t places; /* k: relevances seen, at most docs                        */
    double gamma;  /* exploration rate; of no account where places == docs    */
    const uint32_t *doc;     /* doc[places]: who stood there                  */
    const double *relevance; /* relevance[places]: R of that document         */
    const bool *greedy;      /* greedy[places]: would it have been among the first `places` of the
                              * greedy order?                                 */
    enum draw draw;          /* of no account where places == docs            */
    struct luce luce;        /* where it is DRAW_LUCE                         */
};

/* pi_j of the document at place a: the probability that it is among the first k. With k < m it is
 *   DRAW_UNIFORM  (1 - gamma) [j is greedy] + gamma k / m
 *   DRAW_SWAP     1 - gamma / k if j is greedy, else gamma / (m - k)
 *   DRAW_LUCE     what policy_luce found */
double policy_one(const struct exposure *exposure, size_t a);

/* pi_ij of the documents at places a and b, which differ: that both are. With k < m it is
 *   DRAW_UNIFORM  (1 - gamma) [both are greedy] + gamma k (k - 1) / (m (m - 1))
 *   DRAW_SWAP     1 - 2 gamma / k if both are greedy, (1 - 1 / k) gamma / (m - k) if one is,
 *                 and 0 if none is: they are never seen together
 *   DRAW_LUCE     what policy_luce found */
double policy_two(const struct exposure *exposure, size_t a, size_t b);

/* With p = softmax(logit) of m documents, and doc[0..places-1] the first one or two of a longer
 * order:
 *   pi_j  = p_j                                             one place
 *   pi_j  = p_j + sum_{i != j} p_i p_j / (1 - p_i)          two
 *   pi_ij = p_i p_j / (1 - p_i) + p_i p_j / (1 - p_j)
 * Nothing cancels, and what is left of a place by one that takes nearly all of it is not lost; but
 * what is below 2^-1074 becomes 0. Logits are finite; `weight` has room for m. O(m). */
void policy_luce(size_t m, const double *logit, size_t places, const uint32_t *doc, double *weight,
                 struct luce *luce);

/* What stands at a place and below it: sum of exp(logit) is sum * exp(most). */
struct luce_rest {
    double most, sum;
};

/* rest[0..m], of an order of m documents; rest[m] is of none. */
void policy_luce_rests(size_t m, const double *logit, const uint32_t *order,
                       struct luce_rest *rest);

/* P(R*) / (P(R) + P(R*)) by Plackett's and Luce's model, R being the order that rest is of, and R*
 * the same with the documents at places a < b changed (Oosterhuis & de Rijke 2018, section 4).
 * Nothing cancels or overflows. O(b - a). */
double policy_luce_swapped(const double *logit, const uint32_t *order,
                           const struct luce_rest *rest, size_t a, size_t b);

/* order[0..m-1] becomes a random choice for the first `top` places, all ordered choices being
 * equally likely, and behind them the rest as they stand in `greedy`, which is not looked at where
 * top is m or more. `mark` has room for m. O(m). */
void policy_draw_top(size_t m, uint64_t top, const uint32_t *greedy, struct rng *rng,
                     uint32_t *order, unsigned char *mark);

/* One of the first `top` of order[0..m-1], any, changes places with one behind them, any; top is
 * from 1 to m - 1. */
void policy_draw_swap(size_t m, size_t top, struct rng *rng, uint32_t *order);

/* order[0..m-1] is drawn by Plackett's and Luce's model, of finite logits: highest first by logit
 * plus noise -log(-log u), compared without rounding, however large the logits. As u is a multiple
 * of 2^-53, what is less likely than that may not happen. `keys` has room for 3 m, `scratch` for
 * 2 m. O(m log m). */
void policy_draw_luce(size_t m, const double *logit, struct rng *rng, uint32_t *order, double *keys,
                      uint32_t *scratch);

/* t^-power, for t from 1 and power above 0: at most 1, the same bits on each machine. */
double policy_fall(uint64_t t, double power);

#endif
