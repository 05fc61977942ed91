/* The one table of learners. */
#include <string.h>

#include "learn/learn_cascade.h"
#include "learn/learn_clicks.h"
#include "learn/learn_ftpl.h"
#include "learn/learn_memory.h"
#include "learn/learn_orders.h"
#include "learn/learn_pairs.h"
#include "learn/learn_perceptron.h"
#include "learn/learn_prank.h"
#include "learn/learn_ridge.h"
#include "learn/learn_robust.h"
#include "learn/learn_solar.h"
#include "learn/learn_surrogate.h"
#include "learn/learner.h"

const struct learner *const learners[] = {
    &learn_squared, &learn_kl,      &learn_smoothdcg,  &learn_ranksvm,   &learn_listnet,
    &learn_squared_ndcg,
    &learn_slam,    &learn_slam_ap, &learn_minimax,    &learn_solar1,    &learn_solar2,
    &learn_solar1_ties, &learn_solar2_ties, &learn_solar1_list, &learn_solar2_list,
    &learn_prank,   &learn_prank_pair, &learn_committee, &learn_ftpl,     &learn_ridge,
    &learn_thompson, &learn_linucb,    &learn_squared_dr, &learn_kl_dr, &learn_smoothdcg_dr,
    &learn_pdgd,    &learn_dbgd,
    &learn_memory, &learn_cascade_klucb, &learn_cascade_lints, &learn_toprank, &learn_bubblerank,
    NULL,
};

const struct learner *const learner_usual = &learn_memory;

const struct learner *learner_find(const char *name)
{
    for (size_t i = 0; learners[i]; i++)
        if (strcmp(learners[i]->name, name) == 0)
            return learners[i];
    return NULL;
}

const struct learner *learner_of_model(const char *name)
{
    static const struct learner fixed = { .name = LEARNER_FIXED, .letters = "" };
    return strcmp(name, LEARNER_FIXED) == 0 ? &fixed : learner_find(name);
}
