/*
 * toprank, bubblerank and cascade-klucb against their papers' algorithms, written here as they are
 * printed: over all pairs of items in every round, with S and N in tables of their own, and with a
 * bound that is checked, not searched. Scores tie where the papers shuffle, and orders are drawn by
 * them as explore does. cascade-lints against the normal equations of what was examined.
 */
#include "equations.h"

enum { ROUNDS = 3000, ITEMS = 6 };

static const double DELTA = 0.05;

/* S_ij and N_ij of both papers. */
struct counts {
    double S[ITEMS][ITEMS], N[ITEMS][ITEMS];
};

/* What score would rank by: a copy. */
static void scores_of(struct state *state, double *score)
{
    struct fault fault = { FAULT_NONE, "" };
    must(learner_reach(state, ITEMS, &fault), &fault);
    const struct learner *learner = state->learner;
    const double *w = learner->weights ? learner->weights(state->own, state, &fault) : state->w;
    memcpy(score, w, ITEMS * sizeof *w);
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

static void begin(struct state *state, const char *name, double delta)
{
    struct settings settings = { .set = { false } };
    if (delta > 0)
        set(&settings, SETTING_DELTA, delta);
    start(state, name, &settings);
}

/* ---- toprank ---- */

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
    struct state state;
    begin(&state, "toprank", DELTA);
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

/* ---- bubblerank ---- */

static bool known(const struct counts *counts, size_t i, size_t j)
{
    return counts->S[i][j] > 2 * sqrt(counts->N[i][j] * log(1 / DELTA));
}

/* The scores must tie for each pair of the round that is not known, and else be those of the base
 * list, upper items first. */
static void check_pairs(const struct counts *counts, const size_t *base, uint64_t t,
                        const double *score)
{
    for (size_t a = 0; a + 1 < ITEMS; a++) {
        bool pair = a % 2 == t % 2, above = known(counts, base[a], base[a + 1]);
        double upper = score[base[a]], lower = score[base[a + 1]];
        hold(pair && !above ? upper == lower : upper > lower, "bubblerank", "a pair", upper, lower);
    }
}

static void count_pairs(const struct round *round, uint64_t t, struct counts *counts)
{
    for (size_t a = t % 2; a + 1 < ITEMS; a += 2) {
        size_t i = round->order[a], j = round->order[a + 1];
        double won = a + 1 < round->places ? (double)round->seen[a] - (double)round->seen[a + 1]
                                           : 0;
        counts->S[i][j] += won;
        counts->S[j][i] -= won;
        counts->N[i][j] += fabs(won);
        counts->N[j][i] += fabs(won);
    }
}

static unsigned long check_bubblerank(uint64_t seed, size_t places)
{
    static struct made made;
    struct rng rng = rng_at(seed, RNG_SAMPLE, 2);
    struct counts counts = { { { 0 } }, { { 0 } } };
    size_t base[ITEMS] = { 0, 1, 2, 3, 4, 5 };
    unsigned long exchanges = 0;
    struct state state;
    begin(&state, "bubblerank", DELTA);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        double score[ITEMS];
        uint32_t order[ITEMS];
        scores_of(&state, score);
        if (t > 1)
            check_pairs(&counts, base, t, score);
        const struct round *round = click(&made, &rng, score, places, t, order);
        if (t > 1) /* before the list is known there are no pairs */
            count_pairs(round, t, &counts);
        learn_round(&state, round);
        for (size_t a = 0; a + 1 < ITEMS; a++)
            if (known(&counts, base[a + 1], base[a])) {
                size_t upper = base[a];
                base[a] = base[a + 1];
                base[a + 1] = upper;
                exchanges++;
            }
    }
    learner_close(&state);
    return exchanges;
}

/* ---- cascade-klucb ---- */

static long double divergence(long double p, long double q)
{
    long double heads = p > 0 ? p * logl(p / q) : 0;
    return heads + (p < 1 ? (1 - p) * logl((1 - p) / (1 - q)) : 0);
}

static void check_bound(double looks, double clicks, uint64_t t, double bound)
{
    long double p = looks > 0 ? clicks / looks : 0, near = 1e-9L;
    long double most = logl(t) + 3 * logl(logl(t));
    if (looks == 0) {
        hold(bound == 1, "cascade-klucb", "an item without a look", bound, 1);
        return;
    }
    most = t < 3 || most < 0 ? 0 : most;
    hold(bound >= (double)p && bound <= 1, "cascade-klucb", "a bound outside", bound, p);
    if (bound < 1 && bound > (double)p + 1e-9)
        hold(looks * divergence(p, bound - near) <= most, "cascade-klucb", "too high", bound, t);
    if (bound < 1 - 1e-9)
        hold(looks * divergence(p, bound + near) >= most, "cascade-klucb", "too low", bound, t);
}

static void check_klucb(uint64_t seed, size_t places)
{
    static struct made made;
    struct rng rng = rng_at(seed, RNG_SAMPLE, 3);
    double looks[ITEMS] = { 0 }, clicks[ITEMS] = { 0 };
    struct state state;
    begin(&state, "cascade-klucb", 0);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        double score[ITEMS];
        uint32_t order[ITEMS];
        bool looking = true;
        scores_of(&state, score);
        for (size_t i = 0; i < ITEMS; i++)
            check_bound(looks[i], clicks[i], t, score[i]);
        const struct round *round = click(&made, &rng, score, places, t, order);
        for (size_t a = 0; looking && a < places; a++) {
            looks[order[a]]++;
            clicks[order[a]] += round->seen[a];
            looking = round->seen[a] == 0;
        }
        learn_round(&state, round);
    }
    learner_close(&state);
}

/* ---- cascade-lints ---- */

static void check_lints(uint64_t seed)
{
    static struct made made;
    struct rng rng = rng_at(seed, RNG_SAMPLE, 4);
    struct settings settings = { .set = { false } };
    struct equations equations;
    struct state state;
    set(&settings, SETTING_TRADEOFF, 0.25);
    set(&settings, SETTING_EXPLORATION_WIDTH, 0.5);
    start(&state, "cascade-lints", &settings);
    begin_equations(&equations, 0.25, true);
    for (uint64_t t = 1; t <= 60; t++) {
        long double inverse[ROWS][ROWS], w[ROWS];
        struct query query;
        uint32_t order[DOCS];
        size_t places = 1 + rng_below(&rng, 4);
        draw_features(&rng, &query, 5, NARROW, draw_unit);
        draw_labels(&rng, &query, 1);
        rng_permutation(&rng, order, 5);
        make_round(&made, &query, t, (enum form)rng_below(&rng, FORMS));
        learn_round(&state, mask_round(&made, order, places));
        for (size_t a = 0; a < places; a++) {
            add_document(&equations, &query, order[a], 1);
            if (query.label[order[a]] > 0)
                break;
        }
        solve(&equations, inverse, w);
        for (size_t j = 0; j < NARROW; j++)
            hold(fabsl(state.w[j] - w[j]) < 1e-9L, "cascade-lints", "a weight", state.w[j], w[j]);
    }
    learner_close(&state);
}

int main(void)
{
    size_t blocks = 0;
    unsigned long exchanges = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t places = 2; places <= ITEMS; places += 2) {
            blocks += check_toprank(seed, places);
            exchanges += check_bubblerank(seed, places);
            check_klucb(seed, places);
            check_lints(10 * seed + places);
        }
    printf("bandits: %zu blocks, %lu exchanges\n", blocks, exchanges);
    hold(blocks >= 30 && exchanges >= 20, "bandits", "hardly anything learnt", blocks, exchanges);
    if (wrong)
        fprintf(stderr, "bandits: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
