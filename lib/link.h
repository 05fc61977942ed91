/* link: the ring, by which update hands what it has learnt back to score. Message 0 is what update
 * starts from, message r what it has learnt from the first r rounds of the run; but for the first
 * it may hold no more than what round r changed. */
#ifndef RANKPIPE_LINK_H
#define RANKPIPE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "model.h"
#include "stream.h"

/* One end of a ring: what it is made of is its maker's. */
struct link {
    bool lasting; /* what `get` gives are update's own arrays, as they are until it learns again:
                   * then each message is to be whole, and no changes                          */

    /* Sends the next message. A partner that is gone is no fault: nobody is left to be told. */
    int (*put)(struct link *link, const struct model *message, struct fault *fault);

    /* Waits for message r, as *message; r is 0, 1, 2 and so on in turn, or changes would be lost.
     * It is good until the program next reads or writes anything. */
    int (*get)(struct link *link, uint64_t r, const struct model **message, struct fault *fault);

    /* The end, said by update and waited for by score, which has closed its output by then. */
    int (*end)(struct link *link, struct fault *fault);

    void (*close)(struct link *link);
};

/* The two ends of a ring over a FIFO, which exists already; NULL with a fault where it cannot be
 * opened. `watch` is the filter's, and gets to mind the FIFO; path stays the caller's.
 *
 * score's end opens without waiting and holds a lock: a second score on it is refused. While the
 * program waits for input it takes in what comes, with window > 1 also while its output would
 * block, and update gone without an end is a fault. */
struct link *link_score(const char *path, uint64_t window, struct watch *watch,
                        struct fault *fault);

/* update's end waits for a score that reads it, but not once `input` has something to read: a
 * score at work would have opened it before it wrote. */
struct link *link_update(const char *path, int input, struct watch *watch, struct fault *fault);

#endif
