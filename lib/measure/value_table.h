/* value_table: reads the values of a measure of several rankers from tables of text, line by line,
 * and adds them up by cluster: by query, by client, or each line by itself (clusters.h).
 *
 * Two forms: what metric -q prints, a head "t qid MEASURE ... client" and a line for each round;
 * and lines "qid MEASURE value" as ir_measures prints them, or "MEASURE qid value" as trec_eval
 * does. A line of these for the qid all is a mean, and is skipped, if each measure has one, after
 * its other lines; else it is a query. Blanks and tabs separate the fields. A head may come
 * again, so that tables can be concatenated. The value nan means that there is no value.
 *
 * A cluster of the same name is the same one in all tables. By query the name is the qid, or for
 * the qid "-", which stands for none, the round's t. By client a line whose client is "-" is a
 * cluster by itself. Each line by itself has the name t, or none where t came before in its table,
 * and in lines without a head, which have no t. */
#ifndef RANKPIPE_VALUE_TABLE_H
#define RANKPIPE_VALUE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"
#include "io/watch.h"
#include "measure/clusters.h"

enum { VALUE_MEASURE = 128 }; /* bytes of a measure's name, with its NUL */

enum value_unit { VALUE_QUERY, VALUE_CLIENT, VALUE_LINE };

struct value_line {
    double t; /* where a table has no t, the line's number */
    size_t cluster;
    double part[CLUSTER_PARTS];
};

struct value_table { /* all zero at first, except the first three */
    size_t rankers;
    enum value_unit unit;
    bool keeps_lines;
    char measure[VALUE_MEASURE]; /* "": the first that the first table has */

    size_t clusters;
    struct name_table names;
    struct buffer cell;  /* struct cluster[clusters][rankers] */
    struct buffer line;  /* if they are kept: struct value_line[], ranker after ranker */
    size_t lines;
    struct buffer order; /* the clusters by name, once they are sorted */
};

/* Adds the values of a file, "-" being standard input, for a ranker from 0. The value of snips:M is
 * its three columns snips:M:a, snips:M:b and snips:M:c; of other measures the parts after the first
 * are 0. 0, or a fault with file, line and text, also where the file has no value of the measure.
 * O(bytes) on average. */
int value_table_read(struct value_table *values, size_t ranker, const char *file,
                     struct watch *watch, struct fault *fault);

/* Is the measure a ratio of three columns? */
bool value_table_is_ratio(const struct value_table *values);

/* Once all are added: sorts the clusters by name, so that nothing depends on the order of lines;
 * those without a name by their first ranker's sum. 0 or a fault (memory). O(clusters log
 * clusters). */
int value_table_sort(struct value_table *values, struct fault *fault);

/* Of the i-th cluster in that order: its number, from 0, and its name, "" for none. */
size_t value_table_nth(const struct value_table *values, size_t i);
const char *value_table_name(const struct value_table *values, size_t i);

/* The cells of a cluster, one for each ranker. */
const struct cluster *value_table_cells(const struct value_table *values, size_t cluster);

void value_table_close(struct value_table *values);

#endif
