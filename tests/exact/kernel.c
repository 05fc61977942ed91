/*
 * kernel: Algorithm 3 of the perceptron paper on kernels, written out in long double: the pairs
 * kept, the score of each document by all of them, the worst pair, and which pair leaves.
 * Without a budget that is used up, the loss stays below the bound of Corollary 11 in the kernel's
 * space, where every document has length 1. With a cutoff it is Algorithm 2, written out the same
 * way: the documents of each step and their factors.
 */
#include "loss/dcg.h"
#include "rounds.h"

enum { ROUNDS = 400, WIDTH = 6, MOST = 8 };

struct pair_kept {
    long double better[DIM], worse[DIM];
};

static long double kernel(double gamma, const float *x, const long double *y)
{
    long double square = 0;
    for (size_t j = 0; j < WIDTH; j++)
        square += (x[j] - y[j]) * (x[j] - y[j]);
    return expl(-gamma * square);
}

static void score(const struct query *query, const struct pair_kept *kept, size_t pairs,
                  double gamma, long double *s)
{
    for (size_t i = 0; i < query->docs; i++) {
        s[i] = 0;
        for (size_t p = 0; p < pairs; p++)
            s[i] += kernel(gamma, query->x[i], kept[p].better) -
                    kernel(gamma, query->x[i], kept[p].worse);
    }
}

static bool before(const long double *s, size_t i, size_t j)
{
    return s[i] > s[j] || (s[i] == s[j] && i < j);
}

/* Is any pair in the wrong order? Then it is the worst one, ties by the lower numbers. */
static bool find_worst(const struct query *query, const long double *s, size_t *better,
                       size_t *worse)
{
    bool wrong_order = false, found = false;
    for (size_t i = 0; i < query->docs; i++)
        for (size_t j = 0; j < query->docs; j++) {
            if (query->label[i] <= query->label[j])
                continue;
            wrong_order = wrong_order || before(s, j, i);
            if (!found || s[j] - s[i] > s[*worse] - s[*better]) {
                *better = i;
                *worse = j;
                found = true;
            }
        }
    return wrong_order;
}

static void keep(struct pair_kept *pair, const struct query *query, size_t better, size_t worse)
{
    for (size_t j = 0; j < WIDTH; j++) {
        pair->better[j] = query->x[better][j];
        pair->worse[j] = query->x[worse][j];
    }
}

static void begin(struct state *state, double gamma, size_t budget)
{
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_TRADEOFF, gamma);
    set(&settings, SETTING_MEMBERS, (double)budget);
    set(&settings, SETTING_SEED, 7);
    start(state, "kernel", &settings);
}

static unsigned long check(uint64_t seed, double gamma, size_t budget)
{
    static struct made made;
    static struct pair_kept kept[MOST];
    struct rng rng = rng_at(seed, RNG_SAMPLE, 1);
    size_t pairs = 0;
    unsigned long left = 0;
    struct state state;
    begin(&state, gamma, budget);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        long double s[DOCS];
        size_t better = 0, worse = 0;
        draw_features(&rng, &query, 1 + rng_below(&rng, DOCS), WIDTH, draw_unit);
        for (size_t i = 0; i < query.docs; i++)
            query.label[i] = query.x[i][0] * query.x[i][1] > 0;
        score(&query, kept, pairs, gamma, s);
        if (find_worst(&query, s, &better, &worse)) {
            struct rng drawn = rng_at(7, RNG_BUDGET, t - 1);
            left += pairs == budget;
            keep(&kept[pairs < budget ? pairs++ : rng_below(&drawn, (uint32_t)budget)], &query,
                 better, worse);
        }
        learn_round(&state, make_round(&made, &query, t, (enum form)rng_below(&rng, FORMS)));
        hold(*state.arrays.at[1] == (double)pairs, "kernel", "pairs", *state.arrays.at[1], pairs);
        for (size_t p = 0; p < budget; p++)
            for (size_t j = 0; j < WIDTH && p < pairs; j++)
                hold(state.arrays.at[0][(2 * p) * WIDTH + j] == kept[p].better[j] &&
                         state.arrays.at[0][(2 * p + 1) * WIDTH + j] == kept[p].worse[j],
                     "kernel", "a pair kept", t, p);
    }
    learner_close(&state);
    return left;
}

/* Labels by which of two clusters a document is in, a disc and a circle around it, which no line
 * tells apart. The function k(centre, .) is at least exp(-gamma / 4) in the one and at most
 * exp(-9 gamma) in the other. */
static void check_bound(uint64_t seed)
{
    static struct made made;
    struct rng rng = rng_at(seed, RNG_SAMPLE, 2);
    const double gamma = 1, margin = exp(-0.25) - exp(-9.);
    struct state state;
    double before_last = 0;
    begin(&state, gamma, 1000);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query query = { .docs = 4, .dim = WIDTH };
        for (size_t i = 0; i < 4; i++) {
            bool near = rng_below(&rng, 2);
            double angle = 6.283185 * rng_unit(&rng), length = near ? 0.5 * rng_unit(&rng) : 3;
            query.x[i][0] = (float)(length * cos(angle));
            query.x[i][1] = (float)(length * sin(angle));
            query.label[i] = near;
        }
        learn_round(&state, make_round(&made, &query, t, DENSE));
        if (t == ROUNDS / 2)
            before_last = *state.arrays.at[1];
    }
    /* a step loses at most 1 and at least something; |u| = 1, R = 1 */
    hold(*state.arrays.at[1] <= 4 / (margin * margin), "kernel", "steps", *state.arrays.at[1], 4);
    hold(*state.arrays.at[1] == before_last, "kernel", "steps in the last half",
         *state.arrays.at[1], before_last);
    learner_close(&state);
}

