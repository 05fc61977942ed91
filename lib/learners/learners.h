/* learners: the one table of learners. A learner is a struct learner in a file of this folder, and
 * a row here. A command line names one with its settings, as words: "kl,eta=1e-5,radius=1". */
#ifndef RANKPIPE_LEARNERS_H
#define RANKPIPE_LEARNERS_H

#include "learn/learner.h"

/* In the order in which they are listed; learn_NAME is the learner's struct. */
#define LEARNERS(ROW) \
    ROW(squared) ROW(kl) ROW(smoothdcg) ROW(ranksvm) ROW(listnet) ROW(squared_ndcg) \
    ROW(slam) ROW(slam_ap) ROW(minimax) \
    ROW(solar1) ROW(solar2) ROW(solar1_ties) ROW(solar2_ties) ROW(solar1_list) ROW(solar2_list) \
    ROW(prank) ROW(prank_pair) ROW(committee) ROW(ftpl) ROW(exp3m) \
    ROW(ridge) ROW(thompson) ROW(linucb) ROW(pdgd) ROW(dbgd) ROW(pairrank) ROW(memory) \
    ROW(toprank) ROW(kernel)

#define LEARNERS_DECLARE(name) extern const struct learner learn_##name;
LEARNERS(LEARNERS_DECLARE)

/* The table, ended by NULL; the one that is best on most data without settings; and the learner of
 * a name, or NULL. */
extern const struct learner *const learners[], *const learner_usual;
const struct learner *learner_find(const char *name);

/* The learner that the words begin with; sets the settings that follow it. NULL after a usage
 * fault: no learner, or none of its settings, has such a name, or a value is not allowed. */
const struct learner *learner_words_read(const char *words, struct settings *settings,
                                         struct fault *fault);

/* Sets the setting of an option letter; text NULL: a flag. 0 or a usage fault. */
int learner_words_option(char letter, const char *text, struct settings *settings,
                         struct fault *fault);

#endif
