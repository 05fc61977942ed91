#include "learn/learner_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "explore/propensity.h"
#include "math/matrix.h"

/* The squares of 2^53 answers of this size have a sum that is a double. */
static const double answer_most = 1e140;

void learner_close_buffer(void *own)
{
    buffer_free(own);
}

double learner_epsilon(const struct state *state)
{
    const struct settings *my = &state->settings;
    double epsilon = my->value[SETTING_EPSILON];
    if (!my->set[SETTING_FALL])
        return epsilon;
    epsilon *= propensity_fall(state->rounds + 1, my->value[SETTING_FALL]);
    return epsilon > DBL_MIN ? epsilon : DBL_MIN;
}

size_t learner_cutoff(const struct state *state)
{
    const struct settings *my = &state->settings;
    return my->set[SETTING_CUTOFF] ? (size_t)my->value[SETTING_CUTOFF] : SIZE_MAX;
}

void learner_regression(struct regression *regression, const struct state *state,
                        size_t level, size_t inverse)
{
    regression->dim = state->dim;
    regression->plain = state->settings.set[SETTING_PLAIN];
    regression->lambda = state->settings.value[SETTING_TRADEOFF];
    regression->w = state->w;
    regression->level = state->arrays.at[level];
    regression->inverse = state->arrays.at[inverse];
}

int learner_feedback(struct state *state, const struct round *round, struct feedback *feedback,
                     struct fault *fault)
{
    if (feedback_documents(feedback, round, state->learner->name, state->learner->least,
                           &state->places, fault) < 0)
        return -1;
    return learner_check_docs(state, feedback->docs, fault);
}

int learner_check_docs(const struct state *state, size_t n, struct fault *fault)
{
    const struct learner *learner = state->learner;
    if (!learner->docs || n <= learner->docs)
        return 0;
    return fault_data(fault, "the round has feedback on %zu documents, but %s takes at most %zu, "
                      "because its time grows with their square: use another learner, or a smaller "
                      "feedback-mask -k", n, learner->name, learner->docs);
}

int learner_answers(size_t n, const double *answer, struct fault *fault)
{
    for (size_t a = 0; a < n; a++)
        if (!(fabs(answer[a]) <= answer_most))
            return fault_data(fault, "relevance %g is too large to be learnt from: use smaller "
                              "labels", answer[a]);
    return 0;
}

double *learner_score(struct state *state, const struct matrix *x, struct fault *fault)
{
    double *s = buffer_for(&state->scores, x->docs, sizeof *s, fault);
    double *spare = buffer_for(&state->spare, matrix_width(x), sizeof *spare, fault);
    if (!s || !spare)
        return NULL;
    if (state->live) { /* computed already, and finite */
        memcpy(s, state->live, x->docs * sizeof *s);
        return s;
    }
    matrix_times_from(x, learner_first(state->learner, &state->origin), state->w, state->scale,
                      state->dim, s, spare);
    return finite_scores(x->docs, s, "one of its features is not finite, or the weights diverge",
                         fault) < 0 ? NULL : s;
}

int learner_diverges(const struct state *state, size_t j, double value, struct fault *fault)
{
    bool ball = state->settings.set[SETTING_ETA] && strchr(state->learner->letters, 'U');
    return fault_data(fault, "the step makes weight %zu %s: the weights diverge%s", j,
                      isnan(value) ? "NaN" : "infinite",
                      ball ? ": use a smaller step (eta), or a ball (radius)" : "");
}

int learner_check(const struct state *state, struct fault *fault)
{
    size_t j = finite_until(state->dim, state->w);
    return j == state->dim ? 0 : learner_diverges(state, j, state->w[j], fault);
}

/* ---- what scores besides the weights ---- */

int scored_take(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault)
{
    struct scored *my = own;
    const char *name = learner->arrays[0].name;
    const struct column *column = name ? record_column(&model->record, name) : NULL;
    const void *at = NULL;
    my->dim = model->dim;
    my->n = column && column->count <= SIZE_MAX / 8 ? (size_t)column->count : 0;
    if (settings_load(&my->settings, model, fault) < 0) return -1;
    if (!name)
        return 0;
    if (how == TAKE_SHARED) {
        int found = model_find(model, name, my->n, &at, fault);
        my->array = at;
        return found;
    }
    double *copy = buffer_for(&my->copy, my->n, sizeof *copy, fault);
    my->array = copy;
    return copy ? model_array(model, name, my->n, copy, fault) : -1;
}

int scored_publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    (void)own, (void)how;
    if (settings_save(&state->settings, model, fault) < 0) return -1;
    return state->arrays.row[0].name ? arrays_put(&state->arrays, 0, &state->settings, state->dim,
                                                  model, fault)
                                     : 0;
}

void scored_leave(void *own)
{
    struct scored *my = own;
    buffer_free(&my->copy);
    buffer_free(&my->work);
}
