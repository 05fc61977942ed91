/* weights_ring: the ring, which carries weights from update back to score. Message 0 holds the
 * weights that update starts from, message r those learnt from the first r rounds of the run. Each
 * message except the first may hold only what round r changed. */
#ifndef RANKPIPE_WEIGHTS_RING_H
#define RANKPIPE_WEIGHTS_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "model/model.h"

/* One end of a ring; `put` and `get` are of update's end and score's end. */
struct ring {
    bool lasting; /* `get` returns update's own arrays, valid until update learns again; then each
                   * message must hold all weights, not changes                               */

    /* Sends the next message. It is not a fault if score is gone. */
    int (*put)(struct ring *ring, const struct model *message, struct fault *fault);

    /* Waits for message r and returns it in *message, valid until the program next reads or writes
     * anything. r must be 0, 1, 2 and so on, or changes would be lost. */
    int (*get)(struct ring *ring, uint64_t r, const struct model **message, struct fault *fault);

    /* Ends the ring. update sends the end. score closes its output first, and then reads until the
     * end, or until nothing has come for a second. */
    int (*end)(struct ring *ring, struct fault *fault);

    /* Frees the end. In one process `end` and `close` are NULL. */
    void (*close)(struct ring *ring);
};

/* Open one end of a ring over an existing FIFO. `path` and `watch` stay the filter's. The watch
 * watches the FIFO from then on. Return NULL with a fault if the FIFO cannot be opened.
 *
 * score's end opens without waiting, and holds a lock: a second score on the FIFO is refused. It
 * reads messages while the program waits for input; with window > 1 also while its output would
 * block. If update goes without sending the end, that is a fault. */
struct ring *ring_fifo_score(const char *path, uint64_t window, struct watch *watch,
                             struct fault *fault);

/* update's end waits until score opens the FIFO, or until `input` is readable: score opens the FIFO
 * before it writes rounds. The path "-" is standard output, from which another program, such as
 * ssh, carries the messages to score's FIFO. */
struct ring *ring_fifo_update(const char *path, int input, struct watch *watch,
                              struct fault *fault);

struct ring_local;

/* ring_local_open makes a ring inside one process, or returns NULL with a fault (memory).
 * ring_local_close frees both ends. */
struct ring_local *ring_local_open(struct fault *fault);
void ring_local_close(struct ring_local *local);

/* Make its two ends. score's end must be made before update puts message 0; without it, messages
 * are dropped. `window` is how many rounds score runs ahead. With a window of 1 no message is
 * copied, and each is valid until the next one is put. */
struct ring *ring_local_score(struct ring_local *local, uint64_t window, struct fault *fault);
struct ring *ring_local_update(struct ring_local *local);

#endif
