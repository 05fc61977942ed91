/* ranker: the values that models, TREC runs and files of scores have by the labels of a stream. */
#ifndef RANKPIPE_RANKER_H
#define RANKPIPE_RANKER_H

#include <stdint.h>

#include "base/fault.h"
#include "measure/query_values.h"
#include "run/filter.h"

/* Is it a measure of one round, as lib/measure/measure.h has them? 0 or a usage fault. */
int ranker_check_measure(const char *measure, struct fault *fault);

/* Adds, for each of `files`, the value of the measure for each round of the file `labels`, with the
 * conventions that metric has without options. A model scores the documents. A TREC run,
 * "qid Q0 document rank score tag", gives scores by the names that bin2txt -f run prints; documents
 * that it leaves out come last, and those that the round does not have count as not relevant, with
 * a warning. A file of scores has a number a line for each document of each round, in order. Equal
 * scores are in random order by the seed. A query that a run leaves out has no value. 0 or a
 * fault. */
int rankers_judge(struct query_values *values, char *const *files, const char *labels,
                  const char *measure, uint64_t seed, struct host *host);

#endif
