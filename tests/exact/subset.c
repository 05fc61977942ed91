/*
 * subset: the chances q by which explore -p subset draws n of m documents, summed over all sets
 * that systematic sampling can draw, and over all choices of the k documents seen of them: each
 * document is seen with the propensity that feedback_exposure says, the mean of what exp3m learns
 * is the loss of each item, and the second moment is at most n m / k (Uchiya, Nakamura & Kudo
 * 2010). q itself is found here by another way. No sampling, except that draws of explore are sets
 * of this kind.
 */
#include "rounds.h"

#include "explore/propensity.h"
#include "math/order.h"

enum { ITEMS = 6, TRIALS = 8 };

static const long double EXACT = 1e-12L;

/* A set to draw from, and what is known of it. */
struct world {
    size_t m, n, k;
    double score[ITEMS], q[ITEMS];
    float label[ITEMS];
    enum gain gain;
    long double loss[ITEMS], mean[ITEMS], seen[ITEMS], second;
};

/* min(1, c exp(score)) with the sum n, c found by halving. */
static void check_chances(const struct world *at)
{
    long double low = -2000, high = 2000, sum, all = 0;
    for (int step = 0; step < 200; step++) {
        long double c = (low + high) / 2;
        sum = 0;
        for (size_t i = 0; i < at->m; i++)
            sum += fminl(1, expl(c + at->score[i]));
        *(sum < at->n ? &low : &high) = c;
    }
    for (size_t i = 0; i < at->m; i++) {
        long double want = fminl(1, expl(high + at->score[i]));
        hold(fabsl(at->q[i] - want) <= EXACT * want + 1e-300L, "subset", "q", at->q[i], want);
        all += at->q[i];
    }
    hold(fabsl(all - at->n) < EXACT, "subset", "the sum of q", all, at->n);
}

/* in[m]: document i is in the set of u if a number u + j is in the i-th piece of the line. */
static size_t draw_set(const struct world *at, long double u, bool *in)
{
    long double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < at->m; i++) {
        long double before = ceill(sum - u);
        sum += at->q[i];
        n += in[i] = ceill(sum - u) > before;
    }
    return n;
}

/* The items of a set that are seen, as bits; adds what is learnt from them, `chance` being that of
 * the set and the choice. */
static void add_choice(struct world *at, const bool *in, unsigned seen, long double chance)
{
    static struct made made;
    struct settings settings = { .set = { false } };
    struct query query = { .docs = at->m, .dim = 0 };
    struct state state;
    uint32_t order[DOCS];
    size_t a = 0;
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < at->m; i++)
            if ((turn == 0) == (seen >> i & 1) && (turn == 1) == (in[i] && !(seen >> i & 1)))
                order[a++] = (uint32_t)i;
    memcpy(query.label, at->label, sizeof at->label);
    make_round(&made, &query, 1, DENSE);
    memcpy(made.score, at->score, sizeof at->score);
    made.round.score = made.score;
    made.round.subset = at->n;
    const struct round *round = mask_round(&made, order, at->k);
    set(&settings, SETTING_GAIN, at->gain);
    set(&settings, SETTING_TOP_GRADE, 2);
    start(&state, "exp3m", &settings);
    learn_round(&state, round);
    struct exposure exposure;
    struct buffer buffer = { NULL, 0 };
    struct fault fault = { FAULT_NONE, "" };
    must(feedback_exposure(&exposure, round, "kl", 1, &buffer, &fault), &fault);
    for (size_t j = 0; j < at->k; j++)
        at->seen[order[j]] += chance / propensity_one(&exposure, j);
    for (size_t i = 0; i < at->m; i++) {
        long double e = state.arrays.at[0][i];
        at->mean[i] += chance * e;
        at->second += chance * at->q[i] * e * e;
        long double eta = sqrtl(at->k * logl((long double)at->m / at->n) / (at->m * 2));
        hold(fabsl(state.w[i] + eta * e) <= 1e-15L * e, "exp3m", "score", state.w[i], e);
    }
    buffer_free(&buffer);
    learner_close(&state);
}

/* All choices of k items of a set. */
static void add_set(struct world *at, const bool *in, long double chance)
{
    unsigned set = 0, choices = 0;
    for (size_t i = 0; i < at->m; i++)
        set |= (unsigned)in[i] << i;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned seen = 0; seen <= set; seen++) {
            if ((seen & set) != seen || (size_t)__builtin_popcount(seen) != at->k)
                continue;
            if (pass)
                add_choice(at, in, seen, chance / choices);
            else
                choices++;
        }
}

