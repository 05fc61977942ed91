/* entropy: random numbers of the operating system. */
#ifndef RANKPIPE_ENTROPY_H
#define RANKPIPE_ENTROPY_H

#include <stdint.h>

#include "base/fault.h"
#include "base/siphash.h"

/* Draws a seed from 0 to 2^53 - 1, all being equally likely, which every header line can hold. 0,
 * or a fault where the system has no random numbers. */
int entropy_seed(uint64_t *seed, struct fault *fault);

/* A SipHash before its first byte, under a key that differs each time, so that nobody can choose
 * bytes that collide. Where the system has no random numbers, the key is made from the clock and
 * from where memory lies. No result may depend on it. */
struct siphash entropy_siphash(void);

#endif
