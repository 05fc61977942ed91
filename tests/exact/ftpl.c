/*
 * ftpl: what a block of rounds teaches of a fixed list, summed over all draws of the rounds that
 * explore, is the block's mean (Chaudhuri & Tewari 2015, Lemma 8, with groups of k items for one),
 * in whole numbers and so to the last one; what scores is the sum of the blocks before. With every
 * label: each round's own gains, by brute force.
 */
#include "rounds.h"

enum { ITEMS = 4, LENGTH = 6, BLOCKS = 40 };

/* The labels of a block, and in which of its rounds each group explores. */
struct block {
    size_t m, k, groups, length;
    float label[LENGTH][DOCS];
    size_t at[ITEMS];
};

static const char *const words[] = { "", "exp", "lin", "ndcg", "auc" };

static void start_gain(struct state *state, enum gain gain)
{
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_GAIN, gain);
    start(state, "ftpl", gain == GAIN_EXP ? NULL : &settings); /* exp is what it takes */
}

static double gain_of(enum gain gain, float R)
{
    return gain == GAIN_LIN ? R : (double)((1u << (unsigned)R) - 1);
}

static void draw_block(struct rng *rng, struct block *block, size_t m, size_t k, size_t length)
{
    *block = (struct block){ .m = m, .k = k, .groups = (m + k - 1) / k, .length = length };
    for (size_t t = 0; t < length; t++)
        for (size_t i = 0; i < m; i++)
            block->label[t][i] = (float)rng_below(rng, 5);
}

/* What update scores with, by item. */
static const double *scoring(struct state *state)
{
    static struct model model;
    static double w[DOCS];
    struct fault fault = { FAULT_NONE, "" };
    must(learner_publish(state, &model, PUBLISH_WHOLE, &fault), &fault);
    memset(w, 0, sizeof w);
    model_weights(&model, w);
    return w;
}

/* Brings the items from `first` to the front, in their order: k of them, or what there is. */
static void bring_up(uint32_t *order, size_t m, size_t k, size_t first)
{
    uint32_t old[DOCS];
    size_t n = 0;
    memcpy(old, order, m * sizeof *old);
    for (size_t i = first; i < m && i < first + k; i++)
        order[n++] = (uint32_t)i;
    for (size_t a = 0; a < m; a++)
        if (old[a] < first || old[a] >= first + k)
            order[n++] = old[a];
}

/* Round t of a block, shown at random except for the group that may be on top; k places seen. */
static void learn_exposed(struct state *state, struct rng *rng, const struct block *block,
                        size_t number, size_t t)
{
    static struct made made;
    struct query query = { .docs = block->m, .dim = 0 };
    uint32_t order[DOCS];
    memcpy(query.label, block->label[t], sizeof query.label);
    make_round(&made, &query, t + 1, DENSE);
    made.round.in_block = true;
    made.round.block = number;
    made.round.grouped = false;
    rng_permutation(rng, order, block->m);
    for (size_t j = 0; j < block->groups; j++) {
        if (block->at[j] != t)
            continue;
        made.round.grouped = true;
        made.round.group = j;
        bring_up(order, block->m, block->k, j * block->k);
    }
    learn_round(state, mask_round(&made, order, block->k));
}

/* The next draw without replacement, in the order of numbers to the base of the length; false
 * after the last. */
static bool next_draw(struct block *block)
{
    bool again = true;
    while (again) {
        size_t j = 0;
        while (j < block->groups && ++block->at[j] == block->length)
            block->at[j++] = 0;
        if (j == block->groups)
            return false;
        again = false;
        for (size_t a = 0; a < block->groups; a++)
            for (size_t b = 0; b < a; b++)
                again = again || block->at[a] == block->at[b];
    }
    return true;
}

/* One draw: adds what the block is found to be worth, once it is over. */
static void play(struct rng *rng, const struct block *block, enum gain gain, size_t number,
                 double *sum)
{
    struct block next = { .m = block->m, .k = block->k, .length = 1 };
    struct state state;
    start_gain(&state, gain);
    for (size_t t = 0; t < block->length; t++) {
        learn_exposed(&state, rng, block, number, t);
        for (size_t i = 0; i < block->m; i++)
            hold(scoring(&state)[i] == 0, words[gain], "scores within its own block",
                 scoring(&state)[i], 0);
    }
    for (size_t i = 0; i < block->m; i++)
        sum[i] += state.w[i];
    learn_exposed(&state, rng, &next, number + 1, 0);
    for (size_t i = 0; i < block->m; i++)
        hold(scoring(&state)[i] == state.w[i], words[gain], "scores after the block",
             scoring(&state)[i], state.w[i]);
    learner_close(&state);
}

/* So many draws of equal probability: L sum over draws = draws sum over rounds. */
static size_t check_draws(struct rng *rng, struct block *block, enum gain gain)
{
    double sum[DOCS] = { 0 };
    size_t draws = 0, want = 1;
    for (size_t j = 0; j < block->groups; j++)
        want *= block->length - j;
    memset(block->at, 0, sizeof block->at);
    for (bool some = block->groups == 1 || next_draw(block); some; some = next_draw(block)) {
        play(rng, block, gain, draws % 3, sum);
        draws++;
    }
    hold(draws == want, words[gain], "draws", draws, want);
    for (size_t i = 0; i < block->m; i++) {
        double all = 0;
        for (size_t t = 0; t < block->length; t++)
            all += gain_of(gain, block->label[t][i]);
        hold(sum[i] * (double)block->length == all * (double)draws, words[gain],
             "the mean over draws, times all", sum[i] * (double)block->length,
             all * (double)draws);
    }
    return draws;
}

