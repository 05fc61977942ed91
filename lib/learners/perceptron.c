/* Subgradient descent on a large-margin loss, only in rounds that were ranked wrong (Chaudhuri &
 * Tewari's perceptron paper, Algorithms 2 and 3). With the margin Delta of equations 8 and 26 the
 * loss of scores s is Delta times that of s / Delta with margin 1, so the subgradients of both are
 * the same. */

#include <string.h>

#include "explore/feedback.h"
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "loss/surrogate_gradients.h"

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    const struct settings *settings = &state->settings;
    const struct surrogate *loss = state->learner->surrogate;
    const struct surrogate_options options = { .cutoff = learner_cutoff(state) };
    double margin = settings->set[SETTING_MARGIN] ? settings->value[SETTING_MARGIN] : 1;
    double *s = learner_score(state, x, fault);
    if (!s || learner_feedback(state, round, &feedback, fault) < 0 ||
        (loss != &surrogates[SURROGATE_SLAM_AP] &&
         dcg_check(feedback.docs, feedback.relevance, fault) < 0))
        return -1;
    /* of the documents whose relevance is known: scores in units of the margin; the subgradient */
    double *known = buffer_for(&state->scratch, feedback.docs,
                               (1 + SURROGATE_SCRATCH) * sizeof *known, fault);
    double *g = buffer_for(&state->pairs, x->docs, sizeof *g, fault);
    if (!known || !g) return -1;
    double *of_known = known + feedback.docs;
    for (size_t a = 0; a < feedback.docs; a++)
        known[a] = s[feedback.doc[a]] / margin;
    (void)loss->loss(feedback.docs, known, feedback.relevance, &options, of_known);
    memset(g, 0, x->docs * sizeof *g);
    for (size_t a = 0; a < feedback.docs; a++)
        g[feedback.doc[a]] = of_known[a];
    return descent_step(own, state, x, s, g, fault);
}

const struct learner learn_slam = {
    .name = "slam", .surrogate = &surrogates[SURROGATE_SLAM],
    .seen = "-k all",
    .letters = "MeTUk", .eta = descent_eta_known, .least = 2, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};

const struct learner learn_slam_ap = {
    .name = "slam-ap", .surrogate = &surrogates[SURROGATE_SLAM_AP],
    .seen = "-k all",
    .letters = "MeTU", .eta = descent_eta_known, .least = 2, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false, NULL }, DESCENT_HOOKS,
    .publish = descent_publish,
};

/* Its rankings are the same for every eta, except from the start at a base. */
const struct learner learn_minimax = {
    .name = "minimax", .surrogate = &surrogates[SURROGATE_MINIMAX],
    .seen = "-k all",
    .letters = "Me", .least = 2, .learn = learn,
    .preset = { [SETTING_ETA] = 1 }, DESCENT_HOOKS,
};
