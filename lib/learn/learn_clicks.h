/* learn_clicks: learning from clicks: by which documents were preferred to which, and by which of
 * two rankings was. */
#ifndef RANKPIPE_LEARN_CLICKS_H
#define RANKPIPE_LEARN_CLICKS_H

#include "learn/learner.h"

extern const struct learner learn_pdgd, learn_dbgd;

#endif
