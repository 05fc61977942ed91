/* forms: the forms in which rounds and models are printed as text, besides weights and what memory
 * remembers. */
#ifndef RANKPIPE_FORMS_H
#define RANKPIPE_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"
#include "feature/constants.h"
#include "feature/feature_names.h"
#include "stream/reader.h"
#include "stream/record.h"
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

/* The scales of the rounds so far. */
struct scales_form {
    struct scales scales;
    uint64_t rounds;
    char made[ROUND_MADE + 1]; /* of all rounds; "": raw features */
};

/* What was checked of a file so far; `any`: was a file before it? */
struct checked {
    uint64_t rounds, models, crcs; /* crcs: those of them with crc= */
    bool any;
};

/* The state of printing, all zero at first except `out`, which is the caller's. */
struct learner;
struct why;
struct printer {
    struct writer *out;
    const char *const *name; /* name[docs] of the current round; NULL: it has no names */
    struct buffer names;
    bool any;                 /* rounds so far, printed as svm                         */
    char last[ROUND_QID + 1]; /* the qid of the last of them; "": none                 */
    struct writer *map;       /* the caller's: svm prints numbers in the place of qids, and here the
                               * lines "number TAB qid"; NULL: qids stay               */
    struct name_table numbers;
    struct summary summary;   /* of the rounds so far, in the form summary            */
    struct scales_form scales; /* in the form scales                                  */
    struct feature_names feature_names; /* that a user gave; features 0: none         */
    struct checked checked;   /* in the form check                                    */
    const struct learner *const *learners; /* the table, for forms of weights         */
    struct why *why;          /* the caller's, for the form why                   */
    struct fault notice;      /* what the user should know of the record printed last; of no kind:
                               * nothing */
};

void forms_close(struct printer *printer);

/* Finds the names of a round's documents, for printer->name: words without blanks and control
 * characters, where "" is none. 0, or a fault where the column does not hold such names. */
int forms_names(struct printer *printer, const struct round *round, struct fault *fault);

/* 0, or a fault where one of the names that forms_names found is "": rank, run, qrels and log name
 * each document by a word. */
int forms_check_names(const struct printer *printer, const struct round *round,
                      struct fault *fault);

/* Prints what a line about document i begins with: "t TAB qid TAB document TAB". */
struct print;
void forms_lead(struct print *print, const struct printer *printer, const struct round *round,
                size_t i);

/* Each of these prints one round. 0 or a fault, without a place. */

/* The text of svm2bin, which makes the same columns of it again, a line for each document: label or
 * "?", qid, features and name. Text tells queries apart by qid alone, so a round must not have the
 * qid of the round before. With printer->map, numbers stand in the place of qids. */
int forms_svm(struct printer *printer, const struct round *round, struct fault *fault);

/* A log of clicks, which log2bin reads, a line for each document that has feedback: its request (t
 * where the round has none), qid, name (or number), position, click, time, propensity, score and
 * label, "-" where the round does not say. The first line names these columns; forms_log_end prints
 * it if no round came. A fault where the round has no qid or feedback, or a tab or line feed is in
 * a name. */
int forms_log(struct printer *printer, const struct round *round, struct fault *fault);
int forms_log_end(struct printer *printer, struct fault *fault);

/* "t TAB qid TAB place TAB document TAB score TAB relevance": a line for each document, in the
 * order shown. */
int forms_rank(struct printer *printer, const struct round *round, struct fault *fault);

/* TREC's run, "qid Q0 document rank score tag". trec_eval sorts by the score and breaks ties its
 * own way. The score printed is therefore how many documents stand from this place on, and
 * trec_eval judges the order shown. */
int forms_run(struct printer *printer, const struct round *round, struct fault *fault);

/* TREC's judgements, "qid 0 document label", of whole labels. */
int forms_qrels(struct printer *printer, const struct round *round, struct fault *fault);

/* Takes a round into the summary; prints the summary of all rounds, at their end. */
int forms_summary(struct printer *printer, const struct round *round, struct fault *fault);
int forms_summary_end(struct printer *printer, struct fault *fault);

/* Takes a round into the scales: a fault if it has no features, one that is not finite or too many
 * of them, they were made in another way than those before, or they have other names than
 * printer->feature_names. Prints the text of constants.h of all rounds, at their end, a line for
 * each feature: a fault if there were no rounds, or fewer names. */
int forms_scales(struct printer *printer, const struct round *round, struct fault *fault);
int forms_scales_end(struct printer *printer, struct fault *fault);

/* The header line of a round; of a model. */
int forms_head(struct printer *printer, const struct round *round, struct fault *fault);
int forms_head_model(struct printer *printer, const struct record *model, struct fault *fault);

/* A round's keys except crc=, then all its columns, "t TAB qid TAB document TAB key or column TAB
 * value": a line for each value, in the order in which the record has them. The document is the one
 * that the value is about, or "-". */
int forms_values(struct printer *printer, const struct round *round, struct fault *fault);

/* A model: its header line after "# ", then "column TAB index TAB value", a line for each value. */
int forms_values_model(struct printer *printer, const struct record *model, struct fault *fault);

/* Check what the reader of the stream has not: the features of a round, the weights of a model. */
int forms_check(struct printer *printer, const struct round *round, struct fault *fault);
int forms_check_model(struct printer *printer, const struct record *model, struct fault *fault);

/* The end of a file: prints what it holds. After a fault in the stream puts the place before the
 * fault, as "record 18 at byte 40213 of ". 0 or a fault. */
int forms_check_input(struct printer *printer, const struct reader *reader, struct fault *fault);

/* The end of all files: prints the same of records that came from none, but from a program in the
 * same process. 0 or a fault. */
int forms_check_end(struct printer *printer, struct fault *fault);

#endif
