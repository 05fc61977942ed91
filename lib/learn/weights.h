/* weights: the weights of a model as text of other tools, and back. Weight j is that of the feature
 * which SVM-light text numbers j + 1. */
#ifndef RANKPIPE_WEIGHTS_H
#define RANKPIPE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/lines.h"
#include "io/watch.h"
#include "stream/record.h"
#include "text/forms.h"

/* Each prints the weights of a model's record, to all digits. 0 or a fault: the record is no model,
 * it has no weights, or its learner ranks by more than these. */

/* "index TAB weight", a line for each. */
int weights_tsv(struct printer *printer, const struct record *record, struct fault *fault);

/* A linear model of SVM-light's svm_learn: its header, then support vectors. */
int weights_svm_light(struct printer *printer, const struct record *record, struct fault *fault);

/* A model of RankLib's Coordinate Ascent: "index:weight" for each, in one line. */
int weights_ranklib(struct printer *printer, const struct record *record, struct fault *fault);

struct weights {
    struct lines lines;
    size_t most;        /* weights at the most                         */
    size_t dim;         /* w[dim]                                      */
    double *w;
    struct buffer buffer, given; /* w; bool[dim]: it stood in the text   */
    unsigned headers;   /* lines of an SVM-light header so far         */
    uint64_t due, vectors; /* support vectors it announces; so far     */
    bool ranklib_seen;          /* RankLib's one line has come                 */
};

/* Reads `files` as lines_open does; everything given stays the caller's. */
void weights_open(struct weights *weights, char *const *files, size_t most, struct watch *watch);

/* Reads the text whole, in whichever form it is, into w[dim]. A constant that all documents' scores
 * have added is left out. 0, or a fault that tells file, line and the text at fault. */
int weights_read(struct weights *weights, struct fault *fault);

void weights_close(struct weights *weights);

#endif
