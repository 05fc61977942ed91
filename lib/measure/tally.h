/* tally: a measure by its name, what it has been over the rounds so far, and its columns in a
 * table. Which kind of measure it is, nobody else need know. */
#ifndef RANKPIPE_TALLY_H
#define RANKPIPE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "math/ties.h"
#include "measure/measure.h"
#include "measure/offline.h"
#include "measure/regret.h"
#include "stream/round.h"
#include "stream/writer.h"

/* What tallies look at: one round, made ready by evidence_round; all zero at first, but for the
 * conventions and what stands behind them. */
struct evidence {
    struct judge judge; /* has no labels where no tally needs them */
    struct logged logged;
    struct ties ties; /* of a ranking by score */
    size_t dim;
    double nothing; /* what a measure counts in a round for which it means nothing */
    bool skip;      /* leave such a round out                                       */
};

struct tally { /* all zero at first */
    const char *name; /* as it was given; the caller's */
    enum tally_kind { TALLY_MEASURE, TALLY_REGRET, TALLY_OFFLINE } kind;
    struct measure measure; /* a plain one's, as are value and sum */
    struct regret regret;
    struct offline offline;
    bool counts; /* the round last looked at */
    double value, sum;
    uint64_t count; /* rounds in the sum */
};

/* The measures there are, for -h and completion: word i, from 0, or NULL after the last. "@k" is
 * a cutoff, "MEASURE" another measure. */
const char *tally_word(size_t i);

/* A measure of measure.h, or one behind regret:, ips: or snips:. 0 or a usage fault. */
int tally_parse(struct tally *tally, const char *name, struct fault *fault);
void tally_close(struct tally *tally);

/* Can a table of sums (`raw`) hold it? 0 or a usage fault. */
int tally_check_raw(const struct tally *tally, struct fault *fault);

/* How many of the labels, highest first, it looks at. */
size_t tally_top(const struct tally *tally);

/* Makes the round ready for all of the tallies; columns are the round's, and must stay. A data
 * fault where one of them lacks something. */
int evidence_round(struct evidence *evidence, const struct round *round, const struct tally *tally,
                   size_t tallies, struct fault *fault);
void evidence_close(struct evidence *evidence);

/* What the round at hand is for a tally, whose sums stay as they are. 0 or a data fault. */
int tally_look(struct tally *tally, const struct evidence *evidence, struct fault *fault);

/* Adds the round last looked at, if it counts. */
void tally_add(struct tally *tally);

/* The mean so far; NaN where there is none. */
double tally_mean(const struct tally *tally);

/* A table of so many tallies: the line of its columns' names, and its row after round t. 0 or a
 * fault. */
int tally_print_head(const struct tally *tally, size_t tallies, bool raw, struct writer *table,
                     struct fault *fault);
int tally_print_row(const struct tally *tally, size_t tallies, uint64_t t, bool raw,
                    struct writer *table, struct fault *fault);

#endif
