/* checkpoints: when update saves during a run: by rounds, by seconds, or by both. */
#ifndef RANKPIPE_CHECKPOINTS_H
#define RANKPIPE_CHECKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/options.h"

struct checkpoints { /* all zero at first: never */
    uint64_t every_rounds, every_seconds; /* 0: not by these */
    double checked; /* seconds: when one was due by them; 0: never yet */
};

/* The value of -c: "100" is rounds, "30s" seconds. It may come twice, once for each. 0 or a usage
 * fault. */
int checkpoints_parse(struct checkpoints *checkpoints, const struct options *options);

/* Is one due after the round with which a model has learnt so many? Seconds count from the last one
 * that was due by them. */
bool checkpoints_due(struct checkpoints *checkpoints, uint64_t rounds);

#endif
