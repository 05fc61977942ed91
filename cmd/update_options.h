/* update_options: what update takes on its command line, for parsing, usage and completion. */
#ifndef RANKPIPE_UPDATE_OPTIONS_H
#define RANKPIPE_UPDATE_OPTIONS_H

#include "run/options.h"

/* By letter, ended by 0. Those that update.c does not know are settings (setting_option.h). */
extern const struct option update_options[];

/* The name of learner i, or NULL after the last. */
const char *update_learner(size_t i);

#endif
