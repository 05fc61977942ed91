/* Subgradient descent on a large-margin loss, in the rounds that were ranked wrong alone
 * (Chaudhuri & Tewari's perceptron paper, Algorithms 2 and 3). */
#include "learn/learn_perceptron.h"

#include <string.h>

#include "explore/feedback.h"
#include "loss/dcg.h"
#include "loss/surrogate.h"

/* What is worked on: the documents heard, numbered anew. */
struct desk {
    double *s, *g, *scratch; /* s[docs], g[docs] */
    uint32_t *doc;           /* 0, 1, 2 ...      */
};

static int clear_desk(struct desk *desk, struct state *state, const struct feedback *feedback,
                      const double *s, struct fault *fault)
{
    size_t n = feedback->docs, each = (2 + SURROGATE_SCRATCH) * sizeof(double) + sizeof(uint32_t);
    desk->s = buffer_for(&state->scratch, n, each, fault);
    if (!desk->s)
        return -1;
    desk->g = desk->s + n;
    desk->scratch = desk->g + n;
    desk->doc = (uint32_t *)(desk->scratch + SURROGATE_SCRATCH * n);
    for (size_t a = 0; a < n; a++) {
        desk->s[a] = s[feedback->doc[a]];
        desk->doc[a] = (uint32_t)a;
    }
    return 0;
}

static int learn(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    struct desk desk;
    const struct settings *settings = &state->settings;
    const struct surrogate_options options = {
        0, settings->set[SETTING_CUTOFF] ? (size_t)settings->value[SETTING_CUTOFF] : SIZE_MAX
    };
    double *s = learner_score(state, x, fault);
    if (!s || learner_hear(state, round, &feedback, fault) < 0 ||
        clear_desk(&desk, state, &feedback, s, fault) < 0 ||
        (state->learner != &learn_slam_ap &&
         dcg_check(feedback.docs, feedback.relevance, fault) < 0))
        return -1;
    struct exposure exposure = { .docs = feedback.docs, .places = feedback.docs, .doc = desk.doc,
                           .relevance = feedback.relevance };
    surrogate_find(state->learner->name)
        ->gradient(&exposure, desk.s, &options, desk.g, desk.scratch);
    memset(s, 0, x->docs * sizeof *s);
    for (size_t a = 0; a < feedback.docs; a++)
        s[feedback.doc[a]] = desk.g[a];
    return learner_step(state, x, s, fault);
}

const struct learner learn_slam = {
    .name = "slam", .letters = "eTk", .eta = learner_eta_known, .least = 2, .learn = learn,
};

const struct learner learn_slam_ap = {
    .name = "slam-ap", .letters = "eT", .eta = learner_eta_known, .least = 2, .learn = learn,
};

/* Its rankings are the same for every eta. */
const struct learner learn_minimax = {
    .name = "minimax", .letters = "e", .least = 2, .learn = learn,
    .preset = { [SETTING_ETA] = 1 },
};
