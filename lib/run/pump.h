/* pump: one filter, run between stdin and stdout. */
#ifndef RANKPIPE_PUMP_H
#define RANKPIPE_PUMP_H

#include "run/filter.h"

struct pump {
    const struct filter *filter;
    void *self; /* the filter's state */
    struct fault fault;
    struct host host;
    struct watch watch;
    struct writer out;
    struct record *record;
    struct round round;
    struct progress progress;
    bool rows; /* what is written goes to a terminal, as the progress does */
    bool over; /* the filter has been closed */
};

/* Reads the command line: 0, a fault in pump->fault, or OPTIONS_HELP or OPTIONS_VERSION where
 * that is what was asked for. Whatever it says, pump_run or pump_close comes next. */
int pump_parse(struct pump *pump, const struct filter *filter, int argc, char **argv);

/* Runs the filter to its end: 0, or a fault in pump->fault. `stop` is readable once a signal asks
 * for the end (-1: none does). Closes standard output. */
int pump_run(struct pump *pump, int stop);

void pump_close(struct pump *pump);

#endif
