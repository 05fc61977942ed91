#include "learn/learner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The preset of learners whose models grow with the square of their features. */
enum { SQUARE_MOST = 4096 };

const struct learner *learner_named(const struct learner *const *learners, const char *name)
{
    while (*learners && strcmp((*learners)->name, name) != 0)
        learners++;
    return *learners;
}

/* What models name besides: all of these rank by w alone. */
static const struct {
    struct learner learner;
    const char *instead; /* of a learner that left */
} others[] = {
    { { .name = LEARNER_FIXED, .letters = "" }, NULL },
    { { .name = "squared-dr", .letters = "" }, "squared" },
    { { .name = "kl-dr", .letters = "" }, "kl" },
    { { .name = "smoothdcg-dr", .letters = "" }, "smoothdcg" },
    { { .name = "cascade-lints", .letters = "" }, "pdgd" },
    { { .name = "cascade-klucb", .letters = "" }, "toprank" },
    { { .name = "bubblerank", .letters = "" }, "toprank" },
};

const struct learner *learner_of_model(const struct learner *const *learners, const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].learner.name, name) == 0)
            return &others[i].learner;
    return learner_named(learners, name);
}

const char *learner_instead(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].learner.name, name) == 0)
            return others[i].instead;
    return NULL;
}

double learner_first(const struct learner *learner, const struct origin *origin)
{
    return learner->offset && origin_has_base(origin);
}

/* The step size: given as itself or by a horizon, not by both. */
static int settle_eta(struct state *state, struct fault *fault)
{
    struct settings *s = &state->settings;
    if (s->set[SETTING_ETA] && s->set[SETTING_HORIZON])
        return fault_usage(fault, "eta and horizon both set the step size: give one of them");
    if (!s->set[SETTING_HORIZON])
        return 0;
    s->value[SETTING_ETA] = state->learner->eta(s->value[SETTING_HORIZON]);
    s->set[SETTING_ETA] = true;
    return 0;
}

int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault)
{
    *state = (struct state){ .learner = learner, .settings = *settings, .allowed = most,
                             .most = most ? most : learner->most ? learner->most : LEARNER_MOST,
                             .scale = 1 };
    memcpy(state->arrays.row, learner->arrays, sizeof learner->arrays);

    /* Only the learner's settings are set, and the presets where they are not given. */
    struct settings *s = &state->settings;
    for (size_t i = 0; i < SETTINGS; i++) {
        if (s->set[i] && !strchr(learner->letters, settings_known[i].letter))
            return fault_usage(fault, "%s has no setting %s (-%c): update -h %s lists them",
                               learner->name, settings_known[i].name, settings_known[i].letter,
                               learner->name);
        if (!s->set[i] && learner->preset[i] != 0) {
            s->set[i] = true;
            s->value[i] = learner->preset[i];
        }
    }
    if (s->set[SETTING_PRIOR] && !s->set[SETTING_STRENGTH]) {
        s->set[SETTING_STRENGTH] = true;
        s->value[SETTING_STRENGTH] = SETTING_STRENGTH_USUAL;
    }
    if (settle_eta(state, fault) < 0) return -1;
    state->own = learner->learning ? calloc(1, learner->learning) : NULL;
    if (learner->learning && !state->own)
        return fault_no_room(fault, learner->learning);
    if (learner->start && learner->start(state->own, state, fault) < 0) return -1;
    return learner_reach(state, 0, fault);
}

int learner_make(struct state *state, const char *list, struct fault *fault)
{
    const char *steps = list ? list : state->learner->made;
    if (!steps || strcmp(steps, LEARNER_NO_STEPS) == 0)
        return 0;
    state->origin.ranked = state->learner->ranked;
    return origin_apply(&state->origin, steps, list != NULL, fault);
}

void learner_close(struct state *state)
{
    if (state->own && state->learner->close)
        state->learner->close(state->own);
    free(state->own);
    origin_close(&state->origin);
    arrays_close(&state->arrays);
    buffer_free(&state->changed.index);
    buffer_free(&state->weights);
    buffer_free(&state->scores);
    buffer_free(&state->scratch);
    buffer_free(&state->places);
    buffer_free(&state->pairs);
    buffer_free(&state->spare);
}

/* The limit is one of features as they come: without that of a base. */
static int check_width(const struct state *state, size_t width, struct fault *fault)
{
    if (width > 0 && origin_has_base(&state->origin))
        width--;
    if (width <= state->most)
        return 0;
    if (state->learner->most == SQUARE_MOST)
        return fault_data(fault, "it has %zu features, but the model may have only %zu weights: "
                          "use memory, squared or kl, or add -d %zu if there is room for the "
                          "square of that number", width, state->most, width);
    return fault_data(fault, "it has %zu features, but the model may have only %zu weights: add -d "
                      "%zu if that is meant", width, state->most, width);
}

int learner_reach(struct state *state, size_t width, struct fault *fault)
{
    const struct learner *learner = state->learner;
    if (width <= state->dim && state->w)
        return 0;
    if (check_width(state, width, fault) < 0 ||
        (learner->shape && learner->shape(state->own, state, width, NULL, fault) < 0))
        return -1;
    state->begun = true; /* halfway arrays differ in their width */
    struct extent from = { 1, state->dim }, to = { 1, width };
    double *w = arrays_grow(&state->weights, from, to, fault);
    if (!w || arrays_reach(&state->arrays, &state->settings, state->dim, width, fault) < 0 ||
        (learner->reach && learner->reach(state->own, state, width, fault) < 0))
        return -1;
    state->w = w;
    state->dim = width;
    state->begun = false;
    return 0;
}

void learner_shrink(struct state *state, size_t dim)
{
    struct fault fault; /* a shape that goes back cannot fail */
    arrays_shrink(&state->arrays, &state->settings, state->dim, dim);
    state->dim = dim;
    if (state->learner->shape)
        (void)state->learner->shape(state->own, state, dim, NULL, &fault);
}

/* ---- a round ---- */

/* A few labels of another size decide what a sum of squares, or of exponentials, is. */
static const float relevance_most = 1e6f;

int learner_learn(struct state *state, const struct round *round, struct fault *fault)
{
    struct matrix came, x;
    size_t dim = state->dim;
    if (state->rounds == RECORD_MOST - 1)
        return fault_data(fault, "the model has learnt %" PRIu64 " rounds, the most that it can "
                          "count", state->rounds);

    /* A larger label can only be a mistake, or an attack. */
    const float *relevance = round->seen ? round->seen : round->label;
    size_t n = round->seen ? round->places : round->docs;
    for (size_t i = 0; relevance && i < n; i++)
        if (!(relevance[i] <= relevance_most))
            return fault_data(fault, "relevance %g is too large to be learnt from: at most %.0f is "
                              "allowed: divide all labels by one number", (double)relevance[i],
                              (double)relevance_most);

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
