/* ring: the ring, which carries weights from update back to score. Message 0 holds the weights that
 * update starts from, message r those learnt from the first r rounds of the run. Each message
 * except the first may hold only what round r changed. */
#ifndef RANKPIPE_RING_H
#define RANKPIPE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/model.h"

/* One end of a ring; `put` and `get` are of update's end and score's end. */
struct ring {
    bool lasting; /* `get` returns update's own arrays, valid until update learns again; then each
                   * message must hold all weights, not changes                               */

    /* Sends the next message. It is not a fault if score is gone. */
    int (*put)(struct ring *ring, const struct model *message, struct fault *fault);

    /* Waits for message r and returns it in *message, valid until the program next reads or writes
     * anything. r must be 0, 1, 2 and so on, or changes would be lost. */
    int (*get)(struct ring *ring, uint64_t r, const struct model **message, struct fault *fault);

    /* Ends the ring: update sends the end. score, after closing its output, reads until then, or
     * until nothing has come for a second. */
    int (*end)(struct ring *ring, struct fault *fault);

    /* Frees the end. In one process `end` and `close` are NULL. */
    void (*close)(struct ring *ring);
};

#endif
