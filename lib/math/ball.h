/* ball: projects weights onto a ball around 0. The weights are `scale` times w, so that a
 * projection changes one number only. Their length is updated from the numbers that changed
 * (norm.h). */
#ifndef RANKPIPE_BALL_H
#define RANKPIPE_BALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "math/norm.h"

struct ball {
    double radius; /* 0: no ball */
    double unit;   /* the scale at first and after ball_gather: a power of two */
    double scale;
    struct norm norm; /* of w */
};

/* Starts with 0 weights; radius 0: no projection, and the scale stays 1. */
void ball_start(struct ball *ball, double radius);
void ball_close(struct ball *ball);

/* Grows to n weights; the new ones are 0. 0 or a fault. */
int ball_reach(struct ball *ball, size_t n, struct fault *fault);

/* Goes on from stored weights, scale times w. False where `scale` cannot belong to this ball. */
bool ball_resume(struct ball *ball, const double *w, double scale);

/* After a change of the first `width` numbers of w, or of those of index[n], projects the weights.
 * False where w or the scale comes near the range of a double: then the caller must call
 * ball_gather, if all of w is finite. */
bool ball_step(struct ball *ball, const double *w, size_t width);
bool ball_step_changes(struct ball *ball, const double *w, const uint32_t *index, size_t n);

/* Projects the weights and makes the scale 1 unit again. O(all of w). */
void ball_gather(struct ball *ball, double *w);

#endif
