/* linear_measure: the measures that are a sum over documents of a gain of each one's label,
 * weighted by the place it stands at: sign * value = constant + sum_j weight(place of j) gain(label
 * of j) / unit. */
#ifndef RANKPIPE_LINEAR_MEASURE_H
#define RANKPIPE_LINEAR_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/measure.h"

struct linear_measure {
    const char *name; /* without a cutoff */
    double sign;      /* -1 where less is better */
    bool binary;      /* so for labels 0 and 1 alone */

    /* Of place i, from 0, before the cutoff; behind it 0. Needs judge_places, and never rises. */
    double (*weight)(const struct judge *judge, size_t i);

    /* Needs the conventions alone, and is 0 for a label of 0. */
    double (*gain)(const struct judge *judge, double label);

    /* The unit and the constant of a round, which hang on all its labels; NULL: 1 and 0. */
    void (*scale)(const struct measure *measure, const struct judge *judge, double *unit,
                  double *constant);
};

/* The linear measure of that name, whatever follows an @; NULL where it is not linear. */
const struct linear_measure *linear_measure_find(const char *measure);

/* Linear measure number i, from 0; NULL after the last one. */
const struct linear_measure *linear_measure_number(size_t i);

#endif
