/* moment: the time, to measure by and to record. */
#ifndef RANKPIPE_MOMENT_H
#define RANKPIPE_MOMENT_H

#include <stdint.h>
#include <time.h>

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
