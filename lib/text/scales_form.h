/* scales_form: the text of constants.h, which the steps standard and range read: the mean,
 * deviation, least and largest value of each feature over a stream. */
#ifndef RANKPIPE_SCALES_FORM_H
#define RANKPIPE_SCALES_FORM_H

#include <stdint.h>

#include "base/fault.h"
#include "feature/feature_names.h"
#include "feature/scales.h"
#include "stream/round.h"
#include "stream/writer.h"

struct scales_form { /* all zero at first */
    struct scales scales;
    uint64_t rounds;
    char made[ROUND_MADE + 1]; /* of all rounds; "": raw features */
};

/* Takes in a round. 0, or a fault without a place: it has no features, one that is not finite or
 * too many of them, they were made in another way than those before, or they have other names than
 * these, of which there may be none. */
int scales_form_round(struct scales_form *form, const struct feature_names *names,
                      const struct round *round, struct fault *fault);

/* Prints a line for each feature. 0 or a fault: there were no rounds, or fewer names. */
int scales_form_print(const struct scales_form *form, const struct feature_names *names,
                      struct writer *out, struct fault *fault);

#endif
