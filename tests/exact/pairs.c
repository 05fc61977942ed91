/*
 * Pairs of documents, and the learners of Wang et al. 2015 that take them.
 *
 * A round is its pairs one after the other, in document order or in the order that is drawn: to
 * the bit what two-document rounds teach. And one pair teaches solar1 what solves its projection
 * (equation 4: its conditions hold, and nothing about is better), solar2 what the inverse of
 * I + sum xx'/gamma says, had here by elimination; and its sums have their order, to the bit.
 */
#include "rounds.h"

#include "loss/surrogate_gradients.h"

enum { ROUNDS = 400, NARROW = 6 };

/* ---- the pairs of a query ---- */

/* Each pair once, and with nothing drawn by the better document and then the worse. */
static void check_pairs(struct rng *rng)
{
    struct query query = { .docs = 0 };
    struct pair pairs[DOCS * DOCS];
    for (size_t n = 0; n < ROUNDS; n++) {
        size_t times[DOCS * DOCS] = { 0 }, number = 0;
        struct rng at = rng_at(n, RNG_PAIRS, 1);
        draw_features(rng, &query, 1 + n % DOCS, 1, draw_half);
        draw_labels(rng, &query, 3);
        size_t drawn = get_pairs(&query, &at, pairs);
        for (size_t p = 0; p < drawn; p++)
            times[pairs[p].better * DOCS + pairs[p].worse]++;
        size_t listed = get_pairs(&query, NULL, pairs);
        for (uint32_t i = 0; i < query.docs; i++) {
            for (uint32_t j = 0; j < query.docs; j++) {
                bool pair = query.label[i] > query.label[j];
                hold(times[i * DOCS + j] == pair, "pairs", "drawn so often",
                     times[i * DOCS + j], pair);
                hold(!pair || (pairs[number].better == i && pairs[number].worse == j), "pairs",
                     "not in document order", pairs[number].better, i);
                number += pair;
            }
        }
        hold(drawn == number && listed == number, "pairs", "so many", drawn, number);
    }
}

/* ---- long lists ---- */

enum { LONG = 200 };

/* The list of one to LONG documents, of few grades or of many, whose scores often tie. */
struct list {
    size_t m;
    uint32_t doc[LONG];
    double relevance[LONG], score[LONG]; /* the score by document */
};

static void draw_list(struct rng *rng, struct list *list)
{
    uint32_t grades = 1 + rng_below(rng, 6);
    list->m = 1 + rng_below(rng, LONG);
    rng_permutation(rng, list->doc, list->m);
    for (size_t a = 0; a < list->m; a++) {
        list->relevance[a] = grades < 6 ? rng_below(rng, grades) : rng_unit(rng);
        list->score[a] = 0.5 * rng_below(rng, 7) + (a % 3 ? 0 : 0x1p60 * rng_unit(rng));
    }
}

/* In document order pairs are what two loops find. */
static void check_listed(const struct list *list)
{
    struct pairs pairs;
    struct pair pair;
    struct buffer buffer = { NULL, 0 };
    struct fault fault = { FAULT_NONE, "" };
    struct feedback feedback = { list->m, list->doc, list->relevance };
    size_t n = 0;
    must(pairs_start(&pairs, &feedback, NULL, &buffer, &fault), &fault);
    for (size_t a = 0; a < list->m; a++)
        for (size_t b = 0; b < list->m; b++)
            if (list->relevance[a] > list->relevance[b]) {
                bool right = pairs_next(&pairs, &pair) && pair.better == list->doc[a] &&
                             pair.worse == list->doc[b];
                hold(right, "long list", "another pair at", n++, 0);
            }
    hold(!pairs_next(&pairs, &pair), "long list", "more pairs than", n, n);
    buffer_free(&buffer);
}

