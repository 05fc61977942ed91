/* svm: reads queries from SVM-light text, the format of LETOR, MSLR, Yahoo and Istella. */
#ifndef RANKPIPE_SVM_H
#define RANKPIPE_SVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"
#include "feature/rows.h"
#include "io/lines.h"
#include "io/watch.h"
#include "math/matrix.h"
#include "stream/round.h"

/* The qid of a document in a line of text, and words as header lines have them. */

enum { QID_BYTES = 255 }; /* most bytes of an encoded word */

/* Encodes the word of n bytes at p as a header line has it: bytes that do not print, and %, as %XX.
 * `coded`: the text has %XX already, which stays, with capital letters; any other % is a fault. The
 * word is in the current line, where `what` began so many bytes before it. Returns where it ends,
 * or NULL and a fault. */
const char *qid_word_read(struct lines *lines, const char *p, size_t n, size_t before,
                          const char *what, bool coded, char encoded[QID_BYTES + 1],
                          struct fault *fault);

/* Turns the %XX of an encoded word back to bytes. False where one of them is a NUL. */
bool qid_word_decode(const char *encoded, char plain[QID_BYTES + 1]);

/* Finds the first word "qid:..." of a line before its comment, whatever else stands there, and
 * encodes it. False where there is none that can be encoded. */
bool qid_word_find(const char *line, bool coded, char encoded[QID_BYTES + 1]);

struct svm_options {
    bool from_zero;  /* indices in the text start at 0, not at 1 */
    bool names;      /* read the names of documents from the comments */
    bool whole_names; /* and leave them out where one is missing, or two are equal */
    bool scale;      /* scale each feature to [0,1] within its query */
    bool ranked;     /* lines are in the engine's order: rounds have the column base */
    bool unlabelled; /* allow queries without labels */
    bool blank_ends; /* a blank line ends a query, which may have any qid, also as "qid=" and
                      * with %XX already, whatever `coded` is; before its documents
                      * lines "request: ID" and "order: none", for not `ranked`, may stand */
    bool coded;      /* qids have %XX already */
    bool skips;      /* svm_skip will follow a fault */
    size_t most;     /* documents of a query; 0: any number */
    bool widths;     /* every query has `dim` features; else as many as its largest index says */
    size_t dim;
};

/* One query. All arrays are the reader's, and valid until its next svm_next. */
struct svm_query {
    const char *qid; /* percent-encoded, as a header has it; NULL: the text has no qids */
    const char *request; /* likewise, from the line "request: ID"; NULL: none */
    bool ranked;         /* the documents are in the engine's order */
    size_t docs;
    const float *label;              /* label[docs], or NULL                             */
    const char *names;               /* docs names, each ended by NUL; NULL: none, or not read */
    size_t name_bytes;               /* of all names together                            */
    struct matrix x;                 /* MATRIX_UNIT before the first feature of the text */
    size_t nnz;                      /* of sparse features                               */
    const uint64_t *fingerprint;     /* fingerprint[docs] of the features before they were
                                      * scaled; NULL: not scaled, or there are names     */
};

struct svm { /* must not be moved while it is open */
    struct svm_options options;
    struct lines lines;
    struct name_table before;
    bool any, any_qid, any_feature;  /* was there a query, a qid, a feature so far? */
    struct rows rows, scaled;        /* of the current query */
    bool over;                       /* the end of the current query was read */
    bool requested, unranked;        /* it has a line "request: ID", "order: none" */
    char request[QID_BYTES + 1];
    char qid[QID_BYTES + 1];
    struct buffer label, name, fingerprint, scratch;
    bool nameless, renamed; /* has a document no name; had one "docid:851", which now is 851? */
    uint64_t equal;  /* queries without names, since two of their documents have the same */
    struct hash_table documents; /* of a query, to see whether their names differ */
    size_t labels, name_bytes; /* of the current query: documents with a label; bytes of names */
    size_t width;              /* and the number of its features */
};

/* Reads `files` as if they were one text; "-" is standard input, and so is an empty list. All
 * arguments stay the caller's, and must outlive the reader. lines_text gives it a text in memory in
 * their place. */
void svm_open(struct svm *svm, char *const *files, const struct svm_options *options,
              struct watch *watch);

/* Reads the next query: 1, 0 at the end of the text, or a fault with file, line and the text at
 * fault. O(bytes), and with options.scale O(n log n) in the features of the query. */
int svm_next(struct svm *svm, struct svm_query *query, struct fault *fault)
    __attribute__((warn_unused_result));

/* After svm_next failed with FAULT_DATA: skips the rest of that query, so that svm_next goes on
 * with the next one. Where blank lines end queries, that is up to one. Else the lines that follow
 * are skipped if they have no qid, or that of the line at fault. 0, or another fault: the text
 * cannot be read any further. */
int svm_skip(struct svm *svm, struct fault *fault);

/* Makes round t of the query, which `svm` returned last. The round has its labels, names and
 * features, which stay the reader's; base, where it is ranked; and request= and qid= where it has
 * them. 0, or a data fault that says where the query ends. */
int svm_round(struct svm *svm, const struct svm_query *query, uint64_t t,
              struct round *round, struct fault *fault);

void svm_close(struct svm *svm);

/* A share of a file of SVM-light text, by its bytes, cut where queries begin. */
struct svm_share {
    uint64_t number, shares; /* the caller's: which one, from 1, of how many, at most 2^32 - 1 */
    bool coded;              /* likewise: qids have %XX already */
    uint64_t from, to;       /* its bytes */
};

/* Finds the share in a regular file. Each byte is in one share; shares that follow each other meet,
 * and all but the first begin with the first line of a query, or are empty. The border after byte b
 * is the first line with a qid, among those that begin at b or later, that has another qid than the
 * line with a qid before it there. 0 or a fault. O(bytes of two queries at each end). */
int svm_share_find(struct svm_share *share, const char *file, struct watch *watch,
                   struct fault *fault);

#endif
