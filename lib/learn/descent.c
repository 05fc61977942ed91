#include "learn/descent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "learn/learner_step.h"
#include "math/bets.h"
#include "math/real.h"

static const struct array_row length_row = { "bets", ARRAY_NUMBERS, SETTINGS, BETS_NUMBERS,
                                             false };
static const struct array_row each_row = { "bets", ARRAY_VECTORS, SETTINGS, BETS_NUMBERS + 1,
                                           false };

static const struct array_row squares_row = { "squares", ARRAY_NUMBERS, SETTINGS, 1, false };

double descent_eta_known(double T)
{
    return 1 / sqrt(T);
}

double descent_eta_estimated(double T)
{
    double root = real_cbrt(T);
    return 1 / (root * root);
}

void descent_centre(const struct descent *descent, size_t docs, double *v)
{
    double mean = 0;
    if (!descent->bets || !descent->bets->centred)
        return;
    for (size_t i = 0; i < docs; i++)
        mean += v[i] / (double)docs;
    for (size_t i = 0; i < docs; i++)
        v[i] -= mean;
}

/* ---- bets ---- */

static bool bets_on_length(const struct descent *my)
{
    return my->bets && my->bets->on == BETS_ON_LENGTH;
}

static struct bets get_bets(const double *numbers, size_t step)
{
    return (struct bets){ numbers[0], numbers[step], numbers[2 * step] };
}

static void put_bets(const struct bets *bets, double *numbers, size_t step)
{
    numbers[0] = bets->largest;
    numbers[step] = bets->squares;
    numbers[2 * step] = bets->wealth;
}

/* What the bet on the length says of the scale of all weights. */
static double scale_of_bet(const struct descent *my)
{
    const struct bets bets = get_bets(my->wealth, 1);
    return bets_factor(&bets, sqrt(norm_square(&my->length)));
}

/* What its own bet says of weight j. */
static double weight_of_bet(const struct descent *my, size_t dim, size_t j)
{
    const struct bets bets = get_bets(my->wealth + j, dim);
    double theta = my->wealth[BETS_NUMBERS * dim + j];
    return bets_factor(&bets, fabs(theta)) * theta;
}

/* ---- the learner's hooks ---- */

int descent_start(void *own, struct state *state, struct fault *fault)
{
    struct descent *my = own;
    const struct settings *s = &state->settings;
    const struct descent_bets *bets = s->set[SETTING_ETA] ? NULL : state->learner->bets;
    my->adapts = bets && s->set[SETTING_RADIUS];
    my->bets = my->adapts ? NULL : bets;
    my->capital = my->bets ? my->bets->capital : 0;
    if (s->set[SETTING_EPSILON])
        my->capital *= s->value[SETTING_EPSILON];
    if (my->adapts && bets->boundless)
        return fault_usage(fault, "radius needs a step size for %s, %s: give eta, or omit radius",
                           state->learner->name, bets->boundless);
    if (bets)
        my->array = arrays_add(&state->arrays, my->adapts           ? squares_row
                                               : bets_on_length(my) ? length_row : each_row);
    ball_start(&my->ball, s->value[SETTING_RADIUS]);
    state->scale = my->ball.scale;
    state->scaled = my->ball.radius > 0 || bets_on_length(my);
    return 0;
}

int descent_reach(void *own, struct state *state, size_t width, struct fault *fault)
{
    struct descent *my = own;
    struct extent from = { 1, state->dim }, to = { 1, width };
    if (!arrays_grow(&my->gradient, from, to, fault) || ball_reach(&my->ball, width, fault) < 0)
        return -1;
    my->wealth = my->bets || my->adapts ? state->arrays.at[my->array] : NULL;
    if (!bets_on_length(my))
        return my->adapts ? norm_reach(&my->slope, width, fault) : 0;
    return norm_reach(&my->length, width, fault) < 0 ? -1 : norm_reach(&my->slope, width, fault);
}

/* Each weight must be that of its bet. */
static int check_bets(const struct descent *my, const struct state *state, struct fault *fault)
{
    for (size_t j = 0; j < state->dim; j++)
        if (state->w[j] != weight_of_bet(my, state->dim, j))
            return fault_data(fault, "model: weight %zu is %.17g, but its bets say %.17g", j,
                              state->w[j], weight_of_bet(my, state->dim, j));
    return 0;
}

