/* options: draws the options of a program from its own table. */
#ifndef RANKPIPE_STRUCTURED_OPTIONS_H
#define RANKPIPE_STRUCTURED_OPTIONS_H

#include "program.h"
#include "learn/learner.h"
#include "programs.h"

/* Adds a few options of a program, with values that are valid, at a bound or wrong once in `odd`
 * times (0: never). Options that name files or wait are for the caller. */
void options_draw(struct dice *draw, struct command *command, const struct filter *program,
                  size_t odd);

/* The same for update: -a and settings that this learner takes. */
void options_learner(struct dice *draw, struct command *command, const struct learner *learner,
                     size_t odd);

/* The words of an operand, one drawn: a measure, a game, steps of features. */
const char *options_measure(struct dice *draw);
const char *options_steps(struct dice *draw);

#endif
