/*
 * toprank against its paper's algorithm, written here as it is printed: over all pairs of items in
 * every round, with S and N in tables of their own. Scores tie where the paper shuffles, and orders
 * are drawn by them as explore does.
 */
#include <math.h>
#include <string.h>

#include "rounds.h"

enum { ROUNDS = 3000, ITEMS = 6 };

static const double DELTA = 0.05;

/* S_ij and N_ij of the paper. */
struct counts {
    double S[ITEMS][ITEMS], N[ITEMS][ITEMS];
};

/* What score would rank by: a copy. */
static void scores_of(struct state *state, double *score)
{
    struct fault fault = { FAULT_NONE, "" };
    must(learner_reach(state, ITEMS, &fault), &fault);
    memcpy(score, state->w, ITEMS * sizeof *score);
}

/* Items by score, ties in a random order. */
static void show(struct rng *rng, const double *score, uint32_t *order)
{
    uint32_t shuffled[ITEMS];
    size_t n = 0;
    rng_permutation(rng, shuffled, ITEMS);
    bool taken[ITEMS] = { false };
    while (n < ITEMS) {
        size_t best = ITEMS;
        for (size_t a = 0; a < ITEMS; a++)
            if (!taken[shuffled[a]] && (best == ITEMS || score[shuffled[a]] > score[best]))
                best = shuffled[a];
        taken[best] = true;
        order[n++] = (uint32_t)best;
    }
}

/* Clicks on the first `places`: likeliest on items 0, 5, 4, and near the top. */
static const struct round *click(struct made *made, struct rng *rng, const double *score,
                                 size_t places, uint64_t t, uint32_t *order)
{
    struct query query = { .docs = ITEMS, .dim = 0 };
    show(rng, score, order);
    make_round(made, &query, t, DENSE);
    for (size_t a = 0; a < ITEMS; a++)
        made->label[order[a]] =
            rng_unit(rng) < 0.9 / (1 + (double)(order[a] * 5 % ITEMS)) / (1 + 0.2 * (double)a);
    memcpy(made->score, score, ITEMS * sizeof *score);
    made->round.score = made->score;
    mask_round(made, order, places);
    return &made->round;
}

/* block[i]: lines 3 to 6 of the algorithm. better[i][j]: the edge (j, i) of G. */
static void part(bool better[ITEMS][ITEMS], size_t *block)
{
    bool left[ITEMS], least[ITEMS];
    size_t n = ITEMS;
    for (size_t i = 0; i < ITEMS; i++)
        left[i] = true;
    for (size_t d = 0; n > 0; d++) {
        for (size_t i = 0; i < ITEMS; i++) {
            least[i] = left[i];
            for (size_t j = 0; j < ITEMS; j++)
                least[i] = least[i] && !(left[j] && better[j][i]);
        }
        for (size_t i = 0; i < ITEMS; i++)
            if (least[i]) {
                block[i] = d;
                left[i] = false;
                n--;
            }
    }
}

static void count_blocks(const struct round *round, const size_t *block, struct counts *counts,
                         bool better[ITEMS][ITEMS])
{
    double C[ITEMS] = { 0 };
    const double c = 4 * sqrt(2 / acos(-1)) / erf(sqrt(2));
    for (size_t a = 0; a < round->places; a++)
        C[round->order[a]] = round->seen[a];
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t j = 0; j < ITEMS; j++) {
            double U = block[i] == block[j] ? C[i] - C[j] : 0;
            double S = counts->S[i][j] += U, N = counts->N[i][j] += fabs(U);
            if (N > 0 && S >= sqrt(2 * N * log(c / DELTA * sqrt(N))))
                better[i][j] = true;
        }
}

static size_t check_toprank(uint64_t seed, size_t places)
{
    static struct made made;
    struct rng rng = rng_at(seed, RNG_SAMPLE, 1);
    struct counts counts = { { { 0 } }, { { 0 } } };
    bool better[ITEMS][ITEMS] = { { false } };
    size_t block[ITEMS] = { 0 }, blocks = 0;
    struct settings settings = { .set = { false } };
    struct state state;
    set(&settings, SETTING_DELTA, DELTA);
    start(&state, "toprank", &settings);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        double score[ITEMS];
        uint32_t order[ITEMS];
        scores_of(&state, score);
        for (size_t i = 0; i < ITEMS; i++)
            hold(score[i] == -(double)block[i], "toprank", "a block", score[i], block[i]);
        const struct round *round = click(&made, &rng, score, places, t, order);
        count_blocks(round, block, &counts, better);
        part(better, block);
        learn_round(&state, round);
    }
    for (size_t i = 0; i < ITEMS; i++)
        blocks = block[i] + 1 > blocks ? block[i] + 1 : blocks;
    learner_close(&state);
    return blocks;
}

int main(void)
{
    size_t blocks = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t places = 2; places <= ITEMS; places += 2)
            blocks += check_toprank(seed, places);
    printf("toprank: %zu blocks\n", blocks);
    hold(blocks >= 30, "toprank", "hardly anything learnt", blocks, 30);
    if (wrong)
        fprintf(stderr, "toprank: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
