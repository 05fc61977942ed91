/* svm: queries read from SVM-light text, as LETOR and its kin write it. */
#ifndef RANKPIPE_SVM_H
#define RANKPIPE_SVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"
#include "io/lines.h"
#include "io/wait.h"
#include "math/matrix.h"
#include "text/group_sizes.h"
#include "text/qids.h"

struct svm_options {
    bool from_zero;  /* the text's indices start at 0, not at 1                     */
    bool names;      /* keep the documents' names, from the comments                */
    bool scale;      /* each feature to [0,1] within its query                      */
    bool unlabelled; /* queries without labels are fine                             */
    bool widths;     /* every query is `dim` wide; else as wide as its last feature */
    size_t dim;
    const char *sizes; /* the text has no qids: this file says how many documents each query
                         * has, and they are named 1, 2, 3 ...; or NULL; the caller's        */
};

/* One query; all arrays are the reader's, good until its next svm_next. */
struct svm_query {
    const char *qid; /* percent-encoded as a header wants it; NULL: the text has no qids */
    size_t docs;
    const float *label;              /* label[docs], or NULL                             */
    const char *names;               /* docs names, each ended by NUL; NULL unless asked for */
    size_t name_bytes;               /* of all names                                     */
    struct matrix x;                 /* MATRIX_UNIT where no line so far had a feature   */
    size_t nnz;                      /* of sparse features                               */
};

struct svm {
    struct svm_options options;
    struct lines lines;
    struct group_sizes sizes;
    struct qids before;
    bool any, any_qid, any_feature;  /* queries so far; with qids; with features */
    struct rows rows;                /* of the query at hand                     */
    struct buffer qid, label, name;
    size_t labels, name_bytes, width;
};

/* Reads `files` one after the other as if they were one text; "-" is standard input, and so is an
 * empty list. Everything given stays the caller's. */
void svm_open(struct svm *svm, char *const *files, const struct svm_options *options,
              struct watch *watch);

/* The next query: 1, 0 at the end, or a fault that tells file, line and the text at fault. */
int svm_next(struct svm *svm, struct svm_query *query, struct fault *fault)
    __attribute__((warn_unused_result));

void svm_close(struct svm *svm);

#endif
