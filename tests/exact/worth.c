/*
 * What memory shows first, derived in another way. A gain is how much higher the DCG of the sorted
 * list is on average if the document's value is drawn first, for lists sorted anew for each value.
 * Means, neighbours, novelty and worth are sums written out in long doubles. The histogram holds
 * what a list of all first answers does, as long as there are at most 12 values.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rng.h"
#include "memory/memory_worth.h"

enum { DOCS = 70, DIM = 19, ATOMS = 14, TRIALS = 400 };

static unsigned long cases, wrong;

static void near_to(const char *what, double got, long double want, long double within)
{
    cases++;
    if (fabsl((long double)got - want) <= within)
        return;
    if (wrong++ < 10)
        fprintf(stderr, "worth: %s: %.17g, not %.17Lg\n", what, got, want);
}

/* ---- a round ---- */

struct game {
    size_t docs, dim;
    float x[DOCS][DIM];
    struct memory_known known[DOCS];
    double beliefs[MEMORY_BELIEFS], counted[2 * DIM + 1];
    struct memory_rule rule;
    struct matrix matrix;
    bool alone; /* neighbours say nothing */
};

static void draw_game(struct rng *rng, struct game *game)
{
    game->docs = 1 + rng_below(rng, DOCS);
    game->dim = rng_below(rng, DIM + 1);
    static unsigned char bytes[4 * DOCS * DIM];
    memset(game->beliefs, 0, sizeof game->beliefs);
    for (size_t n = 2 + rng_below(rng, 30); n-- > 0;)
        memory_first_answer(game->beliefs, rng_below(rng, 3), rng_below(rng, 5) / 2.0, 1);
    memory_first_answer(game->beliefs, 0, 0, 1);
    memory_first_answer(game->beliefs, 0, 3, 1);
    for (size_t r = 0; r < 2 * DIM + 1; r++)
        game->counted[r] = 20 * rng_unit(rng);
    double judged = rng_unit(rng);
    bool clicks = rng_below(rng, 2), rates = clicks && rng_below(rng, 2);
    for (size_t i = 0; i < game->docs; i++) {
        struct memory_known *known = &game->known[i];
        known->n = rng_unit(rng) < judged ? 1 + rng_below(rng, rates ? 12 : 3)
                   : clicks               ? rng_unit(rng) / 2 : 0;
        known->sum = known->n * (rates ? 1 : 3) * rng_unit(rng);
        known->expected = (3.5 * rng_unit(rng) - 0.2) / (rates ? 3 : 1);
        for (size_t j = 0; j < game->dim; j++)
            game->x[i][j] = rng_below(rng, 3) ? (float)rng_unit(rng) : 0;
        memcpy(bytes + 4 * i * game->dim, game->x[i], 4 * game->dim);
    }
    game->rule = (struct memory_rule){
        .estimate = { .rho = 5 * rng_unit(rng) + 0.1, .s2 = rng_unit(rng), .sb = rng_unit(rng),
                      .clicks = clicks },
        .beliefs = game->beliefs, .rho = 3, .lambda = 10, .counted = game->counted,
        .plain = rng_below(rng, 2), .constant = rng_below(rng, 2),
        .unbound = rng_below(rng, 4) == 0,
    };
    game->matrix = (struct matrix){ .kind = MATRIX_DENSE, .docs = game->docs, .dim = game->dim,
                                    .x = bytes };
}

/* ---- the means ---- */

static long double distance(const struct game *game, size_t a, size_t b)
{
    long double sum = 0;
    for (size_t j = 0; j < game->dim; j++)
        sum += ((long double)game->x[a][j] - game->x[b][j]) *
               ((long double)game->x[a][j] - game->x[b][j]);
    return sum;
}

/* From all pairs, where the library goes by the distances from the mean. */
static long double mean_distance(const struct game *game)
{
    long double sum = 0;
    size_t m = game->docs;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++)
            sum += distance(game, a, b);
    return m > 1 ? 2 * sum / ((long double)m * (m - 1)) : 0;
}

