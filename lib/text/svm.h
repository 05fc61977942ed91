/* svm: reads queries from SVM-light text, the format of LETOR, MSLR, Yahoo and Istella. */
#ifndef RANKPIPE_SVM_H
#define RANKPIPE_SVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"
#include "feature/rows.h"
#include "io/lines.h"
#include "io/watch.h"
#include "math/matrix.h"
#include "text/group_sizes.h"
#include "text/qid_word.h"
#include "base/name_set.h"

struct svm_options {
    bool from_zero;  /* indices in the text start at 0, not at 1 */
    bool names;      /* read the names of documents from the comments */
    bool whole_names; /* and leave them out where one is missing, or two are equal */
    bool scale;      /* scale each feature to [0,1] within its query */
    bool unlabelled; /* allow queries without labels */
    bool blank_ends; /* a blank line ends a query, which may have any qid, and in which a first line
                      * "request: ID" may stand */
    bool skips;      /* svm_skip will follow a fault */
    size_t most;     /* documents of a query; 0: any number */
    bool widths;     /* every query has `dim` features; else as many as its largest index says */
    size_t dim;
    unsigned bits;   /* svm_round stores features as numbers of 8 or 16 bits; 0: as floats */
    const char *sizes; /* a file with the number of documents of each query, for text without qids;
                        * queries are then named 1, 2, 3 ...; NULL: none; the caller's */
};

/* One query. All arrays are the reader's, and valid until its next svm_next. */
struct svm_query {
    const char *qid; /* percent-encoded, as a header has it; NULL: the text has no qids */
    const char *request; /* likewise, from the line "request: ID"; NULL: none */
    size_t docs;
    const float *label;              /* label[docs], or NULL                             */
    const char *names;               /* docs names, each ended by NUL; NULL: none, or not read */
    size_t name_bytes;               /* of all names together                            */
    struct matrix x;                 /* MATRIX_UNIT before the first feature of the text */
    size_t nnz;                      /* of sparse features                               */
    const uint64_t *fingerprint;     /* fingerprint[docs] of the features before they were
                                      * scaled; NULL: not scaled, or there are names     */
};

struct svm {
    struct svm_options options;
    struct lines lines;
    struct group_sizes sizes;
    struct name_set before;
    bool any, any_qid, any_feature;  /* was there a query, a qid, a feature so far? */
    struct rows rows, scaled;        /* of the current query */
    bool over;                       /* the end of the current query was read */
    bool requested;                  /* it has a line "request: ID" */
    char request[QID_BYTES + 1];
    char qid[QID_BYTES + 1];
    struct buffer label, name, fingerprint, scratch;
    struct siphash start; /* of the hashes of names */
    size_t labels, name_bytes; /* of the current query: documents with a label; bytes of names */
    size_t width;              /* and the number of its features */
};

/* Reads `files` as if they were one text; "-" is standard input, and so is an empty list. All
 * arguments stay the caller's, and must outlive the reader. lines_text gives it a text in memory in
 * their place. */
void svm_open(struct svm *svm, char *const *files, const struct svm_options *options,
              struct watch *watch);

/* Reads the next query. SVM_END: the text is at its end. SVM_FAULT: with file, line and the text at
 * fault. O(bytes), and with options.scale O(n log n) in the features of the query. */
enum svm_found { SVM_FAULT = -1, SVM_END, SVM_QUERY };
enum svm_found svm_next(struct svm *svm, struct svm_query *query, struct fault *fault)
    __attribute__((warn_unused_result));

void svm_close(struct svm *svm);

#endif
