/* judge: one round prepared for measures: relevance by position, by document and sorted, and the
 * discounts of positions. */
#ifndef RANKPIPE_JUDGE_H
#define RANKPIPE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"

struct conventions {
    bool letor_discount;  /* D = 1, 1, 1/log2(3), 1/log2(4) ...; else D(i) = 1/log2(i+1) */
    bool linear_gain;     /* G(r) = r; else 2^r - 1                                     */
    unsigned top_grade;   /* for err                                                    */
    double epsilon;       /* for loss:smoothdcg                                         */
};

/* What a measure is computed from: one round, prepared by judge_round. All zero at first, except
 * the conventions. */
struct judge {
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
int judge_round(struct judge *judge, size_t m, const uint32_t *order, const float *label,
                const double *score, struct fault *fault);
void judge_close(struct judge *judge);

/* Prepares only docs and discount, for a round without labels. 0 or a fault. */
int judge_places(struct judge *judge, size_t m, struct fault *fault);

#endif
