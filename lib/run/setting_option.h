/* setting_option: the options of a command line that are settings of learners. */
#ifndef RANKPIPE_SETTING_OPTION_H
#define RANKPIPE_SETTING_OPTION_H

#include "learn/settings.h"
#include "run/options.h"

/* Sets the setting whose letter is that of the option at hand to its value. A flag becomes 1, a
 * word its number from 1. 0, or a usage fault: the value is not one that the setting may have. */
int setting_option(struct settings *settings, const struct options *options);

#endif
