#include "base/crew.h"

#include <signal.h>
#include <stdlib.h>

/* Threads need little, but musl gives them less by default; glibc maps much more. */
enum { STACK = 512 * 1024 };

int crew_open(struct crew *crew, size_t slots, crew_work *work, void *self, struct fault *fault)
{
    *crew = (struct crew){ .work = work, .self = self, .slots = slots };
    crew->done = calloc(slots, sizeof *crew->done);
    if (!crew->done)
        return fault_memory(fault, slots * sizeof *crew->done);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->posting, NULL);
    pthread_cond_init(&crew->finishing, NULL);
    crew->open = true;
    return 0;
}

/* Works on the next piece that nobody has taken. The lock is held before and after. */
static void work_once(struct crew *crew, size_t member)
{
    uint64_t piece = crew->taken++;
    pthread_mutex_unlock(&crew->lock);
    crew->work(crew->self, member, piece);
    pthread_mutex_lock(&crew->lock);
    crew->done[piece % crew->slots] = true;
    pthread_cond_signal(&crew->finishing);
}

struct hired {
    struct crew *crew;
    size_t member;
};

static void *run(void *argument)
{
    struct hired hired = *(struct hired *)argument;
    struct crew *crew = hired.crew;
    free(argument);
    pthread_mutex_lock(&crew->lock);
    while (!crew->over) {
        if (crew->taken < crew->posted)
            work_once(crew, hired.member);
        else
            pthread_cond_wait(&crew->posting, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Starts one more thread: whether the system gives it. */
static bool hire(struct crew *crew, const pthread_attr_t *attributes)
{
    struct hired *hired = malloc(sizeof *hired);
    if (!hired)
        return false;
    *hired = (struct hired){ crew, crew->threads + 1 };
    if (pthread_create(&crew->thread[crew->threads], attributes, run, hired) != 0) {
        free(hired);
        return false;
    }
    crew->threads++;
    return true;
}

void crew_hire(struct crew *crew, size_t threads)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    crew->thread = calloc(threads, sizeof *crew->thread);
    if (!crew->thread || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (crew->threads < threads && hire(crew, &attributes))
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void crew_post(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->done[crew->posted % crew->slots] = false;
    crew->posted++;
    pthread_cond_signal(&crew->posting);
    pthread_mutex_unlock(&crew->lock);
}

/* Waits for that piece to be done, working meanwhile. */
static void wait_for(struct crew *crew, uint64_t piece, bool works)
{
    pthread_mutex_lock(&crew->lock);
    while (!crew->done[piece % crew->slots]) {
        if (works && crew->taken < crew->posted)
            work_once(crew, 0);
        else
            pthread_cond_wait(&crew->finishing, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

void crew_wait(struct crew *crew)
{
    wait_for(crew, crew->collected, true);
}

void crew_collect(struct crew *crew)
{
    crew->collected++;
}

void crew_withdraw(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    uint64_t taken = crew->taken;
    crew->posted = taken;
    pthread_mutex_unlock(&crew->lock);
    for (uint64_t piece = crew->collected; piece < taken; piece++)
        wait_for(crew, piece, false);
    pthread_mutex_lock(&crew->lock);
    crew->posted = crew->taken = crew->collected;
    pthread_mutex_unlock(&crew->lock);
}

void crew_close(struct crew *crew)
{
    if (!crew->open)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->over = true;
    pthread_cond_broadcast(&crew->posting);
    pthread_mutex_unlock(&crew->lock);
    for (size_t i = 0; i < crew->threads; i++)
        pthread_join(crew->thread[i], NULL);
    pthread_cond_destroy(&crew->finishing);
    pthread_cond_destroy(&crew->posting);
    pthread_mutex_destroy(&crew->lock);
    free(crew->thread);
    free(crew->done);
    crew->open = false;
}
