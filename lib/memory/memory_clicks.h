/* memory_clicks: what a memory learns from clicks, which are evidence of relevance and no
 * judgements: do users go on after a click, with what probability do they examine each place, how
 * many examinations of a document is the regression's z.v worth, and do clicks foretell clicks?
 *
 * z, v, S, n and rho are those of memory_effects.h. A document has a rate of clicks, r: the
 * probability of a click by a user who examines it. A user examines place k with probability
 * theta_k, in proportion to place 1. A value above 0 is a click: c is 1 for one, else 0. Places
 * from 10 on share k = 10. All that follows is as of before the round:
 *
 *     m0       z.v; below 0.02 it is 0.02 exp(z.v - 0.02), which is above 0
 *     mean     (a m0 + S) / (a + n), what is expected of the document; in sums at least 0.001
 *     kappa    (R + 5/2) / (S' + 5), R = sum of D_k B_k / (A_k + B_k), S' = sum of F_k A_k / (A_k +
 *              B_k), over the places where A_k and B_k are above 0: by how much a click above
 *              multiplies the clicks of a place (Mantel & Haenszel, see relevance/stopping.h)
 *     counts   which places count: all, if users go on, which is kappa > 0.8; else those down to
 *              the last click, and all where there is none. For L, G, T, E and Q all count also
 *              where (R + 5) / (S' + 5) > 0.8: what is learnt takes users for ones who stop until
 *              they are seen to go on, else one client's clicks below place 1, where nobody else
 *              clicks, would teach the features; the lead takes them for ones who go on until they
 *              are seen to stop, else clicks by place alone would open the gate
 *     theta_k  within [0.02, 1.5]. Of users who stop: R_k / R_1, R_k = (C_k + 5) / (M_k + 5). Of
 *              users who go on: (r_k / r_1)^0.7, r_1 = (F_1 + D_1 + 1) / (N_1 + 2), r_k = (F_k +
 *              D_k + 5 r_(k-1) (k-1)/k) / (N_k + 5): 1/k before the first click. Of the fall of
 *              clicks from place to place, in logarithms, 7/10 is due to examination and 3/10 to
 *              the order
 *     a        the a_i of the greatest L_i - ln(a_i / 2)^2 / 2, the least of equals: 2 at first
 *
 * Then the round is counted, place by place:
 *
 *     a place that counts, where n > 0:  L_i += ln p_i for a click, else ln (1 - p_i), i = 0 to 13,
 *                        which says how well the strength a_i = 2 * 2^(i/2) foretold c. Within
 *                        [0.001, 0.95]
 *                        p_i = (F_k + D_k + 1/2) / (E_k + 1/2) theta_k (a_i m0 + S) / (a_i + n)
 *                        p_0 = (F_k + D_k + 1/2) / (T_k + 1), by the place alone
 *                        G += ln (2 P P_0 / (P + P_0)), where P is the probability of what the user
 *                        did by the i of the greatest L_i, and P_0 that by p_0: so this L_i - G
 *                        grows by ln ((P / P_0 + 1) / 2)
 *     one that counts    T_k += 1,  E_k += theta_k mean
 *     one down to the last click, or in a round without a click      C_k += c,  M_k += mean
 *     each               N_k += 1; with a click above A_k += mean, D_k += c; else B_k += mean,
 *                        F_k += c
 *
 * Queries that never come back: in a round of m places where no document shown has answers, Q grows
 * for each click at a place j that counts, by
 *
 *     ln (x_j sum of h_i / sum of h_i x_i), the sums over the places i that count, with
 *     x_i = exp of 5/4 (mean_i - u_i) / u_1, within [-1, 1], u_i = (A_i + B_i + 1/2) / (N_i + 5)
 *     what is usually expected of a document at place i, and h_i the rate of clicks at place i of
 *     such rounds of m places: H_mi clicks of K_mi times that it counted, and a hundred times more
 *     the rate p_0
 *
 * This compares documents of one list alone; rounds of 10 places and more are counted together. Of
 * users who go by the place alone, at the rates h_i, the mean of exp of what it adds is at most 1,
 * whatever the x_i. Features say first which document is better, and later by what factor: so x_i
 * has a difference of means, and bounds.
 *
 *     lead     max L_i - G + Q: how much better clicks are foretold by clicks and places, half and
 *              half, than by places. Half, since early means, and users who trust the top, mislead
 *              p_i at some places. Of users who go by the place alone, at the rates p_0, the mean
 *              of exp of what the lead gains is 1 with it as without it
 *     foretell lead >= 8. Until then lists stay near base (memory_view.h)
 *
 * What a round adds to the lead, at the i of the greatest L_i, is its gain. In a day a query, and a
 * client, gains at most 2 and loses at most 2 (memory_tables.h); G takes what is beyond, and grows
 * until the lead is at most 100. So four queries and four clients, or four days, are needed, and a
 * site whose users change is held again once its lists lost most of what clicks had gained. A round
 * without a time, or of an earlier day, counts for the last day; one more than 30 days earlier
 * begins anew: a clock was wrong.
 *
 * After the round n grows by theta_k, and S by the value, at the places that count: the answer is
 * value / theta_k with the weight theta_k, as that of a table of examination. A value is how much
 * of a satisfied click it was, from 0 to 1; larger ones count as 1.
 *
 * a takes the place of 1 / rho: the mean of a pair is (a m0 + S) / (a + n), as that of a rate whose
 * prior is Beta(a m0, a (1 - m0)). A click thus moves a mean by at most 1 / (2 + theta_k), given
 * z.v, and by less where clicks turned out to be strewn. v learns with a rho of 1/2. A rho that is
 * given takes the place of both.
 *
 * Older models have L, C and M alone, 34 numbers. Their other sums begin at 0, and G at max L_i -
 * 20: clicks foretell, until they do not. */
