/* programs: the one table of programs, seen by main and loop alone. */
#ifndef RANKPIPE_PROGRAMS_H
#define RANKPIPE_PROGRAMS_H

#include <stddef.h>

#include "run/filter.h"

extern const struct filter svm2bin, log2bin, judge, weights2bin, bin2txt, replay, synth, features,
    score, explore, feedback_mask, feedback_join, update, add_models, metric, compare, spool,
    salvage, loop, serve;

extern const struct filter *const programs[]; /* ended by NULL */

/* The program of that name, or NULL. */
const struct filter *program_named(const char *name);

/* The program whose name `name` is, or ends in (an installation may put a prefix before it), or
 * NULL. */
const struct filter *program_find(const char *name);

#endif
