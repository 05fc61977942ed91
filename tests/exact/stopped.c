/*
 * Lists of millions of documents: sorted in pieces they are sorted right, a sort may be stopped
 * between any two pieces, and each loss that sorts is stopped by a signal, as a measure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loss/surrogate_gradients.h"
#include "math/order.h"
#include "math/rng.h"

enum { MANY = 3 * ORDER_PIECE + 12345 };

static unsigned long wrong;

static void hold(bool right, const char *what, const char *name, double number)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "stopped: %s: %s (%g)\n", name, what, number);
}

static void *room(size_t n, size_t size)
{
    void *at = calloc(n, size);
    if (!at) {
        perror("stopped");
        exit(1);
    }
    return at;
}

/* Answers no to the question of that number, from 1; 0: never. */
struct answers {
    unsigned long asked, no;
    size_t most;
};

static bool answer(void *of, size_t steps)
{
    struct answers *my = of;
    my->most = steps > my->most ? steps : my->most;
    return ++my->asked != my->no;
}

/* Highest first, ties in document order, each document once. */
static void check_sorted(size_t m, const double *score, const uint32_t *order, uint32_t *scratch)
{
    hold(order_is_permutation(m, order, scratch), "some documents are twice there", "sort", 0);
    for (size_t i = 1; i < m; i++) {
        uint32_t a = order[i - 1], b = order[i];
        hold(score[a] > score[b] || (score[a] == score[b] && a < b), "wrong at", "sort", (double)i);
    }
}

static void check_pieces(struct rng *rng, uint32_t values)
{
    double *score = room(MANY, sizeof *score);
    uint32_t *order = room(MANY, sizeof *order), *scratch = room(MANY, sizeof *scratch);
    struct answers all = { 0, 0, 0 };
    for (size_t i = 0; i < MANY; i++)
        score[i] = values ? (double)rng_below(rng, values) : rng_unit(rng);
    hold(order_in_pieces(MANY, score, order, scratch, answer, &all), "not the end", "sort", 0);
    check_sorted(MANY, score, order, scratch);
    hold(all.asked > MANY / ORDER_PIECE, "asked too rarely", "sort", (double)all.asked);
    hold(all.most < (size_t)ORDER_PIECE + MANY, "too long a piece", "sort", (double)all.most);
    for (unsigned long no = 1; no <= all.asked; no += all.asked / 7) {
        struct answers some = { 0, no, 0 };
        hold(!order_in_pieces(MANY, score, order, scratch, answer, &some) && some.asked == no,
             "not stopped at question", "sort", (double)no);
        for (size_t i = 0; i < MANY; i++)
            hold(order[i] < MANY, "no document", "sort", order[i]);
    }
    free(score);
    free(order);
    free(scratch);
}

/* The loss of m documents when a signal has come. */
static void check_loss(const struct surrogate *loss, size_t m, const struct watch *watch)
{
    struct long_work work = { watch, 0, false };
    const struct surrogate_options options = { 0.5, 10, false, &work };
    double *s = room(m, sizeof *s), *R = room(m, sizeof *R);
    double *scratch = room(m, SURROGATE_SCRATCH * sizeof *scratch);
    for (size_t i = 0; i < m; i++) {
        s[i] = (double)(i % 1001) / 1000;
        R[i] = (double)(i % 3);
    }
    loss->loss(m, s, R, &options, scratch);
    hold(work.stopped, "the loss is not stopped", loss->name, 0);
    free(s);
    free(R);
    free(scratch);
}

int main(void)
{
    static const enum surrogate_number sorting[] = {
        SURROGATE_SMOOTHDCG, SURROGATE_RANKSVM, SURROGATE_SQUARED_NDCG, SURROGATE_SLAM,
        SURROGATE_SLAM_AP, SURROGATE_MINIMAX,
    };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    struct watch watch = WATCH_NOTHING;
    int ends[2];
    check_pieces(&rng, 0);
    check_pieces(&rng, 5);
    if (pipe(ends) < 0 || write(ends[1], "", 1) != 1) {
        perror("stopped");
        return 1;
    }
    watch.stop = ends[0];
    for (size_t i = 0; i < sizeof sorting / sizeof *sorting; i++)
        check_loss(&surrogates[sorting[i]], 400000, &watch);
    return wrong ? 1 : 0;
}
