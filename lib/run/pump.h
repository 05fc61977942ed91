/* pump: runs one filter between standard input and standard output. */
#ifndef RANKPIPE_PUMP_H
#define RANKPIPE_PUMP_H

#include "run/filter.h"

struct pump {
    const struct filter *filter;
    void *self; /* the filter's state */
    struct fault fault;
    struct host host;
    struct watch watch;
    long looked; /* when it last looked whether to stop, by watch_now */
    struct writer out;
    uint64_t written; /* records passed on */
    struct record *record;
    struct buffer patched; /* a model that came as a patch */
    struct round round;
    struct progress progress;
    bool rows; /* standard output is a terminal too: rows of a table, between lines of progress */
    bool over; /* the filter has been closed */
};

/* Parses the command line. Returns 0, OPTIONS_HELP, OPTIONS_VERSION, or a fault in pump->fault.
 * Call pump_run only after 0, and pump_close in any case. */
int pump_parse(struct pump *pump, const struct filter *filter, int argc, char **argv);

/* Runs the filter to its end, and closes standard output. The descriptor `stop` becomes readable
 * when a signal asks for the end; -1: none does. Returns 0, or a fault in pump->fault. */
int pump_run(struct pump *pump, int stop);

void pump_close(struct pump *pump);

#endif
