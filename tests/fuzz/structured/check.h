/* check: what must be true of every run of a program. */
#ifndef RANKPIPE_STRUCTURED_CHECK_H
#define RANKPIPE_STRUCTURED_CHECK_H

#include "learn/learner.h"
#include "learners/learners.h"
#include "program.h"
#include "programs.h"
#include "second.h"

enum { PROGRAMS_MOST = 32, LEARNERS_MOST = 96 };

/* What the process that runs cases tells the one that watches it. */
struct board {
    volatile uint64_t number;            /* of the case at hand                       */
    uint64_t runs, ok[PROGRAMS_MOST], refused[PROGRAMS_MOST]; /* by program            */
    uint64_t models[LEARNERS_MOST];      /* models that were saved, by learner        */
    uint64_t streams;                    /* that the second reader read               */
    uint64_t digest;                     /* of all that was printed                   */
    double slowest;                      /* processor time over what was allowed      */
    uint64_t slowest_case;
};
extern struct board *board;

/* Beyond those of C: a failure was found; a run was slow, so the case is run again. */
enum { EXIT_FOUND = 3, EXIT_SLOW = 4 };

struct checks {
    bool verbose;       /* print each command and how it ended                        */
    double allowance;   /* factor of the processor time that is allowed: 1, or more with
                         * sanitizers                                                  */
    bool wide;          /* the case at hand has a round of many documents              */
    bool timed;         /* the case at hand printed something that depends on the clock */
    uint64_t digest;    /* of what it printed                                          */
};
extern struct checks checks;

/* Prints what is wrong, with the last commands, and ends the process. */
void found(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Runs a command, and checks its exit status, its messages, its processor time and its memory. */
struct verdict check_run(const struct command *command);

/* Checks how a process of program_start ended, whose standard error is the file `err`. */
void check_started(const struct command *command, int status, const char *err);

/* As check_run, for what must exit 0. */
struct verdict check_ok(const struct command *command);

/* Reads a stream by the second reader: it must be right. */
struct stream check_stream(struct bytes bytes, enum second second);

/* The same of a file of one model. */
struct stream check_model(struct bytes bytes);

/* Adds to the digest of the case. */
void check_digest(const void *bytes, size_t n);

#endif