/* Drawn, each of the same pairs comes once. */
static void check_shuffled(const struct list *list, uint64_t seed)
{
    static unsigned char times[LONG][LONG];
    struct pairs pairs;
    struct pair pair;
    struct buffer buffer = { NULL, 0 };
    struct fault fault = { FAULT_NONE, "" };
    struct feedback feedback = { list->m, list->doc, list->relevance };
    struct rng rng = rng_at(seed, RNG_PAIRS, 1);
    memset(times, 0, sizeof times);
    must(pairs_start(&pairs, &feedback, &rng, &buffer, &fault), &fault);
    while (pairs_next(&pairs, &pair))
        times[pair.better % LONG][pair.worse % LONG]++;
    for (size_t a = 0; a < list->m; a++)
        for (size_t b = 0; b < list->m; b++)
            hold(times[list->doc[a]][list->doc[b]] == (list->relevance[a] > list->relevance[b]),
                 "long list", "a pair is drawn so often", times[list->doc[a]][list->doc[b]], 1);
    buffer_free(&buffer);
}

/* The gradient of all hinges, counted in lists of more than 64, is what two loops count. */
static void check_hinges(const struct list *list)
{
    double g[LONG], counted[LONG] = { 0 }, scratch[SURROGATE_SCRATCH * LONG];
    const double *s = list->score;
    const struct exposure exposure = { .docs = list->m, .places = list->m, .doc = list->doc,
                                       .relevance = list->relevance };
    surrogates[SURROGATE_RANKSVM].gradient(&exposure, s, &(struct surrogate_options){ 0 }, g,
                                           scratch);
    for (size_t a = 0; a < list->m; a++)
        for (size_t b = 0; b < list->m; b++) {
            uint32_t i = list->doc[a], j = list->doc[b];
            bool wrong_way = list->relevance[a] > list->relevance[b] && 1 + s[j] > s[i];
            counted[j] += wrong_way;
            counted[i] -= wrong_way;
        }
    for (size_t d = 0; d < list->m; d++)
        hold(g[d] == counted[d], "hinges", "gradient", g[d], counted[d]);
}

static void check_long_lists(struct rng *rng)
{
    for (size_t n = 0; n < ROUNDS; n++) {
        struct list list;
        draw_list(rng, &list);
        check_listed(&list);
        check_shuffled(&list, n);
        check_hinges(&list);
    }
}

/* Which of the n! orders of its n pairs: a number in the factorial system. */
static size_t name_order(const struct pair *pairs, size_t n)
{
    size_t name = 0;
    for (size_t p = 0; p < n; p++) {
        size_t smaller = 0;
        for (size_t q = p + 1; q < n; q++)
            smaller += pairs[q].better * DOCS + pairs[q].worse <
                       pairs[p].better * DOCS + pairs[p].worse;
        name = name * (n - p) + smaller;
    }
    return name;
}

/* Every order is equally likely, over many t: chi squared is below what one in ten thousand
 * exceed. The same seed and t draw the same. */
static void check_likely(const float *label, size_t docs, size_t orders, double most)
{
    struct query query = { docs, 1, { { 0 } }, { 0 } };
    struct pair pairs[DOCS * DOCS], again[DOCS * DOCS];
    memcpy(query.label, label, docs * sizeof *label);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double times[24] = { 0 }, each = 500, chi = 0;
        for (uint64_t t = 1; t <= 500 * orders; t++) {
            struct rng rng = rng_at(seed, RNG_PAIRS, t), same = rng_at(seed, RNG_PAIRS, t);
            size_t n = get_pairs(&query, &rng, pairs);
            times[name_order(pairs, n)]++;
            get_pairs(&query, &same, again);
            hold(memcmp(pairs, again, n * sizeof *pairs) == 0, "pairs", "another order", t, t);
        }
        for (size_t o = 0; o < orders; o++)
            chi += (times[o] - each) * (times[o] - each) / each;
        hold(chi < most, "pairs", "orders are not equally likely: chi squared", chi, most);
    }
}

/* ---- a round is its pairs ---- */