static bool judged(const struct memory_known *known)
{
    return known->n >= 0.5;
}

static long double mean_of(const struct game *game, size_t i, double learnt,
                           const struct memory_prospect *h)
{
    const struct memory_known *known = &game->known[i];
    long double rho = game->rule.estimate.rho, A = 0, B = 0, apart = mean_distance(game), mu;
    size_t asked = 0;
    bool clicks = game->rule.estimate.clicks, low = clicks && known->expected < 0.02;
    long double prior = low ? 0.02L * expl(known->expected - 0.02L) : known->expected;
    if (judged(known))
        return (prior + rho * known->sum) / (1 + rho * known->n);
    for (size_t a = game->docs; a-- > 0 && asked < 32 && !game->alone;) {
        const struct memory_known *other = &game->known[a];
        if (!judged(other))
            continue;
        long double K = apart > 0 ? expl(-5 * distance(game, i, a) / apart) : 1;
        A += K * (other->sum / other->n - other->expected);
        B += K;
        asked++;
    }
    mu = known->expected + A / (1 + 1 / rho + B);
    mu = learnt == 0 ? mu : fminl(fmaxl(mu, h->least), h->hi) + 1e-7L * mu;
    return clicks ? (mu + rho * known->sum) / (1 + rho * known->n) : mu;
}

/* ---- three voices ---- */

static long double clicks_of(const struct memory_known *known)
{
    return roundl(known->sum);
}

/* The mean of an established document, but for two of its misses or all of them; by the strength of
 * now, or that of 2, with which clicks begin. */
static long double lifted_mean(const struct game *game, size_t i)
{
    static struct game lifted;
    double misses = game->known[i].n - game->known[i].sum;
    lifted = *game;
    lifted.known[i].n = misses > 2 ? game->known[i].n - 2
                        : misses > 0 ? game->known[i].sum : game->known[i].n;
    long double now = mean_of(&lifted, i, 0, NULL);
    lifted.rule.estimate.rho = 0.5;
    return fmaxl(now, mean_of(&lifted, i, 0, NULL));
}

/* The mean that is shown: of a document with fewer than three clicks, or new, none of an
 * established one that, lifted, is above what others' clicks say of it. */
static long double shown_mean(const struct game *game, size_t i, double learnt,
                              const struct memory_prospect *h)
{
    static struct game without;
    long double r = mean_of(game, i, learnt, h), c = clicks_of(&game->known[i]), t = HUGE_VALL;
    bool is_new = !judged(&game->known[i]) && c == 0;
    if (!game->rule.estimate.clicks || game->rule.unbound || !(c == 1 || c == 2 || is_new))
        return r;
    without = *game;
    for (size_t a = 0; a < game->docs; a++)
        if (clicks_of(&game->known[a]) == 1 || clicks_of(&game->known[a]) == 2)
            without.known[a].n = without.known[a].sum = 0;
    long double m0 = mean_of(&without, i, learnt, h);
    for (size_t a = 0; a < game->docs; a++) {
        long double other = mean_of(game, a, learnt, h);
        if (clicks_of(&game->known[a]) >= 5 && lifted_mean(game, a) > m0 && other < t)
            t = other;
    }
    return r >= t ? t : r;
}

/* ---- gain and worth ---- */

static int falling(const void *a, const void *b)
{
    long double x = *(const long double *)a, y = *(const long double *)b;
    return (x < y) - (x > y);
}

/* The DCG to ten places of the others' means and this value, sorted. */
static long double dcg_with(const struct game *game, const double *mean, size_t i,
                            long double value)
{
    long double v[DOCS], sum = 0;
    for (size_t a = 0; a < game->docs; a++)
        v[a] = a == i ? value : mean[a];
    qsort(v, game->docs, sizeof *v, falling);
    for (size_t k = 0; k < game->docs && k < 10; k++)
        sum += v[k] / log2l(k + 2.0L);
    return sum;
}