static int by_size(const void *a, const void *b)
{
    long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

/* All sets: between two breaks of u it is the same. */
static void check_sets(struct world *at)
{
    long double edge[ITEMS + 2] = { 0, 1 }, sum = 0;
    bool in[ITEMS];
    for (size_t i = 0; i < at->m; i++) {
        sum += at->q[i];
        edge[i + 2] = sum - floorl(sum);
    }
    qsort(edge, at->m + 2, sizeof *edge, by_size);
    for (size_t e = 0; e <= at->m; e++) {
        if (edge[e + 1] - edge[e] < 1e-14L)
            continue;
        size_t n = draw_set(at, (edge[e] + edge[e + 1]) / 2, in);
        hold(n == at->n, "subset", "items of a set", n, at->n);
        add_set(at, in, edge[e + 1] - edge[e]);
    }
    for (size_t i = 0; i < at->m; i++) {
        hold(fabsl(at->mean[i] - at->loss[i]) < EXACT, "exp3m", "mean", at->mean[i], at->loss[i]);
        hold(fabsl(at->seen[i] - 1) < EXACT, "subset", "chance over propensity", at->seen[i], 1);
    }
    hold(at->second <= (long double)(at->n * at->m) / at->k + EXACT, "exp3m", "second moment",
         at->second, (long double)(at->n * at->m) / at->k);
}

/* What explore draws is the set of its u, in some order, and then the others in greedy order. */
static void check_draws(const struct world *at, const uint32_t *greedy)
{
    uint32_t order[ITEMS];
    unsigned char mark[ITEMS];
    bool in[ITEMS];
    for (uint64_t t = 1; t <= 20; t++) {
        struct rng rng = rng_at(1, RNG_SAMPLE, t), same = rng;
        propensity_draw_subset(at->m, at->n, at->q, greedy, &rng, order, mark);
        draw_set(at, rng_unit(&same), in);
        size_t a = 0;
        for (; a < at->n; a++) {
            hold(in[order[a]], "subset", "a document that was not drawn", order[a], t);
            in[order[a]] = true;
        }
        for (size_t g = 0; g < at->m; g++)
            if (!in[greedy[g]])
                hold(order[a] == greedy[g], "subset", "a place below the set", order[a], t), a++;
        hold(order_is_permutation(at->m, order, (uint32_t[ITEMS]){ 0 }), "subset", "order", t, 0);
    }
}

static void check_world(struct rng *rng, size_t m, size_t n, size_t k, int trial)
{
    struct world at = { .m = m, .n = n, .k = k, .gain = trial % 2 ? GAIN_LIN : GAIN_EXP };
    uint32_t greedy[ITEMS], scratch[ITEMS];
    for (size_t i = 0; i < m; i++) {
        at.score[i] = -rng_unit(rng) * trial;
        at.label[i] = (float)rng_below(rng, 3);
        at.loss[i] = 1 - (at.gain == GAIN_LIN ? at.label[i] / 2 : (exp2l(at.label[i]) - 1) / 3);
    }
    order_by_score(m, at.score, greedy, scratch);
    propensity_subset(m, at.score, greedy, n, at.q);
    check_chances(&at);
    check_sets(&at);
    check_draws(&at, greedy);
}

/* Scores so far apart that no double says by how much, and chances that are no doubles. */
static void check_far(void)
{
    const double score[] = { 1e308, -1e308, 800, 0 };
    const uint32_t greedy[] = { 0, 2, 3, 1 };
    double q[4];
    propensity_subset(4, score, greedy, 2, q);
    hold(q[0] == 1 && q[2] == 1, "subset", "q of those on top", q[2], 1);
    hold(q[1] == 0x1p-1022 && q[3] == 0x1p-1022, "subset", "q of those far below", q[3], 0x1p-1022);
}

int main(void)
{
    struct rng rng = rng_at(61, RNG_SAMPLE, 0);
    size_t worlds = 0;
    for (size_t m = 2; m <= ITEMS; m++)
        for (size_t n = 1; n < m; n++)
            for (size_t k = 1; k <= n; k++)
                for (int trial = 0; trial < TRIALS; trial++, worlds++)
                    check_world(&rng, m, n, k, trial);
    check_far();
    printf("subset: %zu cases\n", worlds);
    if (wrong)
        fprintf(stderr, "subset: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
