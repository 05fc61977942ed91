#include "learn/adaptive.h"

#include <float.h>
#include <math.h>

/* The numbers of the gradient that may differ from 0: those of index[n], or the first n. */
struct touched {
    const uint32_t *index;
    size_t n;
};

static size_t touched_number(const struct touched *touched, size_t e)
{
    return touched->index ? touched->index[e] : e;
}

/* The numbers of z that differ from 0, in the order in which documents with g != 0 have them. Each
 * is taken off z when it is found, so that it is found once, and put back at the end. */
static size_t list_changes(const struct matrix *x, const double *g, double *z, uint32_t *index,
                           double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < x->docs; i++) {
        struct sparse_row row = matrix_sparse_row(x, i);
        for (size_t e = 0; g[i] != 0 && e < row.n; e++) {
            size_t j = sparse_row_index(&row, e);
            if (z[j] == 0)
                continue;
            value[n] = z[j];
            z[j] = 0;
            index[n++] = (uint32_t)j;
        }
    }
    for (size_t e = 0; e < n; e++)
        z[index[e]] = value[e];
    return n;
}

static int find_touched(struct state *state, const struct matrix *x, const double *g,
                        struct touched *touched, struct fault *fault)
{
    state->changes_known = x->form != MATRIX_DENSE;
    *touched = (struct touched){ NULL, x->dim };
    if (x->form == MATRIX_DENSE)
        return 0;
    size_t most = matrix_entries(x) < state->dim ? matrix_entries(x) : state->dim;
    uint32_t *index = buffer_for(&state->changed, most, sizeof *index, fault);
    double *value = buffer_for(&state->spare, most, sizeof *value, fault);
    if (!index || !value)
        return -1;
    state->n_changed = list_changes(x, g, state->gradient.at, index, value);
    *touched = (struct touched){ index, state->n_changed };
    return 0;
}

static void take_norm(struct norm *norm, const double *v, const struct touched *touched)
{
    if (touched->index)
        norm_take_changes(norm, v, touched->index, touched->n);
    else
        norm_take(norm, v, touched->n);
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

double adaptive_scale(const struct state *state)
{
    const struct bets bets = get_bets(state->extra, 1);
    return bets_factor(&bets, sqrt(norm_square(&state->length)));
}

double adaptive_weight(const struct state *state, size_t j)
{
    const struct bets bets = get_bets(state->extra + j, state->dim);
    double theta = state->extra[BETS_NUMBERS * state->dim + j];
    return bets_factor(&bets, fabs(theta)) * theta;
}

/* w is theta. A gradient whose square is 0 as a double is none. */
static bool bet_on_length(struct state *state, const struct touched *touched, double product)
{
    double *z = state->gradient.at, square, k = 0;
    struct bets bets = get_bets(state->extra, 1);
    take_norm(&state->slope, z, touched);
    square = norm_square(&state->slope);
    if (square > 0)
        k = bets_take(&bets, state->capital, sqrt(square), product);
    put_bets(&bets, state->extra, 1);
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        if (k > 0)
            state->w[j] -= k * z[j];
        z[j] = 0;
    }
    take_norm(&state->slope, z, touched);
    take_norm(&state->length, state->w, touched);
    state->ball.scale = adaptive_scale(state);
    return square <= DBL_MAX && bets.squares <= DBL_MAX &&
           norm_square(&state->length) <= DBL_MAX && state->ball.scale > 0 &&
           state->ball.scale <= DBL_MAX;
}

/* state->extra[4][dim]: L, V and W of each weight, and theta. */
static bool bet_on_each(struct state *state, const struct touched *touched)
{
    bool finite = true;
    double *z = state->gradient.at, *theta = state->extra + BETS_NUMBERS * state->dim;
    for (size_t e = 0; e < touched->n; e++) {
        size_t j = touched_number(touched, e);
        struct bets bets = get_bets(state->extra + j, state->dim);
        if (z[j] * z[j] > 0) {
            theta[j] -= z[j] * bets_take(&bets, state->capital, fabs(z[j]), z[j] * state->w[j]);
            put_bets(&bets, state->extra + j, state->dim);
            state->w[j] = adaptive_weight(state, j);
        }
        z[j] = 0;
        finite &= bets.squares <= DBL_MAX && fabs(state->w[j]) <= DBL_MAX;
    }
    return finite;
}

int adaptive_step(struct state *state, const struct matrix *x, const double *s, const double *g,
                  bool *finite, struct fault *fault)
{
    struct touched touched;
    double product = 0;
    if (find_touched(state, x, g, &touched, fault) < 0)
        return -1;
    for (size_t i = 0; i < x->docs; i++)
        product += g[i] * s[i];
    *finite = state->learner->bets == BETS_EACH ? bet_on_each(state, &touched)
                                                : bet_on_length(state, &touched, product);
    return 0;
}

void adaptive_centre(size_t docs, double *s)
{
    double mean = 0;
    for (size_t i = 0; i < docs; i++)
        mean += s[i] / (double)docs;
    for (size_t i = 0; i < docs; i++)
        s[i] -= mean;
}