static long double gain_of(const struct game *game, const double *mean, size_t i,
                           const struct memory_prospect *h)
{
    const struct memory_known *known = &game->known[i];
    long double mu = mean[i], sum = 0, p, outer, drawn = 0, sd, rho = game->rule.estimate.rho;
    if (rho * known->n > 200)
        return 0;
    if (judged(known)) {
        sd = game->rule.estimate.sb / sqrtl(1 + rho * known->n);
        if (game->rule.estimate.clicks) { /* of Beta(a r, b) with a r + b = 1 / rho + n */
            long double r = fminl(fmaxl(mu, 0.01L), 0.99L);
            sd = sqrtl(r * (1 - r) / (1 / rho + known->n + 1));
        }
        return (dcg_with(game, mean, i, mu - sd) + dcg_with(game, mean, i, mu + sd)) / 2 -
               dcg_with(game, mean, i, mu);
    }
    for (size_t l = 0; l < h->atoms; l++)
        drawn += h->count[l];
    outer = mu < h->a ? h->lo : h->hi;
    p = fmaxl((mu - outer) / (h->a - outer), 0); /* so that p a + (1 - p) outer = mu */
    for (size_t l = 0; l < h->atoms; l++)
        sum += p * h->count[l] / drawn * dcg_with(game, mean, i, h->value[l]);
    return sum + (1 - p) * dcg_with(game, mean, i, outer) - dcg_with(game, mean, i, mu);
}

static long double novelty_of(const struct game *game, size_t i)
{
    long double sum = game->rule.constant ? 1 / (10 + (long double)game->counted[0]) : 0;
    const double *counted = game->counted + game->rule.constant;
    for (size_t j = 0; j < game->dim; j++) {
        long double M = 0, x = game->x[i][j];
        for (size_t a = 0; a < game->docs; a++)
            M += (long double)game->x[a][j] / game->docs;
        if (game->rule.plain)
            sum += x * x / (10 + (long double)counted[j]);
        else
            sum += (x - M) * (x - M) / (10 + (long double)counted[2 * j]) +
                   M * M / (10 + (long double)counted[2 * j + 1]);
    }
    return sum;
}

static void check_worth(const struct game *game, double learnt, const struct memory_prospect *h,
                        const double *mean, const double *worth)
{
    long double rho = game->rule.estimate.rho;
    for (size_t i = 0; i < game->docs; i++) {
        size_t above = 0;
        for (size_t a = 0; a < game->docs; a++)
            above += mean[a] > mean[i];
        long double f = rho / (1 + rho * (game->known[i].n + 1));
        long double again = game->rule.estimate.clicks ? 1 : f;
        long double want = learnt > 0 ? 0.75L * learnt * f * again * gain_of(game, mean, i, h) : 0;
        if (!judged(&game->known[i]) && above < 10)
            want += 0.6L * sqrtl(novelty_of(game, i) * game->rule.estimate.s2);
        /* 1e-7 mu, which is added to a mean beyond h, is not in the belief. */
        near_to("a worth", worth[i], want, 1e-9L + 1e-5L * learnt * (learnt > 0));
    }
}

static void show(const struct game *game, double learnt, double *mean)
{
    double worth[DOCS];
    struct memory_space space = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    if (memory_space_start(&space, &game->matrix, DIM, &fault) < 0 ||
        memory_rule_apply(&game->rule, &space, learnt, game->known, mean, worth, &fault) < 0)
        exit(1);
    memory_space_close(&space);
}

/* Of documents that one or two clicks, or none, made better than they were without, no one stands
 * above or beside an established one that it would stand below without, be it that this one misses
 * twice more. */
