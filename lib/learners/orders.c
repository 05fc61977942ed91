/* TopRank (Lattimore, Kveton, Li & Szepesvari 2018, "TopRank: A Practical Algorithm for Online
 * Stochastic Ranking", Algorithm 1) and BubbleRank (Li, Kveton, Lattimore, Markov, de Rijke,
 * Szepesvari & Zoghi 2019, "BubbleRank: Safe Online Learning to Re-Rank via Implicit Click
 * Feedback", Algorithm 1).
 *
 * Both shuffle items with equal scores, which explore does, and count for two items that were
 * shuffled with each other how often only the one or only the other was clicked on. With W_ij and
 * W_ji these counts, the papers' S_ij is W_ij - W_ji and their N_ij is W_ij + W_ji. */

#include <math.h>

#include "explore/feedback.h"
#include "learn/learner_step.h"
#include "learners/fixed_list.h"
#include "math/real.h"

/* WINS[m][m] is W; its diagonal is not used. BETTER[m][m] of toprank: is i known to be better than
 * j? BASE[m] of bubblerank: the item at each position of its list. */
enum { WINS, ITEMS, BETTER, BASE = BETTER };

static int begin_round(struct state *state, const struct matrix *x,
                       const struct round *round, struct fault *fault)
{
    const char *name = state->learner->name;
    if (fixed_list_check(state, x, *state->arrays.at[ITEMS], fault) < 0 ||
        feedback_clicks(round, name, state->learner->least, fault) < 0)
        return -1;
    if (round->docs != state->dim)
        return fault_data(fault, "docs=%zu, but the model has %zu weights: %s learns one fixed "
                          "list", round->docs, state->dim, name);
    if (!round->score)
        return fault_data(fault, "no column score, which %s needs to find the items with equal "
                          "scores: put score before explore", name);
    fixed_list_begin(state, x, state->arrays.at[ITEMS]);
    return 0;
}

/* ---- toprank ---- */

/* S_ij >= sqrt(2 N_ij log(c sqrt(N_ij) / delta)), c = 4 sqrt(2 / pi) / erf(sqrt(2)) */
static bool beats(const struct state *state, size_t i, size_t j)
{
    static const double c = 3.3436764018810767;
    double delta = state->settings.value[SETTING_DELTA];
    size_t m = state->dim;
    double won = state->arrays.at[WINS][i * m + j], lost = state->arrays.at[WINS][j * m + i];
    double N = won + lost;
    return N > 0 && won > lost &&
           (won - lost) * (won - lost) >= 2 * N * real_log(c * sqrt(N) / delta);
}

/* Item i beat each item that was shuffled with it and not clicked on; its wins alone rise, so no
 * other item can have become better. Is more known than before? */
static bool count_click(struct state *state, const struct round *round, const bool *clicked,
                        size_t i)
{
    size_t m = state->dim;
    bool more = false;
    for (size_t j = 0; j < m; j++) {
        if (clicked[j] || round->score[j] != round->score[i])
            continue;
        state->arrays.at[WINS][i * m + j]++;
        double *better = &state->arrays.at[BETTER][i * m + j];
        if (*better == 0 && beats(state, i, j)) {
            *better = 1;
            more = true;
        }
    }
    return more;
}

/* Is an item that is not placed yet better than item i? */
static bool is_below(const struct state *state, const bool *placed, size_t i)
{
    size_t m = state->dim;
    for (size_t j = 0; j < m; j++)
        if (j != i && !placed[j] && state->arrays.at[BETTER][j * m + i] == 1)
            return true;
    return false;
}

/* w = minus the number of the block, from 0. The items that none of the rest is better than are
 * the next block. Where each is below another, which takes an error, it is all of the rest. */
static void part_into_blocks(struct state *state, bool *placed, bool *next)
{
    size_t m = state->dim, left = m;
    for (size_t i = 0; i < m; i++)
        placed[i] = false;
    for (double block = 0; left > 0; block++) {
        size_t found = 0;
        for (size_t i = 0; i < m; i++)
            found += next[i] = !placed[i] && !is_below(state, placed, i);
        for (size_t i = 0; i < m; i++) {
            if (placed[i] || (found > 0 && !next[i]))
                continue;
            placed[i] = true;
            state->w[i] = block > 0 ? -block : 0;
            left--;
        }
    }
}

static int learn_blocks(void *own, struct state *state, const struct matrix *x,
                        const struct round *round, struct fault *fault)
{
    size_t m = round->docs;
    bool more = false;
    bool *clicked = buffer_for(&state->scratch, m, 3 * sizeof *clicked, fault);
    (void)own;
    if (!clicked || begin_round(state, x, round, fault) < 0)
        return -1;
    for (size_t i = 0; i < m; i++)
        clicked[i] = false;
    for (size_t a = 0; a < round->places; a++)
        clicked[round->order[a]] = round->seen[a] > 0;
    for (size_t i = 0; i < m; i++)
        more |= clicked[i] && count_click(state, round, clicked, i);
    if (more)
        part_into_blocks(state, clicked + m, clicked + 2 * m);
    return 0;
}

const struct learner learn_toprank = {
    .name = "toprank", .letters = "D", .least = 1, .learn = learn_blocks,
    .arrays = { [WINS] = { "wins", ARRAY_SQUARE, SETTINGS, 0 },
                [ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 },
                [BETTER] = { "better", ARRAY_SQUARE, SETTINGS, 0 } },
    .preset = { [SETTING_DELTA] = 1e-6 },
    .most = 4096,
};

