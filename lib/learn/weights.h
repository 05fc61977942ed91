/* weights: weights as text, from text to a model and back. Weight j is that of the feature which
 * SVM-light text numbers j + 1. */
#ifndef RANKPIPE_WEIGHTS_H
#define RANKPIPE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/lines.h"
#include "io/watch.h"
#include "stream/record.h"
#include "text/forms.h"

struct weights {
    struct lines lines;
    size_t most;        /* weights at the most                         */
    size_t dim;         /* w[dim]                                      */
    double *w;
    struct buffer buffer, given; /* w; bool[dim]: it stood in the text   */
};

/* Reads `files` as lines_open does; everything given stays the caller's. */
void weights_open(struct weights *weights, char *const *files, size_t most, struct watch *watch);

/* Reads the text whole into w[dim]: lines of an index, from 1, a tab or blanks, and a weight; or
 * words index:weight. 0, or a fault that tells file, line and the text at fault. */
int weights_read(struct weights *weights, struct fault *fault);

void weights_close(struct weights *weights);

/* Prints a model's record: "index TAB weight", to all digits, and a comment with the name, a line
 * for each. 0 or a fault: the record is no model, it has no weights, its learner ranks by more than
 * these, or its features have other names than a user gave. printer->notice says what made the
 * features, which the text does not. */
int weights_tsv(struct printer *printer, const struct record *record, struct fault *fault);

#endif
