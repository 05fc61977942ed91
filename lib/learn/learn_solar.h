/* learn_solar: SOLAR extended as its paper proposes (Wang et al. 2015, section 6): to pairs of
 * equal labels, and to whole lists. */
#ifndef RANKPIPE_LEARN_SOLAR_H
#define RANKPIPE_LEARN_SOLAR_H

#include "learn/learner.h"

extern const struct learner learn_solar1_ties, learn_solar2_ties, learn_solar1_list,
    learn_solar2_list;

#endif
