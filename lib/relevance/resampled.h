/* resampled: standard errors of examination, by both estimates and of the log of their ratio, from
 * queries of the log that are drawn again (the bootstrap over queries; Efron 1979). */
#ifndef RANKPIPE_RESAMPLED_H
#define RANKPIPE_RESAMPLED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "relevance/evidence.h"
#include "relevance/fixed.h"
#include "relevance/joint.h"

enum { RESAMPLED_JOINT, RESAMPLED_FIXED, RESAMPLED_RATIO, RESAMPLED };

struct resampled { /* all zero at first */
    double *error[RESAMPLED]; /* [positions]: standard errors; NaN: not known */
    struct buffer memory;
};

/* Draws the queries `times` times, by `seed`, and estimates anew, starting from what `joint` and
 * `fixed` have, which stays; a of joint is held. 0, or a fault: memory, or a signal. */
int resampled_errors(struct resampled *resampled, const struct evidence *evidence,
                     const struct joint *joint, const struct fixed *fixed, unsigned times,
                     uint64_t seed, struct watch *watch, struct fault *fault);

void resampled_close(struct resampled *resampled);

#endif