int descent_load(void *own, struct state *state, const struct model *model, struct fault *fault)
{
    struct descent *my = own;
    (void)model;
    if (!state->scaled && state->scale != 1)
        return fault_data(fault, "model: scale %.17g does not fit steps without a radius, which "
                          "have 1", state->scale);
    if (!state->scaled)
        return my->bets ? check_bets(my, state, fault) : 0;
    if (!my->bets && !ball_resume(&my->ball, state->w, state->scale))
        return fault_data(fault, "model: scale %.17g does not fit the direction and radius %.17g",
                          state->scale, my->ball.radius);
    if (!my->bets)
        return 0;
    norm_take(&my->length, state->w, state->dim);
    my->ball.scale = state->scale;
    if (state->scale > 0 && state->scale == scale_of_bet(my))
        return 0;
    return fault_data(fault, "model: scale %.17g does not fit the direction and the bets",
                      state->scale);
}

/* Whole messages have the sum of squares, too. */
int descent_publish(void *own, struct state *state, struct model *model, enum publishing how,
                    struct fault *fault)
{
    const struct descent *my = own;
    if (!my->adapts || how != PUBLISH_WHOLE)
        return 0;
    return arrays_put(&state->arrays, my->array, &state->settings, state->dim, model, fault);
}

void descent_close(void *own)
{
    struct descent *my = own;
    ball_close(&my->ball);
    norm_close(&my->length);
    norm_close(&my->slope);
    buffer_free(&my->gradient);
}

/* The numbers of the gradient that may differ from 0: those of index[n], or the first n. */
struct touched {
    const uint32_t *index;
    size_t n;
};

static size_t touched_number(const struct touched *touched, size_t e)
{
    return touched->index ? touched->index[e] : e;
}

/* Of sparse features: the numbers of z that differ from 0, in the order in which documents with
 * g != 0 have them. They are all that changes of the weights. */
static int find_touched(struct descent *my, struct state *state, const struct matrix *x,
                        const double *g, struct touched *touched, struct fault *fault)
{
    double *z = my->gradient.at;
    *touched = (struct touched){ NULL, x->dim };
    state->changed.known = false;
    if (x->kind == MATRIX_DENSE)
        return 0;
    size_t most = matrix_entries(x) < state->dim ? matrix_entries(x) : state->dim, n = 0;
    uint32_t *index = buffer_for(&state->changed.index, most, sizeof *index, fault);
    double *value = buffer_for(&state->spare, most, sizeof *value, fault);
    if (!index || !value) return -1;
    for (size_t i = 0; i < x->docs; i++) {
        struct sparse_row row = matrix_sparse_row(x, i);
        for (size_t e = 0; g[i] != 0 && e < row.n; e++) {
            size_t j = matrix_sparse_index(&row, e);
            if (z[j] == 0)
                continue; /* the feature came before */
            value[n] = z[j];
            z[j] = 0;
            index[n++] = (uint32_t)j;
        }
    }
    for (size_t e = 0; e < n; e++)
        z[index[e]] = value[e];
    state->changed.known = true;
    state->changed.n = n;
    *touched = (struct touched){ index, n };
    return 0;
}

static void take_norm(struct norm *norm, const double *v, const struct touched *touched)
{
    if (touched->index)
        norm_take_changes(norm, v, touched->index, touched->n);
    else
        norm_take(norm, v, touched->n);
}

static int too_large(struct fault *fault)
{
    return fault_data(fault, "the gradient's square is too large for a double: scale the features");
}

/* ---- steps of a given size, or of that by the gradients so far ---- */

static int descend(struct descent *my, struct state *state, const struct touched *touched,
                   struct fault *fault)
{
    double *w = state->w, *z = my->gradient.at;
    double eta = state->settings.value[SETTING_ETA], squares = 0;
    if (my->adapts) {
        take_norm(&my->slope, z, touched);
        squares = my->wealth[0] + norm_square(&my->slope);
        eta = squares > 0 ? my->ball.radius * sqrt(2 / squares) : 0;
    }
    if (squares > DBL_MAX)
        return too_large(fault);
    eta /= my->ball.scale;
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        z[j] = w[j] - eta * z[j];
        if (!isfinite(z[j]))
            return learner_diverges(state, j, z[j], fault);
    }
    state->begun = true;
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        w[j] = z[j];
        z[j] = 0;
    }
    if (my->adapts) {
        my->wealth[0] = squares;
        norm_clear(&my->slope, touched->index, touched->n);
    }

    /* If all weights must come back into the ball, all of w changes. */
    if (my->ball.radius <= 0 ||
        (touched->index ? ball_step_changes(&my->ball, state->w, touched->index, touched->n)
                        : ball_step(&my->ball, state->w, touched->n)))
        return 0;
    if (learner_check(state, fault) < 0) return -1;
    ball_gather(&my->ball, state->w);
    state->changed.known = false;
    return 0;
}

