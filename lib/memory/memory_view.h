/* memory_view: what scoring by a memory needs: the entries of the pairs, the weights that are not
 * in w, and the estimate. They come from a file, from messages of the ring, or from the learner
 * itself. */
#ifndef RANKPIPE_MEMORY_VIEW_H
#define RANKPIPE_MEMORY_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "memory/memory_effects.h"
#include "memory/memory_tables.h"
#include "memory/memory_keys.h"
#include "memory/memory_table.h"
#include "memory/memory_worth.h"
#include "learn/learner.h"
#include "learn/settings.h"
#include "math/matrix.h"
#include "model/model.h"
#include "stream/round.h"

/* The rho that v learns with by default. */
#define MEMORY_RHO 3.0

/* The columns that a model of a memory has besides w, inverse and those of memory_tables.h. */
#define MEMORY_LEVEL "level"       /* f8[dim]; not of plain features */
#define MEMORY_CONSTANT "constant" /* f8[1] */
#define MEMORY_MOMENTS_COLUMN "moments" /* f8[MEMORY_MOMENTS] */
#define MEMORY_BELIEFS_COLUMN "beliefs" /* f8[MEMORY_BELIEFS]; older models lack it */
#define MEMORY_COUNTED "counted"        /* f8[regression rows], the same            */

/* The arrays of the learner's row: P, the weights of the means and of the constant, and what rho is
 * estimated from. Scoring needs all but the first. */
enum memory_array {
    AT_INVERSE, AT_LEVEL, AT_CONSTANT, AT_MOMENTS, AT_BELIEFS,
    AT_COUNTED, MEMORY_ARRAYS
};

/* The settings of a memory: rho of v, which differs where it learns clicks, and whether mean and
 * index have it too. The caller adds the moments. */
struct memory memory_of(const struct settings *settings, bool clicks);

/* Does a memory show by rates of clicks? It does as soon as it learnt some, or is told that what it
 * learns are clicks, and has no table of examination. */
bool memory_has_clicks(const struct settings *settings, const struct memory_clicks *clicks);

/* Does z have the constant feature 1? Not with a rho of 0, which is ridge regression. */
bool memory_has_constant(const struct settings *settings);

/* 0, or a fault where one of a model's moments[MEMORY_MOMENTS] that cannot be negative is. */
int memory_check_moments(const double *moments, struct fault *fault);

/* What scoring reads of a learner in the same process, where that has it. */
struct memory_shared {
    const struct settings *settings;
    const struct memory_table *table; /* table[MEMORY_KINDS] */
    double *const *at;                /* at[MEMORY_ARRAYS]   */
    const unsigned *ways;
    const struct memory_clicks *clicks;
};

/* Entries: of `own`, or of the learner's table; NULL: in `arrays`. */
struct memory_store {
    const struct memory_table *table;
    struct memory_arrays arrays;
    struct memory_table own;
};

struct memory_view { /* all zero at first */
    struct settings settings; /* of the first model or message */
    size_t dim;
    double *const *numbers;    /* numbers[MEMORY_ARRAYS]: `at`, or the learner's own      */
    const unsigned *ways;      /* memory_keys.h: of the model, or the learner's own       */
    const struct memory_clicks *clicks; /* the same                                       */
    struct memory memory;      /* the settings, with the moments                          */
    struct memory_rule rule;
    struct memory_space space;
    struct memory_secret secret;
    double width;
    struct memory_store store[MEMORY_KINDS];
    double *at[MEMORY_ARRAYS]; /* in `copies`                                             */
    unsigned own_ways;
    struct memory_clicks own_clicks;
    unsigned looked;           /* rounds of known queries so far, up to MEMORY_LOOKS      */
    bool noticed;              /* it was said that no document of such a round was known  */
    struct memory_keys keys;
    struct buffer copies[MEMORY_ARRAYS], spare, known;
};

/* Rounds of known queries in which a document is looked for that is known. */
enum { MEMORY_LOOKS = 100 };

/* Learnt rounds of a query after which explore -B holds none of its documents. */
enum { MEMORY_HELD_VISITS = 5 };

/* The hooks of the learner's scoring half (learn/learner.h), whose own is a struct memory_view.
 *
 * Takes what a model holds: whole, or a message that changes what those before it gave. Its
 * settings are taken where it has some. 0 or a fault. */
int memory_view_take(void *own, const struct learner *learner, const struct model *model,
                     enum taking how, struct fault *fault);

/* s[docs], which is Xw at first, becomes the mean of each document, and with scores the round gets
 * the columns index (memory_effects.h) and worth (memory_worth.h, whose means s has then), judged=,
 * the number of places that users judge, where that is known, rates= where clicks were learnt,
 * fingerprint, and with a base held. Says, once, that no document of the round is known, where its
 * query is, and that is so in one of the first MEMORY_LOOKS such rounds. 0, or a fault where the
 * round has no qid, or a number is not finite. */
int memory_view_rank(void *own, const struct ranking *ranking, struct fault *fault);

/* Of a round that was not a rival's: what is remembered is the mean less z.v. */
void memory_view_explain(const void *own, const struct round *round, struct explained *added);

void memory_view_close(void *own);

#endif
