/* options: a program's table of options, and a command line read by it, without global state. */
#ifndef RANKPIPE_OPTIONS_H
#define RANKPIPE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* The words that a value or an operand may be: word i, from 0, or NULL after the last. */
typedef const char *option_words(size_t i);

/* One option of a program; its table ends with a letter of 0. Parsing, -h and completion read the
 * table, and tests compare it with the page. -h and -V belong to every program, and to no table.
 * An operand has a row of its own, without a letter. */
struct option {
    char letter;
    const char *value;   /* the value's name in the usage line; NULL: a flag                  */
    option_words *words; /* the words it may be; NULL: it is not a word, or not one of a list */
    const char *text;    /* what it does, its unit and range, and "(default ...)"; for a path
                          * the first word is "file", "FIFO" or "folder": completion needs it  */
};

/* Progress of a run, which several programs show. */
#define OPTION_PROGRESS \
    { 'P', NULL, NULL, "show progress on standard error, if that is a terminal (default: do not)" }

struct options {
    int argc;
    char **argv;       /* argv[0] is the program; ended by NULL; the caller's     */
    const struct option *table;  /* the program's                                 */
    const struct option *unlisted; /* set by the caller: options that -h does not list, or NULL */
    const struct option *option; /* the row of the option at hand                 */
    int at;            /* index of the next argument                              */
    const char *rest;  /* letters of the last argument that are still to be read  */
    char letter;       /* the option at hand                                      */
    const char *value; /* its value; NULL: it is a flag                           */
    struct fault *fault;
};

enum { OPTIONS_END = 0, OPTIONS_FAULT = -1, OPTIONS_HELP = -2, OPTIONS_VERSION = -3 };

/* A command line before its first option. Borrows argv and the table (NULL: no options). */
void options_start(struct options *options, int argc, char **argv, const struct option *table,
                   struct fault *fault);

/* The next option's letter; its value, in the same argument or the next, is in options->value.
 * OPTIONS_END at the first operand or after "--"; a usage fault for a letter that is not in the
 * table. OPTIONS_HELP for -h and --help, OPTIONS_VERSION for -V and --version. */
int options_next(struct options *options);

/* The operands, ended by NULL; once options_next has returned OPTIONS_END. */
char *const *options_operands(const struct options *options);

/* No operands: 0, or a usage fault. */
int options_no_operands(const struct options *options);

/* The value at hand as a whole number from least to most; as a number from 0 to most; as one above
 * 0; as one from 0 to 1. 0, or a usage fault. */
int options_whole(const struct options *options, uint64_t least, uint64_t most, uint64_t *value);
int options_from_zero(const struct options *options, double most, double *value);
int options_positive(const struct options *options, double *value);
int options_fraction(const struct options *options, double *value);

/* The value at hand as i/n, the i-th of n shares from 1, n being at most 2^32 - 1: 0, or a usage
 * fault. */
int options_share(const struct options *options, uint64_t *share, uint64_t *shares);

/* The value at hand as one of its option's words: the word's index, or a usage fault. */
int options_word(const struct options *options);

/* The index of `word`; or a usage fault, "no WHAT 'word': choose from a, b, c", or where one of
 * them is near, "no WHAT 'wodr': did you mean word?". */
int options_find(const struct options *options, const char *what, const char *word,
                 option_words *words);

/* A fault for a missing operand: "no WHAT named: choose from a, b, c". */
int options_missing(const struct options *options, const char *what, option_words *words);

#endif
