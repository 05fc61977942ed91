/* evidence: the counts of a log, in the form from which examination and relevance are estimated. */
#ifndef RANKPIPE_EVIDENCE_H
#define RANKPIPE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "math/matrix.h"

struct evidence_cell { /* a pair at a position: n_jk impressions, C_jk clicks */
    uint32_t position; /* from 0 */
    double n, clicks;
};

/* Pairs of query and document, j from 0, query after query. All arrays are the caller's. */
struct evidence {
    size_t queries, pairs, positions, dim;
    const size_t *query; /* query[queries + 1]: where the pairs of each query begin */
    const size_t *first; /* first[pairs + 1]: where the cells of each pair begin, by position */
    const struct evidence_cell *cell;
    const double *clicks;  /* clicks[pairs]: C_j, the sum over its cells */
    const struct matrix *z; /* z[queries]: features, at most dim of them; dim 0: not read */
};

/* E_j = sum over k of n_jk theta_k, the expected examination of each pair, from theta[positions].
 * O(cells). */
void evidence_exposure(const struct evidence *evidence, const double *theta, double *E);

#endif