static void check_voices(const struct game *game, double learnt, const double *mean,
                         const struct memory_prospect *h)
{
    static struct game without, missed;
    double before[DOCS], after[DOCS];
    without = missed = *game;
    for (size_t i = 0; i < game->docs; i++)
        if (clicks_of(&game->known[i]) == 1 || clicks_of(&game->known[i]) == 2)
            without.known[i].n = without.known[i].sum = 0;
    if (!game->rule.estimate.clicks || game->rule.unbound)
        return;
    show(&without, learnt, before);
    for (size_t i = 0; i < game->docs; i++)
        for (size_t a = 0; a < game->docs; a++)
            if (clicks_of(&game->known[a]) >= 5 && clicks_of(&game->known[i]) < 3 &&
                before[i] < before[a])
                near_to("a document of few clicks above an established one", mean[i] >= mean[a], 0,
                        0);
    for (size_t a = 0; a < game->docs; a++) {
        if (clicks_of(&game->known[a]) < 5 || game->known[a].n < game->known[a].sum)
            continue;
        missed.known[a].n += 2;
        show(&missed, learnt, after);
        missed.known[a].n -= 2;
        for (size_t i = 0; i < game->docs; i++)
            if (!judged(&without.known[i]) && clicks_of(&game->known[i]) < 3 &&
                after[i] >= after[a])
                near_to("a document of few clicks above one that missed twice",
                        mean_of(&without, i, learnt, h) < mean[a], 0, 0);
    }
}

static void check_round(struct rng *rng)
{
    static struct game game;
    struct memory_space space = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    double mean[DOCS], worth[DOCS], learnt = rng_below(rng, 5);
    draw_game(rng, &game);
    const struct memory_prospect h = memory_prospect(game.beliefs);
    if (memory_space_start(&space, &game.matrix, DIM, &fault) < 0 ||
        memory_rule_apply(&game.rule, &space, learnt, game.known, mean, worth, &fault) < 0) {
        fprintf(stderr, "worth: %s\n", fault.text);
        exit(1);
    }
    for (size_t i = 0; i < game.docs; i++)
        near_to("a mean", mean[i], shown_mean(&game, i, learnt, &h), 1e-5L);
    check_voices(&game, learnt, mean, &h);
    check_worth(&game, learnt, &h, mean, worth);
    memory_space_close(&space);
}

/* Until there are two different answers, with a base: means without neighbours, and no worth. */
static void check_base(struct game *game)
{
    static double mean[DOCS], worth[DOCS];
    struct memory_space space = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    game->alone = game->rule.base = true;
    if (memory_space_start(&space, &game->matrix, DIM, &fault) < 0 ||
        memory_rule_apply(&game->rule, &space, 2, game->known, mean, worth, &fault) < 0)
        exit(1);
    for (size_t i = 0; i < game->docs; i++) {
        near_to("a mean by a base", mean[i], shown_mean(game, i, 0, NULL), 1e-8L);
        near_to("a worth by a base", worth[i], 0, 0);
    }
    game->alone = game->rule.base = false;
    memory_space_close(&space);
}

/* Until there are two different answers: all means equal, and the worth c N. */
static void check_start(struct rng *rng)
{
    static struct game game;
    struct memory_space space = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    double mean[DOCS], worth[DOCS];
    draw_game(rng, &game);
    memset(game.beliefs, 0, sizeof game.beliefs);
    double only = rng_below(rng, 2) ? 2 : 0;
    if (only > 0)
        memory_first_answer(game.beliefs, 0, only, 1);
    if (memory_space_start(&space, &game.matrix, DIM, &fault) < 0 ||
        memory_rule_apply(&game.rule, &space, 2, game.known, mean, worth, &fault) < 0)
        exit(1);
    for (size_t i = 0; i < game.docs; i++) {
        long double n = game.known[i].n, c = 4 / ((1 + 3 * n) * (1 + 3 * (n + 1)));
        near_to("a first mean", mean[i], only, 0);
        near_to("a first worth", worth[i], c * novelty_of(&game, i), 1e-12L);
    }
    check_base(&game);
    memory_space_close(&space);
}

