/* CascadeKL-UCB (Kveton, Szepesvari, Wen & Ashkan 2015, "Cascading Bandits: Learning to Rank in the
 * Cascade Model", Algorithm 1 and section 4.2). In the cascade model a user examines items from the
 * top and stops at the first click. */

#include "explore/feedback.h"
#include "learn/learner_step.h"
#include "learners/fixed_list.h"
#include "math/kl.h"
#include "math/real.h"

/* How often each item was examined and clicked on; w is the ratio. */
enum { LOOKS, CLICKS, ITEMS };

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    const struct learner *learner = state->learner;
    double *looks = state->arrays.at[LOOKS], *clicks = state->arrays.at[CLICKS];
    (void)own;
    if (fixed_list_check(state, x, *state->arrays.at[ITEMS], fault) < 0 ||
        feedback_clicks(round, learner->name, learner->least, fault) < 0)
        return -1;
    fixed_list_begin(state, x, state->arrays.at[ITEMS]);
    for (size_t a = 0; a < feedback_cascade(round); a++) {
        uint32_t i = round->order[a];
        looks[i]++;
        clicks[i] += round->seen[a];
        state->w[i] = clicks[i] / looks[i];
    }
    return 0;
}

/* Of a model: no item was clicked on more often than it was examined. */
static int check_counts(void *own, struct state *state, const struct model *model,
                        struct fault *fault)
{
    const double *looks = state->arrays.at[LOOKS], *clicks = state->arrays.at[CLICKS];
    (void)own, (void)model;
    for (size_t i = 0; i < state->dim; i++)
        if (!(clicks[i] >= 0 && clicks[i] <= looks[i]))
            return fault_data(fault, "model: item %zu has %g clicks, which must be from 0 to its "
                              "%g looks", i, clicks[i], looks[i]);
    return 0;
}

/* The own state is the buffer of the bounds.
 *
 * The upper confidence bound of each item for round t: the largest q with looks d(w, q) at most
 * log t + 3 log log t, which counts as 0 where it is less. 1 for an item without a look. */
static const double *widen(void *own, struct state *state, struct fault *fault)
{
    const double *looks = state->arrays.at[LOOKS];
    double *bound = buffer_for(own, state->dim, sizeof *bound, fault);
    if (!bound)
        return NULL;
    double log_t = real_log((double)state->rounds + 1);
    double width = log_t > 0 ? log_t + 3 * real_log(log_t) : 0;
    for (size_t i = 0; i < state->dim; i++)
        bound[i] = looks[i] > 0 ? kl_upper(state->w[i], (width > 0 ? width : 0) / looks[i]) : 1;
    return bound;
}

const struct learner learn_cascade_klucb = {
    .name = "cascade-klucb", .letters = "", .least = 1, .learn = learn,
    .arrays = { [LOOKS] = { "looks", ARRAY_VECTORS, SETTINGS, 0 },
                [CLICKS] = { "clicks", ARRAY_VECTORS, SETTINGS, 0 },
                [ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 } },
    .learning = sizeof(struct buffer), .weights = widen, .load = check_counts,
    .close = learner_close_buffer,
};
