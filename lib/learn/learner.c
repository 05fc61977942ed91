#include "learn/learner.h"

#include <string.h>

#include "learn/residuals.h"
#include "math/udu.h"

/* The preset of learners whose models grow with the square of their features. */
enum { SQUARE_MOST = 4096 };

static bool takes(const struct learner *learner, char letter)
{
    return strchr(learner->letters, letter) != NULL;
}

/* The step size: given as itself or by a horizon, not by both; with neither steps are adaptive. */
static int settle_eta(struct state *state, struct fault *fault)
{
    struct settings *s = &state->settings;
    if (s->set[SETTING_ETA] && s->set[SETTING_HORIZON])
        return fault_usage(fault, "eta and horizon both set the step size: give one of them");
    if (s->set[SETTING_HORIZON]) {
        s->value[SETTING_ETA] = state->learner->eta(s->value[SETTING_HORIZON]);
        s->set[SETTING_ETA] = true;
    }
    state->adaptive = state->learner->bets != BETS_NONE && !s->set[SETTING_ETA];
    state->capital = state->learner->capital;
    if (s->set[SETTING_EPSILON])
        state->capital *= s->value[SETTING_EPSILON];
    if (state->adaptive && s->set[SETTING_RADIUS])
        return fault_usage(fault, "radius needs a step size, and %s was given none: give eta, or "
                           "omit radius", state->learner->name);
    return 0;
}

int learner_start(struct state *state, const struct learner *learner,
                  const struct settings *settings, size_t most, struct fault *fault)
{
    state->learner = learner;
    state->settings = *settings;
    state->allowed = most;
    state->most = most ? most : learner->most ? learner->most : LEARNER_MOST;
    for (size_t i = 0; i < SETTINGS; i++) {
        if (settings->set[i] && !takes(learner, settings_known[i].letter))
            return fault_usage(fault, "%s has no setting %s (-%c): update -h %s lists them",
                               learner->name, settings_known[i].name, settings_known[i].letter,
                               learner->name);
        if (!settings->set[i] && learner->preset[i] != 0) {
            state->settings.set[i] = true;
            state->settings.value[i] = learner->preset[i];
        }
    }
    if (settle_eta(state, fault) < 0)
        return -1;
    ball_start(&state->ball, state->settings.value[SETTING_RADIUS]);
    return learner_reach(state, 0, fault);
}

int learner_make(struct state *state, const char *list, struct fault *fault)
{
    const char *steps = list ? list : state->learner->made;
    if (!steps || strcmp(steps, LEARNER_NO_STEPS) == 0)
        return 0;
    return origin_apply(&state->origin, steps, list != NULL, fault);
}

void learner_close(struct state *state)
{
    origin_close(&state->origin);
    ball_close(&state->ball);
    norm_close(&state->length);
    norm_close(&state->slope);
    regression_close(&state->regression);
    memory_table_close(&state->memory);
    buffer_free(&state->undo.copied);
    buffer_free(&state->keys);
    buffer_free(&state->saved);
    buffer_free(&state->drawn);
    buffer_free(&state->weights);
    buffer_free(&state->gradient);
    buffer_free(&state->changed);
    buffer_free(&state->spare);
    buffer_free(&state->scores);
    buffer_free(&state->scratch);
    buffer_free(&state->places);
    buffer_free(&state->pairs);
    for (size_t i = 0; i < ARRAYS_KEPT; i++)
        buffer_free(&state->array_buffers[i]);
}

const struct state_array *learner_array(const struct state *state, size_t i)
{
    static const struct state_array length = { "bets", ARRAY_NUMBERS, SETTINGS, BETS_NUMBERS };
    static const struct state_array each = { "bets", ARRAY_BETS_EACH, SETTINGS, 0 };
    static const struct state_array residuals = { RESIDUALS_COLUMN, ARRAY_NUMBERS, SETTINGS,
                                                  RESIDUALS };
    const struct state_array *own = state->learner->arrays;
    size_t n = 0;
    if (i < ARRAYS_MOST && own[i].name)
        return &own[i];
    while (n < ARRAYS_MOST && own[n].name)
        n++;
    if (i == n && learner_measures(state))
        return &residuals;
    if (i > n || !state->adaptive)
        return NULL;
    return state->learner->bets == BETS_EACH ? &each : &length;
}

bool learner_measures(const struct state *state)
{
    return state->learner->measures && !state->settings.set[SETTING_EXPLORATION_WIDTH];
}

bool learner_scaled(const struct state *state)
{
    return state->ball.radius > 0 || (state->adaptive && state->learner->bets == BETS_LENGTH);
}