#ifndef RANKPIPE_MEMORY_CLICKS_H
#define RANKPIPE_MEMORY_CLICKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "memory/memory_table.h"
#include "model/model.h"

/* The column of a model that learnt clicks; others have none. */
#define MEMORY_CLICKS_COLUMN "clicks"

/* The rho that v learns clicks with by default. */
#define MEMORY_CLICKS_RHO 0.5

/* What the column has, from these numbers on: L, C, M; N, T, E, F, D, B, A; H of 1 place, of 2, to
 * 10; K, likewise; G, Q, and the day of the gains. */
enum {
    MEMORY_STRENGTHS = 14, MEMORY_PLACES = 10,
    MEMORY_LISTS = MEMORY_PLACES * (MEMORY_PLACES + 1) / 2
};
enum memory_click {
    MEMORY_LIKELY = 0, MEMORY_CLICKED = MEMORY_STRENGTHS,
    MEMORY_EXPECTED = MEMORY_CLICKED + MEMORY_PLACES,
    MEMORY_SHOWN = MEMORY_EXPECTED + MEMORY_PLACES, MEMORY_CLICKS_OLDER = MEMORY_SHOWN,
    MEMORY_COUNTING = MEMORY_SHOWN + MEMORY_PLACES,
    MEMORY_FORETOLD = MEMORY_COUNTING + MEMORY_PLACES,
    MEMORY_FIRST = MEMORY_FORETOLD + MEMORY_PLACES, MEMORY_LATER = MEMORY_FIRST + MEMORY_PLACES,
    MEMORY_MEANS_FIRST = MEMORY_LATER + MEMORY_PLACES,
    MEMORY_MEANS_LATER = MEMORY_MEANS_FIRST + MEMORY_PLACES,
    MEMORY_NEW_CLICKED = MEMORY_MEANS_LATER + MEMORY_PLACES,
    MEMORY_NEW_COUNTING = MEMORY_NEW_CLICKED + MEMORY_LISTS,
    MEMORY_BY_PLACE = MEMORY_NEW_COUNTING + MEMORY_LISTS,
    MEMORY_BY_LIST, MEMORY_DAY, MEMORY_CLICKS
};

struct memory_clicks { /* all zero at first */
    bool known; /* were clicks learnt? */
    double number[MEMORY_CLICKS];
};

/* kappa; theta of a place, from 0 on; 1 / a; m0 of z.v; and the lead. */
double memory_clicks_kappa(const struct memory_clicks *clicks);
double memory_clicks_theta(const struct memory_clicks *clicks, size_t place);
double memory_clicks_rho(const struct memory_clicks *clicks);
double memory_clicks_prior(double expected);
double memory_clicks_lead(const struct memory_clicks *clicks);

/* Do clicks foretell clicks? */
bool memory_clicks_foretell(const struct memory_clicks *clicks);

/* A place of a round, before it is learnt: was it clicked, n and S of the pair, and its z.v.
 * memory_clicks_count sets the rest. */
struct memory_place {
    bool click;
    double n, sum, expected;
    double theta, prior, mean; /* prior: m0 */
};

/* How many places of a round count for what is learnt, at[places] from the first on. */
size_t memory_clicks_counting(const struct memory_clicks *clicks, const struct memory_place *at,
                              size_t places);

/* Counts the round, of which `counts` places count, and sets each theta. `rho` is that of the mean:
 * 1 / a, unless it is given. Returns the round's gain. O(places MEMORY_STRENGTHS). */
double memory_clicks_count(struct memory_clicks *clicks, double rho, struct memory_place *at,
                           size_t places, size_t counts);

/* G takes so much of the gain of the last round, and keeps the lead within its bound. */
void memory_clicks_limit(struct memory_clicks *clicks, double excess);

/* Adds the column to a model, if clicks were learnt; it is borrowed. Takes what a model has. 0 or a
 * fault. */
int memory_clicks_save(const struct memory_clicks *clicks, struct model *model,
                       struct fault *fault);
int memory_clicks_load(struct memory_clicks *clicks, const struct model *model,
                       struct fault *fault);

/* Adds the sums of another share of a log, which must be finite: those of one run, except for the
 * means that each share knew. The day is the later one. */
void memory_clicks_add(struct memory_clicks *clicks, const struct memory_clicks *share);

#endif
