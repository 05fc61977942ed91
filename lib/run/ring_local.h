/* ring_local: the ring inside one process. */
#ifndef RANKPIPE_RING_LOCAL_H
#define RANKPIPE_RING_LOCAL_H

#include "run/ring.h"

struct ring_local;

/* NULL with a fault where there is no memory. Frees both ends, whoever closed them. */
struct ring_local *ring_local_open(struct fault *fault);
void ring_local_close(struct ring_local *local);

/* Its two ends, as ring.h has them. score's says how many rounds ahead it runs, before
 * update's puts message 0: with a window of 1 a message is as it was put until the next one is, and
 * nothing is copied. Without score's end what is put is dropped. */
struct ring *ring_local_score(struct ring_local *local, uint64_t window, struct fault *fault);
struct ring *ring_local_update(struct ring_local *local);

#endif
