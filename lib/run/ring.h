/* ring: the ring, by which update hands what it has learnt back to score. Message 0 is what
 * update starts from, message r what it has learnt from the first r rounds of the run; but for the
 * first it may hold no more than what round r changed. */
#ifndef RANKPIPE_RING_H
#define RANKPIPE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/model.h"

/* One end of a ring: what it is made of is its maker's. */
struct ring {
    bool lasting; /* what `get` gives are update's own arrays, as they are until it learns again:
                   * then each message is to be whole, and no changes                          */

    /* Sends the next message. A partner that is gone is no fault: nobody is left to be told. */
    int (*put)(struct ring *ring, const struct model *message, struct fault *fault);

    /* Waits for message r, as *message; r is 0, 1, 2 and so on in turn, or changes would be lost.
     * It is good until the program next reads or writes anything. */
    int (*get)(struct ring *ring, uint64_t r, const struct model **message, struct fault *fault);

    /* The end, said by update and waited for by score, which has closed its output by then. */
    int (*end)(struct ring *ring, struct fault *fault);

    void (*close)(struct ring *ring);
};

#endif
