/* entropy: seeds drawn from the operating system. */
#ifndef RANKPIPE_ENTROPY_H
#define RANKPIPE_ENTROPY_H

#include <stdint.h>

#include "base/fault.h"

/* Draws a number from 0 to 2^53 - 1, all being equally likely, which every header line can hold.
 * 0, or a fault where the system has no random numbers. */
int entropy_seed(uint64_t *seed, struct fault *fault);

#endif
