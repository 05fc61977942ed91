/* ball: projects weights into a ball around 0. The weights are `scale` times w, so a projection
 * changes one number; their length is updated from the numbers that changed (norm.h). */
#ifndef RANKPIPE_BALL_H
#define RANKPIPE_BALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "math/norm.h"

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
