/* learn_clicks: learners from clicks: pdgd learns which document was preferred to which, dbgd which
 * of two rankings. */
#ifndef RANKPIPE_LEARN_CLICKS_H
#define RANKPIPE_LEARN_CLICKS_H

#include "learn/learner.h"

extern const struct learner learn_pdgd, learn_dbgd;

#endif
