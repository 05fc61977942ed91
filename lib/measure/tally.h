/* tally: one measure of any kind, its value over the rounds so far, and its columns in a table. */
#ifndef RANKPIPE_TALLY_H
#define RANKPIPE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "math/order.h"
#include "measure/measure.h"
#include "measure/offline.h"
#include "measure/regret.h"
#include "stream/round.h"
#include "stream/writer.h"

/* What tallies are computed from: one round, prepared by tally_evidence. All zero at first, except
 * the conventions in `measured`, the table in `logged`, `nothing` and `skip`. */
struct evidence {
    struct measured measured; /* has no labels where no tally needs them */
    struct logged logged;
    struct ties ties; /* of a ranking by score; its seed is also that of drawn scores */
    const double *against; /* score[docs], by the weights of a regret of losses; or NULL */
    const double *drawn; /* score[docs], by the policy uniform; NULL where no tally needs them */
    struct buffer buffer;
    size_t dim;
    double won; /* 1 if the rival won, -1 if it lost, 0 if neither, or where no tally needs it */
    double nothing; /* the value in a round for which a measure is not defined */
    bool skip;      /* leave such a round out instead                          */
};

struct tally { /* all zero at first */
    const char *name; /* as it was given; the caller's */
    enum tally_kind { TALLY_MEASURE, TALLY_REGRET, TALLY_OFFLINE, TALLY_RIVAL } kind;
    bool drawn;             /* is a loss charged by the scores drawn? */
    bool against;           /* and less that of the scores of other weights?  */
    struct measure measure; /* a plain one's, as are value and sum */
    struct regret regret;
    struct offline offline;
    bool included; /* does tally_add add the round of the last tally_look? */
    double value, sum;
    uint64_t count; /* rounds in the sum */
};

/* Returns word i, from 0, of the measures that there are, or NULL after the last: for -h and
 * completion. "@k" is a cutoff, "MEASURE" another measure. */
const char *tally_word(size_t i);

/* Parses a measure of measure.h; such a measure after regret:, ips:, snips: or dr:; or a loss after
 * drawn:, regret: or regret:drawn:. With `clicks`, estimates are of clicks. The name stays the
 * caller's. Returns 0 or a usage fault. */
int tally_parse(struct tally *tally, const char *name, bool clicks, struct fault *fault);
void tally_close(struct tally *tally);

/* Returns 0 if a table of sums (`raw`) can have it, else a usage fault. */
int tally_check_raw(const struct tally *tally, struct fault *fault);

/* Returns 0 if it has a value for each round (-q; with `plain` -i), else a usage fault: regret
 * compares all rounds, and snips has three columns, for which -i has no place. */
int tally_check_rounds(const struct tally *tally, bool plain, struct fault *fault);

/* Is a smaller value of the measure of that name better? False for an unknown name. */
bool tally_less_is_better(const char *name);

/* Is a measure of that name an estimate from a log: ips, snips or dr? */
bool tally_is_estimate(const char *name);

/* Does it look at features? */
bool tally_needs_features(const struct tally *tally);

/* How many of the highest labels, in order, it needs. */
size_t tally_top(const struct tally *tally);

/* Prepares a round for all of the tallies, which borrow its columns. Returns 0, or a data fault if
 * it lacks a column that a tally needs. */
int tally_evidence(struct evidence *evidence, const struct round *round, const struct tally *tally,
                   size_t tallies, struct fault *fault);
void tally_evidence_close(struct evidence *evidence);

/* Computes the value of the prepared round. The sums stay as they are. Returns 0 or a fault. */
int tally_look(struct tally *tally, struct evidence *evidence, struct fault *fault);

/* Adds the round of the last tally_look, unless it is to be left out. */
void tally_add(struct tally *tally);

/* The mean over the rounds added; NaN where there is none. */
double tally_mean(const struct tally *tally);

/* A table of so many tallies: the line of its columns' names, and its row after round t. 0 or a
 * fault. */
int tally_print_head(const struct tally *tally, size_t tallies, bool raw, struct writer *table,
                     struct fault *fault);
int tally_print_row(const struct tally *tally, size_t tallies, uint64_t t, bool raw,
                    struct writer *table, struct fault *fault);

/* Writes what the user should know of the estimate of tally i at the end, as offline_doubt does;
 * and nothing, if a tally before it has the same weights. */
bool tally_doubt(const struct tally *tally, size_t i, unsigned said, struct fault *line);

/* The value for the round of the last tally_look; NaN where that is left out. */
double tally_value(const struct tally *tally);

/* Print a table of rounds.
 * - tally_print_round_head prints the names of its columns: "t TAB qid TAB measure ... TAB client".
 *   snips:M has three columns, snips:M:a, snips:M:b and snips:M:c.
 * - tally_print_round prints the line of the round of the last tally_look.
 * - tally_print_ir_measures prints that round as ir_measures does: a line "qid TAB measure TAB
 *   value" for each tally.
 * Values have 15 digits. "nan" is a value that is left out, "-" the qid or client of a round
 * without one. Return 0 or a fault. */
int tally_print_round_head(const struct tally *tally, size_t tallies, struct writer *table,
                           struct fault *fault);
int tally_print_round(const struct tally *tally, size_t tallies, const struct round *round,
                      struct writer *table, struct fault *fault);
int tally_print_ir_measures(const struct tally *tally, size_t tallies, const struct round *round,
                            struct writer *table, struct fault *fault);

#endif
