#include "learn/learner_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "explore/propensity.h"
#include "learn/adaptive.h"
#include "math/finite.h"
#include "math/real.h"

double learner_eta_known(double T)
{
    return 1 / sqrt(T);
}

double learner_eta_estimated(double T)
{
    double root = real_cbrt(T);
    return 1 / (root * root);
}

double learner_epsilon(const struct state *state)
{
    const struct settings *my = &state->settings;
    double epsilon = my->value[SETTING_EPSILON];
    if (!my->set[SETTING_FALL])
        return epsilon;
    epsilon *= policy_fall(state->rounds + 1, my->value[SETTING_FALL]);
    return epsilon > DBL_MIN ? epsilon : DBL_MIN;
}

size_t learner_cutoff(const struct state *state)
{
    const struct settings *my = &state->settings;
    return my->set[SETTING_CUTOFF] ? (size_t)my->value[SETTING_CUTOFF] : SIZE_MAX;
}

static int check_weight(const struct state *state, size_t j, struct fault *fault)
{
    if (isfinite(state->w[j]))
        return 0;
    bool ball = !state->adaptive && strchr(state->learner->letters, 'U');
    return fault_data(fault, "the step makes weight %zu %s: the weights diverge%s", j,
                      isnan(state->w[j]) ? "NaN" : "infinite",
                      ball ? ": use a smaller step (eta), or a ball (radius)" : "");
}

int learner_check(const struct state *state, struct fault *fault)
{
    bool finite = unaligned_finite(state->w, state->dim);
    for (size_t j = 0; !finite && j < state->dim; j++)
        if (check_weight(state, j, fault) < 0)
            return -1;
    return 0;
}

struct regression *learner_regression(struct state *state, double *w, size_t level,
                                      size_t inverse)
{
    struct regression *my = &state->regression;
    my->dim = state->dim;
    my->plain = state->settings.set[SETTING_PLAIN];
    my->lambda = state->settings.value[SETTING_TRADEOFF];
    my->w = w;
    my->level = state->arrays[level];
    my->inverse = state->arrays[inverse];
    return my;
}

int learner_feedback(struct state *state, const struct round *round, struct feedback *feedback,
                 struct fault *fault)
{
    return feedback_documents(feedback, round, state->learner->name, state->learner->least,
                           &state->places, fault);
}

size_t learner_steps(const struct state *state, const struct matrix *x)
{
    size_t steps = x->form == MATRIX_DENSE ? x->dim : matrix_entries(x) / x->docs;
    const struct state_array *array;
    for (size_t i = 0; (array = learner_array(state, i)); i++) {
        struct extent e = learner_extent(state, array, state->dim);
        if (array->shape != ARRAY_VECTORS)
            steps += e.rows * e.columns;
    }
    return steps + 16;
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
    matrix_times(x, state->w, state->ball.scale, state->dim, s, spare);
    return finite_scores(x->docs, s, "one of its features is not finite, or the weights diverge",
                         fault) < 0 ? NULL : s;
}

/* Brings all weights back into the ball, which changes all of w. */
static int gather(struct state *state, struct fault *fault)
{
    if (learner_check(state, fault) < 0)
        return -1;
    ball_gather(&state->ball, state->w);
    state->changes_known = false;
    return 0;
}

/* A step that changes all of the first `width` weights. */
static int descend(struct state *state, size_t width, double eta, struct fault *fault)
{
    double *w = state->w, *z = state->gradient.at;
    for (size_t j = 0; j < width; j++) {
        w[j] -= eta * z[j];
        z[j] = 0;
    }
    if (state->ball.radius <= 0)
        return learner_check(state, fault);
    return ball_step(&state->ball, w, width) ? 0 : gather(state, fault);
}

/* A step that changes few weights: those of the features that documents with g != 0 have. */
static int descend_changes(struct state *state, const struct matrix *x, const double *g, double eta,
                       struct fault *fault)
{
    double *w = state->w, *z = state->gradient.at;
    uint32_t *changed = state->changed.at;
    size_t n = 0;
    bool bad = false;
    for (size_t i = 0; i < x->docs; i++) {
        struct sparse_row row = matrix_sparse_row(x, i);
        for (size_t e = 0; g[i] != 0 && e < row.n; e++) {
            size_t j = sparse_row_index(&row, e);
            if (z[j] == 0)
                continue; /* the feature came before */
            w[j] -= eta * z[j];
            z[j] = 0;
            bad |= !(fabs(w[j]) <= DBL_MAX);
            changed[n++] = (uint32_t)j;
        }
    }
    state->changes_known = true;
    state->n_changed = n;
    if (state->ball.radius > 0)
        return ball_step_changes(&state->ball, w, changed, n) ? 0 : gather(state, fault);
    return bad ? learner_check(state, fault) : 0;
}

static int step_adaptive(struct state *state, const struct matrix *x, const double *s,
                         const double *g, struct fault *fault)
{
    bool finite;
    if (adaptive_step(state, x, s, g, &finite, fault) < 0 ||
        (!finite && learner_check(state, fault) < 0))
        return -1;
    return finite ? 0 : fault_data(fault, "the gradient's square is too large for a double: scale "
                                   "the features");
}

int learner_step(struct state *state, const struct matrix *x, const double *s, const double *g,
                 struct fault *fault)
{
    double eta = state->settings.value[SETTING_ETA] / state->ball.scale;
    if (state->work.stopped)
        return fault_stopped(fault);
    state->begun = true;
    state->changes_known = false;
    matrix_transposed_times(x, g, state->gradient.at);
    if (state->adaptive)
        return step_adaptive(state, x, s, g, fault);
    if (x->form == MATRIX_DENSE)
        return descend(state, x->dim, eta, fault);
    size_t most = matrix_entries(x), dim = state->dim;
    if (!buffer_for(&state->changed, most < dim ? most : dim, sizeof(uint32_t), fault))
        return -1;
    return descend_changes(state, x, g, eta, fault);
}

int learner_move(struct state *state, const double *u, size_t width, struct fault *fault)
{
    double *z = state->gradient.at;
    for (size_t j = 0; j < width; j++)
        z[j] = -u[j];
    state->begun = true;
    state->changes_known = false;
    return descend(state, width, state->settings.value[SETTING_ETA] / state->ball.scale, fault);
}
