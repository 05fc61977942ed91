#include "learn/learner_round.h"

#include <inttypes.h>

int learner_learn(struct state *state, const struct round *round, struct fault *fault)
{
    struct matrix came, x;
    size_t dim = state->dim;
    if (state->rounds == RECORD_MOST - 1)
        return fault_data(fault, "the model has learnt %" PRIu64 " rounds, the most that it can "
                          "count", state->rounds);
    if (round_matrix(round, &came, fault) < 0 ||
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
