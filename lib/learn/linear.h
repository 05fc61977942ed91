/* linear: a model as what other tools know: weights, and how each feature is made before it is
 * multiplied by one. */
#ifndef RANKPIPE_LINEAR_H
#define RANKPIPE_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "feature/constants.h"
#include "feature/feature_names.h"
#include "learn/learner.h"
#include "stream/model.h"

struct linear { /* all zero at first */
    struct model model;
    const char *made;    /* its key made=; NULL: features are raw                           */
    bool known;          /* made= is this chain and no other: a logarithm or not, and then  */
    bool log;            /* one of the others or none                                       */
    bool scale;          /* within the query                                                */
    bool constants, range;          /* (value - from) / by of constants_of                  */
    struct constants scales;        /* of `constants`; features 0: the model lacks them     */
    struct feature_names names;
    bool remembers;      /* its learner ranks by more, but documents without answers by w   */
};

/* Reads a record, which stays the caller's. `learners`: the table. `given`: names of features for
 * a model that has none; there may be none of them. 0, or a fault: it is no model, it has no
 * weights, its learner ranks by more than these, or it has other names. */
int linear_read(struct linear *linear, const struct learner *const *learners,
                const struct record *record, const struct feature_names *given,
                struct fault *fault);

/* Weight j. */
double linear_weight(const struct linear *linear, size_t j);

/* The name of feature j, or else "feature_" and its number from 1; good until the next call. */
enum { LINEAR_NAME = FEATURE_NAME + 1 };
const char *linear_name(const struct linear *linear, size_t j, char name[LINEAR_NAME]);

/* Where constants scale feature j: what is subtracted, and by what it is divided. False where all
 * its values were equal: then it is 0, and so its weight does not count. */
bool linear_scaled(const struct linear *linear, size_t j, double *from, double *by);

void linear_close(struct linear *linear);

#endif
