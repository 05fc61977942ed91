/* ring: the floor of the ring. A source and five processes, joined by pipes as a shell joins them,
 * move the bytes of the ring replay | score | explore | metric | feedback-mask | update, by the
 * best means there is, and do nothing with them. The second and the last take the features in;
 * from a file and between pipes they are spliced, unread. The second waits for the last's weights,
 * through one more pipe, before each record: those of `window` records before.
 *
 *     ring rounds file window */
#define _GNU_SOURCE /* for splice */
#include "stored.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SOURCE, SCORE, EXPLORE, METRIC, MASK, UPDATE, STAGES };

/* Bytes of a header line; of the weights' header. */
enum { LINE = 140, WEIGHTS = 90 };

struct ring {
    unsigned long rounds, window;
    struct stored stored;
    size_t features;     /* bytes of each round's                             */
    size_t head[STAGES]; /* bytes before the features, as they leave each stage */
    size_t weights;      /* bytes of a message                                */
    char *buffer;
};

static void must(int well)
{
    if (!well) {
        perror("ring");
        exit(1);
    }
}

static void read_all(int fd, char *at, size_t n)
{
    while (n) {
        ssize_t got = read(fd, at, n);
        must(got > 0);
        at += got;
        n -= (size_t)got;
    }
}

static void write_all(int fd, const char *at, size_t n)
{
    while (n) {
        ssize_t put = write(fd, at, n);
        must(put > 0);
        at += put;
        n -= (size_t)put;
    }
}

/* n bytes from a pipe, or from a file at *from, to a pipe. */
static void pass(const struct ring *ring, int in, off_t *from, int out, size_t n)
{
#ifdef __linux__
    (void)ring;
    while (n) {
        ssize_t moved = splice(in, from, out, NULL, n, 0);
        must(moved > 0);
        n -= (size_t)moved;
    }
#else
    if (from)
        must(lseek(in, *from, SEEK_SET) >= 0);
    read_all(in, ring->buffer, n);
    write_all(out, ring->buffer, n);
#endif
}

static void deal(const struct ring *ring, int out)
{
    for (unsigned long t = 0; t < ring->rounds; t++) {
        const struct bare *round = &ring->stored.round[t % ring->stored.rounds];
        off_t from = round->label - ring->stored.bytes;
        write_all(out, ring->buffer, LINE);
        pass(ring, ring->stored.fd, &from, out, round->bytes);
    }
}

/* The second stage: features and weights in, features out. */
static void score(const struct ring *ring, int in, int out, int weights)
{
    size_t room = ring->head[METRIC] + ring->features; /* of the buffer, before the weights */
    for (unsigned long t = 0; t < ring->rounds; t++) {
        read_all(in, ring->buffer, ring->head[SOURCE] + ring->features);
        if (t >= ring->window)
            read_all(weights, ring->buffer + room, ring->weights);
        write_all(out, ring->buffer, ring->head[SCORE] + ring->features);
    }
}

static void hand_on(const struct ring *ring, int stage, int in, int out)
{
    for (unsigned long t = 0; t < ring->rounds; t++) {
        read_all(in, ring->buffer, ring->head[stage - 1]);
        write_all(out, ring->buffer, ring->head[stage]);
        pass(ring, in, NULL, out, ring->features);
    }
}

static void learn(const struct ring *ring, int in, int weights)
{
    for (unsigned long t = 0; t < ring->rounds; t++) {
        read_all(in, ring->buffer, ring->head[MASK] + ring->features);
        if (t + ring->window < ring->rounds)
            write_all(weights, ring->buffer, ring->weights);
    }
}

static void run_stage(const struct ring *ring, int stage, int in, int out, int weights[2])
{
    if (stage == SOURCE)
        deal(ring, out);
    else if (stage == SCORE)
        score(ring, in, out, weights[0]);
    else if (stage == UPDATE)
        learn(ring, in, weights[1]);
    else
        hand_on(ring, stage, in, out);
}

static void measure_records(struct ring *ring)
{
    const struct bare *round = &ring->stored.round[0];
    size_t docs = round->docs;
    ring->features = 4 * docs * round->dim;
    ring->weights = WEIGHTS + 8 * round->dim;
    ring->head[SOURCE] = LINE + 4 * docs;
    ring->head[SCORE] = ring->head[SOURCE] + 8 * docs;
    ring->head[EXPLORE] = ring->head[METRIC] = ring->head[SCORE] + 4 * docs;
    ring->head[MASK] = ring->head[METRIC] - 4 * docs + 4;
    ring->buffer = calloc(1, ring->head[METRIC] + ring->features + ring->weights);
    must(ring->buffer != NULL);
}

/* A child that moves the records of one stage and is done. */
static void start_stage(const struct ring *ring, int stage, int in, const int next[2],
                        int weights[2])
{
    pid_t child = fork();
    must(child >= 0);
    if (child > 0)
        return;
    close(next[0]);
    if (stage != SCORE)
        close(weights[0]);
    if (stage != UPDATE)
        close(weights[1]);
    run_stage(ring, stage, in, next[1], weights);
    _exit(0);
}

int main(int argc, char **argv)
{
    int weights[2], in = -1, status, failed = 0;
    if (argc != 4)
        return 2;
    struct ring ring = { .rounds = strtoul(argv[1], NULL, 10), .stored = stored_open(argv[2]),
                         .window = strtoul(argv[3], NULL, 10) };
    measure_records(&ring);
    must(pipe(weights) == 0);
    for (int stage = 0; stage < STAGES; stage++) {
        int next[2] = { -1, -1 };
        must(stage == UPDATE || pipe(next) == 0);
        start_stage(&ring, stage, in, next, weights);
        close(in);
        close(next[1]);
        in = next[0];
    }
    close(weights[0]);
    close(weights[1]);
    while (wait(&status) > 0)
        failed |= status;
    return failed != 0;
}
