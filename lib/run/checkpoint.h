/* checkpoint: when a run saves before its end: every so many rounds, or so many seconds. */
#ifndef RANKPIPE_CHECKPOINT_H
#define RANKPIPE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "run/options.h"

struct checkpoint { /* all zero at first: none */
    uint64_t rounds, seconds; /* 0: not by these                      */
    uint64_t last;            /* when the last one was, in nanoseconds */
};

/* Reads the value at hand: "100" is rounds, "30s" seconds. The option may come twice, once for
 * each. 0 or a usage fault. */
int checkpoint_option(struct checkpoint *checkpoint, const struct options *options);

/* Is there any? */
bool checkpoint_any(const struct checkpoint *checkpoint);

/* Is one due after a round, which is number `rounds`? The seconds are counted from the last time
 * that one was due by them, or from the first call. */
bool checkpoint_due(struct checkpoint *checkpoint, uint64_t rounds);

#endif
