/* Learners of one fixed list of items, without features: ftpl and exp3m from labels, toprank from
 * clicks.
 *
 * ftpl follows the perturbed leader (Chaudhuri & Tewari 2015, Algorithm 1 and Lemma 8, with k items
 * on top instead of one). w is the sum of each item's gains: over every round where all labels were
 * seen, or over one round a block where only the top was. explore adds the perturbation.
 *
 * exp3m is Exp3.M (Uchiya, Nakamura & Kudo 2010) for the sum of the gains of the n items on top, of
 * which the first k are seen. explore draws them, by the scores -eta L of estimated losses L.
 *
 * toprank is TopRank (Lattimore, Kveton, Li & Szepesvari 2018, "TopRank: A Practical Algorithm for
 * Online Stochastic Ranking", Algorithm 1). explore shuffles items with equal scores. Of two items
 * that were shuffled with each other it counts how often only the one or only the other was clicked
 * on. With W_ij and W_ji these counts, the paper's S_ij is W_ij - W_ji and its N_ij W_ij + W_ji. */

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explore/feedback.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "math/order.h"
#include "math/real.h"

/* 0 if the round is of a list without features (dim=0) and has `items` documents; 0 means that no
 * round came before. Else a fault. */
static int check_list(const struct state *state, const struct matrix *x, double items,
                      struct fault *fault)
{
    const char *name = state->learner->name;
    if (x->kind != MATRIX_UNIT)
        return fault_data(fault, "dim=%zu, but %s learns a fixed list of items without features: "
                          "use another learner", x->dim, name);
    if (items != 0 && (double)x->docs != items)
        return fault_data(fault, "docs=%zu, but the model has %.0f items: %s learns one fixed list",
                          x->docs, items, name);
    return 0;
}

/* Begins to learn from such a round: *items becomes its number of documents. */
static void begin_list(struct state *state, const struct matrix *x, double *items)
{
    state->begun = true;
    *items = (double)x->docs;
}

/* ---- ftpl ---- */

/* w has all gains so far; within a block, the sum over the blocks before it scores. */
enum { SUM, BLOCK, ITEMS, GROUPS, WHOLE };

static const double *weights(void *own, struct state *state, struct fault *fault)
{
    (void)own, (void)fault;
    return state->arrays.at[SUM];
}

/* For AUC the labels are 0 and 1, and both are the same. */
static double gain(const struct state *state, double R)
{
    return state->settings.value[SETTING_GAIN] == GAIN_LIN ? R : dcg_gain(R);
}

/* From here on, all gains so far score. */
static void begin_block(struct state *state, const struct round *round, bool whole)
{
    memcpy(state->arrays.at[SUM], state->w, state->dim * sizeof *state->w);
    *state->arrays.at[BLOCK] = (double)round->block;
    *state->arrays.at[WHOLE] = whole;
    *state->arrays.at[GROUPS] = 0;
}

/* The group on top of an exploring round: items first to first + n - 1. */
struct group {
    uint64_t first, n;
};

/* A block seen from its first round to its last must have had each group on top. Otherwise its
 * items were not equally likely to be seen: -k differs, or rounds are missing. */
static int check_block(const struct state *state, const struct round *round, struct fault *fault)
{
    double groups = *state->arrays.at[GROUPS];
    uint64_t was = (uint64_t)*state->arrays.at[BLOCK], k = round->places;
    uint64_t due = k ? (round->docs - 1) / k + 1 : 0;
    if (round->block != was + 1 || *state->arrays.at[WHOLE] != 1 || groups == (double)due)
        return 0;
    return fault_data(fault, "block %" PRIu64 " explored only %.0f of its %" PRIu64 " groups: use "
                      "the same -k in explore and feedback-mask, and drop no round", was, groups,
                      due);
}

