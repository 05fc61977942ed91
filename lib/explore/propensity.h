/* propensity: how an order is drawn, and with what propensities (Chaudhuri & Tewari 2016, equation
 * 1, for every document instead of the greedy one alone; Plackett 1975, Luce 1959). */
#ifndef RANKPIPE_PROPENSITY_H
#define RANKPIPE_PROPENSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/rng.h"

/* How the order of one round was drawn. The first three happen with probability gamma; otherwise
 * the order is the greedy one. */
enum draw {
    DRAW_UNIFORM, /* uniform over the orders, or over the first places, at least those seen */
    DRAW_SWAP,    /* one of the first `places` documents swapped with one below them        */
    DRAW_SLOT,    /* the document at place `slot`, or below it, uniform, moved to that place */
    DRAW_LOGGED,  /* in a way that only the log knows, which has the propensities            */
    DRAW_LUCE     /* each place gets one of the documents left, with probability in proportion
                   * to exp(logit)                                                          */
};

enum { LUCE_PLACES = 2 }; /* the most places whose propensities are known */

struct luce {
    double one[LUCE_PLACES], two; /* pi_j of the documents seen; pi_ij of the two */
};

/* The feedback on the first places of one round, and how they were drawn. The arrays are the
 * caller's. */
struct exposure {
    size_t docs;   /* m                                                       */
    size_t places; /* k: relevances seen, at most docs                        */
    double gamma;  /* exploration rate; unused if places == docs              */
    const uint32_t *doc;     /* doc[places]: the document shown there         */
    const double *relevance; /* relevance[places]: R of that document         */
    const bool *greedy;      /* greedy[places]: is it among the first `places` of the greedy
                              * order?                                        */
    size_t slot;             /* if draw is DRAW_SLOT: at most `places`            */
    uint32_t last;           /* the document at place `places` of the greedy order */
    enum draw draw;          /* unused if places == docs, except DRAW_LOGGED  */
    const double *logged;    /* logged[places]: if draw is DRAW_LOGGED        */
    struct luce luce;        /* if draw is DRAW_LUCE                          */
};

/* pi_j of the document at place a: the probability that it is among the first k. With k < m it is
 *   DRAW_UNIFORM  (1 - gamma) [j is greedy] + gamma k / m
 *   DRAW_SWAP     1 - gamma / k if j is greedy, else gamma / (m - k)
 *   DRAW_SLOT     with f = gamma / (m - slot + 1): f if j is not greedy, 1 - f (m - k) if j is
 *                 `last`, else 1
 *   DRAW_LUCE     luce.one, from propensity_luce
 * With k = m it is 1. After DRAW_LOGGED it is logged[a], whatever k is. */
double propensity_one(const struct exposure *exposure, size_t a);

/* pi_ij of the documents at places a and b, which differ: that both are. With k < m it is
 *   DRAW_UNIFORM  (1 - gamma) [both are greedy] + gamma k (k - 1) / (m (m - 1))
 *   DRAW_SWAP     1 - 2 gamma / k if both are greedy, (1 - 1 / k) gamma / (m - k) if one is,
 *                 and 0 if neither is, as they are never seen together
 *   DRAW_SLOT     f if one is greedy and is not `last`, 0 if one is `last` and the other is not
 *                 greedy, or if neither is greedy; if both are, 1 - f (m - k) with `last`, else 1
 *   DRAW_LUCE     luce.two, from propensity_luce
 * With k = m it is 1. After DRAW_LOGGED nobody knows it: it must not be asked for. */
double propensity_two(const struct exposure *exposure, size_t a, size_t b);

/* With p = softmax(logit) of m documents, and doc[0..places-1] the first one or two of a longer
 * order:
 *   pi_j  = p_j                                             one place
 *   pi_j  = p_j + sum_{i != j} p_i p_j / (1 - p_i)          two
 *   pi_ij = p_i p_j / (1 - p_i) + p_i p_j / (1 - p_j)
 * No digits cancel, even if one document has nearly all of the probability; a probability below
 * 2^-1074 becomes 0. Logits are finite; `weight` has room for m. O(m places). */
void propensity_luce(size_t m, const double *logit, size_t places, const uint32_t *doc,
                     double *weight, struct luce *luce);

/* The sum of exp(logit) over a place and all below it, as sum * exp(most). */
struct luce_rest {
    double most, sum;
};

/* rest[0..m]: of each place of an order of m documents; rest[m] is that of no documents. */
void propensity_luce_rests(size_t m, const double *logit, const uint32_t *order,
                       struct luce_rest *rest);

/* exp(logit - most) by place, each computed when it is first needed: the pairs of a round share
 * them as long as they have the same `most`. */
struct luce_powers {
    double most;
    double *power; /* power[n]; NaN: not computed yet */
    size_t n;
};

/* Starts with no powers, in power[n], the caller's. */
void propensity_luce_powers(struct luce_powers *powers, double *power, size_t n);

/* P(R*) / (P(R) + P(R*)) in the Plackett-Luce model. R is the order that `rest` belongs to, and R*
 * is R with the documents at places a < b swapped (Oosterhuis & de Rijke 2018, section 4). Nothing
 * cancels or overflows. `powers` has more than b places; other calls for this order have left what
 * they could in it. O(b - a). */
double propensity_luce_swapped(const double *logit, const uint32_t *order,
                           const struct luce_rest *rest, struct luce_powers *powers, size_t a,
                           size_t b);

/* Draws order[m]: the first `top` places uniformly from all ordered choices, and the other
 * documents after them in greedy order. `greedy` is not read if top is m or more. `mark` has room
 * for m. O(m). */
void propensity_draw_top(size_t m, uint64_t top, const uint32_t *greedy, struct rng *rng,
                     uint32_t *order, unsigned char *mark);

/* Swaps one of the first `top` documents of order[m] with one below them, both uniformly drawn. top
 * is from 1 to m - 1. */
void propensity_draw_swap(size_t m, size_t top, struct rng *rng, uint32_t *order);

/* Draws one of the documents from place `slot` of order[m] on, each as likely, and moves it to that
 * place; those between move down. slot is from 1 to m. */
void propensity_draw_slot(size_t m, size_t slot, struct rng *rng, uint32_t *order);

/* Draws order[m] from the Plackett-Luce model of finite logits: highest first by logit plus noise
 * -log(-log u). The sums are compared exactly, however large the logits are. u is a multiple of
 * 2^-53, so an order less likely than that may never be drawn. `keys` has room for 3 m, `scratch`
 * for 2 m. O(m log m). */
void propensity_draw_luce(size_t m, const double *logit, struct rng *rng, uint32_t *order,
                          double *keys, uint32_t *scratch);

/* q[m]: the chance of each document to be in a set of n, 1 to m - 1, of the m: min(1, c exp(score))
 * with the c by which their sum is n, but at least DBL_MIN (Uchiya, Nakamura & Kudo 2010). order[m]
 * is by score, highest first. O(m). */
void propensity_subset(size_t m, const double *score, const uint32_t *order, size_t n, double *q);

/* Draws order[m]: on its first n places, in random order, a set in which each document is with the
 * chance q[m], by systematic sampling (Madow 1949); the others after them in greedy order. `mark`
 * has room for m. O(m). */
void propensity_draw_subset(size_t m, size_t n, const double *q, const uint32_t *greedy,
                            struct rng *rng, uint32_t *order, unsigned char *mark);

/* t^-power, for t from 1 and power above 0: at most 1, with the same bits on every machine. */
double propensity_fall(uint64_t t, double power);

#endif
