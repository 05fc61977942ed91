#include "learn/learner_round.h"

#include <inttypes.h>
#include <string.h>

/* A copy of CHEAP numbers is made in any case; a round of LONG steps may take a second. */
enum { CHEAP = 1024, SHARE = 16 };
#define LONG 0x1p27

static size_t array_numbers(const struct state *state, size_t i, size_t dim)
{
    struct extent e = learner_extent(state, learner_array(state, i), dim);
    return e.rows * e.columns;
}

static size_t all_numbers(const struct state *state)
{
    size_t numbers = 0;
    for (size_t i = 0; learner_array(state, i); i++)
        numbers += array_numbers(state, i, state->dim);
    return numbers;
}

/* Learners whose arrays are as long as w may change w where the round has no features. */
static bool needs_whole(const struct state *state)
{
    const struct state_array *array;
    for (size_t i = 0; (array = learner_array(state, i)); i++)
        if (array->shape != ARRAY_COUNT && array->shape != ARRAY_NUMBERS)
            return true;
    return false;
}

/* Copies the weights of a sparse round's features to or from `copied`, in the order in which the
 * documents have them. A weight that comes twice has the same copy twice. Returns the end. */
static double *copy_touched(struct state *state, const struct matrix *x, double *copied, bool back)
{
    for (size_t i = 0; i < x->docs; i++) {
        struct sparse_row row = matrix_sparse_row(x, i);
        for (size_t e = 0; e < row.n; e++, copied++) {
            double *w = &state->w[sparse_row_index(&row, e)];
            *(back ? w : copied) = *(back ? copied : w);
        }
    }
    return copied;
}

static double *copy_numbers(double *numbers, size_t n, double *copied, bool back)
{
    if (n)
        memcpy(back ? numbers : copied, back ? copied : numbers, n * sizeof *copied);
    return copied + n;
}

/* Copies the weights and arrays to or from state->undo. */
static void copy_state(struct state *state, const struct matrix *x, bool back)
{
    const struct undo *undo = &state->undo;
    double *at = undo->copied.at;
    if (undo->whole || x->form == MATRIX_DENSE)
        at = copy_numbers(state->w, undo->whole ? state->dim : x->dim, at, back);
    else
        at = copy_touched(state, x, at, back);
    for (size_t i = 0; learner_array(state, i); i++)
        at = copy_numbers(state->arrays[i], array_numbers(state, i, state->dim), at, back);
}

/* Before the state grows to the features of a round: nothing is copied yet. */
static void undo_start(struct state *state)
{
    state->undo.kept = state->begun = false;
    state->undo.dim = state->dim;
    state->undo.scale = state->ball.scale;
}

/* Copies what a round of features x may change, if that is cheap or needed: a round of the wrong
 * number of features is refused when it was learnt. 0 or a fault. */
static int undo_keep(struct state *state, const struct matrix *x, const struct round *round,
                     struct fault *fault)
{
    struct undo *undo = &state->undo;
    size_t arrays = all_numbers(state), entries = matrix_entries(x);
    size_t places = round->seen ? round->places : round->docs;
    double work = (double)entries + (double)places * (double)arrays;
    undo->whole = state->dim <= entries || needs_whole(state); /* then it is the faster copy */
    size_t weights = undo->whole ? state->dim : x->form == MATRIX_DENSE ? x->dim : entries;
    double cost = (double)weights + (double)arrays;
    if (cost > CHEAP + (double)entries && cost * SHARE > work && work < LONG &&
        origin_check_width(&state->origin, x, state->allowed, &(struct fault){ .text = "" }) == 0)
        return 0;
    if (weights > SIZE_MAX - arrays)
        return fault_memory(fault, SIZE_MAX);
    if (!buffer_for(&undo->copied, weights + arrays, sizeof(double), fault))
        return -1;
    copy_state(state, x, false);
    undo->kept = true;
    return 0;
}

/* The inverse of growing: the rows of each array move together. */
static void shrink(struct state *state, size_t dim)
{
    for (size_t i = 0; dim < state->dim && learner_array(state, i); i++) {
        struct extent from = learner_extent(state, learner_array(state, i), state->dim);
        struct extent to = learner_extent(state, learner_array(state, i), dim);
        for (size_t r = 1; r < to.rows && to.columns; r++)
            memmove(state->arrays[i] + r * to.columns, state->arrays[i] + r * from.columns,
                    to.columns * sizeof(double));
    }
    state->dim = dim;
}

/* After a fault: makes the state what it was, or says that it is spoiled. */
static void undo_round(struct state *state, const struct matrix *x)
{
    state->spoiled = state->begun && !state->undo.kept;
    if (state->spoiled)
        return;
    if (state->undo.kept)
        copy_state(state, x, true);
    state->ball.scale = state->undo.scale;
    if (state->undo.kept && state->learner->undo)
        state->learner->undo(state);
    shrink(state, state->undo.dim);
}

/* Learns from a round of features x, whose weights the state has. */
static int learn_reached(struct state *state, const struct matrix *x, const struct round *round,
                         struct fault *fault)
{
    const struct watch *watch = state->work.watch;
    state->live = round->live ? round->score : NULL;
    state->changes_known = false;
    if (!state->undo.kept) /* it is not long, and cannot be undone */
        state->work.watch = NULL;
    int result = state->learner->learn(state, x, round, fault);
    state->work.watch = watch;
    if (result == 0 && state->work.stopped)
        result = fault_stopped(fault);
    if (result == 0)
        result = origin_check_width(&state->origin, x, state->allowed, fault);
    if (result == 0)
        state->rounds++;
    return result;
}

int learner_learn(struct state *state, const struct round *round, struct fault *fault)
{
    struct matrix came, x;
    if (state->rounds == RECORD_MOST - 1)
        return fault_data(fault, "the model has learnt %" PRIu64 " rounds, the most that it can "
                          "count", state->rounds);
    if (round_features(round, &came, fault) < 0 ||
        origin_features(&state->origin, round, &came, &x, fault) < 0)
        return -1;
    undo_start(state);
    int result = learner_reach(state, matrix_width(&x), fault);
    if (result == 0)
        result = undo_keep(state, &x, round, fault);
    if (result == 0)
        result = learn_reached(state, &x, round, fault);
    if (result < 0)
        undo_round(state, &x);
    else
        origin_count(&state->origin, &x, state->dim);
    return result;
}
