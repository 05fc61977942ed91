/* SOLAR's steps, on other losses. With a loss l of w and its gradient z (X'g for a list, -x or +x
 * for a pair), C and gamma the trade-off:
 *   first order   w -= z l / (z'z + 1/(2C))
 *   second order  v = Sigma z, b = z'v + gamma, w -= v l / b, Sigma -= v v' / b
 * Both bring l, taken as linear, near 0 (Wang et al. 2015, Propositions 1 and 2). */

#include <math.h>
#include <string.h>

#include "kernels/dense.h"
#include "learn/learner_step.h"
#include "math/real.h"

static bool second_order(const struct state *state)
{
    return state->arrays.at[0] != NULL;
}

/* The gradient z[dim] of a loss, 0 at first. It is the own state. */
static double *start_gradient(struct buffer *own, const struct state *state, struct fault *fault)
{
    double *z = buffer_for(own, state->dim, sizeof *z, fault);
    if (z)
        memset(z, 0, state->dim * sizeof *z);
    return z;
}

static int check_spread(double b, struct fault *fault)
{
    if (b > 0 && !isinf(b))
        return 0;
    return fault_data(fault, "z'Sigma z + gamma is %g: the features are too large, or Sigma is no "
                      "longer positive: use a larger tradeoff, or smaller features", b);
}

/* The step of either order for a loss above 0. z[dim] becomes 0 again. */
static int take_step(struct state *state, double *z, double loss, struct fault *fault)
{
    size_t dim = state->dim;
    double *v = buffer_for(&state->spare, dim, sizeof *v, fault), square = 0;
    if (!v) return -1;
    if (second_order(state)) {
        double *sigma = state->arrays.at[0], b = state->settings.value[SETTING_TRADEOFF];
        memset(v, 0, dim * sizeof *v);
        for (size_t i = 0; i < dim; i++)
            if (z[i] != 0)
                dense_add_times(z[i], sigma + i * dim, v, dim);
        for (size_t i = 0; i < dim; i++)
            b += z[i] * v[i];
        if (check_spread(b, fault) < 0) return -1;
        for (size_t i = 0; i < dim; i++)
            state->w[i] -= v[i] * (loss / b);
        double root = sqrt(b);
        for (size_t i = 0; i < dim; i++)
            v[i] /= root;
        for (size_t i = 0; i < dim; i++)
            if (v[i] != 0)
                dense_add_times(-v[i], v, sigma + i * dim, dim);
    }
    for (size_t i = 0; i < dim; i++)
        square += z[i] * z[i];
    square += 1 / (2 * state->settings.value[SETTING_TRADEOFF]);
    for (size_t i = 0; !second_order(state) && i < dim; i++)
        state->w[i] -= z[i] * (loss / square);
    memset(z, 0, dim * sizeof *z);
    return 0;
}

/* ---- pairs, those of equal labels too ---- */

struct two {
    uint32_t better, worse; /* places in the feedback; R_better >= R_worse */
};

/* The loss of scores that differ by s, and the sign of its slope: a better document should score
 * higher by 1; the scores of two equal ones should differ by less than a half. */
static double pair_loss(double s, bool equal, double *sign)
{
    double loss = equal ? fabs(s) - 0.5 : 1 - s;
    *sign = equal && s > 0 ? 1 : -1;
    return loss > 0 ? loss : 0;
}

