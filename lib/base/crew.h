/* crew: threads that work on numbered pieces, whose results one thread collects in order. */
#ifndef RANKPIPE_CREW_H
#define RANKPIPE_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Works on a piece. `member` is 0 in the thread that collects, and 1, 2 ... in the others: members
 * work at the same time, and must share nothing that one of them writes. */
typedef void crew_work(void *self, size_t member, uint64_t piece);

/* One thread posts pieces 0, 1, 2 ... and collects them in this order. It works itself while it
 * waits, so a crew needs no other thread. */
struct crew { /* all zero at first; must not be moved while it is open */
    crew_work *work;
    void *self;
    size_t slots; /* most pieces that are posted and not collected */
    uint64_t posted, taken, collected;

    bool open, over;
    bool *done; /* done[piece % slots] */
    pthread_t *thread;
    size_t threads;
    pthread_mutex_t lock;
    pthread_cond_t posting, finishing;
};

/* A crew of the caller alone. `self` stays the caller's. 0 or a fault. */
int crew_open(struct crew *crew, size_t slots, crew_work *work, void *self, struct fault *fault);

/* Starts so many more threads, once; fewer, or none, where the system does not give them. No signal
 * is handled in them. */
void crew_hire(struct crew *crew, size_t threads);

/* Posts the next piece. At most `slots` are posted and not collected. */
void crew_post(struct crew *crew);

/* Waits until the oldest piece that is not collected is done, and works meanwhile. */
void crew_wait(struct crew *crew);

/* Collects that piece, after crew_wait. */
void crew_collect(struct crew *crew);

/* Withdraws all pieces that are not collected, when nobody works on them any more. The next piece
 * has the number of the first of them. */
void crew_withdraw(struct crew *crew);

/* Ends the threads; each finishes its piece first. */
void crew_close(struct crew *crew);

#endif
