/* learner_help: what update -h says of a learner. */
#ifndef RANKPIPE_LEARNER_HELP_H
#define RANKPIPE_LEARNER_HELP_H

#include <stdio.h>

#include "learn/learner.h"

/* Prints how to call update with the learner, what it needs, and its settings. */
void learner_help(const struct learner *learner, FILE *to);

#endif
