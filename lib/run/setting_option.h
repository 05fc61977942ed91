/* setting_option: a setting of a learner from the command line. */
#ifndef RANKPIPE_SETTING_OPTION_H
#define RANKPIPE_SETTING_OPTION_H

#include "learn/settings.h"
#include "run/options.h"

/* Sets the setting whose letter is that of the option at hand, which is one. 0, or a usage fault for
 * its value. */
int setting_option(struct settings *settings, const struct options *options);

#endif
