/* value_table: reads the values of a measure, query by query, from text.
 *
 * Two forms: what metric -q prints, a head "t qid MEASURE ..." and a line for each round; and lines
 * "qid MEASURE value" as ir_measures prints them, or "MEASURE qid value" as trec_eval does, whose
 * line for the qid all is a mean, and is skipped. Blanks and tabs separate the fields. A head may
 * come again, so that tables of several seeds can be concatenated. The qid "-" stands for none: the
 * round's t takes its place. A value nan is none. */
#ifndef RANKPIPE_VALUE_TABLE_H
#define RANKPIPE_VALUE_TABLE_H

#include "base/fault.h"
#include "io/watch.h"
#include "measure/query_values.h"

enum { VALUE_TABLE_MEASURE = 128 }; /* bytes of a measure's name, with its NUL */

/* Adds the values of a file, "-" being standard input, for a ranker. measure "" becomes the first
 * measure that the file has. 0, or a fault with file, line and text, also where the file has no
 * value of the measure. O(bytes) on average. */
int value_table_read(struct query_values *values, size_t ranker, const char *file,
                     char measure[VALUE_TABLE_MEASURE], struct watch *watch, struct fault *fault);

#endif