static int learn_ties(void *own, struct state *state, const struct matrix *x,
                      const struct round *round, struct fault *fault)
{
    struct feedback feedback;
    size_t width = matrix_width(x), n;
    if (learner_feedback(state, round, &feedback, fault) < 0 || !learner_score(state, x, fault))
        return -1;
    double *val = buffer_for(&state->scratch, width, sizeof(double) + sizeof(uint32_t), fault);

    /* All pairs of the feedback, in random order. */
    size_t m = feedback.docs;
    struct rng rng = rng_at((uint64_t)state->settings.value[SETTING_SEED], RNG_PAIRS, round->t);
    n = 0;
    struct two *pair = buffer_for(&state->pairs, m * m / 2 + 1, sizeof *pair, fault);
    for (uint32_t a = 0; pair && a < m; a++)
        for (uint32_t b = a + 1; b < m; b++) {
            bool right = feedback.relevance[a] >= feedback.relevance[b];
            struct two now = { right ? a : b, right ? b : a };
            size_t at = rng_below(&rng, (uint32_t)n + 1);
            pair[n++] = pair[at];
            pair[at] = now;
        }

    double *z = start_gradient(own, state, fault);
    if (!val || !pair || !z) return -1;
    state->begun = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t a = pair[i].better, b = pair[i].worse;
        struct row row = matrix_difference(x, feedback.doc[a], feedback.doc[b], val,
                                           (uint32_t *)(val + width));
        double sign, loss = pair_loss(matrix_row_times(&row, state->w),
                                      feedback.relevance[a] == feedback.relevance[b], &sign);
        if (loss == 0)
            continue;
        matrix_row_add(&row, sign, z);
        if (take_step(state, z, loss, fault) < 0) return -1;
    }
    return learner_check(state, fault);
}

/* ---- whole lists ---- */

static int learn_list(void *own, struct state *state, const struct matrix *x,
                      const struct round *round, struct fault *fault)
{
    struct feedback feedback;
    double *s = learner_score(state, x, fault);
    double *g = buffer_for(&state->scratch, 4 * x->docs, sizeof *g, fault);
    double *z = start_gradient(own, state, fault);
    if (!s || !g || !z || learner_feedback(state, round, &feedback, fault) < 0) return -1;

    /* The divergence of softmax(s) from softmax(R) over the documents whose relevance is known. */
    double *known = g + x->docs;
    size_t n = feedback.docs;
    double *p = known + n, *q = p + n, loss = 0;
    for (size_t a = 0; a < n; a++)
        known[a] = s[feedback.doc[a]];
    double wanted = softmax(n, feedback.relevance, 1, p), norm = softmax(n, known, 1, q);
    memset(g, 0, x->docs * sizeof *g);
    for (size_t a = 0; a < n; a++) {
        loss += p[a] * (feedback.relevance[a] - wanted - known[a] + norm);
        g[feedback.doc[a]] = q[a] - p[a];
    }

    if (loss <= 0)
        return 0;
    state->begun = true;
    matrix_transposed_times(x, g, z);
    return take_step(state, z, loss, fault) < 0 ? -1 : learner_check(state, fault);
}

#define GRADIENT .learning = sizeof(struct buffer), .close = learner_close_buffer
#define SIGMA .arrays = { { "sigma", ARRAY_SQUARE, SETTINGS, 0 } }, .most = 4096

const struct learner learn_solar1_ties = {
    .name = "solar1-ties", .letters = "Cs", .least = 2, .docs = 5000, .learn = learn_ties, GRADIENT,
    .seen = "-k all",
    .preset = { [SETTING_TRADEOFF] = 1e-5, [SETTING_SEED] = 1 },
};

const struct learner learn_solar2_ties = {
    .name = "solar2-ties", .letters = "Cs", .least = 2, .docs = 500, .learn = learn_ties, GRADIENT,
    .seen = "-k all",
    SIGMA,
    .preset = { [SETTING_TRADEOFF] = 1e4, [SETTING_SEED] = 1 },
};

const struct learner learn_solar1_list = {
    .name = "solar1-list", .letters = "C", .least = 2, .learn = learn_list, GRADIENT,
    .seen = "-k all",
    .preset = { [SETTING_TRADEOFF] = 0.1 },
};

const struct learner learn_solar2_list = {
    .name = "solar2-list", .letters = "C", .least = 2, .learn = learn_list, GRADIENT, SIGMA,
    .seen = "-k all",
    .preset = { [SETTING_TRADEOFF] = 10 },
};