/* ---- Algorithm 2 ---- */

enum { CUTOFF = 3 };

struct list_kept {
    long double factor[2 * CUTOFF], x[2 * CUTOFF][DIM];
};

static void score_by_lists(const struct query *query, const struct list_kept *kept, size_t lists,
                           double gamma, long double *s)
{
    for (size_t i = 0; i < query->docs; i++) {
        s[i] = 0;
        for (size_t l = 0; l < lists; l++)
            for (size_t r = 0; r < 2 * CUTOFF; r++)
                if (kept[l].factor[r] != 0)
                    s[i] += kept[l].factor[r] * kernel(gamma, query->x[i], kept[l].x[r]);
    }
}

/* The place of document i by grades, where those come first, then by scores, then by number. */
static size_t place_of(const struct query *query, const long double *s, size_t i, bool grades)
{
    size_t place = 0;
    for (size_t j = 0; j < query->docs; j++) {
        bool same = !grades || query->label[j] == query->label[i];
        place += same ? before(s, j, i) : query->label[j] > query->label[i];
    }
    return place;
}

static long double worth(const struct query *query, size_t i, size_t place)
{
    return place < CUTOFF ? (exp2l(query->label[i]) - 1) / log2l(place + 2) : 0;
}

/* factor[docs]: what the step adds to each document, for NDCG@CUTOFF; is there a step? */
static bool list_step(const struct query *query, const long double *s, double margin,
                      long double *factor)
{
    long double most = 0, got = 0;
    for (size_t i = 0; i < query->docs; i++) {
        factor[i] = 0;
        most += worth(query, i, place_of(query, s, i, true));
        got += worth(query, i, place_of(query, s, i, false));
    }
    if (most == 0 || got / most > 1 - 1e-12L)
        return false;
    for (size_t i = 0; i < query->docs; i++) {
        long double v = worth(query, i, place_of(query, s, i, true)) / most;
        size_t rival = query->docs;
        for (size_t j = 0; j < query->docs; j++)
            if (query->label[j] < query->label[i] &&
                (rival == query->docs || s[j] > s[rival] ||
                 (s[j] == s[rival] && query->label[j] > query->label[rival])))
                rival = j;
        if (v == 0 || rival == query->docs || 1 + (s[rival] - s[i]) / margin <= 0)
            continue;
        factor[i] += v;
        factor[rival] -= v;
    }
    return true;
}

/* Those that move up first. */
static void keep_list(struct list_kept *kept, const struct query *query, const long double *factor)
{
    size_t r = 0;
    *kept = (struct list_kept){ .factor = { 0 } };
    for (int down = 0; down < 2; down++)
        for (size_t i = 0; i < query->docs; i++)
            if (down ? factor[i] < -1e-15L : factor[i] > 1e-15L) {
                kept->factor[r] = factor[i];
                for (size_t j = 0; j < WIDTH; j++)
                    kept->x[r][j] = query->x[i][j];
                r++;
            }
}

static void compare_lists(const struct state *state, const struct list_kept *kept, size_t lists,
                          uint64_t t)
{
    const double *at = state->arrays.at[0];
    for (size_t l = 0; l < lists; l++)
        for (size_t r = 0; r < 2 * CUTOFF; r++, at += 1 + WIDTH) {
            hold(fabsl(*at - kept[l].factor[r]) < 1e-12L, "kernel", "a factor", t, l);
            for (size_t j = 0; j < WIDTH; j++)
                hold(at[1 + j] == kept[l].x[r][j], "kernel", "a document of a list", t, l);
        }
}

/* Returns how many lists left. */
static unsigned long check_lists(uint64_t seed, double gamma, size_t budget, double margin)
{
    static struct made made;
    static struct list_kept kept[MOST];
    struct rng rng = rng_at(seed, RNG_SAMPLE, 3);
    struct settings settings = { .set = { false } };
    size_t lists = 0;
    unsigned long left = 0;
    struct state state;
    set(&settings, SETTING_TRADEOFF, gamma);
    set(&settings, SETTING_MEMBERS, (double)budget);
    set(&settings, SETTING_SEED, 7);
    set(&settings, SETTING_CUTOFF, CUTOFF);
    set(&settings, SETTING_MARGIN, margin);
    start(&state, "kernel", &settings);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        long double s[DOCS], factor[DOCS];
        draw_features(&rng, &query, 1 + rng_below(&rng, DOCS), WIDTH, draw_unit);
        for (size_t i = 0; i < query.docs; i++)
            query.label[i] =
                (float)((query.x[i][0] * query.x[i][1] > 0) + (query.x[i][2] > 0.3F));
        score_by_lists(&query, kept, lists, gamma, s);
        if (list_step(&query, s, margin, factor)) {
            struct rng drawn = rng_at(7, RNG_BUDGET, t - 1);
            left += lists == budget;
            keep_list(&kept[lists < budget ? lists++ : rng_below(&drawn, (uint32_t)budget)],
                      &query, factor);
        }
        learn_round(&state, make_round(&made, &query, t, (enum form)rng_below(&rng, FORMS)));
        hold(*state.arrays.at[1] == (double)lists, "kernel", "lists", *state.arrays.at[1], lists);
        compare_lists(&state, kept, lists, t);
    }
    learner_close(&state);
    return left;
}

int main(void)
{
    unsigned long left = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        left += check(seed, 0.7, 1) + check(seed, 0.7, 3) + check(seed, 2, MOST);
        left += check_lists(seed, 0.7, 1, 1) + check_lists(seed, 2, MOST, 5);
        check_bound(seed);
    }
    printf("kernel: %lu pairs and lists left\n", left);
    hold(left > 100, "kernel", "hardly a pair that left", left, 100);
    if (wrong)
        fprintf(stderr, "kernel: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
