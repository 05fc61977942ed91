/* options: a program's table of options, and a command line read by it, without global state. */
#ifndef RANKPIPE_OPTIONS_H
#define RANKPIPE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* The words that a value or an operand may be: word i, from 0, or NULL after the last. */
typedef const char *option_words(size_t i);

/* What an option's value is, and what options_next makes of it in the program's state. */
enum option_type {
    OPTION_IS_OWN,      /* the program sees to it                                */
    OPTION_IS_FLAG,     /* none; a bool that is true now                         */
    OPTION_IS_TEXT,     /* any text; a const char *                              */
    OPTION_IS_WHOLE,    /* a whole number from least to most; a uint64_t         */
    OPTION_IS_PLACES,   /* the same, or "all" for UINT64_MAX                     */
    OPTION_IS_REAL,     /* a number from 0 to most; a double                     */
    OPTION_IS_POSITIVE, /* a number above 0; a double                            */
    OPTION_IS_WORD      /* one of the option's words; its index, a size_t        */
};

/* One option of a program; its table ends with a letter of 0. Parsing, -h and completion read the
 * table, and tests compare it with the page. -h and -V belong to every program, and to no table.
 * Operands have rows of their own, without a letter. */
struct option {
    char letter;
    const char *value;   /* the value's name in the usage line; NULL: a flag                  */
    option_words *words; /* the words it may be; NULL: it is not a word, or not one of a list */
    const char *text;    /* what it does, its unit and range, and "(default ...)"; for a path
                          * the first word is "file", "FIFO" or "folder": completion needs it  */
    enum option_type type;
    size_t at; /* where the program's state has it */
    uint64_t least, most;
};

/* The last members of a row: the state is a struct of that name, and the member has that type. */
#define OPTION_AT(type, state, member) \
    (offsetof(struct state, member) + 0 * sizeof(1 ? &((struct state *)0)->member : (type *)0))
#define OPTION_OWN OPTION_IS_OWN, 0, 0, 0
#define OPTION_FLAG(state, member) OPTION_IS_FLAG, OPTION_AT(bool, state, member), 0, 0
#define OPTION_TEXT(state, member) OPTION_IS_TEXT, OPTION_AT(const char *, state, member), 0, 0
#define OPTION_WHOLE(state, member, least, most) \
    OPTION_IS_WHOLE, OPTION_AT(uint64_t, state, member), least, most
#define OPTION_PLACES(state, member, most) \
    OPTION_IS_PLACES, OPTION_AT(uint64_t, state, member), 1, most
#define OPTION_REAL(state, member, most) OPTION_IS_REAL, OPTION_AT(double, state, member), 0, most
#define OPTION_POSITIVE(state, member) OPTION_IS_POSITIVE, OPTION_AT(double, state, member), 0, 0
#define OPTION_WORD(state, member) OPTION_IS_WORD, OPTION_AT(size_t, state, member), 0, 0

/* Progress of a run: several programs take the option, and the pump shows it. */
#define OPTION_PROGRESS \
    { 'P', NULL, NULL, "show progress on standard error, if that is a terminal (default: do not)", \
      OPTION_OWN }

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
    bool given[128];   /* the options so far, by letter                           */
    void *state;       /* of the program                                          */
    struct fault *fault;
};

enum { OPTIONS_END = 0, OPTIONS_FAULT = -1, OPTIONS_HELP = -2, OPTIONS_VERSION = -3 };

/* A command line before its first option. Borrows argv, the table (NULL: no options) and the
 * state. */
void options_start(struct options *options, int argc, char **argv, const struct option *table,
                   void *state, struct fault *fault);

/* The next option's letter, after its value is in the state. Of a type that the program sees to,
 * the value is in options->value, from the same argument or the next. OPTIONS_END at the first
 * operand or after "--"; a usage fault for a letter that is not in the table or a value that does
 * not fit. OPTIONS_HELP for -h and --help, OPTIONS_VERSION for -V and --version. */
int options_next(struct options *options);

/* All options: OPTIONS_END, or as above. */
int options_read(struct options *options);

/* The operands, ended by NULL; once options_next has returned OPTIONS_END. */
char *const *options_operands(const struct options *options);

/* No operands: 0, or a usage fault. */
int options_no_operands(const struct options *options);

/* The value at hand as a whole number from least to most; as a number above 0. 0, or a usage
 * fault. */
int options_whole(const struct options *options, uint64_t least, uint64_t most, uint64_t *value);
int options_positive(const struct options *options, double *value);

/* The value at hand as i/n, the i-th of n shares from 1, n being at most 2^32 - 1: 0, or a usage
 * fault. */
int options_share(const struct options *options, uint64_t *share, uint64_t *shares);

/* The index of `word`; or a usage fault, "no WHAT 'word': choose from a, b, c", or where one of
 * them is near, "no WHAT 'wodr': did you mean word?". */
int options_find(const struct options *options, const char *what, const char *word,
                 option_words *words);

/* A fault for a missing operand: "no WHAT named: choose from a, b, c". */
int options_missing(const struct options *options, const char *what, option_words *words);

#endif
