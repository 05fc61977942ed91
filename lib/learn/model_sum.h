/* model_sum: one model from those of shares of a log: as if one run had learnt all rounds.
 *
 *     struct model_sum sum = { .learners = learners };
 *     while (ok && next(&model))
 *         ok = model_sum_add(&sum, &model, fault) == 0;
 *     if (ok && model_sum_end(&sum, fault) == 0)
 *         ok = learner_save(&sum.state, &model, fault) == 0;
 *     model_sum_close(&sum); */
#ifndef RANKPIPE_MODEL_SUM_H
#define RANKPIPE_MODEL_SUM_H

#include <stdbool.h>

#include "base/fault.h"
#include "learn/learner.h"
#include "stream/model.h"

struct model_sum { /* all zero at first, except `learners` */
    const struct learner *const *learners; /* the table */
    bool begun; /* it has the first model     */
    struct state state; /* of all models so far */
};

/* Adds a model, which may go afterwards. 0; or a fault: its learner's models do not add up, or its
 * settings, its features or its pairs are not such that it may be added to those before it. */
int model_sum_add(struct model_sum *sum, const struct model *model, struct fault *fault);

/* After the last: the state is one that can be saved, and learn more. 0 or a fault. */
int model_sum_end(struct model_sum *sum, struct fault *fault);

void model_sum_close(struct model_sum *sum);

#endif
