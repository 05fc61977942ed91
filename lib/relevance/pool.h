/* pool: the documents of each query of a log, with their features and counts.
 *
 * Documents are known by their names, or in rounds without names by their features: then a pair has
 * the name "f:", the fingerprint as 16 digits, ":", and how many documents before it in the round
 * have the same. */
#ifndef RANKPIPE_POOL_H
#define RANKPIPE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"
#include "math/matrix.h"
#include "relevance/evidence.h"
#include "relevance/impressions.h"
#include "stream/round.h"

struct pool_query {
    uint32_t *pair;      /* pair[docs], in document order; NULL: no round of the query came */
    size_t docs;
    char *names;         /* the column of its first round, of so many bytes; NULL: none */
    size_t bytes;
    bool nameless, grown; /* grown: more documents than the first round had */
    struct matrix x, z;  /* features, and those scaled within the query, which may be the same */
    void *x_memory, *z_memory;
};

struct pool { /* all zero at first */
    struct impressions impressions;
    struct buffer query; /* struct pool_query[queries] */
    size_t queries;
    bool any, bare;      /* any: a round came; bare: rounds have no features */
    char unknown[ROUND_QID + 1]; /* the qid of the last round that was left out */
    size_t dim;
    char made[ROUND_MADE + 1]; /* of all rounds; "": none */
    uint32_t *list;      /* the pairs of the last round's documents; valid until the next */
    bool *fresh;         /* did they come in no round before? Valid as list */
    uint64_t round;
    struct rows rows, scaled;
    struct buffer lists, names, marks, hashes, places, scratch;
    uint64_t secret; /* of tables of hashes */

    struct evidence evidence; /* after pool_finish */
    const uint32_t *order;    /* order[evidence.queries]: numbers of queries */
    size_t lost;              /* pairs with counts that are in no round */
    struct buffer arrays, cells;
};

/* Takes in the documents of a round that are new. O(docs); for a query's first round O(features).
 *   1   done
 *   0   the query is left out: `known`, and it has no counts
 *   -1  a fault */
int pool_take(struct pool *pool, const struct round *round, bool known, struct fault *fault);

/* Counts the feedback of the round that was taken last, in which a value of seen above 0 is one
 * click, and where the round says that it has clicks, the value of one, 1 at most. 0 or a fault. */
int pool_count(struct pool *pool, const struct round *round, struct fault *fault);

/* Scales features, unless a step made them (made=), and fills in evidence, order and lost, once all
 * has come. 0 or a fault. O(n log n) in queries and cells. Without any round the documents are
 * those of the counts. Queries are sorted by qid, documents as they came, or sorted by name where
 * there are no features. */
int pool_finish(struct pool *pool, struct fault *fault);

void pool_close(struct pool *pool);

#endif
