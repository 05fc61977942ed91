/* summary: what a stream of rounds holds, in a few lines: queries, documents, features, labels, and
 * whether the line order of documents tells their relevance. */
#ifndef RANKPIPE_SUMMARY_H
#define RANKPIPE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"
#include "feature/constants.h"
#include "stream/round.h"
#include "stream/writer.h"

enum { SUMMARY_LABELS = 64 }; /* different labels that are counted one by one */

struct summary { /* all zero at first */
    uint64_t rounds, unnamed, unlabelled, irrelevant; /* without qid; label; a relevant document */
    uint64_t named, dense, sparse;                    /* rounds                                  */
    uint64_t docs, entries;                           /* documents; feature values stored        */
    size_t fewest, most;                              /* documents of a round                    */
    struct name_table qids;
    struct summary_label {
        float label;
        uint64_t docs;
    } label[SUMMARY_LABELS]; /* label[labels], rising */
    size_t labels;
    uint64_t other_labels;  /* documents with labels that label[] has no room for */
    struct scales scales;
    uint64_t lists;         /* rounds that the next three are sums over */
    double line, random, variance; /* NDCG@10: of line order; expected, and its variance, if every
                                    * order is equally likely */
    struct buffer gains;
};

/* Takes in one round; `named`: its documents have names. Line order counts in the first round of
 * each qid. 0, or a fault without a place: features that are malformed, or that reach further than
 * SCALES_FEATURES; a label whose gain overflows. O(features). Memory is that of scales, and of a
 * name_table for a different qid, whatever the number of rounds. */
int summary_round(struct summary *summary, const struct round *round, bool named,
                  struct fault *fault);

/* Prints the lines. 0 or a fault. */
int summary_print(const struct summary *summary, struct writer *out, struct fault *fault);

void summary_close(struct summary *summary);

#endif
