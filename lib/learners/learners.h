/* learners: the one table of learners. A learner is a struct learner in a file of this folder, and
 * a row here. */
#ifndef RANKPIPE_LEARNERS_H
#define RANKPIPE_LEARNERS_H

#include "learn/learner.h"

/* In the order in which they are listed; learn_NAME is the learner's struct. */
#define LEARNERS(ROW) \
    ROW(squared) ROW(kl) ROW(smoothdcg) ROW(ranksvm) ROW(listnet) ROW(squared_ndcg) \
    ROW(slam) ROW(slam_ap) ROW(minimax) \
    ROW(solar1) ROW(solar2) ROW(solar1_ties) ROW(solar2_ties) ROW(solar1_list) ROW(solar2_list) \
    ROW(prank) ROW(prank_pair) ROW(committee) ROW(ftpl) \
    ROW(ridge) ROW(thompson) ROW(linucb) ROW(squared_dr) ROW(kl_dr) ROW(smoothdcg_dr) \
    ROW(pdgd) ROW(dbgd) ROW(policy_aware) ROW(memory) ROW(cascade_klucb) ROW(cascade_lints) \
    ROW(toprank) ROW(bubblerank) ROW(kernel)

#define LEARNERS_DECLARE(name) extern const struct learner learn_##name;
LEARNERS(LEARNERS_DECLARE)

#endif
