/*
 * prank, prank-pair and the committee, against their definitions written on plain lists, with
 * features whose sums are exact: to the bit.
 */
#include "rounds.h"

enum { ROUNDS = 400, NARROW = 6 };

/* ---- prank, by Crammer & Singer's own ranks, from 1 to k ---- */

enum { RANKS = 8 };

struct ordinal {
    size_t k;
    double w[DIM], b[RANKS + 1]; /* b[1..k], b[k] infinite */
};

static size_t predict(const struct ordinal *o, double score)
{
    size_t r = 1;
    while (!(score - o->b[r] < 0))
        r++;
    return r;
}

static size_t rank_document(struct ordinal *o, const float *x, size_t dim, size_t y)
{
    double score = 0, tau[RANKS + 1] = { 0 };
    for (size_t j = 0; j < dim; j++)
        score += x[j] * o->w[j];
    if (predict(o, score) == y)
        return 0;
    for (size_t r = 1; r < o->k; r++) {
        int side = y <= r ? -1 : 1;
        tau[r] = (score - o->b[r]) * side <= 0 ? side : 0;
    }
    for (size_t r = 1; r < o->k; r++) {
        o->b[r] -= tau[r];
        for (size_t j = 0; j < dim; j++)
            o->w[j] += tau[r] * x[j];
    }
    return 1;
}

/* How many were wrong. */
static size_t rank_query(struct ordinal *o, const struct query *query)
{
    size_t wrongs = 0;
    for (size_t i = 0; i < query->docs; i++)
        wrongs += rank_document(o, query->x[i], query->dim, (size_t)query->label[i] + 1);
    return wrongs;
}

/* The thresholds stay in order, so that a level is how many w.x has reached. */
static void check_levels(struct state *state, size_t n)
{
    struct model model;
    struct fault fault = { FAULT_NONE, "" };
    double b[RANKS];
    must(learner_publish(state, &model, PUBLISH_WHOLE, &fault), &fault);
    must(model_array(&model, "threshold", n, b, &fault), &fault);
    for (size_t r = 1; r < n; r++)
        hold(b[r - 1] <= b[r], "prank", "thresholds out of order", b[r - 1], b[r]);
    const struct matrix one = { .docs = 1 };
    struct scored scored = { .dim = state->dim, .n = n, .array = b, .settings = state->settings };
    for (double wx = b[0] - 1; wx <= b[n - 1] + 1; wx += 0.5) {
        size_t level = 0;
        for (size_t r = 0; r < n; r++)
            level += wx >= b[r];
        double got = wx;
        const struct ranking ranking = { .x = &one, .s = &got };
        must(state->learner->rank(&scored, &ranking, &fault), &fault);
        hold(got == (double)level, "prank", "level", got, level);
    }
}

/* The same documents in the order that prank draws. */
static struct query shuffled(const struct query *query, uint64_t t)
{
    struct query drawn = *query;
    struct rng rng = rng_at(1, RNG_PAIRS, t);
    uint32_t order[DOCS];
    rng_permutation(&rng, order, query->docs);
    for (size_t i = 0; i < query->docs; i++) {
        memcpy(drawn.x[i], query->x[order[i]], sizeof drawn.x[i]);
        drawn.label[i] = query->label[order[i]];
    }
    return drawn;
}

static void check_prank(struct rng *rng, size_t n)
{
    static struct made made;
    struct state state;
    struct settings settings = { .set = { false } };
    struct ordinal o = { .k = n + 1 };
    size_t wrongs = 0;
    o.b[o.k] = INFINITY;
    if (n != 4)
        set(&settings, SETTING_TOP_GRADE, (double)n);
    if (n % 2)
        set(&settings, SETTING_IN_ORDER, 1);
    start(&state, "prank", &settings);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        draw_features(rng, &query, 1 + rng_below(rng, DOCS), 1 + rng_below(rng, NARROW),
                      draw_half);
        draw_labels(rng, &query, (uint32_t)n);
        struct query drawn = n % 2 ? query : shuffled(&query, t);
        wrongs += rank_query(&o, &drawn);
        learn_round(&state, make_round(&made, &query, t, (enum form)(t % FORMS)));
        hold(memcmp(state.w, o.w, state.dim * sizeof *o.w) == 0, "prank", "w", state.w[0], o.w[0]);
        hold(memcmp(state.arrays.at[0], o.b + 1, n * sizeof *o.b) == 0, "prank", "thresholds",
             *state.arrays.at[0], o.b[1]);
        check_levels(&state, n);
    }
    hold(wrongs > ROUNDS, "prank", "hardly any wrong", wrongs, ROUNDS);
    learner_close(&state);
}

/* ---- prank-pair ---- */

static double score_pair(const struct query *query, struct pair pair, const double *w)
{
    double sum = 0;
    for (size_t j = 0; j < query->dim; j++)
        sum += (query->x[pair.better][j] - query->x[pair.worse][j]) * w[j];
    return sum;
}

static void add_pair(const struct query *query, struct pair pair, double *w)
{
    for (size_t j = 0; j < query->dim; j++)
        w[j] += query->x[pair.better][j] - query->x[pair.worse][j];
}

/* A query of halves, and its pairs as a learner of that seed takes them; seed 0: in order. */
static size_t draw_pairs(struct rng *rng, struct query *query, uint64_t seed, uint64_t t,
                         struct pair *pairs)
{
    struct rng draws = rng_at(seed, RNG_PAIRS, t);
    draw_features(rng, query, 1 + rng_below(rng, DOCS), 1 + rng_below(rng, NARROW), draw_half);
    draw_labels(rng, query, 2);
    return get_pairs(query, seed ? &draws : NULL, pairs);
}