/* The rows of an ARRAY_UDU. */
static size_t udu_rows(const struct state *state, const struct state_array *array, size_t dim)
{
    const struct settings *s = &state->settings;
    bool constant = array->shape == ARRAY_UDU_CONSTANT && memory_has_constant(s);
    size_t rows = regression_rows(dim, s->set[array->n]);
    return constant && rows < SIZE_MAX ? rows + 1 : rows;
}

struct extent learner_extent(const struct state *state, const struct state_array *array,
                             size_t dim)
{
    size_t plain = array->numbers ? array->numbers : 1;
    size_t n = array->n == SETTINGS ? plain : (size_t)state->settings.value[array->n];
    if (array->shape == ARRAY_COUNT)
        return (struct extent){ 1, 1 };
    if (array->shape == ARRAY_NUMBERS)
        return (struct extent){ 1, n };
    if (array->shape == ARRAY_BETS_EACH)
        return (struct extent){ BETS_NUMBERS + 1, dim };
    if (array->shape == ARRAY_UDU || array->shape == ARRAY_UDU_CONSTANT)
        return (struct extent){ 1, udu_size(udu_rows(state, array, dim)) };
    if (array->shape == ARRAY_TWO_VECTORS)
        return (struct extent){ 2 * n, dim };
    return (struct extent){ array->shape == ARRAY_SQUARE ? dim : n, dim };
}

/* An array from one extent to another that is no smaller, its rows moved apart, last first. */
static double *grow(struct buffer *buffer, struct extent from, struct extent to,
                    struct fault *fault)
{
    if (to.columns && to.rows > SIZE_MAX / sizeof(double) / to.columns) {
        fault_memory(fault, SIZE_MAX);
        return NULL;
    }
    double *array = buffer_for(buffer, to.rows * to.columns, sizeof *array, fault);
    if (!array)
        return NULL;
    for (size_t r = to.rows; r-- > 0;) {
        size_t here = r < from.rows ? from.columns : 0;
        if (r > 0)
            memmove(array + r * to.columns, array + r * from.columns, here * sizeof *array);
        memset(array + r * to.columns + here, 0, (to.columns - here) * sizeof *array);
    }
    return array;
}

/* Ones on the diagonal of the new columns of an ARRAY_UDU. */
static void set_diagonal(double *array, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        array[udu_size(i + 1) - 1] = 1;
}

static int reach_arrays(struct state *state, size_t width, struct fault *fault)
{
    const struct state_array *kept;
    for (size_t i = 0; (kept = learner_array(state, i)); i++) {
        struct extent from = learner_extent(state, kept, state->dim);
        if (!state->arrays[i])
            from.rows = from.columns = 0;
        double *array =
            grow(&state->array_buffers[i], from, learner_extent(state, kept, width), fault);
        if (!array)
            return -1;
        state->arrays[i] = state->extra = array; /* the last one is the extra */
        for (size_t j = from.rows; kept->shape == ARRAY_SQUARE && j < width; j++)
            array[j * width + j] = 1;
        if (kept->shape == ARRAY_UDU || kept->shape == ARRAY_UDU_CONSTANT)
            set_diagonal(array, from.columns ? udu_rows(state, kept, state->dim) : 0,
                   udu_rows(state, kept, width));
    }
    return 0;
}

int learner_reach(struct state *state, size_t width, struct fault *fault)
{
    if (width <= state->dim && state->w)
        return 0;
    if (width > state->most && state->learner->most == SQUARE_MOST)
        return fault_data(fault, "it has %zu features, more than the %zu weights that the model "
                          "may have: use squared or kl, or add -d %zu if there is memory for its "
                          "square",
                          width, state->most, width);
    if (width > state->most)
        return fault_data(fault,
                          "it has %zu features, more than the %zu weights that the model may "
                          "have: add -d %zu if that is meant",
                          width, state->most, width);
    struct extent from = { 1, state->dim }, to = { 1, width };
    state->begun = true;
    double *w = grow(&state->weights, from, to, fault);
    double *z = grow(&state->gradient, from, to, fault);
    bool length = state->adaptive && learner_scaled(state);
    if (!w || !z || ball_reach(&state->ball, width, fault) < 0 ||
        (length && (norm_reach(&state->length, width, fault) < 0 ||
                    norm_reach(&state->slope, width, fault) < 0)) ||
        reach_arrays(state, width, fault) < 0)
        return -1;
    state->w = w;
    state->dim = width;
    state->begun = false;
    return 0;
}
