/* measure: how good a ranking was, by the relevance of the documents at its positions. Where papers
 * and tools differ in a convention, struct conventions has a field for it. */
#ifndef RANKPIPE_MEASURE_H
#define RANKPIPE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/names.h"
#include "io/watch.h"
#include "loss/surrogate_gradients.h"

struct conventions {
    bool letor_discount;  /* D = 1, 1, 1/log2(3), 1/log2(4) ...; else D(i) = 1/log2(i+1) */
    bool linear_gain;     /* G(r) = r; else 2^r - 1                                     */
    unsigned top_grade;   /* for err                                                    */
    double epsilon;       /* for loss:smoothdcg                                         */
};

/* What a measure is computed from: one round, prepared by measure_round. All zero at first, except
 * the conventions. */
struct measured {
    struct conventions conventions;
    size_t top;             /* how many of `sorted` are needed; 0: all                     */
    size_t docs;
    const double *ranked;   /* ranked[docs]: R by position; NULL: the round has no order   */
    const double *sorted;   /* sorted[docs]: R highest first; the first `top` are filled in */
    const double *discount; /* D(i+1) at i, at least docs of them                          */
    const double *label;    /* label[docs], by document                                    */
    const double *score;    /* score[docs], by document; NULL where there is none          */
    double *scratch;        /* room for SURROGATE_SCRATCH * docs                           */
    struct long_work *work; /* of measures that are not linear in docs, to be stopped; or NULL */
    size_t discounts;
    struct buffer buffer[5];
};

/* Prepares a round. order[m] (or NULL), label[m] and score[m] (or NULL) stay the caller's, and must
 * stay until the next call. 0 or a fault. O(m log m), and O(m) where `top` is small. */
int measure_round(struct measured *measured, size_t m, const uint32_t *order, const float *label,
                  const double *score, struct fault *fault);
void measure_close(struct measured *measured);

/* Prepares only docs and discount, for a round without labels. 0 or a fault. */
int measure_places(struct measured *measured, size_t m, struct fault *fault);

struct measure {
    const char *name; /* as it was given: "ndcg@10"; the caller's */
    size_t cutoff;    /* k; SIZE_MAX for the whole list           */
    const struct surrogate *surrogate; /* of loss:SURROGATE or step:SURROGATE, else NULL */
    bool step; /* step: the loss that a perceptron steps along, 0 where the ranking is right */
    int (*value)(const struct measure *measure, const struct measured *measured, double *value,
                 struct fault *fault);
};

/* Parses the name of a measure: ndcg[@k] dcg[@k] err[@k] p@k prec@k map mrr auc pairloss sumloss
 * loss:SURROGATE[@k] step:SURROGATE[@k]. The name, which measure_is_known, stays the caller's. 0 or
 * a usage fault. */
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

/* The value for the prepared round: 1 and *value; 0 where the measure is not defined for it, as
 * without a relevant document; -1, a fault, for a label that it cannot use.
 *
 * With R_i the relevance at position i, m documents, n of them relevant (R_i > 0), D, G as above:
 *   dcg@k     sum_{i<=k} G(R_i) D(i)            ndcg@k   dcg@k / the largest possible dcg@k
 *   map       the mean of p@i over relevant i    mrr      1 / the first relevant position
 *   prec@k    relevant documents up to position k         p@k      prec@k / k
 *   err@k     sum_{i<=k} P_i/i prod_{l<i} (1-P_l), P = (2^R - 1) / 2^top_grade
 *   sumloss   sum i R_i                         pairloss pairs i<j with R_i < R_j
 *   auc       1 - pairs i<j, i not relevant and j relevant, / (n (m-n))
 *   loss:S    the surrogate's loss of the scores */
int measure_value(const struct measure *measure, const struct measured *measured, double *value,
                  struct fault *fault);

/* G(relevance); and the largest possible dcg@k of the prepared round, the denominator of ndcg@k. */
double measure_gain(const struct conventions *conventions, double relevance);
double measure_ideal(const struct measure *measure, const struct measured *measured);

/* A measure that is a sum over documents, of a gain of the document's label times a weight of its
 * position: sign * value = constant + sum_j weight(position of j) gain(label of j) / unit. */
struct linear_measure {
    const char *name; /* without a cutoff */
    double sign;      /* -1 where less is better */
    bool binary;      /* this holds only for labels 0 and 1 */

    /* The weight of position i, from 0, up to the cutoff (after it, it is 0). It never rises with
     * i. Needs measure_places. */
    double (*weight)(const struct measured *measured, size_t i);

    /* The gain of a label, 0 for label 0. Needs only the conventions. */
    double (*gain)(const struct measured *measured, double label);

    /* The unit and the constant of a round, which depend on all its labels; NULL: 1 and 0. */
    void (*scale)(const struct measure *measure, const struct measured *measured, double *unit,
                  double *constant);
};

/* The linear measure of that name, whatever follows an @; NULL where it is not linear. */
const struct linear_measure *measure_linear_find(const char *measure);

/* Linear measure number i, from 0; NULL after the last one. */
const struct linear_measure *measure_linear_number(size_t i);

#endif
