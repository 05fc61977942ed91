/* ring_fifo: the two ends of a ring over a FIFO, for score and update as processes of their own. */
#ifndef RANKPIPE_RING_FIFO_H
#define RANKPIPE_RING_FIFO_H

#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "run/ring.h"

/* The two ends of a ring over an existing FIFO; NULL with a fault if it cannot be opened. Borrow
 * `path` and `watch`, the filter's, which watches the FIFO from then on.
 *
 * score's end opens without waiting and holds a lock, so a second score on the FIFO is refused.
 * While the program waits for input, and with window > 1 also while its output would block, it
 * reads messages. It is a fault if update goes without sending the end. */
struct ring *ring_fifo_score(const char *path, uint64_t window, struct watch *watch,
                             struct fault *fault);

/* update's end waits until score opens the FIFO, but no longer once `input` is readable: score
 * opens the FIFO before it writes rounds. The path "-" is standard output: another program, such
 * as ssh, carries the messages to score's FIFO. */
struct ring *ring_fifo_update(const char *path, int input, struct watch *watch,
                              struct fault *fault);

#endif
