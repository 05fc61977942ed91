/*
 * memory: for fixed settings, weights, means and variances are those of generalised least squares
 * of all answers at once, with weights or without, solved by elimination with every pair's effect
 * as an unknown of its own; the order of answers and of rows makes no difference; rho = 0 is ridge
 * regression. And the estimate of rho is what it is said to be.
 */
#include "kernels/covariance.h"
#include "memory/memory_effects.h"
#include "memory/memory_keys.h"
#include "rounds.h"

enum { QUERIES = 6, WIDTH = 5, PAIRS = QUERIES * DOCS, MOST = 2 * WIDTH + 1 + PAIRS, LOG = 400 };

/* ---- the batch ---- */

/* All queries; what was answered, in its order; and where pair d of query q is. */
struct answer {
    size_t query, doc;
    double y, u;
};
static struct query queries[QUERIES];

struct setup {
    bool plain, constant, weighted;
    double rho, lambda;
};

static size_t weights_of(const struct setup *setup)
{
    return (setup->plain ? 1u : 2u) * WIDTH + setup->constant;
}

/* Row of a pair's effect. */
static size_t row_of(const struct setup *setup, size_t query, size_t doc)
{
    return weights_of(setup) + query * DOCS + doc;
}

/* z of a document: deviations (or features), then means, then the constant. */
static void make_z(const struct setup *setup, const struct query *query, size_t doc,
                   long double z[MOST])
{
    for (size_t i = 0; i < MOST; i++)
        z[i] = 0;
    for (size_t j = 0; j < WIDTH; j++) {
        long double mean = 0;
        for (size_t i = 0; !setup->plain && i < query->docs; i++)
            mean += query->x[i][j];
        mean /= query->docs;
        z[j] = query->x[doc][j] - mean;
        if (!setup->plain)
            z[WIDTH + j] = mean;
    }
    if (setup->constant)
        z[weights_of(setup) - 1] = 1;
}

/* The joint posterior of weights and effects, in units of sigma^2: its covariance and its mean. */
struct batch {
    size_t rows;
    long double inverse[MOST][MOST], mean[MOST];
};

