/* filter: what a program is. Each is written once, and run by the pump between stdin and stdout.
 *
 * A whole program, which passes one round in so many on:
 *
 *     struct thin {
 *         uint64_t every;
 *     };
 *     static const struct option options_known[] = {
 *         { 'n', "rounds", NULL, "pass on one round in so many, 1 or more (default 10)",
 *           OPTION_WHOLE(thin, every, 1, RECORD_MOST) },
 *         { 0 },
 *     };
 *     static int parse(void *self, struct options *options, struct host *host)
 *     {
 *         (void)host; // where a program that can fail finds its fault
 *         ((struct thin *)self)->every = 10;
 *         int letter = options_read(options);
 *         return letter < 0 ? letter : options_no_operands(options);
 *     }
 *     static enum outcome each(void *self, struct round *round)
 *     {
 *         return round->t % ((struct thin *)self)->every == 0 ? PASS : DROP;
 *     }
 *     const struct filter thin = { .name = "thin", .usage = "[-n rounds]",
 *                                  .line = "passes on some rounds", .options = options_known,
 *                                  .size = sizeof(struct thin), .kind = FILTER,
 *                                  .no_features = true, .parse = parse, .each = each };
 */
#ifndef RANKPIPE_FILTER_H
#define RANKPIPE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "io/watch.h"
#include "run/progress.h"
#include "run/weights_ring.h"
#include "stream/reader.h"
#include "stream/record.h"
#include "stream/round.h"
#include "stream/writer.h"

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

/* One option of a program. Its table ends with a row of letter 0. Parsing, -h and completion read
 * the table, and tests compare it with the page. Every program has -h and -V, which are in no
 * table. Rows of operands have no letter. */
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

/* Reads the next option into the state. A value of the type OPTION_OWN is left in options->value.
 * Returns
 * - the option's letter;
 * - OPTIONS_END at the first operand, or after "--";
 * - OPTIONS_HELP for -h and --help, OPTIONS_VERSION for -V and --version;
 * - OPTIONS_FAULT, a usage fault, if the letter is not in the table or the value does not fit. */
int options_next(struct options *options);

/* Reads all options. Returns OPTIONS_END, OPTIONS_HELP, OPTIONS_VERSION or OPTIONS_FAULT. */
int options_read(struct options *options);

/* Returns the operands, ended by NULL, after options_next has returned OPTIONS_END. */
char *const *options_operands(const struct options *options);

/* Returns 0 if there is no operand, else a usage fault. */
int options_no_operands(const struct options *options);

/* Read the value at hand: a whole number from least to most, or a number above 0. Return 0 or a
 * usage fault. */
int options_whole(const struct options *options, uint64_t least, uint64_t most, uint64_t *value);
int options_positive(const struct options *options, double *value);

/* Reads the value at hand as i/n: the i-th, from 1, of n shares, at most 2^32 - 1. Returns 0 or a
 * usage fault. */
int options_share(const struct options *options, uint64_t *share, uint64_t *shares);

/* Returns the index of `word` among the words. If it is none of them, returns a usage fault: "no
 * WHAT 'word': choose from a, b, c", or if one is near, "no WHAT 'wodr': did you mean word?". */
int options_find(const struct options *options, const char *what, const char *word,
                 option_words *words);

/* A fault for a missing operand: "no WHAT named: choose from a, b, c". */
int options_missing(const struct options *options, const char *what, option_words *words);

enum kind { SOURCE, FILTER, SINK, WHOLE }; /* deals rounds, passes them on, takes them in, or does
                                           * all of it itself                                 */
enum outcome { FAIL = -1, PASS, DROP, DONE }; /* DONE: a source has no more; FAIL: like any -1 */
enum ended { CLEAN, CUT, STOPPED, FAILED }; /* an end record; the stream broke off; a signal;
                                           * anything else                                  */

/* What the pump, or the chain, that runs a filter lends it. */
struct host {
    enum kind kind;      /* what the program is; `parse` may say otherwise               */
    struct fault *fault; /* where a hook that returns FAIL or -1 has told why            */
    struct watch *watch; /* to be minded whenever the filter itself waits                */
    struct writer *out;  /* standard output; a filter other than a sink leaves it alone  */
    int in;              /* standard input's descriptor; for the rounds, read by the host */
    char *const *files;  /* set by `parse`: read rounds from these instead; NULL-ended   */
    struct ring_local *ring;  /* joins score and update where both are in one process; or NULL */
    struct progress *progress; /* `parse` says here that it was asked for; to be erased before
                                * words on standard error                                     */
    bool once;           /* set by `open`: the first end record ends the input             */
    bool served;         /* rounds come from clients that wait: each must be passed on at once  */
    bool last;           /* what `each` passes goes to `out`, and to no other filter before  */
    bool features;       /* set by `parse`: features are looked at after all            */
    bool saves;          /* set by `parse`: on a signal, finish the round, however long it takes,
                          * and call `close`                                               */
    int status;          /* set by a hook: the exit status if nothing fails              */
    bool from, to;       /* set by `parse`: `open` will put a file in standard input's place,
                          * in standard output's                                         */
};

struct filter {
    const char *name;
    const char *usage; /* what follows the name in the usage line: "[-g gamma] ..." */
    const char *line;  /* what it does, in a line                                   */
    const struct option *options; /* the table of its options; NULL: it has none    */
    struct option operand; /* what its operands are; value NULL: it takes none      */
    struct option second;  /* of two, what the second one is                        */
    enum kind kind;    /* unless its options say otherwise: host->kind              */
    size_t size;       /* of its state, zeroed before parse                         */
    bool no_features;  /* no feature is looked at: they need not be in memory       */

    /* Reads the command line, and does nothing else. 0 or a fault. */
    int (*parse)(void *self, struct options *options, struct host *host);

    /* After `parse` found -h: explains what the command line asks about besides the options.
     * Returns false if it asks about nothing else. May be NULL. */
    bool (*explain)(const void *self, FILE *to);

    /* Opens what it needs; NULL: nothing. 0 or a fault. */
    int (*open)(void *self);

    /* For progress, once opened: `rounds` is how many rounds a source will emit, 0 if that is not
     * known. `measure` writes a measure so far in words, at most `room` bytes. Both may be NULL. */
    uint64_t (*rounds)(const void *self);
    void (*measure)(const void *self, char *words, size_t room);

    /* Once opened: sets *t to the number of the last round that it has stored, or to 0. NULL: it
     * stores none. Returns 0 or a fault. */
    int (*last)(const void *self, uint64_t *t);

    /* Facts of its state, for a status file: calls put for each, with its name and value. NULL: it
     * has none. */
    void (*facts)(const void *self, void (*put)(void *to, const char *name, double value),
                  void *to);

    /* One round: to be changed, taken in, or (a source) made. */
    enum outcome (*each)(void *self, struct round *round);

    /* A model in the stream; NULL: it passes. */
    enum outcome (*model)(void *self, struct record *record);

    /* An input has ended: standard input, or one of the files. The fault says how. May be NULL.
     * Returns 0 or a fault. */
    int (*input)(void *self, const struct reader *reader);

    /* The rounds have come to a clean end. May be NULL. Returns 0, or a fault: then no end record
     * is written. */
    int (*end)(void *self);

    /* Ends the run and frees what is held. Called once, opened or not, also if the command line
     * was wrong. The output of a sink is closed after it, that of others before. May be NULL.
     * Returns 0 or a fault. */
    int (*close)(void *self, enum ended ended);
};

#endif
