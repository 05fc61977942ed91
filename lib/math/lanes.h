/* lanes: the order in which numbers are added up: number j goes to lane j mod 16, and the lanes are
 * added by halves, 8-4-2-1. So vectors of any width give the same bits. */
#ifndef RANKPIPE_LANES_H
#define RANKPIPE_LANES_H

#include <stddef.h>

enum { LANES = 16 };

static inline double sum_lanes(double lane[LANES])
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

#endif
