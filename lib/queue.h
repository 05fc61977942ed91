/* queue: the ring inside one process. */
#ifndef RANKPIPE_QUEUE_H
#define RANKPIPE_QUEUE_H

#include "link.h"

struct queue;

/* NULL with a fault where there is no memory. Frees both ends, whoever closed them. */
struct queue *queue_open(struct fault *fault);
void queue_close(struct queue *queue);

/* Its two ends, as link.h has them. score's says how many rounds ahead it runs, before update's
 * puts message 0: with a window of 1 a message is as it was put until the next one is, and nothing
 * is copied. Without score's end what is put is dropped. */
struct link *queue_score(struct queue *queue, uint64_t window, struct fault *fault);
struct link *queue_update(struct queue *queue);

#endif
