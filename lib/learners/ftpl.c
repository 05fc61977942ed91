/* Follow the perturbed leader on a fixed list of items (Chaudhuri & Tewari 2015, Algorithm 1 and
 * Lemma 8, with k items on top instead of one). w is the sum of each item's gains: over every
 * round where all labels were seen, or over one round a block where only the top was. explore
 * adds the perturbation. */

#include <inttypes.h>
#include <string.h>

#include "explore/feedback.h"
#include "learners/fixed_list.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "math/order.h"

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

static int find_group(const struct round *round, struct group *group, struct fault *fault)
{
    uint64_t k = round->places, m = round->docs, j = round->group;
    uint64_t first = k && j <= m / k ? j * k : m, n = m - first < k ? m - first : k;
    for (uint64_t a = 0; a < n; a++)
        if (round->order[a] != first + a)
            n = 0;
    *group = (struct group){ first, n };
    return n ? 0 : fault_data(fault, "the documents seen on top are not those of group=%" PRIu64
                              ": use the same -k in explore and feedback-mask", j);
}

static void add_group(struct state *state, const struct round *round, const struct group *group)
{
    uint64_t groups = (round->docs - 1) / round->places + 1;
    if (*state->arrays.at[GROUPS] == (double)groups)
        begin_block(state, round, false); /* all groups were on top: another run's block */
    for (uint64_t a = 0; a < group->n; a++)
        state->w[group->first + a] += gain(state, round->seen[a]);
    ++*state->arrays.at[GROUPS];
}

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
    enum gain gain = (enum gain)state->settings.value[SETTING_GAIN];
    uint64_t was = (uint64_t)*state->arrays.at[BLOCK];
    struct group group = { 0, 0 };
    if (gain == GAIN_NDCG || gain == GAIN_AUC)
        return fault_data(fault, "gain=%s needs every label: use explore -p leader and "
                          "feedback-mask -k all",
                          gain == GAIN_NDCG ? "ndcg" : "auc");
    if (!round->seen)
        return fault_data(fault, "the round has block= but no column seen: put feedback-mask "
                          "before update, or use explore -p leader to learn from all labels");
    if (check_block(state, round, fault) < 0 ||
        (round->grouped && find_group(round, &group, fault) < 0))
        return -1;
    fixed_list_begin(state, x, state->arrays.at[ITEMS]);
    if (round->block != was)
        begin_block(state, round, round->block == was + 1);
    if (round->grouped)
        add_group(state, round, &group);
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

static int check_labels(const struct state *state, const struct feedback *feedback, size_t m,
                        struct fault *fault)
{
    enum gain gain = (enum gain)state->settings.value[SETTING_GAIN];
    if (feedback->docs < m)
        return fault_data(fault, "seen has %zu of %zu relevances, but the round has no block=: use "
                          "explore -p blocks, or feedback-mask -k all", feedback->docs, m);
    if (gain == GAIN_NDCG && dcg_check(m, feedback->relevance, fault) < 0)
        return -1;
    for (size_t i = 0; i < m; i++)
        if (gain == GAIN_AUC && feedback->relevance[i] != 0 && feedback->relevance[i] != 1)
            return fault_data(fault, "item %zu has relevance %g, but gain=auc takes only 0 and 1",
                              i, feedback->relevance[i]);
    return 0;
}

static int learn_all(struct state *state, const struct matrix *x, const struct round *round,
                     struct fault *fault)
{
    struct feedback feedback;
    size_t m = round->docs;
    double *scratch = buffer_for(&state->scratch, 2 * m, sizeof *scratch, fault);
    if (!scratch || learner_feedback(state, round, &feedback, fault) < 0 ||
        check_labels(state, &feedback, m, fault) < 0)
        return -1;
    fixed_list_begin(state, x, state->arrays.at[ITEMS]);
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
    if (fixed_list_check(state, x, *state->arrays.at[ITEMS], fault) < 0)
        return -1;
    int learnt = round->in_block ? learn_block(state, x, round, fault)
                                 : learn_all(state, x, round, fault);
    return learnt < 0 ? -1 : learner_check(state, fault);
}

const struct learner learn_ftpl = {
    .name = "ftpl", .letters = "G", .least = 1, .learn = learn,
    .arrays = { [SUM] = { "sum", ARRAY_VECTORS, SETTINGS, 0 },
              [BLOCK] = { "block", ARRAY_COUNT, SETTINGS, 0 },
              [ITEMS] = { "items", ARRAY_COUNT, SETTINGS, 0 },
              [GROUPS] = { "groups", ARRAY_COUNT, SETTINGS, 0 },
              [WHOLE] = { "whole", ARRAY_COUNT, SETTINGS, 0 } },
    .preset = { [SETTING_GAIN] = GAIN_EXP },
    .weights = weights,
};
