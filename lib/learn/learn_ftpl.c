/* Follow the perturbed leader on a fixed list of items (Chaudhuri & Tewari 2015, Algorithm 1 and
 * Lemma 8, with k items on top instead of one). w is the sum of each item's gains: over every
 * round where all labels were seen, or over one round a block where only the top was. explore
 * adds the perturbation. */
#include "learn/learn_ftpl.h"

#include <inttypes.h>
#include <string.h>

#include "explore/feedback.h"
#include "learn/fixed_list.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "loss/long_order.h"

/* w has all gains so far; within a block, the sum over the blocks before it scores. */
enum { SUM, BLOCK, ITEMS, GROUPS, WHOLE };

static const double *weights(struct state *state, struct fault *fault)
{
    (void)fault;
    return state->arrays[SUM];
}

/* For AUC the labels are 0 and 1, and both are the same. */
static double gain(const struct state *state, double R)
{
    return state->settings.value[SETTING_GAIN] == GAIN_LIN ? R : dcg_gain(R);
}

/* From here on, all gains so far score. */
static void begin_block(struct state *state, const struct round *round, bool whole)
{
    memcpy(state->arrays[SUM], state->w, state->dim * sizeof *state->w);
    *state->arrays[BLOCK] = (double)round->block;
    *state->arrays[WHOLE] = whole;
    *state->arrays[GROUPS] = 0;
}

/* Adds the gains of the group on top: items jk to jk + k - 1. */
static int learn_group(struct state *state, const struct round *round, struct fault *fault)
{
    uint64_t k = round->places, m = round->docs, j = round->group;
    uint64_t first = k && j <= m / k ? j * k : m, n = m - first < k ? m - first : k;
    for (uint64_t a = 0; a < n; a++)
        if (round->order[a] != first + a)
            n = 0;
    if (n == 0)
        return fault_data(fault, "group=%" PRIu64 " is not what was seen on top: give explore and "
                          "feedback-mask the same -k", j);
    if (*state->arrays[GROUPS] == (double)((m - 1) / k + 1))
        begin_block(state, round, false); /* all groups were on top: another run's block */
    for (uint64_t a = 0; a < n; a++)
        state->w[first + a] += gain(state, round->seen[a]);
    ++*state->arrays[GROUPS];
    return 0;
}

/* A block seen from its first round to its last must have had each group on top. Otherwise its
 * items were not equally likely to be seen: -k differs, or rounds are missing. */
static int turn_block(struct state *state, const struct round *round, struct fault *fault)
{
    double groups = *state->arrays[GROUPS];
    uint64_t was = (uint64_t)*state->arrays[BLOCK], k = round->places;
    uint64_t due = k ? (round->docs - 1) / k + 1 : 0;
    if (round->block == was)
        return 0;
    if (round->block == was + 1 && *state->arrays[WHOLE] == 1 && groups != (double)due)
        return fault_data(fault, "block=%" PRIu64 " had %.0f of %" PRIu64 " groups on top: give "
                          "explore and feedback-mask the same -k, and let no round be missing",
                          was, groups, due);
    begin_block(state, round, round->block == was + 1);
    return 0;
}

/* Learns from the blocks' exploring rounds alone: anything else seen would bias the estimate. */
static int learn_block(struct state *state, const struct round *round, struct fault *fault)
{
    enum gain gain = (enum gain)state->settings.value[SETTING_GAIN];
    if (gain == GAIN_NDCG || gain == GAIN_AUC)
        return fault_data(fault, "gain=%s needs every label: use explore -p leader and "
                          "feedback-mask -k all",
                          gain == GAIN_NDCG ? "ndcg" : "auc");
    if (!round->seen)
        return fault_data(fault, "block= without seen: put feedback-mask before update, or, to "
                          "learn from all labels, use explore -p leader");
    if (turn_block(state, round, fault) < 0)
        return -1;
    return round->grouped ? learn_group(state, round, fault) : 0;
}

/* The number that divides the gains of a round: 1, the largest DCG, or the number of pairs that
 * AUC counts; 0 where the measure is undefined, or where the work was stopped. */
static double norm(struct state *state, size_t m, const double *R, double *sorted)
{
    enum gain gain = (enum gain)state->settings.value[SETTING_GAIN];
    uint32_t *order = (uint32_t *)(sorted + m);
    double n = 0;
    if (gain == GAIN_NDCG) {
        if (!long_order(&state->work, m, R, order, order + m))
            return 0;
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
        return fault_data(fault, "seen has %zu relevance%s of %zu, and no block=: use explore -p "
                          "blocks, or show all: feedback-mask -k all",
                          feedback->docs, feedback->docs == 1 ? "" : "s", m);
    if (gain == GAIN_NDCG && dcg_check(m, feedback->relevance, fault) < 0)
        return -1;
    for (size_t i = 0; i < m; i++)
        if (gain == GAIN_AUC && feedback->relevance[i] != 0 && feedback->relevance[i] != 1)
            return fault_data(fault, "item %zu has relevance %g: -G auc is for 0 and 1", i,
                              feedback->relevance[i]);
    return 0;
}

static int learn_all(struct state *state, const struct round *round, struct fault *fault)
{
    struct feedback feedback;
    size_t m = round->docs;
    double *scratch = buffer_for(&state->scratch, 2 * m, sizeof *scratch, fault);
    if (!scratch || learner_feedback(state, round, &feedback, fault) < 0 ||
        check_labels(state, &feedback, m, fault) < 0)
        return -1;
    double divisor = norm(state, m, feedback.relevance, scratch);
    for (size_t i = 0; divisor != 0 && i < m; i++)
        state->w[i] += gain(state, feedback.relevance[i]) / divisor;
    memcpy(state->arrays[SUM], state->w, m * sizeof *state->w);
    return 0;
}

static int learn(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    if (fixed_list_check(state, x, state->arrays[ITEMS], fault) < 0)
        return -1;
    int learnt = round->in_block ? learn_block(state, round, fault)
                                 : learn_all(state, round, fault);
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
