/* norm: the length of a vector of which few numbers change at a time. Squares are summed by 16 that
 * lie together, these sums by 16, and so on while there are more than 256, each sum in lanes
 * (lanes.h): what it gives depends on the vector as it is and not on how it came about, and is
 * right to a few units in the last place however often it changed. */
#ifndef RANKPIPE_NORM_H
#define RANKPIPE_NORM_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

enum { NORM_LEVELS = 16 };

struct norm { /* all zero at first: of no numbers */
    size_t n, levels;
    struct level {
        size_t n;
        struct buffer sums; /* double[n]: of 16 numbers of the level below; at first, of squares */
    } level[NORM_LEVELS];
};

/* n numbers, no fewer than before; the new ones are 0. 0 or a fault. */
int norm_reach(struct norm *norm, size_t n, struct fault *fault);
void norm_close(struct norm *norm);

/* v[norm->n] has changed: in its first `width` numbers; in those of index[n]. */
void norm_take(struct norm *norm, const double *v, size_t width);
void norm_take_changes(struct norm *norm, const double *v, const uint32_t *index, size_t n);

/* The sum of the squares. */
double norm_square(const struct norm *norm);

#endif
