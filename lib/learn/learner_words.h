/* learner_words: a learner and its settings as words: "kl,eta=1e-5,radius=1". */
#ifndef RANKPIPE_LEARNER_WORDS_H
#define RANKPIPE_LEARNER_WORDS_H

#include "learn/learner.h"

/* The learner that the words begin with; sets the settings that follow it. NULL after a usage
 * fault: no learner, or none of its settings, has such a name, or a value is not allowed. */
const struct learner *learner_words_read(const char *words, struct settings *settings,
                                         struct fault *fault);

/* Sets the setting of an option letter; text NULL: a flag. 0 or a usage fault. */
int learner_words_option(char letter, const char *text, struct settings *settings,
                         struct fault *fault);

#endif