/* a^-1 by Gauss and Jordan, in place of the identity; a is positive. */
static void invert(size_t n, long double a[MOST][MOST], long double inverse[MOST][MOST])
{
    for (size_t p = 0; p < n; p++) {
        long double pivot = a[p][p];
        for (size_t j = 0; j < n; j++) {
            a[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for (size_t i = 0; i < n; i++) {
            long double factor = a[i][p];
            for (size_t j = 0; i != p && factor != 0 && j < n; j++) {
                a[i][j] -= factor * a[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
}

/* rho = 0 has no effects. */
static void solve(const struct setup *setup, const struct answer *log, size_t n,
                  struct batch *batch)
{
    static long double a[MOST][MOST];
    size_t w = weights_of(setup);
    long double c[MOST] = { 0 }, z[MOST];
    batch->rows = setup->rho > 0 ? w + PAIRS : w;
    for (size_t i = 0; i < batch->rows; i++)
        for (size_t j = 0; j < batch->rows; j++) {
            a[i][j] = i != j ? 0
                    : i < w ? setup->lambda / (1 + (long double)setup->rho) : 1.0L / setup->rho;
            batch->inverse[i][j] = i == j;
        }
    for (size_t t = 0; t < n; t++) {
        make_z(setup, &queries[log[t].query], log[t].doc, z);
        if (setup->rho > 0)
            z[row_of(setup, log[t].query, log[t].doc)] = 1;
        for (size_t i = 0; i < batch->rows; i++) {
            c[i] += log[t].u * z[i] * log[t].y;
            for (size_t j = 0; j < batch->rows; j++)
                a[i][j] += log[t].u * z[i] * z[j];
        }
    }
    invert(batch->rows, a, batch->inverse);
    for (size_t i = 0; i < batch->rows; i++) {
        batch->mean[i] = 0;
        for (size_t j = 0; j < batch->rows; j++)
            batch->mean[i] += batch->inverse[i][j] * c[j];
    }
}

/* The mean and the variance of z.v + b, or of z.v alone. */
static long double batch_mean(const struct setup *setup, const struct batch *batch, size_t query,
                              size_t doc, bool effect, long double *variance)
{
    long double z[MOST], mean = 0;
    make_z(setup, &queries[query], doc, z);
    if (effect && setup->rho > 0)
        z[row_of(setup, query, doc)] = 1;
    *variance = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        mean += z[i] * batch->mean[i];
        for (size_t j = 0; z[i] != 0 && j < batch->rows; j++)
            *variance += z[i] * batch->inverse[i][j] * z[j];
    }
    return mean;
}

/* ---- what learns ---- */

struct learnt {
    struct regression regression;
    struct memory memory;
    struct memory_table table;
    double w[WIDTH], level[WIDTH], constant, moments[MEMORY_MOMENTS];
    double inverse[(2 * WIDTH + 1) * (WIDTH + 1)];
};

static void begin(struct learnt *my, const struct setup *setup)
{
    memset(my, 0, sizeof *my);
    my->regression = (struct regression){
        .dim = WIDTH, .plain = setup->plain, .lambda = setup->lambda, .w = my->w,
        .level = my->level, .constant = setup->constant ? &my->constant : NULL,
        .inverse = my->inverse,
    };
    my->memory = (struct memory){ .rho = setup->rho, .fixed = true, .moments = my->moments,
                                  .weighted = setup->weighted };
    for (size_t i = 0; i < weights_of(setup); i++)
        my->inverse[udu_size(i + 1) - 1] = 1;
}

static void end(struct learnt *my)
{
    regression_close(&my->regression);
    memory_table_close(&my->table);
}

/* A document's name is its query's number and its own: its place in a reordered round is
 * `place`. */
static uint64_t key_of(size_t query, size_t doc)
{
    char qid[2] = { (char)('a' + query), '\0' }, name = (char)('A' + doc);
    struct siphash documents = memory_query(1, 2, qid);
    return memory_key_name(&documents, &name, 1);
}

/* The rows of a query, `order` NULL or which document is where. */
static void open_query(struct learnt *my, struct made *made, size_t query, const uint32_t *order)
{
    struct fault fault = { FAULT_NONE, "" };
    static struct matrix x;
    struct query rows = queries[query];
    for (size_t i = 0; order && i < rows.docs; i++)
        memcpy(rows.x[i], queries[query].x[order[i]], sizeof *rows.x);
    make_round(made, &rows, 1, (enum form)(query % FORMS));
    must(round_matrix(&made->round, &x, &fault), &fault);
    must(regression_round(&my->regression, &x, &fault), &fault);
}

static void learn(struct learnt *my, const struct answer *answer, const uint32_t *order)
{
    static struct made made;
    struct fault fault = { FAULT_NONE, "" };
    size_t place = 0;
    open_query(my, &made, answer->query, order);
    while (order ? order[place] != answer->doc : place != answer->doc)
        place++;
    uint64_t key = key_of(answer->query, answer->doc);
    struct memory_entry *entry = memory_table_enter(&my->table, key, &fault);
    must(entry ? 0 : -1, &fault);
    must(memory_learn(&my->memory, &my->regression, place, entry,
                      (struct memory_answer){ answer->y, answer->u }, &fault), &fault);
}

static struct memory_entry entry_of(const struct learnt *my, size_t query, size_t doc)
{
    const struct memory_entry *entry = memory_table_find(&my->table, key_of(query, doc));
    return entry ? *entry : (struct memory_entry){ .n = 0 };
}

/* Weight i in the order of make_z. */
static double weight(const struct learnt *my, const struct setup *setup, size_t i)
{
    if (setup->constant && i == weights_of(setup) - 1)
        return my->constant;
    return i < WIDTH ? my->w[i] : my->level[i - WIDTH];
}

/* ---- drawing ---- */

static void draw_queries(struct rng *rng)
{
    for (size_t q = 0; q < QUERIES; q++)
        draw_features(rng, &queries[q], 1 + rng_below(rng, DOCS), WIDTH, draw_unit);
}

/* Answers at random, some pairs often and some never; with weights where they have some. */
static size_t draw_log(struct rng *rng, const struct setup *setup, struct answer *log)
{
    size_t n = 1 + rng_below(rng, LOG);
    for (size_t t = 0; t < n; t++) {
        size_t q = rng_below(rng, 1 + rng_below(rng, QUERIES));
        size_t d = rng_below(rng, 1 + rng_below(rng, (uint32_t)queries[q].docs));
        log[t] = (struct answer){ q, d, 4 * rng_unit(rng) - 1 + queries[q].x[d][0],
                                  setup->weighted ? 0.01 + 2 * rng_unit(rng) : 1 };
    }
    return n;
}

static bool near(long double got, long double want, long double size)
{
    return fabsl(got - want) <= 1e-12L * size;
}

/* The largest row sums of the weights' covariance and of its inverse, multiplied: the condition
 * number is no larger. */
static long double condition(const struct setup *setup, const struct batch *batch)
{
    static long double a[MOST][MOST], inverse[MOST][MOST];
    size_t w = weights_of(setup);
    long double most[2] = { 0, 0 };
    for (size_t i = 0; i < w; i++)
        for (size_t j = 0; j < w; j++) {
            a[i][j] = batch->inverse[i][j];
            inverse[i][j] = i == j;
        }
    invert(w, a, inverse);
    for (size_t i = 0; i < w; i++) {
        long double sum[2] = { 0, 0 };
        for (size_t j = 0; j < w; j++) {
            sum[0] += fabsl(batch->inverse[i][j]);
            sum[1] += fabsl(inverse[i][j]);
        }
        most[0] = fmaxl(most[0], sum[0]);
        most[1] = fmaxl(most[1], sum[1]);
    }
    return most[0] * most[1];
}

/* ---- tests ---- */

static void compare_pair(struct learnt *my, const struct setup *setup, const struct batch *batch,
                         size_t q, size_t d)
{
    long double variance, alone, size = 1;
    long double want = batch_mean(setup, batch, q, d, true, &variance);
    struct memory_entry entry = entry_of(my, q, d);
    struct memory_estimate now = memory_estimate(&my->memory, MEMORY_RHO_MOST);
    double expected = regression_expect(&my->regression, d);
    double zpz, variances[COVARIANCE_ABREAST];
    regression_variances(&my->regression, d, variances);
    zpz = variances[0];
    for (size_t i = 0; i < batch->rows; i++)
        size = fmaxl(size, fabsl(batch->mean[i]));
    double mean = memory_mean(&now, expected, &entry);
    hold(near(mean, want, size), "memory", "mean", mean, want);
    double got = memory_variance(setup->rho, zpz, &entry);
    hold(near(got, variance, variance), "memory", "variance", got, variance);
    want = batch_mean(setup, batch, q, d, false, &alone);
    hold(near(expected, want, size), "memory", "z.v", expected, want);
    hold(near((1 + setup->rho) * zpz, alone, alone), "memory", "z'Pz", zpz, alone);
    double index = memory_index(&now, mean, &entry, 4);
    want = mean + 4 * sqrtl((long double)now.s2 * setup->rho / (1 + setup->rho) /
                            (1 + setup->rho * (long double)entry.n));
    hold(near(index, want, 1 + fabsl(want)), "memory", "index", index, want);
}

/* Which had to be well conditioned to be compared. */
static bool compare(struct learnt *my, const struct setup *setup, const struct answer *log,
                    size_t n)
{
    static struct batch batch;
    static struct made made;
    long double size = 0;
    solve(setup, log, n, &batch);
    if (condition(setup, &batch) > 1e4L)
        return false;
    for (size_t i = 0; i < weights_of(setup); i++)
        size = fmaxl(size, fabsl(batch.mean[i]));
    for (size_t i = 0; i < weights_of(setup); i++)
        hold(near(weight(my, setup, i), batch.mean[i], size), "memory", "v",
             weight(my, setup, i), batch.mean[i]);
    for (size_t q = 0; q < QUERIES; q++) {
        open_query(my, &made, q, NULL);
        for (size_t d = 0; d < queries[q].docs; d++)
            compare_pair(my, setup, &batch, q, d);
    }
    return true;
}

/* The products with X at once give what the regression gives document by document. */
static void check_expect(struct learnt *my, const struct setup *setup)
{
    static struct made made;
    double s[DOCS], t[DOCS];
    for (size_t q = 0; q < QUERIES; q++) {
        open_query(my, &made, q, NULL);
        matrix_times(my->regression.x, my->w, 1, WIDTH, s, NULL);
        memory_expect(my->regression.x, setup->plain ? NULL : my->level, my->constant, WIDTH, s, t,
                      NULL);
        for (size_t d = 0; d < queries[q].docs; d++) {
            double want = regression_expect(&my->regression, d), all;
            regression_expect_all(&my->regression, 1, &(uint32_t){ (uint32_t)d }, &all);
            hold(near(all, want, 10 + fabs(want)), "memory", "expect all", all, want);
            hold(near(s[d], want, 10 + fabs(want)), "memory", "expect", s[d], want);
        }
    }
}

/* The same answers in another order, of rounds whose rows are in another order. */
static void check_orders(struct rng *rng, const struct learnt *my, const struct setup *setup,
                         const struct answer *log, size_t n)
{
    struct learnt other;
    uint32_t order[LOG], rows[DOCS];
    long double size = 1;
    begin(&other, setup);
    rng_permutation(rng, order, n);
    for (size_t t = 0; t < n; t++) {
        const struct answer *answer = &log[order[t]];
        rng_permutation(rng, rows, queries[answer->query].docs);
        learn(&other, answer, rows);
    }
    for (size_t i = 0; i < weights_of(setup); i++)
        size = fmaxl(size, fabsl(weight(my, setup, i)));
    for (size_t i = 0; i < weights_of(setup); i++)
        hold(near(weight(&other, setup, i), weight(my, setup, i), 10 * size), "memory",
             "v by another order", weight(&other, setup, i), weight(my, setup, i));
    for (size_t q = 0; q < QUERIES; q++)
        for (size_t d = 0; d < queries[q].docs; d++) {
            struct memory_entry a = entry_of(my, q, d), b = entry_of(&other, q, d);
            hold(near(a.n, b.n, 1 + a.n) && near(b.sum, a.sum, 1 + fabs(a.sum)), "memory",
                 "a pair by another order", b.sum, a.sum);
        }
    end(&other);
}

/* rho = 0 against a regression that knows nothing of pairs. */
static void check_ridge(struct rng *rng, const struct setup *setup)
{
    static struct made made;
    static struct answer log[LOG];
    struct fault fault = { FAULT_NONE, "" };
    struct learnt my, ridge;
    begin(&my, setup);
    begin(&ridge, setup);
    size_t n = draw_log(rng, setup, log);
    for (size_t t = 0; t < n; t++) {
        learn(&my, &log[t], NULL);
        open_query(&ridge, &made, log[t].query, NULL);
        must(regression_learn(&ridge.regression, log[t].doc, log[t].y, 1, &fault), &fault);
    }
    for (size_t i = 0; i < weights_of(setup); i++)
        hold(weight(&my, setup, i) == weight(&ridge, setup, i), "memory", "rho = 0",
             weight(&my, setup, i), weight(&ridge, setup, i));
    (void)compare(&my, setup, log, n);
    end(&my);
    end(&ridge);
}

static bool check_batch(struct rng *rng, const struct setup *setup)
{
    static struct answer log[LOG];
    struct learnt my;
    draw_queries(rng);
    begin(&my, setup);
    size_t n = draw_log(rng, setup, log);
    for (size_t t = 0; t < n; t++)
        learn(&my, &log[t], NULL);
    bool compared = compare(&my, setup, log, n);
    check_expect(&my, setup);
    check_orders(rng, &my, setup, log, n);
    end(&my);
    return compared;
}

/* ---- the estimate ---- */

/* What the batch of the answers before each says about it. */
struct derived {
    long double firsts, squares, xx, xy, repeats;
};

static void derive(const struct setup *setup, const struct answer *log, size_t t,
                   struct derived *derived)
{
    static struct batch batch;
    long double n = 0, sum = 0, variance, u = log[t].u;
    for (size_t s = 0; s < t; s++)
        if (log[s].query == log[t].query && log[s].doc == log[t].doc) {
            sum += log[s].u * (long double)log[s].y;
            n += log[s].u;
        }
    derived->repeats += n >= 0.5L ? u : 0;
    if (n > 0 && (n < 0.5L || n >= 1.5L))
        return;
    solve(setup, log, t, &batch);
    long double expected = batch_mean(setup, &batch, log[t].query, log[t].doc, false, &variance);
    long double e = log[t].y - expected;
    if (n == 0) {
        long double noise = (setup->rho + 1 / u) / (1 + setup->rho); /* of b + e */
        derived->firsts += u;
        derived->squares += u * e * e / (noise + variance / (1 + setup->rho));
    } else {
        derived->xx += u * (sum / n - expected) * (sum / n - expected);
        derived->xy += u * (sum / n - expected) * e;
    }
}

/* Answers whose effects are worth `effect` of their variance, so that slopes of all sizes come. */
static void draw_effects(struct rng *rng, struct answer *log, size_t n, double effect,
                         bool weighted)
{
    double of[QUERIES][DOCS];
    for (size_t q = 0; q < QUERIES; q++)
        for (size_t d = 0; d < DOCS; d++)
            of[q][d] = 2 * rng_unit(rng) - 1;
    for (size_t t = 0; t < n; t++) {
        size_t q = rng_below(rng, QUERIES), d = rng_below(rng, (uint32_t)queries[q].docs);
        log[t] = (struct answer){ q, d, effect * of[q][d] +
                                        (1 - fabs(effect)) * (2 * rng_unit(rng) - 1),
                                  weighted ? 0.05 + rng_unit(rng) : 1 };
        for (size_t s = 0; effect < 0 && s < t; s++) /* the second answer contradicts the first */
            if (log[s].query == q && log[s].doc == d)
                log[t].y = -log[s].y;
    }
}

static void check_estimate(struct rng *rng, double effect, bool fixed, bool weighted)
{
    enum { FEW = 150 };
    static struct answer log[FEW];
    const struct setup setup = { .constant = true, .weighted = weighted, .rho = 3, .lambda = 10 };
    struct derived want = { 0, 0, 0, 0, 0 };
    struct learnt my;
    draw_queries(rng);
    draw_effects(rng, log, FEW, effect, weighted);
    begin(&my, &setup);
    my.memory.fixed = fixed;
    struct memory_estimate now = memory_estimate(&my.memory, MEMORY_RHO_MOST);
    hold(now.rho == 3 && now.sb == 0, "memory", "rho before any answer", now.rho, 3);
    for (size_t t = 0; t < FEW; t++) {
        derive(&setup, log, t, &want);
        learn(&my, &log[t], NULL);
        now = memory_estimate(&my.memory, MEMORY_RHO_MOST);
        long double s2 = want.squares / want.firsts;
        long double beta = (want.xy + 7.5L * s2) / (want.xx + 10 * s2);
        beta = fixed ? 0.75L : fminl(fmaxl(beta, 1 / 11.0L), 10 / 11.0L);
        hold(near(now.s2, s2, 100 * s2), "memory", "s2", now.s2, s2);
        hold(near(now.rho, beta / (1 - beta), 1000), "memory", "rho", now.rho, beta / (1 - beta));
        hold(near(now.sb * now.sb, beta * s2, 100 * s2), "memory", "sb", now.sb, sqrtl(beta * s2));
        hold(near(my.moments[MEMORY_REPEATS], want.repeats, 1 + want.repeats), "memory", "repeats",
             my.moments[MEMORY_REPEATS], want.repeats);
    }
    end(&my);
}

/* ---- the reset ---- */

/* Answers that cannot be remembered are faults; those about a pair with two answers leave the
 * estimate as it is, so that the weights must be looked at. */
static void check_faults(struct rng *rng)
{
    static struct made made;
    static const double answers[] = { INFINITY, NAN, 1e200, 1e308 };
    const struct setup setup = { .constant = true, .rho = 3, .lambda = 10 };
    draw_queries(rng);
    for (size_t i = 0; i < COUNT(answers) + 2; i++) {
        double answer = answers[i % COUNT(answers)], n = i < COUNT(answers) ? 0 : 2;
        struct fault fault = { FAULT_NONE, "" };
        struct memory_entry entry = { .key = 1, .n = n, .sum = n };
        struct learnt my;
        begin(&my, &setup);
        open_query(&my, &made, 0, NULL);
        hold(memory_learn(&my.memory, &my.regression, 0, &entry,
                          (struct memory_answer){ answer, 1 }, &fault) < 0 &&
             fault.kind == FAULT_DATA, "memory", "learns", answer, n);
        end(&my);
    }
}

int main(void)
{
    static const double rho[] = { 0.1, 1, 3, 10 }, lambda[] = { 0.5, 10, 100 };
    static const double effects[] = { -1, 0, 0.3, 0.6, 0.9, 1 };
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    size_t compared = 0, runs = 0;
    for (size_t i = 0; i < COUNT(rho) * COUNT(lambda) * 8; i++, runs++) {
        const struct setup setup = { .plain = i % 2, .constant = i / 2 % 2,
                                     .weighted = i / 4 % 2, .rho = rho[i / 8 % COUNT(rho)],
                                     .lambda = lambda[i / 8 / COUNT(rho)] };
        compared += check_batch(&rng, &setup);
    }
    hold(compared > runs / 2, "memory", "runs that were well conditioned", compared, runs);
    for (size_t i = 0; i < 8; i++)
        check_ridge(&rng, &(struct setup){ .plain = i % 2, .constant = i / 2 % 2, .lambda = 3 });
    for (size_t i = 0; i < COUNT(effects) * 4; i++)
        check_estimate(&rng, effects[i / 4], i % 2, i / 2 % 2);
    check_faults(&rng);
    if (wrong)
        fprintf(stderr, "memory: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