/* ---- adaptive steps ---- */

/* w is theta. A gradient whose square is 0 as a double counts as 0. */
static int bet_on_length(struct descent *my, struct state *state, const struct touched *touched,
                         double product, struct fault *fault)
{
    double *z = my->gradient.at, k = 0;
    struct bets bets = get_bets(my->wealth, 1);
    take_norm(&my->slope, z, touched);
    double square = norm_square(&my->slope);
    if (square > 0)
        k = bets_take(&bets, my->capital, sqrt(square), product);
    if (!(square <= DBL_MAX && bets.squares <= DBL_MAX))
        return too_large(fault);
    state->begun = true;
    put_bets(&bets, my->wealth, 1);
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        if (k > 0)
            state->w[j] -= k * z[j];
        z[j] = 0;
    }
    norm_clear(&my->slope, touched->index, touched->n);
    take_norm(&my->length, state->w, touched);
    my->ball.scale = scale_of_bet(my);
    if (norm_square(&my->length) <= DBL_MAX && my->ball.scale > 0 && my->ball.scale <= DBL_MAX)
        return 0;
    return learner_check(state, fault) < 0 ? -1 : too_large(fault);
}

/* my->wealth[4][dim]: L, V and W of each weight, and theta. */
static int bet_on_each(struct descent *my, struct state *state, const struct touched *touched,
                       struct fault *fault)
{
    size_t dim = state->dim;
    bool finite = true;
    double *z = my->gradient.at, *theta = my->wealth + BETS_NUMBERS * dim;
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        finite &= z[j] * z[j] + my->wealth[dim + j] <= DBL_MAX; /* V as it will be */
    }
    if (!finite)
        return too_large(fault);
    state->begun = true;
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        struct bets bets = get_bets(my->wealth + j, dim);
        if (z[j] * z[j] > 0) {
            theta[j] -= z[j] * bets_take(&bets, my->capital, fabs(z[j]), z[j] * state->w[j]);
            put_bets(&bets, my->wealth + j, dim);
            state->w[j] = weight_of_bet(my, dim, j);
        }
        z[j] = 0;
        finite &= bets.squares <= DBL_MAX && fabs(state->w[j]) <= DBL_MAX;
    }
    return finite ? 0 : learner_check(state, fault) < 0 ? -1 : too_large(fault);
}

/* ---- a round's step ---- */

int descent_step(struct descent *descent, struct state *state, const struct matrix *x,
                 const double *s, const double *g, struct fault *fault)
{
    struct touched touched;
    double product = 0, first = learner_first(state->learner, &state->origin);
    double *z = descent->gradient.at;
    matrix_transposed_times(x, g, z);
    if (find_touched(descent, state, x, g, &touched, fault) < 0) return -1;
    for (size_t i = 0; descent->bets && i < x->docs; i++)
        product += g[i] * s[i];
    if (first != 0) /* s is Xw and more, but bets are on w */
        product -= first * z[0];
    int result = !descent->bets            ? descend(descent, state, &touched, fault)
                 : bets_on_length(descent) ? bet_on_length(descent, state, &touched, product, fault)
                                           : bet_on_each(descent, state, &touched, fault);
    state->scale = descent->ball.scale;
    return result;
}

int descent_move(struct descent *descent, struct state *state, const double *u, size_t width,
                 struct fault *fault)
{
    const struct touched touched = { NULL, width };
    double *z = descent->gradient.at;
    for (size_t j = 0; j < width; j++)
        z[j] = -u[j];
    state->changed.known = false;
    int result = descend(descent, state, &touched, fault);
    state->scale = descent->ball.scale;
    return result;
}
