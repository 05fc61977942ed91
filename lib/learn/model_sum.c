#include "learn/model_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "learn/learner_model.h"

static int refuse(const struct learner *const *learners, const char *name,
                  struct fault *fault)
{
    char able[200] = "";
    size_t used = 0;
    for (size_t i = 0; learners[i]; i++)
        if (learners[i]->sums && used < sizeof able)
            used += (size_t)snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "",
                                     learners[i]->name);
    return fault_data(fault, "models of %.40s do not add up: those of %s do", name, able);
}

/* The state of a model, under the model's own settings. To be closed in any case. */
static int load(struct state *state, const struct learner *const *learners,
                const struct model *model, struct fault *fault)
{
    const struct learner *learner = learner_named(learners, model->learner);
    struct settings settings = { .path = { "" } };
    if (!learner || !learner->sums)
        return refuse(learners, model->learner, fault);
    size_t most = model->dim > learner->most ? model->dim : 0;
    return settings_load(&settings, model, fault) < 0 ||
                   learner_start(state, learner, &settings, most, fault) < 0 ||
                   learner_load(state, model, fault) < 0
               ? -1 : 0;
}

static int open_sums(struct state *state, struct fault *fault)
{
    return state->learner->sums(state->own, state, SUMS_OPEN, fault);
}

/* Both reach as many features. */
static int widen(struct state *state, struct state *share, struct fault *fault)
{
    size_t dim = state->dim > share->dim ? state->dim : share->dim;
    state->most = share->most = dim > state->most ? dim : state->most;
    return learner_reach(state, dim, fault) < 0 || learner_reach(share, dim, fault) < 0 ? -1 : 0;
}

static int add(struct state *state, struct state *share, struct fault *fault)
{
    const struct learner *learner = state->learner;
    if (share->rounds >= RECORD_MOST - state->rounds)
        return fault_data(fault, "it has learnt %" PRIu64 " rounds, and those before it %" PRIu64
                          ": a model may have %" PRIu64 " in all", share->rounds, state->rounds,
                          RECORD_MOST - 1);
    if (learner != share->learner)
        return fault_data(fault, "it is a model of %s, but those before it are of %s",
                          share->learner->name, learner->name);
    if (settings_match(&state->settings, &share->settings, fault) < 0 ||
        origin_join(&state->origin, state->dim, &share->origin, share->dim, fault) < 0 ||
        widen(state, share, fault) < 0 || open_sums(share, fault) < 0 ||
        learner->add(state->own, state, share, fault) < 0)
        return -1;
    state->rounds += share->rounds;
    if (share->settings.set[SETTING_PRIOR])
        state->settings = share->settings;
    return 0;
}

int model_sum_add(struct model_sum *sum, const struct model *model, struct fault *fault)
{
    struct state share = { .learner = NULL };
    if (!sum->begun) {
        sum->begun = true;
        return load(&sum->state, sum->learners, model, fault) < 0 ||
                       open_sums(&sum->state, fault) < 0
                   ? -1 : 0;
    }
    int result = load(&share, sum->learners, model, fault) < 0
                     ? -1 : add(&sum->state, &share, fault);
    learner_close(&share);
    return result;
}

int model_sum_end(struct model_sum *sum, struct fault *fault)
{
    return sum->state.learner->sums(sum->state.own, &sum->state, SUMS_CLOSE, fault);
}

void model_sum_close(struct model_sum *sum)
{
    learner_close(&sum->state);
}