/* ---- beliefs ---- */

static void check_beliefs(struct rng *rng)
{
    double beliefs[MEMORY_BELIEFS] = { 0 };
    long double sum = 0, lo = 0, hi = 0, floor_sum = 0, answers = 0, rounds = 0;
    size_t n = 1 + rng_below(rng, 40), floored = 0;
    uint32_t values = 2 + rng_below(rng, ATOMS);
    bool two = false;
    for (size_t h = 0; h < n; h++) {
        double y = rng_below(rng, values) / 4.0, score = rng_unit(rng);
        long double least = lo + (hi - lo + floor_sum) / (20 + floored);
        if (two && score <= (double)least) {
            floor_sum += y - lo;
            floored++;
        }
        memory_first_answer(beliefs, score, y, 1);
        lo = h == 0 || y < lo ? y : lo;
        hi = h == 0 || y > hi ? y : hi;
        two = hi > lo;
        sum += y;
        size_t some = rng_below(rng, 4);
        memory_count_answers(beliefs, (double)some);
        answers += some;
        rounds += some > 0;
    }
    const struct memory_prospect p = memory_prospect(beliefs);
    near_to("a count of first answers", p.first, n, 0);
    near_to("a mean of first answers", p.a, sum / n, 1e-12L);
    near_to("k", (double)memory_judged(beliefs), rounds > 0 ? floorl(answers / rounds + 0.5L) : 0,
            0);
    if (values > MEMORY_ATOMS)
        return;
    near_to("the lowest", p.lo, lo, 0);
    near_to("the highest", p.hi, hi, 0);
    near_to("the floor", p.least, fminl(hi, lo + (hi - lo + floor_sum) / (20 + floored)), 1e-6L);
}

/* The 13th value merges the two nearest, by their counts. */
static void check_merge(void)
{
    double beliefs[MEMORY_BELIEFS] = { 0 };
    for (int y = 0; y < 12; y++)
        for (int times = 0; times < 3; times++)
            memory_first_answer(beliefs, 9, y * y, 1);
    memory_first_answer(beliefs, 9, 100.5, 1);
    const struct memory_prospect p = memory_prospect(beliefs);
    near_to("values", (double)p.atoms, 12, 0);
    near_to("a merged value", p.value[10], (3 * 100 + 100.5L) / 4, 1e-12L);
    near_to("its count", p.count[10], 4, 0);
    near_to("what was above it", p.value[11], 121, 0);
}

/* Of documents that are relevant with probability a, examined or not, the mean that a first click
 * or none adds to h is a: over the two outcomes. */
static void check_examined(struct rng *rng)
{
    double beliefs[MEMORY_BELIEFS] = { 0 };
    long double clicks = 0, answers = 0;
    for (int h = 0; h < 30; h++) {
        bool click = rng_below(rng, 3) == 0;
        double theta = rng_below(rng, 4) ? rng_unit(rng) : 1 + rng_unit(rng);
        long double a = (clicks + 0.5L) / (answers + 1), p = theta < 1 ? theta : 1;
        double none = memory_examined(beliefs, false, theta);
        near_to("a first click", memory_examined(beliefs, true, theta), 1, 0);
        near_to("no first click", (double)(p * a / (p * a + (1 - p * a) * none)), a, 1e-12L);
        double much = memory_examined(beliefs, click, theta);
        memory_first_answer(beliefs, 0, click, much);
        clicks += click;
        answers += much;
        near_to("first clicks", memory_prospect(beliefs).first, answers, 1e-12L);
    }
}

int main(void)
{
    struct rng rng = rng_at(3, RNG_SAMPLE, 1);
    for (size_t trial = 0; trial < TRIALS; trial++) {
        check_round(&rng);
        check_start(&rng);
        check_beliefs(&rng);
        check_examined(&rng);
    }
    check_merge();
    printf("worth: %lu comparisons\n", cases);
    return wrong ? 1 : 0;
}
