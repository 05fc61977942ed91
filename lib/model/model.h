/* model: what update has learnt, as a record: in a file, or as a message on the ring. */
#ifndef RANKPIPE_MODEL_H
#define RANKPIPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/record.h"

struct model {
    struct record record;
    const char *learner; /* its name */
    uint64_t rounds;     /* learnt from so far */
    size_t dim;          /* number of weights */
    const void *w;       /* double[dim], perhaps unaligned: the weights are `scale` times these.
                          * NULL in a message of changes: all other numbers are those of the
                          * message before, or 0 in the first message */
    double scale;
    size_t changes;            /* numbers of w that a message changes */
    const void *index, *value; /* uint32[changes], double[changes], perhaps unaligned */
    const void *shared;        /* of a message within one process: what the learner ranks by besides
                                * w, as the learner has it; NULL: not there */
    uint64_t form; /* of such a message: those of one form, not 0, differ in rounds, w, scale, and
                    * in the numbers that columns and `shared` lead to; 0: this has none */
};

/* Reads the header line of model->record: learner, rounds and dim, and that column w is f8[dim].
 * The payload need not have come. 0 or a data fault. */
int model_header(struct model *model, struct fault *fault);

/* The same with the record bound to its payload, and checks that w is finite. The other columns are
 * for the learner to read. 0 or a data fault. */
int model_read(struct model *model, struct fault *fault);

/* The same two for a message of the ring. It has w as above; or direction, or index (below dim) and
 * value, and these two perhaps with a scale. */
int model_message_header(struct model *model, struct fault *fault);
int model_read_message(struct model *model, struct fault *fault);

/* Starts a model in model->record, and adds its weights. `learner` and all arrays stay the
 * caller's, and must outlive the record. 0, or a data fault where the header line is full. */
int model_start(struct model *model, const char *learner, uint64_t rounds, size_t dim,
                struct fault *fault);
int model_put_weights(struct model *model, const double *w, struct fault *fault);
int model_put_scaled(struct model *model, const double *direction, const double *scale,
                     struct fault *fault);

/* Adds the changes of a message; scale NULL: it has no scale. */
int model_put_changes(struct model *model, size_t n, const uint32_t *index, const double *value,
                      const double *scale, struct fault *fault);

/* Adds a setting of the learner as a key, or an array data[n] of its state as a column. Names and
 * arrays stay the caller's. */
int model_set(struct model *model, const char *name, const char *value, struct fault *fault);
int model_put(struct model *model, const char *name, size_t n, const double *data,
              struct fault *fault);

/* Is there a column f8[n] of that name? true, or false with a data fault. */
bool model_has(const struct model *model, const char *name, size_t n, struct fault *fault);

/* Points *data at a column's numbers where they lie, perhaps unaligned. 0, or a data fault where it
 * is missing, not f8[n] or not finite. */
int model_find(const struct model *model, const char *name, size_t n, const void **data,
               struct fault *fault);

/* Copies a column into data[n]. 0, or a data fault where it is missing, not f8[n] or not finite. */
int model_array(const struct model *model, const char *name, size_t n, double *data,
                struct fault *fault);

/* Copies model->w into w[dim]; from a message of changes, only the changed numbers. */
void model_weights(const struct model *model, double *w);

#endif