/* Learns from the blocks' exploring rounds alone: anything else seen would bias the estimate. */
static int learn_block(struct state *state, const struct matrix *x, const struct round *round,
                       struct fault *fault)
{
    enum gain unit = (enum gain)state->settings.value[SETTING_GAIN];
    uint64_t was = (uint64_t)*state->arrays.at[BLOCK];
    struct group group = { 0, 0 };
    if (unit == GAIN_NDCG || unit == GAIN_AUC)
        return fault_data(fault, "gain=%s needs every label: use explore -p leader and "
                          "feedback-mask -k all", unit == GAIN_NDCG ? "ndcg" : "auc");
    if (!round->seen)
        return fault_data(fault, "the round has block= but no column seen: put feedback-mask "
                          "before update, or use explore -p leader to learn from all labels");
    if (check_block(state, round, fault) < 0) return -1;
    if (round->grouped) {
        uint64_t k = round->places, m = round->docs, j = round->group;
        uint64_t first = k && j <= m / k ? j * k : m, n = m - first < k ? m - first : k;
        for (uint64_t a = 0; a < n; a++)
            if (round->order[a] != first + a)
                n = 0;
        group = (struct group){ first, n };
        if (n == 0)
            return fault_data(fault, "the documents seen on top are not those of group=%" PRIu64
                              ": use the same -k in explore and feedback-mask", j);
    }
    begin_list(state, x, state->arrays.at[ITEMS]);
    if (round->block != was)
        begin_block(state, round, round->block == was + 1);
    if (round->grouped) {
        uint64_t groups = (round->docs - 1) / round->places + 1;
        if (*state->arrays.at[GROUPS] == (double)groups)
            begin_block(state, round, false); /* all groups were on top: another run's block */
        for (uint64_t a = 0; a < group.n; a++)
            state->w[group.first + a] += gain(state, round->seen[a]);
        ++*state->arrays.at[GROUPS];
    }
    return 0;
}

/* The number that divides the gains of a round: 1, the largest DCG, or the number of pairs that
 * AUC counts; 0 where the measure is undefined. */
static double norm(const struct state *state, size_t m, const double *R, double *sorted)
{
    enum gain gain = (enum gain)state->settings.value[SETTING_GAIN];
    uint32_t *order = (uint32_t *)(sorted + m);
    double n = 0;
    if (gain == GAIN_NDCG) {
        order_by_score(m, R, order, order + m);
        for (size_t i = 0; i < m; i++)
            sorted[i] = R[order[i]];
        return dcg_sum(m, sorted);
    }
    for (size_t i = 0; i < m; i++)
        n += R[i];
    return gain == GAIN_AUC ? n * ((double)m - n) : 1;
}

static int learn_all(struct state *state, const struct matrix *x, const struct round *round,
                     struct fault *fault)
{
    struct feedback feedback;
    size_t m = round->docs;
    double *scratch = buffer_for(&state->scratch, 2 * m, sizeof *scratch, fault);
    if (!scratch || learner_feedback(state, round, &feedback, fault) < 0)
        return -1;

    enum gain unit = (enum gain)state->settings.value[SETTING_GAIN];
    if (feedback.docs < m)
        return fault_data(fault, "seen has %zu of %zu relevances, but the round has no block=: use "
                          "explore -p blocks, or feedback-mask -k all", feedback.docs, m);
    if (unit == GAIN_NDCG && dcg_check(m, feedback.relevance, fault) < 0) return -1;
    for (size_t i = 0; i < m; i++)
        if (unit == GAIN_AUC && feedback.relevance[i] != 0 && feedback.relevance[i] != 1)
            return fault_data(fault, "item %zu has relevance %g, but gain=auc takes only 0 and 1",
                              i, feedback.relevance[i]);

    begin_list(state, x, state->arrays.at[ITEMS]);
    double divisor = norm(state, m, feedback.relevance, scratch);
    for (size_t i = 0; divisor != 0 && i < m; i++)
        state->w[i] += gain(state, feedback.relevance[i]) / divisor;
    memcpy(state->arrays.at[SUM], state->w, m * sizeof *state->w);
    return 0;
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    (void)own;
    if (check_list(state, x, *state->arrays.at[ITEMS], fault) < 0) return -1;
    int learnt = round->in_block ? learn_block(state, x, round, fault)
                                 : learn_all(state, x, round, fault);
    return learnt < 0 ? -1 : learner_check(state, fault);
}

const struct learner learn_ftpl = {
    .name = "ftpl", .letters = "G", .least = 1, .learn = learn,
    .shown = "-p blocks", .seen = "-k 1", .items = true,
    .arrays = { [SUM] = { "sum", ARRAY_VECTORS, SETTINGS, 0 },
              [BLOCK] = { "block", ARRAY_COUNT, SETTINGS, 0 },
              [ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 },
              [GROUPS] = { "groups", ARRAY_COUNT, SETTINGS, 0 },
              [WHOLE] = { "whole", ARRAY_COUNT, SETTINGS, 0 } },
    .preset = { [SETTING_GAIN] = GAIN_EXP },
    .weights = weights,
};

/* ---- exp3m ---- */

enum { LOSSES, LOSSES_ITEMS };

static int start_exp3m(void *own, struct state *state, struct fault *fault)
{
    (void)own;
    if (state->settings.value[SETTING_GAIN] <= GAIN_LIN)
        return 0;
    return fault_usage(fault, "exp3m takes only the gains exp and lin: others need every label");
}

