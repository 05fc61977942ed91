/* impressions: how often each pair of query and document was shown at each position, and what was
 * clicked there: the counts n_jk and C_jk of a log, on which all judgements depend.
 *
 * Counts of shares of a log add up to those of the log. C is the sum of the clicks, which are
 * floats, mostly 0 and 1. A double holds such sums without rounding, so their order makes no
 * difference. */
#ifndef RANKPIPE_IMPRESSIONS_H
#define RANKPIPE_IMPRESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "log/pair_names.h"

struct impressions_cell { /* one pair at one position; the first two are its key */
    uint32_t pair, position; /* position from 1 */
    double n, clicks;
};

struct impressions_pair {
    size_t name;    /* of the document, for pair_names_text */
    uint32_t query; /* its number */
};

struct impressions { /* all zero at first */
    struct pair_names names;
    size_t queries, pairs, cells;
    struct buffer query; /* size_t[queries]: where their qids are */
    struct buffer pair;  /* struct impressions_pair[pairs] */
    struct buffer cell;  /* struct impressions_cell[cells] */
    struct hash_table table; /* of cells, from 1 */
};

/* The number of a query, or of a pair, which is added if it is new. IMPRESSIONS_FAULT with a fault:
 * there is no memory, or there would be more than 2^32 - 2. */
#define IMPRESSIONS_FAULT UINT32_MAX
uint32_t impressions_query(struct impressions *impressions, const char *qid, struct fault *fault);
uint32_t impressions_pair(struct impressions *impressions, uint32_t query, const char *name,
                          size_t bytes, struct fault *fault);

/* Counts n impressions of a pair at a position, from 1 to IMPRESSIONS_POSITIONS, and the sum of
 * their clicks. 0 or a fault. O(1) on average. */
enum { IMPRESSIONS_POSITIONS = 1000000 };
int impressions_add(struct impressions *impressions, uint32_t pair, uint32_t position, double n,
                    double clicks, struct fault *fault);

const char *impressions_qid(const struct impressions *impressions, uint32_t query);
const char *impressions_name(const struct impressions *impressions, uint32_t pair);

/* Sorts the cells by qid, name (both byte by byte) and position: then nothing depends on the order
 * in which they came, and nothing more may be added. O(cells log cells). 0 or a fault (memory). */
int impressions_sort(struct impressions *impressions, struct fault *fault);

void impressions_close(struct impressions *impressions);

#endif
