/* impressions: how often each pair of query and document was shown at each position, and how often
 * it was clicked there: the counts of a log, on which all judgements depend.
 *
 * Counts of shares of a log add up to those of the log. They are whole numbers, so the order in
 * which they are added makes no difference. */
#ifndef RANKPIPE_IMPRESSIONS_H
#define RANKPIPE_IMPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "log/pair_names.h"

/* Of one pair at one position: impressions n and clicks C; of these, the m impressions in whose
 * request a higher position had been clicked, and the d clicks on them; and by how many millionths
 * the sum of the clicks' values is below C. */
struct impressions_counts {
    double n, clicks, after, after_clicks, lack;
};

/* What a value, or a sum of values, lacks, in millionths: whole. */
#define IMPRESSIONS_WHOLE 1e6
static inline double impressions_lack(double rest)
{
    double lack = rest * IMPRESSIONS_WHOLE;
    return lack < 1e15 ? (double)(uint64_t)(lack + 0.5) : lack;
}

struct impressions_cell { /* one pair at one position; the first two are its key */
    uint32_t pair, position; /* position from 1 */
    struct impressions_counts counts;
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

/* Adds counts of a pair at a position, from 1 to IMPRESSIONS_POSITIONS. 0 or a fault. O(1) on
 * average. */
enum { IMPRESSIONS_POSITIONS = 1000000 };
int impressions_add(struct impressions *impressions, uint32_t pair, uint32_t position,
                    const struct impressions_counts *counts, struct fault *fault);

const char *impressions_qid(const struct impressions *impressions, uint32_t query);
const char *impressions_name(const struct impressions *impressions, uint32_t pair);

/* Sorts the cells by qid, name (both byte by byte) and position: then nothing depends on the order
 * in which they came, and nothing more may be added. O(cells log cells). 0 or a fault (memory). */
int impressions_sort(struct impressions *impressions, struct fault *fault);

void impressions_close(struct impressions *impressions);

#endif
