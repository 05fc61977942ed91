/* evidence: the counts of a log, in the form from which examination and relevance are estimated. */
#ifndef RANKPIPE_EVIDENCE_H
#define RANKPIPE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"
#include "relevance/impressions.h"

struct evidence_cell { /* a pair at a position */
    uint32_t position; /* from 0 */
    struct impressions_counts counts;
};

/* Pairs of query and document, j from 0, query after query. All arrays are the caller's. */
struct evidence {
    size_t queries, pairs, positions, dim;
    const size_t *query; /* query[queries + 1]: where the pairs of each query begin */
    const size_t *first; /* first[pairs + 1]: where the cells of each pair begin, by position */
    const struct evidence_cell *cell;
    const struct matrix *z; /* z[queries]: features, at most dim of them; dim 0: not read */
};

/* What a model is fitted to: impressions n_jk and clicks C_jk of each cell, as it counts them. */
struct counts { /* all zero at first */
    const struct evidence *evidence;
    double *n, *clicks; /* [cells] */
    double *of_pair;    /* of_pair[pairs]: C_j, the sum over the cells of a pair */
    double *at;         /* at[positions]: C_k, the sum over the cells of a position; half a click
                         * where there are impressions, and none was clicked */
    bool *query;        /* query[queries]: has it impressions? */
    struct buffer memory;
};

/* How impressions with a click above them count. */
enum counts_of {
    COUNTS_ALL,   /* as the others do: n, C                                       */
    COUNTS_FIRST, /* not: n - m, C - d                                            */
    COUNTS_SHARE  /* as a share of one, of each query its own: n - m + share m, C */
};

/* Counts the queries with keep[queries]; NULL: all. `share` is share[queries], or NULL. 0 or a
 * fault (memory). O(cells). */
int counts_make(struct counts *counts, const struct evidence *evidence, enum counts_of what,
                const double *share, const bool *keep, struct fault *fault);

/* Counts clicks by their values: C_j becomes the sum of these. O(cells). */
void counts_by_value(struct counts *counts);

/* E_j = sum over k of n_jk theta_k, the expected examination of each pair, from theta[positions].
 * O(cells). */
void counts_exposure(const struct counts *counts, const double *theta, double *E);

void counts_close(struct counts *counts);

#endif
