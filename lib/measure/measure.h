/* measure: how good a ranking was, by the relevance of the documents at its positions. Where papers
 * and tools differ in a convention, struct conventions of judge.h has a field for it. */
#ifndef RANKPIPE_MEASURE_H
#define RANKPIPE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/names.h"
#include "loss/surrogate.h"
#include "measure/judge.h"

enum measured { MEASURE_FAULT = -1, MEASURE_NOTHING = 0, MEASURE_VALUE = 1 };

struct measure {
    const char *name; /* as it was given: "ndcg@10"; the caller's */
    size_t cutoff;    /* k; SIZE_MAX for the whole list           */
    const struct surrogate *surrogate; /* of loss:SURROGATE, else NULL */
    enum measured (*value)(const struct measure *measure, const struct judge *judge,
                           double *value, struct fault *fault);
};

/* Parses the name of a measure: ndcg[@k] dcg[@k] err[@k] p@k prec@k map mrr auc pairloss sumloss
 * loss:SURROGATE[@k]. The name, which measure_is_known, stays the caller's. 0 or a usage fault. */
int measure_parse(struct measure *measure, const char *name, struct fault *fault);

/* Is there a measure of that name, whatever follows an @ or loss:? */
bool measure_is_known(const char *name);

/* Adds all measures to a list for a message, as ndcg[@k]; or the one of that name. */
void measure_add_names(struct names *names);

/* Measure i as a word, from 0: ndcg@k ... loss:kl ...; NULL after the last. */
const char *measure_word(size_t i);
void measure_add_name(struct names *names, const char *name);

/* How many of the highest labels, in order, it needs. */
size_t measure_top(const struct measure *measure);

/* Is it a measure of the order (and not a loss of the scores)? */
bool measure_needs_order(const struct measure *measure);

/* The value for the prepared round: MEASURE_VALUE and *value; MEASURE_NOTHING where the measure is
 * not defined for it, as without a relevant document; or MEASURE_FAULT for a label that it cannot
 * use.
 *
 * With R_i the relevance at position i, m documents, n of them relevant (R_i > 0), D, G as above:
 *   dcg@k     sum_{i<=k} G(R_i) D(i)            ndcg@k   dcg@k / the largest possible dcg@k
 *   map       the mean of p@i over relevant i    mrr      1 / the first relevant position
 *   prec@k    relevant documents up to position k         p@k      prec@k / k
 *   err@k     sum_{i<=k} P_i/i prod_{l<i} (1-P_l), P = (2^R - 1) / 2^top_grade
 *   sumloss   sum i R_i                         pairloss pairs i<j with R_i < R_j
 *   auc       1 - pairs i<j, i not relevant and j relevant, / (n (m-n))
 *   loss:S    the surrogate's loss of the scores */
enum measured measure_value(const struct measure *measure, const struct judge *judge,
                            double *value, struct fault *fault);

/* G(relevance); and the largest possible dcg@k of the prepared round, the denominator of ndcg@k. */
double measure_gain(const struct conventions *conventions, double relevance);
double measure_ideal(const struct measure *measure, const struct judge *judge);

#endif
