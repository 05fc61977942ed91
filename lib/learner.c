#include "learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surrogate.h"

const struct setting settings_known[SETTINGS] = {
    [SETTING_ETA] = { 'e', "eta", "the step's size" },
    [SETTING_HORIZON] = { 'T', NULL, "the horizon" },
    [SETTING_RADIUS] = { 'U', "radius", "the ball's radius" },
    [SETTING_EPSILON] = { 'E', "epsilon", "the smoothing" },
};

static bool takes(const struct learner *learner, char letter)
{
    return strchr(learner->letters, letter) != NULL;
}

/* eta itself or the horizon it is made of, one of the two. */
static int settle_eta(struct state *state, struct fault *fault)
{
    struct settings *s = &state->settings;
    if (!takes(state->learner, 'e'))
        return 0;
    if (s->set[SETTING_ETA] == s->set[SETTING_HORIZON])
        return fault_usage(fault, s->set[SETTING_ETA]
                                      ? "-e and -T both say eta: give one of them"
                                      : "%s needs its step's size: -e eta, or -T horizon",
                           state->learner->name);
    if (s->set[SETTING_HORIZON])
        s->value[SETTING_ETA] = state->learner->eta(s->value[SETTING_HORIZON]);
    s->set[SETTING_ETA] = true;
    return 0;
}

int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault)
{
    state->learner = learner;
    state->settings = *settings;
    state->most = most;
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings->set[i] && !takes(learner, settings_known[i].letter))
            return fault_usage(fault, "%s does not take -%c (%s)", learner->name,
                               settings_known[i].letter, settings_known[i].what);
    if (takes(learner, 'E') && !settings->set[SETTING_EPSILON]) {
        state->settings.set[SETTING_EPSILON] = true;
        state->settings.value[SETTING_EPSILON] = 0.01;
    }
    return settle_eta(state, fault);
}

void learner_close(struct state *state)
{
    space_free(&state->weights);
    space_free(&state->next);
    space_free(&state->gradient);
    space_free(&state->scores);
    space_free(&state->scratch);
    space_free(&state->places);
}

int learner_publish(const struct state *state, struct model *model, struct fault *fault)
{
    return model_start(model, state->learner->name, state->rounds, state->dim, state->w, fault);
}

int learner_save(const struct state *state, struct model *model, struct fault *fault)
{
    if (learner_publish(state, model, fault) < 0)
        return -1;
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings_known[i].key && state->settings.set[i] &&
            model_set(model, settings_known[i].key, state->settings.value[i], fault) < 0)
            return -1;
    return 0;
}

/* The model's settings must be the run's, to the last bit: else going on is another algorithm. */
static int compare_settings(const struct state *state, const struct model *model,
                            struct fault *fault)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *known = &settings_known[i];
        const char *text = known->key ? record_key(&model->record, known->key) : NULL;
        bool set = state->settings.set[i];
        double value = state->settings.value[i];
        if (!known->key || (!text && !set))
            continue;
        if (text && !set)
            return fault_data(fault, "it was learnt with %s=%s, this run has none: say -%c %s",
                              known->key, text, known->letter, text);
        if (!text)
            return fault_data(fault, "it was learnt without %s, this run says -%c %.17g: leave "
                              "it out, or learn into another file", known->key, known->letter,
                              value);
        if (strtod(text, NULL) != value)
            return fault_data(fault, "it was learnt with %s=%s, this run says %.17g: use the "
                              "same, or learn into another file", known->key, text, value);
    }
    return 0;
}

int learner_load(struct state *state, const struct model *model, struct fault *fault)
{
    if (strcmp(model->learner, state->learner->name) != 0)
        return fault_data(fault, "it is a model of %.40s, this run learns with %s: use -a %.40s, "
                          "or another file", model->learner, state->learner->name, model->learner);
    if (compare_settings(state, model, fault) < 0 || learner_reach(state, model->dim, fault) < 0)
        return -1;
    model_weights(model, state->w);
    state->rounds = model->rounds;
    return 0;
}

int learner_reach(struct state *state, size_t width, struct fault *fault)
{
    if (width <= state->dim && state->w)
        return 0;
    if (width > state->most)
        return fault_data(fault, "it has %zu features, more than the %zu weights a model may "
                          "grow to: say -d %zu if that is meant", width, state->most, width);
    double *w = space_for(&state->weights, width, sizeof *w, fault);
    double *next = space_for(&state->next, width, sizeof *next, fault);
    double *z = space_for(&state->gradient, width, sizeof *z, fault);
    if (w)
        state->w = w;
    if (!w || !next || !z)
        return -1;
    for (size_t j = state->dim; j < width; j++)
        w[j] = 0;
    state->dim = width;
    return 0;
}

