/* fixed: examination of positions from pairs that were shown at several of them, without features.
 *
 * C_jk ~ Poisson(n_jk theta_k r_j), and the r_j are what they are: fixed effects. The likelihood is
 * greatest where theta_k = C_k / sum_j n_jk r_j and r_j = C_j / sum_k n_jk theta_k, which are
 * computed in turn. A pair that was seen at one position, or never clicked on, says nothing of
 * theta, and is left out. theta_1 = 1. Positions that no such pairs join to position 1, one after
 * the other, cannot be compared with it. */
#ifndef RANKPIPE_FIXED_H
#define RANKPIPE_FIXED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "relevance/evidence.h"

struct fixed { /* all zero at first */
    double *theta; /* theta[positions]; NaN: not joined to position 1, or nothing was clicked on
                    * there or at position 1 */
    double *clicks, *sum; /* clicks[positions]: C_k of these pairs, by the last weights; space */
    uint32_t *part;   /* part[positions]: the same number for positions that are joined */
    uint64_t *shared; /* shared[positions]: pairs seen there and at another position */
    size_t *pair;     /* pair[pairs_used]: those that say something */
    size_t *of;       /* of[pairs_used]: their queries */
    size_t pairs;
    struct buffer memory;
};

/* Makes room, finds which positions are joined, and starts with theta_k = 1/k. 0 or a fault
 * (memory). O(cells). */
int fixed_open(struct fixed *fixed, const struct evidence *evidence, struct fault *fault);

/* Estimates theta from where it is: at most `most` times, or until no theta changes by more than
 * 1e-7. weight[queries] says how often each query counts; NULL: once. O(cells) each time. */
void fixed_fit(struct fixed *fixed, const struct evidence *evidence, const double *weight,
               unsigned most);

void fixed_close(struct fixed *fixed);

#endif
