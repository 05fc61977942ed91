/* norm: the length of a vector whose numbers change a few at a time. 16 neighbouring squares make a
 * sum, 16 of these sums make the next, and so on while there are more than 256; each sum is in
 * lanes (lanes.h). The result depends on the vector alone, not on its history. However often the
 * vector changed, the result is right to a few units in the last place. */
#ifndef RANKPIPE_NORM_H
#define RANKPIPE_NORM_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

enum { NORM_LEVELS = 16 };

struct norm { /* all zero at first: a vector without numbers */
    size_t n, levels;
    struct level {
        size_t n;
        struct buffer sums; /* double[n], each of 16 numbers of the level below, or of squares */
    } level[NORM_LEVELS];
};

/* Grows to n numbers, at least as many as before; the new ones are 0. 0 or a fault (memory). */
int norm_reach(struct norm *norm, size_t n, struct fault *fault);
void norm_close(struct norm *norm);

/* Takes in that v[norm->n] changed: in its first `width` numbers; or in those of index[n]. Costs
 * what changed. */
void norm_take(struct norm *norm, const double *v, size_t width);
void norm_take_changes(struct norm *norm, const double *v, const uint32_t *index, size_t n);

/* Takes in that all of v became 0: what was not 0 were numbers of index[n], or, where that is NULL,
 * of the first n. */
void norm_clear(struct norm *norm, const uint32_t *index, size_t n);

/* The sum of the squares of all numbers. O(256). */
double norm_square(const struct norm *norm);

#endif