static size_t check_lemma(struct rng *rng)
{
    size_t draws = 0;
    for (size_t m = 1; m <= ITEMS; m++)
        for (size_t k = 1; k <= m; k++)
            for (size_t length = (m + k - 1) / k; length <= LENGTH; length++) {
                struct block block;
                draw_block(rng, &block, m, k, length);
                draws += check_draws(rng, &block, GAIN_EXP) + check_draws(rng, &block, GAIN_LIN);
            }
    return draws;
}

/* Block after block, of random draws: what scores, and what is added up, in every round. */
static void check_blocks(struct rng *rng, size_t m, size_t k, enum gain gain)
{
    struct state state;
    double before[DOCS] = { 0 }, now[DOCS] = { 0 };
    start_gain(&state, gain);
    for (size_t number = 0; number < BLOCKS; number++) {
        struct block block;
        uint32_t order[LENGTH];
        draw_block(rng, &block, m, k, LENGTH);
        rng_permutation(rng, order, LENGTH);
        for (size_t j = 0; j < block.groups; j++)
            block.at[j] = order[j];
        memcpy(before, now, sizeof before);
        for (size_t t = 0; t < LENGTH; t++) {
            learn_exposed(&state, rng, &block, number, t);
            for (size_t i = 0; i < m; i++) {
                now[i] += block.at[i / k] == t ? gain_of(gain, block.label[t][i]) : 0;
                hold(state.w[i] == now[i], words[gain], "w", state.w[i], now[i]);
                hold(scoring(&state)[i] == before[i], words[gain], "scores", scoring(&state)[i],
                     before[i]);
            }
        }
    }
    learner_close(&state);
}

/* ---- with every label ---- */

/* The largest DCG that an order of the items not yet taken can have from the place on. */
static long double best_dcg(const struct query *query, unsigned taken, size_t place)
{
    long double most = 0;
    for (size_t i = 0; i < query->docs; i++)
        if (!(taken >> i & 1))
            most = fmaxl(most, (exp2l(query->label[i]) - 1) / log2l((long double)place + 1) +
                                   best_dcg(query, taken | 1u << i, place + 1));
    return most;
}

static long double pairs_of_auc(const struct query *query)
{
    long double n = 0;
    for (size_t i = 0; i < query->docs; i++)
        for (size_t j = 0; j < query->docs; j++)
            n += query->label[i] > query->label[j];
    return n;
}

static long double worth(enum gain gain, const struct query *query, size_t i)
{
    long double over = gain == GAIN_NDCG  ? best_dcg(query, 0, 1)
                       : gain == GAIN_AUC ? pairs_of_auc(query)
                                          : 1;
    long double R = query->label[i], G = exp2l(R) - 1;
    return over == 0 ? 0 : (gain == GAIN_LIN || gain == GAIN_AUC ? R : G) / over;
}

/* Every label, masked at k = all or never masked; what is added scores in the next round. */
static void check_all_labels(struct rng *rng, enum gain gain, size_t m)
{
    static struct made made;
    struct state state;
    long double sum[DOCS] = { 0 };
    start_gain(&state, gain);
    for (uint64_t t = 1; t <= BLOCKS; t++) {
        struct query query = { .docs = m, .dim = 0 };
        uint32_t order[DOCS];
        draw_labels(rng, &query, gain == GAIN_AUC ? 1 : 4);
        for (size_t i = 0; i < m && gain != GAIN_AUC && t % 4 == 0; i++)
            query.label[i] /= 3;
        const struct round *round = make_round(&made, &query, t, DENSE);
        rng_permutation(rng, order, m);
        learn_round(&state, t % 2 ? mask_round(&made, order, m) : round);
        for (size_t i = 0; i < m; i++) {
            sum[i] += worth(gain, &query, i);
            hold(fabsl(state.w[i] - sum[i]) <= 1e-15L * (1 + 20 * sum[i]), words[gain],
                 "w of all labels", state.w[i], sum[i]);
            hold(scoring(&state)[i] == state.w[i], words[gain], "scores after all labels",
                 scoring(&state)[i], state.w[i]);
        }
    }
    learner_close(&state);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    printf("ftpl: %zu draws\n", check_lemma(&rng));
    for (size_t m = 1; m <= DOCS; m++) {
        for (size_t k = 1; k <= m; k++) {
            if ((m + k - 1) / k > ITEMS)
                continue;
            check_blocks(&rng, m, k, GAIN_EXP);
            check_blocks(&rng, m, k, GAIN_LIN);
        }
    }
    for (int gain = GAIN_EXP; gain <= GAIN_AUC; gain++)
        for (size_t m = 1; m <= 6; m++)
            check_all_labels(&rng, (enum gain)gain, m);
    if (wrong)
        fprintf(stderr, "ftpl: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
