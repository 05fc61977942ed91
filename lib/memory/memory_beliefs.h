/* memory_beliefs: what all answers say about documents that nobody has judged: a histogram of first
 * answers, a floor, and how many places users judge.
 *
 *     h      the first answers of all pairs, as at most 12 values with counts; at a 13th the two
 *            that are nearest, the lower of equals, become their weighted mean. lo, hi and a are
 *            its least value, its greatest and its mean
 *     floor  (hi - lo + sum of (y - lo)) / (20 + their number), over the first answers y of
 *            documents whose score in the round was at or below lo + floor: what a document is
 *            worth at least in a query of which others are known. It starts at a twentieth of the
 *            range; lo and the floor are those before y
 *     k      the mean number of answers of a round, rounded, 1 or more */
#ifndef RANKPIPE_MEMORY_BELIEFS_H
#define RANKPIPE_MEMORY_BELIEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "memory/memory_table.h"

enum { MEMORY_ATOMS = 12 };

/* The numbers that a memory keeps for them, all 0 at first: values[12], rising, and counts[12], 0
 * where there is no value; sum and number of the floor; answers, and the rounds that had some. */
enum memory_belief {
    MEMORY_VALUES = 0, MEMORY_COUNTS = MEMORY_ATOMS, MEMORY_FLOOR_SUM = 2 * MEMORY_ATOMS,
    MEMORY_FLOOR_COUNT, MEMORY_ANSWERS, MEMORY_ANSWERED, MEMORY_BELIEFS
};

/* What follows from them. Without a first answer all is 0. */
struct memory_prospect {
    size_t atoms;        /* values of h                */
    const double *value; /* value[atoms], in beliefs   */
    const double *count; /* count[atoms], in beliefs   */
    double first;        /* the sum of the counts      */
    double lo, hi, a;
    double least; /* lo + floor, at most hi */
};
struct memory_prospect memory_prospect(const double beliefs[MEMORY_BELIEFS]);

/* r: how far answers are expected to lie apart, r^2 = (1 + sum of count (value - a)^2) / (1 +
 * first) over h; so 1 before the first. */
double memory_spread(const double beliefs[MEMORY_BELIEFS]);

/* The mean mu of a document without answers, held to [least, hi]; equal ones keep the order of
 * mu. */
double memory_hold(const struct memory_prospect *prospect, double mu);

/* A pair's first answer was y, and its document's score `score`. It counts `much` times, 0 or
 * more. */
void memory_first_answer(double beliefs[MEMORY_BELIEFS], double score, double y, double much);

/* How much a first click, or none, counts as an answer of 1, or 0: the probability that the user
 * examined the document, which he did with probability theta before. Of a document that is
 * relevant with probability a, the mean of h and 1/2 as one answer more, that is 1 after a click,
 * and else theta (1 - a) / (1 - theta a). So the mean of h is that of relevance. */
double memory_examined(const double beliefs[MEMORY_BELIEFS], bool click, double theta);

/* A round had answers that count as so many. */
void memory_count_answers(double beliefs[MEMORY_BELIEFS], double answers);

/* k, at least 1; 0 before the first answer. */
uint64_t memory_judged(const double beliefs[MEMORY_BELIEFS]);

/* How often the query with n answers in all was served, where only its answers are known. */
double memory_served(const double beliefs[MEMORY_BELIEFS], double n);

/* Makes the beliefs of a model that has none, of so many rounds, from its pairs: mean answers take
 * the place of first ones, those of pairs with one answer first, each in the order of keys. */
void memory_beliefs_make(double beliefs[MEMORY_BELIEFS], const struct memory_arrays *pairs,
                         uint64_t rounds);

/* Adds the beliefs of another share of a log: all numbers but the values of h and the floor, which
 * depend on the order of answers, are those of one run. */
void memory_beliefs_add(double beliefs[MEMORY_BELIEFS], const double share[MEMORY_BELIEFS]);

/* 0, or a data fault where they are no such numbers. */
int memory_beliefs_check(const double beliefs[MEMORY_BELIEFS], struct fault *fault);

/* What a bounded memory still knows of the pairs that it dropped: whether answers about them were
 * low or high.
 *
 * Each query with such pairs has 64 slots, and a document the slot of the last six bits of its
 * pair's key. A slot is low, high, or neither; documents that share one have the answer of the one
 * dropped last. A document without a pair, whose slot is low or high, counts as one with a single
 * answer, the mean of the first answers h that are at most a, or above a.
 *
 * Of 20 documents, with 15 of them dropped, one in five that nobody judged falls on such a slot.
 *
 * Marks the slot of a pair of the query. 0 or a fault (memory). */
int memory_dropped_mark(struct memory_table *dropped, uint64_t query, uint64_t pair, bool high,
                        struct fault *fault);

/* Forgets what is known by the slot of a pair: true if there was something. */
bool memory_dropped_clear(struct memory_table *dropped, uint64_t query, uint64_t pair);

/* Of a query's slots, whose entry may be 0 throughout: the answer that the document of the pair
 * counts as, into *y; or false. */
bool memory_dropped_answer(const struct memory_entry *slots, uint64_t pair,
                           const struct memory_prospect *prospect, double *y);

/* Adds the slots of other queries; one that is low in one table and high in the other is high. 0 or
 * a fault (memory). */
int memory_dropped_add(struct memory_table *dropped, const struct memory_table *others,
                       struct fault *fault);

#endif
