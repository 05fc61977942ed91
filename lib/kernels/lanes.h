/* lanes: the order of every long sum: number j is added to lane j mod 16, and the lanes are added
 * by halves, 8-4-2-1. So the bits are the same whatever vectors the machine has. */
#ifndef RANKPIPE_LANES_H
#define RANKPIPE_LANES_H

#include <stddef.h>

enum { LANES = 16 };

/* The sum of the lanes, which are overwritten. */
static inline double sum_lanes(double lane[LANES])
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

#endif
