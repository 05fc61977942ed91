/* norm: the length of a vector of which few numbers change at a time. A tree of sums: the squares
 * are added by 16 neighbours, these sums by 16, and so on while there are more than 256 sums, each
 * in lanes (lanes.h). The result depends only on the vector, not on its history, and is accurate to
 * a few units in the last place after any number of changes. */
#ifndef RANKPIPE_NORM_H
#define RANKPIPE_NORM_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

enum { NORM_LEVELS = 16 };

struct norm { /* all zero at first: a vector of length 0 */
    size_t n, levels;
    struct level {
        size_t n;
        struct buffer sums; /* double[n]: each of 16 sums of the level before, or of squares */
    } level[NORM_LEVELS];
};

/* Grows to n numbers; the new ones are 0. 0 or a fault. */
int norm_reach(struct norm *norm, size_t n, struct fault *fault);
void norm_close(struct norm *norm);

/* Updates the sums after a change of v[norm->n]: of its first `width` numbers; of those of
 * index[n]. */
void norm_take(struct norm *norm, const double *v, size_t width);
void norm_take_changes(struct norm *norm, const double *v, const uint32_t *index, size_t n);

/* The sum of the squares. */
double norm_square(const struct norm *norm);

#endif