/* L_i += (1 - g(R_i) / g(grades)) / pi_i of the items seen; then the scores of round t + 1, by its
 * eta = sqrt(k ln(m / n) / (m (t + 1))). */
static int learn_set(void *own, struct state *state, const struct matrix *x,
                     const struct round *round, struct fault *fault)
{
    struct exposure exposure;
    double *L = state->arrays.at[LOSSES], m = (double)round->docs;
    (void)own;
    if (check_list(state, x, *state->arrays.at[LOSSES_ITEMS], fault) < 0) return -1;

    /* The labels seen must be of a drawn set, and within the grades. */
    double grades = state->settings.value[SETTING_TOP_GRADE];
    if (!round->subset || !round->seen)
        return fault_data(fault, "exp3m needs subset= and seen: use explore -p subset before, and "
                          "feedback-mask after it");
    for (size_t a = 0; a < round->places; a++)
        if ((double)round->seen[a] > grades)
            return fault_data(fault, "seen %zu is %g, above the top grade of exp3m, %g: give it as "
                              "in -a exp3m,grades=%g", a, (double)round->seen[a], grades,
                              ceil((double)round->seen[a]));

    if (feedback_subset(&exposure, round, &state->places, fault) < 0) return -1;
    begin_list(state, x, state->arrays.at[LOSSES_ITEMS]);
    double most = gain(state, state->settings.value[SETTING_TOP_GRADE]);
    for (size_t a = 0; a < exposure.places; a++)
        L[exposure.doc[a]] += (1 - gain(state, exposure.relevance[a]) / most) / exposure.logged[a];
    double eta = sqrt((double)exposure.places * real_log(m / (double)round->subset) /
                      (m * ((double)state->rounds + 2)));
    for (size_t i = 0; i < round->docs; i++)
        state->w[i] = 0 - eta * L[i];
    return learner_check(state, fault);
}

const struct learner learn_exp3m = {
    .name = "exp3m", .letters = "GL", .least = 1, .start = start_exp3m, .learn = learn_set,
    .shown = "-p subset -k 1", .seen = "-k 1", .items = true,
    .arrays = { [LOSSES] = { "losses", ARRAY_VECTORS, SETTINGS, 0 },
                [LOSSES_ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 } },
    .preset = { [SETTING_GAIN] = GAIN_EXP, [SETTING_TOP_GRADE] = 1 },
};

/* ---- toprank ---- */

/* WINS[m][m] is W; its diagonal is not used. BETTER[m][m]: is i known to be better than j? Of ITEMS
 * there is one number, as above. */
enum { WINS, WINS_ITEMS, BETTER };

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

static int learn_blocks(void *own, struct state *state, const struct matrix *x,
                        const struct round *round, struct fault *fault)
{
    size_t m = round->docs;
    bool more = false;
    bool *clicked = buffer_for(&state->scratch, m, 3 * sizeof *clicked, fault);
    (void)own;
    if (!clicked) return -1;
    const char *name = state->learner->name;
    if (check_list(state, x, *state->arrays.at[WINS_ITEMS], fault) < 0 ||
        feedback_clicks(round, name, state->learner->least, fault) < 0)
        return -1;
    if (round->docs != state->dim)
        return fault_data(fault, "docs=%zu, but the model has %zu weights: %s learns one fixed "
                          "list", round->docs, state->dim, name);
    if (!round->score)
        return fault_data(fault, "no column score, which %s needs to find the items with equal "
                          "scores: put score before explore", name);
    begin_list(state, x, state->arrays.at[WINS_ITEMS]);

    for (size_t i = 0; i < m; i++)
        clicked[i] = false;
    for (size_t a = 0; a < round->places; a++)
        clicked[round->order[a]] = round->seen[a] > 0;
    for (size_t i = 0; i < m; i++)
        more |= clicked[i] && count_click(state, round, clicked, i);
    if (more) {
        /* The items that none of the rest is better than are the next block. Where each is below
         * another, which takes an error, it is all of the rest. w = minus its number, from 0. */
        bool *placed = clicked + m, *next = clicked + 2 * m;
        size_t left = m;
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
    return 0;
}

const struct learner learn_toprank = {
    .name = "toprank", .letters = "D", .least = 1, .learn = learn_blocks,
    .seen = "-k 10 -c navigational", .items = true,
    .arrays = { [WINS] = { "wins", ARRAY_SQUARE, SETTINGS, 0 },
                [WINS_ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 },
                [BETTER] = { "better", ARRAY_SQUARE, SETTINGS, 0 } },
    .preset = { [SETTING_DELTA] = 1e-6 },
    .most = 4096,
};
