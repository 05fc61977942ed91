/* fixed_list: what learners of one fixed list of items check of each round. */
#ifndef RANKPIPE_FIXED_LIST_H
#define RANKPIPE_FIXED_LIST_H

#include "base/fault.h"
#include "learn/learner.h"
#include "math/matrix.h"

/* 0 if the round is of a list without features (dim=0) and has `items` documents; 0 means that no
 * round came before. Else a fault. */
int fixed_list_check(const struct state *state, const struct matrix *x, double items,
                     struct fault *fault);

/* Begins to learn from such a round: *items becomes its number of documents. */
void fixed_list_begin(struct state *state, const struct matrix *x, double *items);

#endif
