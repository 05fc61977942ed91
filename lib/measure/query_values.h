/* query_values: the values of a measure of several rankers, joined by query.
 *
 * A ranker may have several values of a query, of several seeds, folds or passes: they count by
 * their mean, so that each query counts once. */
#ifndef RANKPIPE_QUERY_VALUES_H
#define RANKPIPE_QUERY_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"

struct query_values { /* all zero at first, but `rankers`, how many there are */
    size_t rankers, queries;
    struct name_table names;
    struct buffer cell;  /* struct query_cell[queries][rankers] */
    struct buffer order; /* the queries by name, once they are sorted */
};

/* Adds a value of a query, whose name has n bytes, for a ranker from 0. 0 or a fault. O(n) on
 * average. */
int query_values_add(struct query_values *values, size_t ranker, const char *qid, size_t n,
                     double value, struct fault *fault);

/* Once all are added: sorts the queries by name, so that nothing depends on the order of lines.
 * 0 or a fault (memory). O(queries log queries). */
int query_values_sort(struct query_values *values, struct fault *fault);

/* The name of the i-th query in that order, from 0; the mean of a ranker's values of it, NaN where
 * it has none. */
const char *query_values_name(const struct query_values *values, size_t i);
double query_values_mean(const struct query_values *values, size_t i, size_t ranker);

void query_values_close(struct query_values *values);

#endif
