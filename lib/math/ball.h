/* ball: projects weights into a ball around 0. The weights are `scale` times w, so a projection
 * changes one number; their length is updated from the numbers that changed. */
#ifndef RANKPIPE_BALL_H
#define RANKPIPE_BALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

/* The length of a vector whose numbers change a few at a time. 16 neighbouring squares make a sum,
 * 16 of these sums make the next, and so on while there are more than 256; each sum is in lanes
 * (kernels/vectors.h). The result depends on the vector alone, not on its history. However often
 * the vector changed, the result is right to a few units in the last place. */
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

struct ball {
    double radius; /* 0: there is no ball */
    double unit;   /* the scale at first, and after ball_gather: a power of two */
    double scale;
    struct norm norm; /* of w */
};

/* A ball without weights. Radius 0: there is no ball, and the scale is 1. */
void ball_start(struct ball *ball, double radius);
void ball_close(struct ball *ball);

/* Grows to n weights; the new ones are 0. 0 or a fault (memory). */
int ball_reach(struct ball *ball, size_t n, struct fault *fault);

/* Continues with w and its scale as a model file has them. False if they cannot be those of this
 * ball. */
bool ball_resume(struct ball *ball, const double *w, double scale);

/* Projects after w changed: in its first `width` numbers, or in those of index[n]. False if w has
 * left the range that a double holds well; if all of w is finite, ball_gather must follow. Costs
 * what changed. */
bool ball_step(struct ball *ball, const double *w, size_t width);
bool ball_step_changes(struct ball *ball, const double *w, const uint32_t *index, size_t n);

/* Projects weights that are outside the ball onto its edge, and sets the scale to `unit` again.
 * O(n) for all n weights. */
void ball_gather(struct ball *ball, double *w);

#endif
