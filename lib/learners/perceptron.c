/* Subgradient descent on a large-margin loss, only in rounds that were ranked wrong (Chaudhuri &
 * Tewari's perceptron paper, Algorithms 2 and 3). With the margin Delta of equations 8 and 26 the
 * loss of scores s is Delta times that of s / Delta with margin 1, so the subgradients of both are
 * the same. */

#include <string.h>

#include "explore/feedback.h"
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "loss/surrogate.h"

/* The documents whose relevance is known, numbered from 0. */
struct known {
    double *s, *g, *scratch; /* s[docs], in units of the margin; g[docs] */
    uint32_t *doc;           /* 0, 1, 2 ... */
};

static int pick_known(struct known *known, struct state *state, const struct feedback *feedback,
                      const double *s, struct fault *fault)
{
    size_t n = feedback->docs, each = (2 + SURROGATE_SCRATCH) * sizeof(double) + sizeof(uint32_t);
    known->s = buffer_for(&state->scratch, n, each, fault);
    if (!known->s)
        return -1;
    known->g = known->s + n;
    known->scratch = known->g + n;
    known->doc = (uint32_t *)(known->scratch + SURROGATE_SCRATCH * n);
    const struct settings *settings = &state->settings;
    double margin = settings->set[SETTING_MARGIN] ? settings->value[SETTING_MARGIN] : 1;
    for (size_t a = 0; a < n; a++) {
        known->s[a] = s[feedback->doc[a]] / margin;
        known->doc[a] = (uint32_t)a;
    }
    return 0;
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    struct known known;
    const struct surrogate_options options = { .cutoff = learner_cutoff(state) };
    double *s = learner_score(state, x, fault);
    if (!s || learner_feedback(state, round, &feedback, fault) < 0 ||
        pick_known(&known, state, &feedback, s, fault) < 0 ||
        (state->learner->surrogate != &surrogates[SURROGATE_SLAM_AP] &&
         dcg_check(feedback.docs, feedback.relevance, fault) < 0))
        return -1;
    struct exposure exposure = { .docs = feedback.docs, .places = feedback.docs, .doc = known.doc,
                                 .relevance = feedback.relevance };
    state->learner->surrogate->gradient(&exposure, known.s, &options, known.g, known.scratch);
    double *g = buffer_for(&state->pairs, x->docs, sizeof *g, fault);
    if (!g)
        return -1;
    memset(g, 0, x->docs * sizeof *g);
    for (size_t a = 0; a < feedback.docs; a++)
        g[feedback.doc[a]] = known.g[a];
    return descent_step(own, state, x, s, g, fault);
}

const struct learner learn_slam = {
    .name = "slam", .surrogate = &surrogates[SURROGATE_SLAM],
    .letters = "MeTk", .eta = descent_eta_known, .least = 2, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false }, DESCENT_HOOKS,
};

const struct learner learn_slam_ap = {
    .name = "slam-ap", .surrogate = &surrogates[SURROGATE_SLAM_AP],
    .letters = "MeT", .eta = descent_eta_known, .least = 2, .learn = learn,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false }, DESCENT_HOOKS,
};

/* Its rankings are the same for every eta. */
const struct learner learn_minimax = {
    .name = "minimax", .surrogate = &surrogates[SURROGATE_MINIMAX],
    .letters = "Me", .least = 2, .learn = learn,
    .preset = { [SETTING_ETA] = 1 }, DESCENT_HOOKS,
};
