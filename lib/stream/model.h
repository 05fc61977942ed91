/* model: what update has learnt, as a record: in a file, and as a message on the ring. */
#ifndef RANKPIPE_MODEL_H
#define RANKPIPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/record.h"

struct model {
    struct record record;
    const char *learner; /* whose state it is              */
    uint64_t rounds;     /* learnt                         */
    size_t dim;          /* weights                        */
    const void *w;       /* double[dim], perhaps unaligned: `scale` times these are the weights;
                          * NULL: in a message, all but the changes are those of the one before,
                          * and 0 where there were none                                        */
    double scale;
    size_t changes;
    const void *index, *value; /* uint32[changes], double[changes], perhaps unaligned: of w */
};

/* Reads what model->record says in its header line, for which its payload need not be there:
 * learner, rounds and dim, and that w is f8[dim]. */
int model_header(struct model *model, struct fault *fault);

/* The same with the record bound to its payload: w is finite. What else a learner keeps is for the
 * learner to read. */
int model_read(struct model *model, struct fault *fault);

/* The same two of a message of the ring: w as above, or direction, or index below dim and value;
 * the latter two with a scale, if any. */
int model_message_header(struct model *model, struct fault *fault);
int model_read_message(struct model *model, struct fault *fault);

/* Puts a model together, and then its weights; `learner` and all arrays stay the caller's. */
int model_start(struct model *model, const char *learner, uint64_t rounds, size_t dim,
                struct fault *fault);
int model_put_weights(struct model *model, const double *w, struct fault *fault);
int model_put_scaled(struct model *model, const double *direction, const double *scale,
                     struct fault *fault);

/* What a message changes; scale NULL: there is none. */
int model_put_changes(struct model *model, size_t n, const uint32_t *index, const double *value,
                      const double *scale, struct fault *fault);

/* A setting it was learnt with, and an array of n that the learner keeps, by name; the name and
 * the array stay the caller's. */
int model_set(struct model *model, const char *name, const char *value, struct fault *fault);
int model_put(struct model *model, const char *name, size_t n, const double *data,
              struct fault *fault);

/* Is there an array f8[n] of that name? true, or a fault. */
bool model_has(const struct model *model, const char *name, size_t n, struct fault *fault);

/* An array, aligned, into data[n]: a fault where it is not there, is not f8[n] or not finite. */
int model_array(const struct model *model, const char *name, size_t n, double *data,
                struct fault *fault);

/* w, aligned, into w[dim]; from a message of changes, only these. */
void model_weights(const struct model *model, double *w);

#endif
