/* stage: streams as they are at a place of a pipeline, made by the programs themselves. */
#ifndef RANKPIPE_STRUCTURED_STAGE_H
#define RANKPIPE_STRUCTURED_STAGE_H

#include "check.h"
#include "make.h"
#include "options.h"

/* How rounds come to be such that a learner can learn from them. */
struct way {
    const char *learner;          /* NULL: any other                                    */
    bool items;                   /* fixed lists of items                               */
    const char *explore, *mask;   /* options of the two programs; NULL: they do not run */
    const char *options;          /* of update                                          */
    bool narrow;                  /* no round has many documents                        */
};

/* A way that suits the learner, or now and then any. */
struct way stage_way(struct dice *draw, const char *learner);

/* A drawn way, which stops after some of the programs. */
struct way stage_any(struct dice *draw);

/* Valid rounds of that way. The file "base" has them before explore. */
struct stream stage_rounds(struct dice *draw, const struct way *way);

/* A valid model of that learner, from rounds of its way; no records where it could not learn. */
struct stream stage_model(struct dice *draw, const struct learner *learner);

/* Any learner of the table. */
const struct learner *stage_learner(struct dice *draw);

#endif
