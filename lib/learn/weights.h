/* weights: reads weights from the text of other tools. Weight j is that of the feature which
 * SVM-light text numbers j + 1. weights_form.h prints such text. */
#ifndef RANKPIPE_WEIGHTS_H
#define RANKPIPE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/lines.h"
#include "io/watch.h"

struct weights {
    struct lines lines;
    size_t most;        /* weights at the most                         */
    size_t dim;         /* w[dim]                                      */
    double *w;
    struct buffer buffer, given; /* w; bool[dim]: it stood in the text   */
    unsigned headers;   /* lines of an SVM-light header so far         */
    uint64_t due, vectors; /* support vectors it announces; so far     */
    bool one_line;              /* RankLib's one line has come, or sofia-ml's  */
};

/* Reads `files` as lines_open does; everything given stays the caller's. */
void weights_open(struct weights *weights, char *const *files, size_t most, struct watch *watch);

/* Reads the text whole, in whichever form it is, into w[dim]. A constant that all documents' scores
 * have added is left out. 0, or a fault that tells file, line and the text at fault. */
int weights_read(struct weights *weights, struct fault *fault);

void weights_close(struct weights *weights);

#endif
