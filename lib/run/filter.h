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
#include "run/options.h"
#include "run/progress.h"
#include "run/weights_ring.h"
#include "stream/reader.h"
#include "stream/record.h"
#include "stream/round.h"
#include "stream/writer.h"

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

    /* After `parse` found -h: explains what the command line asks about besides the options; false:
     * nothing. NULL: there is nothing besides. */
    bool (*explain)(const void *self, FILE *to);

    /* Opens what it needs; NULL: nothing. 0 or a fault. */
    int (*open)(void *self);

    /* For who watches, once opened: how many rounds a source will deal, 0 where nobody knows, and
     * a measure so far in words, of at most `room` bytes. NULL: nothing to tell. */
    uint64_t (*rounds)(const void *self);
    void (*measure)(const void *self, char *words, size_t room);

    /* Once opened: in *t the number of the last round that it has stored, 0 where there is none.
     * NULL: it stores none. 0 or a fault. */
    int (*last)(const void *self, uint64_t *t);

    /* Facts of its state, for a status file: calls put for each, with its name and value. NULL: it
     * has none. */
    void (*facts)(const void *self, void (*put)(void *to, const char *name, double value),
                  void *to);

    /* One round: to be changed, taken in, or (a source) made. */
    enum outcome (*each)(void *self, struct round *round);

    /* A model in the stream; NULL: it passes. */
    enum outcome (*model)(void *self, struct record *record);

    /* An input has ended, standard input or one of the files; the fault says how. NULL: nothing. 0
     * or a fault. */
    int (*input)(void *self, const struct reader *reader);

    /* The rounds came to a clean end, and an end record would follow; NULL: so be it. 0 or a fault:
     * then there is none. */
    int (*end)(void *self);

    /* The end. A sink's comes before its output is closed, any other's after. Called once, opened
     * or not, when the run is over or the command line was wrong; frees what is held. 0 or a
     * fault; NULL: nothing. */
    int (*close)(void *self, enum ended ended);
};

#endif