static void learn_apart(struct state *state, const struct query *query, const struct pair *pairs,
                        size_t n, uint64_t t)
{
    static struct made made;
    for (size_t p = 0; p < n; p++) {
        struct query two;
        uint32_t doc[] = { pairs[p].worse, pairs[p].better };
        take_documents(query, doc, 2, &two);
        learn_round(state, make_round(&made, &two, t, (enum form)(p % FORMS)));
    }
}

static void check_apart(struct rng *rng, const char *name, bool in_order, uint64_t seed)
{
    static struct made made;
    struct state whole, apart;
    struct settings settings = { .set = { false } };
    settings.set[SETTING_IN_ORDER] = in_order;
    set(&settings, SETTING_SEED, (double)seed);
    start(&whole, name, &settings);
    start(&apart, name, &settings);
    for (uint64_t t = 1; t <= 60; t++) {
        struct query query;
        struct pair pairs[DOCS * DOCS];
        struct rng draws = rng_at(seed, RNG_PAIRS, t);
        draw_features(rng, &query, 1 + rng_below(rng, DOCS), 1 + rng_below(rng, DIM), draw_unit);
        draw_labels(rng, &query, 3);
        size_t n = get_pairs(&query, in_order ? NULL : &draws, pairs);
        reach(&apart, query.dim); /* it may have no pair to tell of its features */
        learn_apart(&apart, &query, pairs, n, t);
        learn_round(&whole, make_round(&made, &query, t, (enum form)(t % FORMS)));
        hold(same_learnt(&whole, &apart), name, "a round is not its pairs, t", t, seed);
    }
    learner_close(&whole);
    learner_close(&apart);
}

/* ---- solar1 ---- */