static void order_by(struct settings *settings, uint64_t seed)
{
    if (seed)
        set(settings, SETTING_SEED, (double)seed);
    else
        set(settings, SETTING_IN_ORDER, 1);
}

static void check_perceptron(struct rng *rng, uint64_t seed)
{
    static struct made made;
    struct state state;
    struct settings settings = { .set = { false } };
    double w[DIM] = { 0 };
    order_by(&settings, seed);
    start(&state, "prank-pair", &settings);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query query;
        struct pair pairs[DOCS * DOCS];
        size_t n = draw_pairs(rng, &query, seed, t, pairs);
        for (size_t p = 0; p < n; p++)
            if (score_pair(&query, pairs[p], w) <= 0)
                add_pair(&query, pairs[p], w);
        learn_round(&state, make_round(&made, &query, t, (enum form)(t % FORMS)));
        hold(memcmp(state.w, w, state.dim * sizeof *w) == 0, "prank-pair", "w", state.w[0], w[0]);
    }
    learner_close(&state);
}

/* ---- committee ---- */

/* Members stand where there is room; who came when is a number of its own. */
struct committee {
    size_t most, members, entries;
    struct member {
        double votes, w[DIM];
        size_t entry;
    } member[20], current;
};

static unsigned long left, tied, refused;

/* Who would leave: of the fewest votes, and of these the one who came first. */
static size_t weakest(struct committee *c)
{
    size_t least = 0;
    for (size_t i = 0; i < c->members; i++) {
        const struct member *a = &c->member[i], *b = &c->member[least];
        if (a->votes < b->votes || (a->votes == b->votes && a->entry < b->entry))
            least = i;
    }
    return least;
}

static void apply(struct committee *c)
{
    size_t seat = c->members;
    if (seat == c->most) {
        seat = weakest(c);
        if (!(c->current.votes > c->member[seat].votes)) {
            refused++;
            return;
        }
        left++;
        for (size_t i = 0; i < c->members; i++)
            tied += i != seat && c->member[i].votes == c->member[seat].votes;
    } else {
        c->members++;
    }
    c->current.entry = ++c->entries;
    c->member[seat] = c->current;
}

static void sit(struct committee *c, const struct query *query, struct pair pair)
{
    if (score_pair(query, pair, c->current.w) > 0) {
        c->current.votes++;
        return;
    }
    apply(c);
    add_pair(query, pair, c->current.w);
    c->current.votes = 0;
}

/* The learner's members lie oldest first. */
static void compare_committees(const struct state *state, const struct committee *c)
{
    double w[DIM] = { 0 };
    size_t dim = state->dim, bytes = dim * sizeof *w;
    hold(*state->arrays.at[1] == (double)c->members, "committee", "members", *state->arrays.at[1],
         c->members);
    for (size_t i = 0; i < c->members; i++) {
        size_t before = 0;
        for (size_t k = 0; k < c->members; k++)
            before += c->member[k].entry < c->member[i].entry;
        hold(state->arrays.at[0][before] == c->member[i].votes, "committee", "votes",
             state->arrays.at[0][before], c->member[i].votes);
        hold(memcmp(state->arrays.at[3] + before * dim, c->member[i].w, bytes) == 0, "committee",
             "a member's w", before, c->members);
        for (size_t j = 0; j < dim; j++)
            w[j] += c->member[i].votes * c->member[i].w[j];
    }
    hold(memcmp(state->w, w, bytes) == 0, "committee", "w", state->w[0], w[0]);
    hold(memcmp(state->arrays.at[4], c->current.w, bytes) == 0, "committee", "the current w",
         *state->arrays.at[4], c->current.w[0]);
    hold(*state->arrays.at[2] == c->current.votes, "committee", "the current votes",
         *state->arrays.at[2], c->current.votes);
}

static void check_committee(struct rng *rng, size_t most, uint64_t seed)
{
    static struct made made;
    struct state state;
    struct settings settings = { .set = { false } };
    struct committee c = { .most = most };
    order_by(&settings, seed);
    if (most != 20)
        set(&settings, SETTING_MEMBERS, (double)most);
    start(&state, "committee", &settings);
    for (uint64_t t = 1; t <= ROUNDS / 4; t++) {
        struct query query;
        struct pair pairs[DOCS * DOCS];
        size_t n = draw_pairs(rng, &query, seed, t, pairs);
        for (size_t p = 0; p < n; p++)
            sit(&c, &query, pairs[p]);
        learn_round(&state, make_round(&made, &query, t, (enum form)(t % FORMS)));
        compare_committees(&state, &c);
    }
    learner_close(&state);
}

/* Many short runs: in a long one hardly anyone is still better than those who sit. */
static void check_committees(struct rng *rng, size_t most, uint64_t seed)
{
    left = tied = refused = 0;
    for (size_t run = 0; run < 20; run++)
        check_committee(rng, most, seed);
    printf("committee of %zu: %lu left, as few votes as %lu others; %lu refused\n", most, left,
           tied, refused);
    hold(left > 50 && (tied > 20 || most == 1) && refused > 50, "committee", "hardly any leave",
         left, tied);
}

int main(void)
{
    static const size_t most[] = { 1, 2, 3, 20 };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t n = 1; n < RANKS; n++)
        check_prank(&rng, n);
    for (uint64_t seed = 0; seed < 3; seed++) {
        check_perceptron(&rng, seed);
        for (size_t i = 0; i < COUNT(most); i++)
            check_committees(&rng, most[i], seed);
    }
    if (wrong)
        fprintf(stderr, "steps: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
