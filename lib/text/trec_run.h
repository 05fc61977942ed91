/* trec_run: the scores that a TREC run gives to documents, read from lines
 * "qid Q0 document rank score tag". As for trec_eval, the rank and the order of lines do not
 * count. */
#ifndef RANKPIPE_TREC_RUN_H
#define RANKPIPE_TREC_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "io/lines.h"

enum { TREC_RUN_FIELDS = 6 };

struct trec_run { /* all zero at first */
    struct buffer text, entry; /* struct trec_entry[entries] */
    size_t bytes, entries;
    struct hash_table table; /* entries, from 1 */
};

/* Of a document; or of a query, as head of the list of its documents. */
struct trec_entry {
    size_t key;    /* where in `text` it begins: qid, blank, document; of a query "" */
    size_t next;   /* the next document of the query, from 1; 0: the last */
    double score;
    uint64_t mark; /* the caller's */
};

/* Reads all lines. 0, or a fault with file, line and text, also where a document comes twice.
 * O(bytes) on average. */
int trec_run_read(struct trec_run *run, struct lines *lines, struct fault *fault);

/* The entry of a query; of a document, found by its name; the next document of a query. NULL: there
 * is none. `room` is used again. NULL with a fault: no memory. */
struct trec_entry *trec_run_query(struct trec_run *run, const char *qid, struct buffer *room,
                                  struct fault *fault);
struct trec_entry *trec_run_document(struct trec_run *run, const char *qid, const char *document,
                                     struct buffer *room, struct fault *fault);
struct trec_entry *trec_run_next(struct trec_run *run, const struct trec_entry *entry);

void trec_run_close(struct trec_run *run);

#endif
