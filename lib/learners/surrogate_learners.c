/* Online gradient descent on a surrogate, its gradient estimated from the relevances seen
 * (Chaudhuri & Tewari 2016, Algorithm 1; with every label, online ListNet and the like). */

#include <string.h>

#include "explore/feedback.h"
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "loss/surrogate_gradients.h"

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct exposure exposure;
    const struct learner *learner = state->learner;
    if (feedback_exposure(&exposure, round, learner->name, learner->least, &state->places, fault) <
        0)
        return -1;
    if (exposure.places < exposure.docs && learner_check_docs(state, exposure.places, fault) < 0)
        return -1;
    double *s = learner_score(state, x, fault);
    const struct surrogate_options options = { .epsilon = learner_epsilon(state),
                                               .cutoff = learner_cutoff(state) };
    double *g = buffer_for(&state->scratch, (1 + SURROGATE_SCRATCH) * x->docs, sizeof *g, fault);
    if (!s || !g) return -1;
    descent_centre(own, x->docs, s);
    learner->surrogate->gradient(&exposure, s, &options, g, g + x->docs);
    descent_centre(own, x->docs, g);
    return descent_step(own, state, x, s, g, fault);
}

const struct learner learn_squared = {
    .name = "squared", .surrogate = &surrogates[SURROGATE_SQUARED],
    .shown = "-p top -g 0.1", .seen = "-k 1",
    .letters = "eTU", .eta = descent_eta_estimated, .least = 1, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, true, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};

const struct learner learn_kl = {
    .name = "kl", .surrogate = &surrogates[SURROGATE_KL],
    .shown = "-p top -g 0.1", .seen = "-k 1",
    .letters = "eTU", .eta = descent_eta_estimated, .least = 1, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 3, true, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};

const struct learner learn_smoothdcg = {
    .name = "smoothdcg", .surrogate = &surrogates[SURROGATE_SMOOTHDCG],
    .shown = "-p top -g 0.1", .seen = "-k 1",
    .letters = "eTUEFk", .eta = descent_eta_estimated, .least = 1,
    .learn = learn, .preset = { [SETTING_EPSILON] = 0.01 },
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 0.3, false, "whose loss is not convex" },
    DESCENT_HOOKS,
};

const struct learner learn_ranksvm = {
    .name = "ranksvm", .surrogate = &surrogates[SURROGATE_RANKSVM],
    .shown = "-p top -k 2 -g 0.1", .seen = "-k 2",
    .letters = "eTU", .eta = descent_eta_estimated, .least = 2, .docs = 30000, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};

const struct learner learn_listnet = {
    .name = "listnet", .surrogate = &surrogates[SURROGATE_LISTNET],
    .seen = "-k all",
    .letters = "eTU", .eta = descent_eta_known, .least = SURROGATE_ALL,
    .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};

const struct learner learn_squared_ndcg = {
    .name = "squared-ndcg", .surrogate = &surrogates[SURROGATE_SQUARED_NDCG],
    .seen = "-k all",
    .letters = "eTU", .eta = descent_eta_known, .least = SURROGATE_ALL,
    .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, true, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};
