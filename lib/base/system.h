/* system: the time, random numbers of the operating system, and the account of a program. */
#ifndef RANKPIPE_SYSTEM_H
#define RANKPIPE_SYSTEM_H

#include <stdint.h>
#include <time.h>

#include "base/fault.h"
#include "base/siphash.h"

/* Draws a seed from 0 to 2^53 - 1, all being equally likely, which every header line can hold. 0,
 * or a fault where the system has no random numbers. */
int entropy_seed(uint64_t *seed, struct fault *fault);

/* A SipHash before its first byte, under a key that differs each time, so that nobody can choose
 * bytes that collide. Where the system has no random numbers, the key is made from the clock and
 * from where memory lies. No result may depend on it. */
struct siphash entropy_siphash(void);

/* 0; a fault where the program runs as root, and the environment does not have RANKPIPE_ROOT=yes.
 * For programs that answer strangers: what goes wrong in them has the rights of the account. */
int account_not_root(struct fault *fault);

/* Seconds since some moment in the past; they never jump. */
static inline double moment_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Milliseconds since 1970, as rounds record them. */
static inline uint64_t moment_stamp(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif
