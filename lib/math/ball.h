/* ball: a ball in which weights are kept. They are `scale` times w, so that to bring them all back
 * into the ball costs one number; and how long they are is known from what changed (norm.h). */
#ifndef RANKPIPE_BALL_H
#define RANKPIPE_BALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "math/norm.h"

struct ball {
    double radius; /* 0: there is no ball */
    double unit;   /* of w at first, and when it is gathered: a power of two */
    double scale;
    struct norm norm; /* of w */
};

/* A ball of no weights yet; radius 0: none, and the scale is 1. */
void ball_start(struct ball *ball, double radius);
void ball_close(struct ball *ball);

/* n weights, the new ones 0. 0 or a fault. */
int ball_reach(struct ball *ball, size_t n, struct fault *fault);

/* Could `scale` be that of such a w, which is taken as it is? */
bool ball_resume(struct ball *ball, const double *w, double scale);

/* w has changed, in its first `width` numbers or those of index[n]. False where it has run out of
 * what a double holds well: then ball_gather must follow, if all of w is finite. */
bool ball_step(struct ball *ball, const double *w, size_t width);
bool ball_step_changes(struct ball *ball, const double *w, const uint32_t *index, size_t n);

/* Puts weights that are out of the ball back on its edge, with the scale 1 unit again. Costs all of
 * w. */
void ball_gather(struct ball *ball, double *w);

#endif