static int hear_all(const struct round *round, struct shown *shown, uint32_t *doc, double *R,
                    bool *greedy)
{
    shown->places = round->docs;
    for (size_t a = 0; a < round->docs; a++) {
        doc[a] = (uint32_t)a;
        R[a] = round->label[a];
        greedy[a] = true;
    }
    return 0;
}

static int check_enough(const struct state *state, const struct round *round, struct fault *fault)
{
    size_t k = round->places, m = round->docs, least = state->learner->least;
    const char *name = state->learner->name;
    if (k == m)
        return 0;
    if (least == SURROGATE_ALL)
        return fault_data(fault, "seen has %zu relevance%s of %zu, %s needs them all: "
                          "feedback-mask -k all", k, k == 1 ? "" : "s", m, name);
    if (k < least)
        return fault_data(fault, "seen has %zu relevance%s, %s needs %zu: feedback-mask -k %zu",
                          k, k == 1 ? "" : "s", name, least, least);
    if (!round->explored)
        return fault_data(fault, "no gamma=: what %s learns from %zu of %zu relevances depends on "
                          "how the order was drawn; put explore before feedback-mask", name, k, m);
    if (round->gamma <= 0)
        return fault_data(fault, "gamma=0: what is never shown is never learnt; use explore -g "
                          "with more than 0, or feedback-mask -k all");
    return 0;
}

/* The places seen; who of them would have been there by score alone is marked by document. */
static int hear_some(const struct round *round, struct shown *shown, uint32_t *doc, double *R,
                     bool *greedy, unsigned char *mark)
{
    const uint32_t *by_score = round->greedy ? round->greedy : round->order;
    size_t k = shown->places = round->places;
    for (size_t a = 0; a < k; a++)
        mark[round->order[a]] = 0;
    for (size_t a = 0; a < k; a++)
        mark[by_score[a]] = 1;
    for (size_t a = 0; a < k; a++) {
        doc[a] = round->order[a];
        R[a] = round->seen[a];
        greedy[a] = mark[doc[a]];
    }
    return 0;
}

int learner_listen(struct state *state, const struct round *round, struct shown *shown,
                   struct fault *fault)
{
    size_t m = round->docs, each = sizeof(double) + sizeof(uint32_t) + sizeof(bool) + 1;
    double *R = space_for(&state->places, m, each, fault);
    if (!R)
        return -1;
    uint32_t *doc = (uint32_t *)(R + m);
    bool *greedy = (bool *)(doc + m);
    *shown = (struct shown){ m, 0, round->gamma, doc, R, greedy };
    if (round->seen)
        return check_enough(state, round, fault) < 0
                   ? -1
                   : hear_some(round, shown, doc, R, greedy, (unsigned char *)(greedy + m));
    if (round->label)
        return hear_all(round, shown, doc, R, greedy);
    return fault_data(fault, "needs seen or label: put feedback-mask before update");
}

/* Scales next[dim] into the ball. A norm past a double is taken of a smaller vector. */
static void project(const struct state *state, double *next)
{
    double radius = state->settings.value[SETTING_RADIUS], most = 0;
    double norm = matrix_norm(next, state->dim);
    if (isinf(norm)) {
        for (size_t j = 0; j < state->dim; j++)
            most = fabs(next[j]) > most ? fabs(next[j]) : most;
        for (size_t j = 0; j < state->dim; j++)
            next[j] /= most;
        norm = matrix_norm(next, state->dim);
    }
    if (norm > radius || most > 0)
        for (size_t j = 0; j < state->dim; j++)
            next[j] *= radius / norm;
}

int learner_descend(struct state *state, const double *z, struct fault *fault)
{
    double eta = state->settings.value[SETTING_ETA], *next = state->next.at;
    for (size_t j = 0; j < state->dim; j++) {
        next[j] = state->w[j] - eta * z[j];
        if (!isfinite(next[j]))
            return fault_data(fault, "its step would make weight %zu %s: the weights run off; "
                              "a smaller -e, or a ball (-U), keeps them finite", j,
                              isnan(next[j]) ? "NaN" : "infinite");
    }
    if (state->settings.set[SETTING_RADIUS])
        project(state, next);
    memcpy(state->w, next, state->dim * sizeof *next);
    return 0;
}