static long double dot(const long double *a, const long double *b, size_t n)
{
    long double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static void subtract(const struct query *query, size_t i, size_t j, long double *x)
{
    for (size_t f = 0; f < query->dim; f++)
        x[f] = (long double)query->x[i][f] - query->x[j][f];
}

struct projection {
    size_t dim;
    long double C, from[NARROW], x[NARROW];
};

/* What is made least: the way from there, and the slack that w needs. */
static long double cost(const struct projection *p, const long double *w)
{
    long double sum = 0, slack = fmaxl(0, 1 - dot(w, p->x, p->dim));
    for (size_t j = 0; j < p->dim; j++)
        sum += (w[j] - p->from[j]) * (w[j] - p->from[j]) / 2;
    return sum + p->C * slack * slack;
}

/* The conditions of Karush, Kuhn and Tucker, w - from = lambda x and lambda = 2 C slack, with the
 * slack that w needs; and nothing about is better. */
static void check_solved(const struct projection *p, const long double *w, struct rng *rng)
{
    long double lambda = 2 * p->C * fmaxl(0, 1 - dot(w, p->x, p->dim)), to[NARROW];
    for (size_t j = 0; j < p->dim; j++)
        hold(fabsl(w[j] - p->from[j] - lambda * p->x[j]) <= 4e-15L * (1 + p->C), "solar1",
             "w is not where its conditions want it", w[j], p->from[j] + lambda * p->x[j]);
    for (int far = -20; far <= 2; far += 2) {
        for (size_t j = 0; j < p->dim; j++)
            to[j] = w[j] + ldexpl(2 * rng_unit(rng) - 1, far);
        hold(cost(p, to) >= cost(p, w) - 1e-17L, "solar1", "there is a better w", cost(p, to),
             cost(p, w));
    }
}

static void check_projections(struct rng *rng, double C)
{
    static struct made made;
    struct state state;
    struct settings settings = { .set = { false } };
    size_t right = 0;
    if (C > 0)
        set(&settings, SETTING_TRADEOFF, C);
    start(&state, "solar1", &settings);
    for (size_t n = 0; n < ROUNDS; n++) {
        struct query query;
        struct projection p = { .C = C > 0 ? C : 1e-5 };
        long double w[NARROW] = { 0 };
        draw_features(rng, &query, 2, p.dim = 1 + n % NARROW, draw_unit);
        query.label[n % 2] = 1;
        query.label[1 - n % 2] = 0.25f;
        subtract(&query, n % 2, 1 - n % 2, p.x);
        double *from = reach(&state, NARROW);
        for (size_t j = 0; j < NARROW; j++)
            p.from[j] = from[j] = draw_unit(rng);
        learn_round(&state, make_round(&made, &query, n, (enum form)(n % FORMS)));
        for (size_t j = 0; j < NARROW; j++)
            w[j] = state.w[j];
        check_solved(&p, w, rng);
        right += dot(p.from, p.x, p.dim) >= 1;
    }
    hold(right > 10 && right < ROUNDS - 10, "solar1", "hardly any right", right, ROUNDS);
    learner_close(&state);
}

/* ---- solar2 ---- */

/* a is I + the sum of xx'/gamma. */
struct confidence {
    size_t dim;
    long double gamma, a[NARROW][NARROW], w[NARROW];
};

/* Gauss and Jordan, without looking for pivots: a is positive. */
static void invert(const struct confidence *c, long double inverse[NARROW][NARROW])
{
    long double a[NARROW][NARROW];
    memcpy(a, c->a, sizeof a);
    for (size_t i = 0; i < NARROW; i++)
        for (size_t j = 0; j < NARROW; j++)
            inverse[i][j] = i == j;
    for (size_t p = 0; p < c->dim; p++) {
        long double pivot = a[p][p];
        for (size_t j = 0; j < c->dim; j++) {
            a[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for (size_t i = 0; i < c->dim; i++) {
            long double factor = a[i][p];
            for (size_t j = 0; i != p && j < c->dim; j++) {
                a[i][j] -= factor * a[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
}

static size_t believe(struct confidence *c, const long double *x)
{
    long double inverse[NARROW][NARROW], v[NARROW] = { 0 }, missing = 1 - dot(x, c->w, c->dim);
    if (!(missing > 0))
        return 0;
    invert(c, inverse);
    for (size_t i = 0; i < c->dim; i++)
        v[i] = dot(inverse[i], x, c->dim);
    long double b = dot(v, x, c->dim) + c->gamma;
    for (size_t i = 0; i < c->dim; i++) {
        c->w[i] += v[i] * missing / b;
        for (size_t j = 0; j < c->dim; j++)
            c->a[i][j] += x[i] * x[j] / c->gamma;
    }
    return 1;
}

/* All pairs in document order; how many were to be learnt from. */
static size_t believe_round(struct confidence *c, const struct query *query)
{
    size_t n = 0;
    for (; c->dim < query->dim; c->dim++)
        c->a[c->dim][c->dim] = 1;
    for (size_t i = 0; i < query->docs; i++) {
        for (size_t j = 0; j < query->docs; j++) {
            long double x[NARROW] = { 0 };
            subtract(query, i, j, x);
            if (query->label[i] > query->label[j])
                n += believe(c, x);
        }
    }
    return n;
}

static void compare_beliefs(const struct state *state, const struct confidence *c)
{
    const double *sigma = state->arrays.at[0];
    long double inverse[NARROW][NARROW];
    invert(c, inverse);
    hold(state->dim == c->dim, "solar2", "weights", state->dim, c->dim);
    for (size_t i = 0; i < c->dim; i++) {
        hold(fabsl(state->w[i] - c->w[i]) <= 1e-13L, "solar2", "w", state->w[i], c->w[i]);
        for (size_t j = 0; j < c->dim; j++) {
            double got = sigma[i * c->dim + j], across = sigma[j * c->dim + i];
            hold(fabsl(got - inverse[i][j]) <= 1e-13L, "solar2", "Sigma", got, inverse[i][j]);
            hold(memcmp(&got, &across, sizeof got) == 0, "solar2", "Sigma across", got, across);
        }
    }
}

static void check_confidence(struct rng *rng, double gamma)
{
    static struct made made;
    struct state state;
    struct settings settings = { .set = { false } };
    struct confidence c = { .gamma = gamma > 0 ? gamma : 1e4 };
    size_t taken = 0;
    set(&settings, SETTING_IN_ORDER, 1);
    if (gamma > 0)
        set(&settings, SETTING_TRADEOFF, gamma);
    start(&state, "solar2", &settings);
    for (uint32_t t = 1; t <= 3 * NARROW; t++) {
        struct query query;
        uint32_t wide = t / 3 + 1 < NARROW ? t / 3 + 1 : NARROW; /* now and then narrow again */
        draw_features(rng, &query, DOCS, t % 3 ? wide : 1 + rng_below(rng, wide), draw_unit);
        draw_labels(rng, &query, 4);
        learn_round(&state, make_round(&made, &query, t, (enum form)(t % FORMS)));
        taken += believe_round(&c, &query);
        compare_beliefs(&state, &c);
    }
    hold(taken > 5 * NARROW, "solar2", "so few pairs", taken, 5 * NARROW);
    learner_close(&state);
}

/* What solar2 does with a pair, one row of Sigma after the other. */
static void step_by_rows(const struct row *x, double *w, double *sigma, size_t dim)
{
    double v[DIM] = { 0 }, missing = 1 - matrix_row_times(x, w);
    if (missing <= 0)
        return;
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++)
            v[j] += x->val[i] * sigma[i * dim + j];
    double b = matrix_row_times(x, v) + 1, root = sqrt(b);
    for (size_t j = 0; j < dim; j++) {
        w[j] += v[j] * (missing / b);
        v[j] /= root;
    }
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++)
            sigma[i * dim + j] -= v[i] * v[j];
}

/* However many rows it takes at a time, the bits are those. */
static void check_order(struct rng *rng, size_t dim)
{
    static struct made made;
    static double sigma[DIM * DIM];
    double w[DIM] = { 0 }, val[DIM];
    struct state state;
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_TRADEOFF, 1);
    start(&state, "solar2", &settings);
    reach(&state, dim);
    memcpy(sigma, state.arrays.at[0], dim * dim * sizeof *sigma);
    for (uint64_t t = 1; t <= 60; t++) {
        struct query query = { .docs = 0 };
        draw_features(rng, &query, 2, dim, draw_unit);
        query.label[0] = 1;
        query.label[1] = 0;
        for (size_t j = 0; j < dim; j++)
            val[j] = (double)query.x[0][j] - (double)query.x[1][j];
        step_by_rows(&(struct row){ dim, NULL, val }, w, sigma, dim);
        learn_round(&state, make_round(&made, &query, t, (enum form)(t % FORMS)));
        hold(memcmp(w, state.w, dim * sizeof *w) == 0 &&
             memcmp(sigma, state.arrays.at[0], dim * dim * sizeof *sigma) == 0, "solar2",
             "not the bits of row after row, t", t, dim);
    }
    learner_close(&state);
}

/* ---- all of them ---- */

static void check_rounds(struct rng *rng)
{
    static const char *const names[] = { "solar1", "solar2", "prank-pair", "committee" };
    for (size_t i = 0; i < COUNT(names); i++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            check_apart(rng, names[i], seed == 4, seed);
}

int main(void)
{
    static const float three[] = { 1, 2, 0 }, four[] = { 0, 1, 0, 1 };
    static const double tradeoff[] = { 0, 1e-5, 1e-3, 0.1, 1, 30 };
    static const double gamma[] = { 0, 1e4, 100, 1, 0.25 };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    check_pairs(&rng);
    check_long_lists(&rng);
    check_likely(three, COUNT(three), 6, 25.8);
    check_likely(four, COUNT(four), 24, 56.0);
    check_rounds(&rng);
    for (size_t i = 0; i < COUNT(tradeoff); i++)
        check_projections(&rng, tradeoff[i]);
    for (size_t i = 0; i < COUNT(gamma); i++)
        for (size_t n = 0; n < 20; n++)
            check_confidence(&rng, gamma[i]);
    for (size_t dim = 1; dim <= DIM; dim++)
        check_order(&rng, dim);
    if (wrong)
        fprintf(stderr, "pairs: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
