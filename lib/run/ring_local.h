/* ring_local: the ring inside one process. */
#ifndef RANKPIPE_RING_LOCAL_H
#define RANKPIPE_RING_LOCAL_H

#include "run/ring.h"

struct ring_local;

/* Opens a ring; NULL with a fault (memory). Closing it frees both ends. */
struct ring_local *ring_local_open(struct fault *fault);
void ring_local_close(struct ring_local *local);

/* The two ends, as in ring.h. score's end must be made before update puts message 0. `window` is
 * how many rounds score runs ahead; with a window of 1 no message is copied, and each is valid
 * until the next one is put. Without score's end messages are dropped. */
struct ring *ring_local_score(struct ring_local *local, uint64_t window, struct fault *fault);
struct ring *ring_local_update(struct ring_local *local);

#endif
