/* PRank: a weight vector and a threshold for each step between grades, moved by each document whose
 * level is not its grade. Documents come in random order, as line order may follow relevance. */

#include <math.h>

#include "explore/feedback.h"
#include "learn/learner_step.h"
#include "math/rng.h"

/* The first r with w.x below b_{r+1}, else n. */
static double level(double wx, const double *b, size_t n)
{
    size_t r = 0;
    while (r < n && wx >= b[r])
        r++;
    return (double)r;
}

static int check_grade(double R, size_t n, struct fault *fault)
{
    if (R == floor(R) && R <= (double)n)
        return 0;
    return fault_data(fault, "relevance %g is not a whole number from 0 to %zu, which prank needs: "
                      "set the top grade with -a prank,grades=N", R, n);
}

/* Each threshold on the wrong side of w.x moves by 1, and w as often. */
static void correct(struct state *state, const struct row *x, double R, size_t n)
{
    double *b = state->arrays.at[0], wx = matrix_row_times(x, state->w), sum = 0;
    if (level(wx, b, n) == R)
        return;
    for (size_t r = 0; r < n; r++) {
        double y = R >= (double)(r + 1) ? 1 : -1;
        double tau = y * (wx - b[r]) <= 0 ? y : 0;
        b[r] -= tau;
        sum += tau;
    }
    matrix_row_add(x, sum, state->w);
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct feedback feedback;
    size_t width = matrix_width(x), n = (size_t)state->settings.value[SETTING_TOP_GRADE];
    (void)own;
    double *val = buffer_for(&state->scratch, width, sizeof(double) + sizeof(uint32_t), fault);
    if (!val || learner_feedback(state, round, &feedback, fault) < 0 ||
        !learner_score(state, x, fault))
        return -1;

    uint32_t *order = buffer_for(&state->pairs, feedback.docs, sizeof *order, fault);
    struct rng rng = rng_at((uint64_t)state->settings.value[SETTING_SEED], RNG_PAIRS, round->t);
    bool in_order = state->settings.set[SETTING_IN_ORDER];
    for (size_t a = 0; order && in_order && a < feedback.docs; a++)
        order[a] = (uint32_t)a;
    if (order && !in_order)
        rng_permutation(&rng, order, feedback.docs);

    for (size_t a = 0; order && a < feedback.docs; a++)
        if (check_grade(feedback.relevance[a], n, fault) < 0) return -1;
    state->begun = order != NULL;
    for (size_t h = 0; order && h < feedback.docs; h++) {
        size_t a = order[h];
        struct row row = matrix_row(x, feedback.doc[a], val, (uint32_t *)(val + width));
        correct(state, &row, feedback.relevance[a], n);
    }
    return order ? learner_check(state, fault) : -1;
}

static int rank(void *own, const struct ranking *ranking, struct fault *fault)
{
    const struct scored *my = own;
    (void)fault;
    for (size_t i = 0; i < ranking->x->docs; i++)
        ranking->s[i] = level(ranking->s[i], my->array, my->n);
    return 0;
}

const struct learner learn_prank = {
    .name = "prank", .letters = "Los", .least = 1, .learn = learn,
    .seen = "-k all",
    .arrays = { { "threshold", ARRAY_NUMBERS, SETTING_TOP_GRADE, 0 } },
    .preset = { [SETTING_TOP_GRADE] = 4, [SETTING_SEED] = 1 },
    .publish = scored_publish,
    .scoring = sizeof(struct scored), .take = scored_take, .rank = rank, .by = BY_MORE,
    .leave = scored_leave,
};