/* ---- bubblerank ---- */

/* s(i, j) > 2 sqrt(n(i, j) log(1 / delta)) */
static bool stands_above(const struct state *state, size_t i, size_t j)
{
    double delta = state->settings.value[SETTING_DELTA];
    size_t m = state->dim;
    double won = state->arrays.at[WINS][i * m + j], lost = state->arrays.at[WINS][j * m + i];
    return won > lost && (won - lost) * (won - lost) > 4 * (won + lost) * -real_log(delta);
}

/* The first position of the pairs of round t: 0 or 1. */
static size_t first_pair(uint64_t t)
{
    return t % 2;
}

/* The own state of bubblerank is the buffer of these weights.
 *
 * The positions from the bottom; the two items of a pair of the next round score the same unless
 * the upper one is known to be better. */
static const double *pair_up(void *own, struct state *state, struct fault *fault)
{
    const double *base = state->arrays.at[BASE];
    size_t m = state->dim;
    double *drawn = buffer_for(own, m, sizeof *drawn, fault);
    if (!drawn)
        return NULL;
    for (size_t j = 0; j < m; j++)
        drawn[j] = state->w[j];
    if (*state->arrays.at[ITEMS] == 0)
        return drawn;
    for (size_t a = first_pair(state->rounds + 1); a + 1 < m; a += 2) {
        size_t i = (size_t)base[a], j = (size_t)base[a + 1];
        if (!stands_above(state, i, j))
            drawn[j] = drawn[i];
    }
    return drawn;
}

/* Where two neighbours' clicks differ, one of them won. */
static void compare(struct state *state, const struct round *round, size_t a)
{
    size_t m = state->dim, i = round->order[a], j = round->order[a + 1];
    if (round->seen[a] > round->seen[a + 1])
        state->arrays.at[WINS][i * m + j]++;
    if (round->seen[a] < round->seen[a + 1])
        state->arrays.at[WINS][j * m + i]++;
}

static bool tied(const struct round *round, size_t a)
{
    return a + 1 < round->docs &&
           round->score[round->order[a]] == round->score[round->order[a + 1]];
}

/* The pairs of the round: those that were shuffled, and of the others those at the round's
 * positions. In a ring that is late, scores are of an earlier round, whose pairs are known by their
 * equal scores alone. Before the list is known, all scores are equal, and there are no pairs. */
static void compare_pairs(struct state *state, const struct round *round)
{
    for (size_t a = 0; a + 1 < round->places; a++) {
        bool own = tied(round, a), among = (a > 0 && tied(round, a - 1)) || tied(round, a + 1);
        if (!among && (own || a % 2 == first_pair(state->rounds + 1)))
            compare(state, round, a);
    }
}

/* One pass of bubble sort by what is known. */
static void sort_base(struct state *state)
{
    double *base = state->arrays.at[BASE];
    for (size_t a = 0; a + 1 < state->dim; a++) {
        double upper = base[a];
        if (!stands_above(state, (size_t)base[a + 1], (size_t)upper))
            continue;
        base[a] = base[a + 1];
        base[a + 1] = upper;
    }
    for (size_t a = 0; a < state->dim; a++)
        state->w[(size_t)base[a]] = (double)(state->dim - 1 - a);
}

/* The base list of a model must hold each item once. */
static int check_base(void *own, struct state *state, const struct model *model,
                      struct fault *fault)
{
    size_t m = state->dim;
    const double *base = state->arrays.at[BASE];
    bool *listed = buffer_for(&state->scratch, m, sizeof *listed, fault);
    (void)own, (void)model;
    if (!listed)
        return -1;
    for (size_t i = 0; i < m; i++)
        listed[i] = false;
    for (size_t a = 0; *state->arrays.at[ITEMS] > 0 && a < m; a++) {
        if (!(base[a] >= 0 && base[a] < (double)m && base[a] == floor(base[a])) ||
            listed[(size_t)base[a]])
            return fault_data(fault, "model: base[%zu] is %g, which is not an item, or an item "
                              "listed twice", a, base[a]);
        listed[(size_t)base[a]] = true;
    }
    return 0;
}

static int learn_list(void *own, struct state *state, const struct matrix *x,
                      const struct round *round, struct fault *fault)
{
    bool anew = *state->arrays.at[ITEMS] == 0;
    (void)own;
    if (begin_round(state, x, round, fault) < 0)
        return -1;
    for (size_t a = 0; anew && a < state->dim; a++)
        state->arrays.at[BASE][a] = (double)a;
    compare_pairs(state, round);
    sort_base(state);
    return 0;
}

const struct learner learn_bubblerank = {
    .name = "bubblerank", .letters = "D", .least = 2, .learn = learn_list,
    .arrays = { [WINS] = { "wins", ARRAY_SQUARE, SETTINGS, 0 },
                [ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 },
                [BASE] = { "base", ARRAY_VECTORS, SETTINGS, 0 } },
    .preset = { [SETTING_DELTA] = 1e-6 },
    .most = 4096,
    .learning = sizeof(struct buffer), .weights = pair_up, .load = check_base,
    .close = learner_close_buffer,
};
