#include "learn/learner_round.h"

#include <inttypes.h>

/* A few labels of another size decide what a sum of squares, or of exponentials, is. */
static const float relevance_most = 1e6f;

/* 0, or a fault where a label that is learnt from can only be a mistake, or an attack. */
static int check_relevance(const struct round *round, struct fault *fault)
{
    const float *relevance = round->seen ? round->seen : round->label;
    size_t n = round->seen ? round->places : round->docs;
    for (size_t i = 0; relevance && i < n; i++)
        if (!(relevance[i] <= relevance_most))
            return fault_data(fault, "relevance %g is too large to be learnt from: at most %.0f is "
                              "allowed: divide all labels by one number", (double)relevance[i],
                              (double)relevance_most);
    return 0;
}

int learner_learn(struct state *state, const struct round *round, struct fault *fault)
{
    struct matrix came, x;
    size_t dim = state->dim;
    if (state->rounds == RECORD_MOST - 1)
        return fault_data(fault, "the model has learnt %" PRIu64 " rounds, the most that it can "
                          "count", state->rounds);
    if (check_relevance(round, fault) < 0 || round_matrix(round, &came, fault) < 0 ||
        origin_make(&state->origin, round, &came, &x, fault) < 0 ||
        origin_check_width(&state->origin, &x, state->allowed, fault) < 0 ||
        learner_reach(state, matrix_width(&x), fault) < 0)
        return -1;
    state->live = round->live ? round->score : NULL;
    state->changed.known = false;
    if (state->learner->learn(state->own, state, &x, round, fault) < 0) {
        if (!state->begun)
            learner_shrink(state, dim);
        return -1;
    }
    state->begun = false;
    state->rounds++;
    origin_count(&state->origin, &x, state->dim);
    return 0;
}
