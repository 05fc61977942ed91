/* linear_measure: the measures that are a sum over documents, of a gain of the document's label
 * times a weight of its position:
 *   sign * value = constant + sum_j weight(position of j) gain(label of j) / unit. */
#ifndef RANKPIPE_LINEAR_MEASURE_H
#define RANKPIPE_LINEAR_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/measure.h"

struct linear_measure {
    const char *name; /* without a cutoff */
    double sign;      /* -1 where less is better */
    bool binary;      /* this holds only for labels 0 and 1 */

    /* The weight of position i, from 0, up to the cutoff (after it, it is 0). It never rises with
     * i. Needs judge_places. */
    double (*weight)(const struct judge *judge, size_t i);

    /* The gain of a label, 0 for label 0. Needs only the conventions. */
    double (*gain)(const struct judge *judge, double label);

    /* The unit and the constant of a round, which depend on all its labels; NULL: 1 and 0. */
    void (*scale)(const struct measure *measure, const struct judge *judge, double *unit,
                  double *constant);
};

/* The linear measure of that name, whatever follows an @; NULL where it is not linear. */
const struct linear_measure *linear_measure_find(const char *measure);

/* Linear measure number i, from 0; NULL after the last one. */
const struct linear_measure *linear_measure_number(size_t i);

#endif
