/* run_lists: the lists that users were shown, from the run of the ranker that made them, for a log
 * that has clicks alone. */
#ifndef RANKPIPE_RUN_LISTS_H
#define RANKPIPE_RUN_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "text/click_log.h"
#include "text/trec_run.h"

struct run_lists { /* all zero at first */
    struct trec_run run;
    size_t places;    /* of a list, at most */
    bool coded;       /* qids of the run have %XX already, as those of the log */
    uint64_t clicks;  /* on documents that are in no list */
    uint64_t requests; /* without a click on a document of their list, or without a list */
    struct buffer list, shown, names, room;
};

/* Reads the run of a file. `places` and `coded` are kept. 0 or a fault. O(bytes) on average. */
int run_lists_read(struct run_lists *lists, char *file, size_t places, bool coded,
                   struct watch *watch, struct fault *fault);

/* Makes of a request that has clicks alone the one that was shown: the first documents of its query
 * by score, equal ones in the order of the run's lines. Its shown and names are then those of
 * `lists`, until the next call; propensity, score and label are not known. 1; 0: none of its clicks
 * is in a list, so nothing is known of what it was shown; or a fault. O(n log n) for n documents of
 * the query. */
int run_lists_show(struct run_lists *lists, struct click_request *request, struct fault *fault);

void run_lists_close(struct run_lists *lists);

#endif
