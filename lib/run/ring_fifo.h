/* ring_fifo: the two ends of a ring over a FIFO, for score and update as processes of their own. */
#ifndef RANKPIPE_RING_FIFO_H
#define RANKPIPE_RING_FIFO_H

#include <stdint.h>

#include "base/fault.h"
#include "io/wait.h"
#include "run/ring.h"

/* The two ends of a ring over a FIFO, which exists already; NULL with a fault where it cannot be
 * opened. `watch` is the filter's, and gets to mind the FIFO; path stays the caller's.
 *
 * score's end opens without waiting and holds a lock: a second score on it is refused. While the
 * program waits for input it takes in what comes, with window > 1 also while its output would
 * block, and update gone without an end is a fault. */
struct ring *ring_fifo_score(const char *path, uint64_t window, struct watch *watch,
                        struct fault *fault);

/* update's end waits for a score that reads it, but not once `input` has something to read: a
 * score at work would have opened it before it wrote. */
struct ring *ring_fifo_update(const char *path, int input, struct watch *watch,
                              struct fault *fault);

#endif
