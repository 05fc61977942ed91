/* pair_names: numbers of queries by their qids, and of documents by their query and name. */
#ifndef RANKPIPE_PAIR_NAMES_H
#define RANKPIPE_PAIR_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"

struct pair_names { /* all zero at first */
    struct hash_table queries, documents; /* by where in `text` an entry is, from 1 */
    struct buffer text, key;
    size_t bytes;
};

#define PAIR_NAMES_NONE SIZE_MAX

/* The number of a query; that of the document of query q whose name these n bytes are;
 * PAIR_NAMES_NONE where there is none. O(bytes) on average. Where memory is short there is a fault,
 * and no such document. */
size_t pair_names_query(const struct pair_names *names, const char *qid);
size_t pair_names_document(struct pair_names *names, size_t q, const char *name, size_t n,
                           struct fault *fault);

/* Adds a query, or a document, that is new. Numbers are below 2^32. Returns where its qid or name
 * is, for pair_names_text; or PAIR_NAMES_NONE and a fault (memory). */
size_t pair_names_add_query(struct pair_names *names, const char *qid, size_t number,
                            struct fault *fault);
size_t pair_names_add_document(struct pair_names *names, size_t q, const char *name, size_t n,
                               size_t number, struct fault *fault);

/* The qid or the name, ended by NUL; valid until something is added. */
static inline const char *pair_names_text(const struct pair_names *names, size_t at)
{
    return (const char *)names->text.at + at;
}

void pair_names_close(struct pair_names *names);

#endif
