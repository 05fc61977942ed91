/* options: a command line, read without global state. */
#ifndef RANKPIPE_OPTIONS_H
#define RANKPIPE_OPTIONS_H

#include <stdint.h>

#include "base/fault.h"

struct options {
    int argc;
    char **argv;       /* argv[0] is the program; ended by NULL; the caller's  */
    int at;            /* the argument at hand                                 */
    const char *rest;  /* letters of it still to be read                       */
    char letter;       /* the option at hand                                   */
    const char *value; /* and its value, where it takes one                    */
    struct fault *fault;
};

enum { OPTIONS_END = 0, OPTIONS_FAULT = -1, OPTIONS_HELP = -2, OPTIONS_VERSION = -3 };

void options_start(struct options *options, int argc, char **argv, struct fault *fault);

/* The next option's letter; `letters` names those there are, a colon behind those that take a
 * value (in the same argument or the next). OPTIONS_END at the first operand or behind "--", a
 * usage fault for what is no option; OPTIONS_HELP for -h and --help, OPTIONS_VERSION for -V and
 * --version, which every program has. */
int options_next(struct options *options, const char *letters);

/* The operands, ended by NULL; once options_next has said OPTIONS_END. */
char *const *options_operands(const struct options *options);

/* No operands: 0, or a usage fault. */
int options_no_operands(const struct options *options);

/* The value at hand as a whole number from least to most; as a number above 0; as one from 0 to 1.
 * 0, or a usage fault. */
int options_whole(const struct options *options, uint64_t least, uint64_t most, uint64_t *value);
int options_positive(const struct options *options, double *value);
int options_fraction(const struct options *options, double *value);

/* The value at hand as one of `words` (ended by NULL): its index, or a usage fault. */
int options_word(const struct options *options, const char *const *words);

#endif
