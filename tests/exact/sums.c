/*
 * sums: learners that learn shares of a log, cut by query, add up to one that learns the whole: P,
 * all weights and what is counted to 1e-9, whatever the shares' widths, and with a prior in one of
 * them; what memory remembers to the bit. And the inverse of a factored covariance, and back.
 */
#include "kernels/covariance.h"
#include "math/regression.h"
#include "math/rng.h"
#include "rounds.h"

enum { SHARES = 4, ROUNDS = 120, QUERIES = 5, ROWS = 12 };

struct setup {
    const char *learner;
    bool plain, prior; /* share 1 begins at weights and precisions of its own */
    double rho;        /* memory's; below 0: estimated */
};

static void begin(const struct setup *setup, bool prior, struct state *state)
{
    struct settings settings;
    memset(&settings, 0, sizeof settings);
    if (setup->plain)
        set(&settings, SETTING_PLAIN, 1);
    if (strcmp(setup->learner, "memory") == 0 && setup->rho >= 0)
        set(&settings, SETTING_RHO, setup->rho);
    start(state, setup->learner, &settings);
    if (!prior)
        return;
    reach(state, 2);
    for (size_t j = 0; j < 2; j++) {
        state->w[j] = 1 + (double)j;
        state->arrays.at[0][udu_size(j + 1) - 1] = 0.25;
    }
}

static void near(const struct setup *setup, const char *what, size_t n, const double *got,
                 const double *want)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs(want[i]) > most ? fabs(want[i]) : most;
    for (size_t i = 0; i < n; i++)
        hold(fabs(got[i] - want[i]) <= 1e-9 * most, setup->learner, what, got[i], want[i]);
}

static size_t length_of(const struct state *state, size_t i)
{
    bool constant = strcmp(state->learner->name, "memory") == 0 &&
                    state->arrays.row[0].shape == ARRAY_UDU_CONSTANT;
    size_t rows = regression_rows(state->dim, state->settings.set[SETTING_PLAIN]) + constant;
    enum array_shape shape = state->arrays.row[i].shape;
    return shape == ARRAY_UDU || shape == ARRAY_UDU_CONSTANT     ? udu_size(rows)
           : shape == ARRAY_ROWS || shape == ARRAY_ROWS_CONSTANT ? rows
           : shape == ARRAY_VECTORS                              ? state->dim
                                                                 : 1;
}

/* The columns of pairs and queries, which are whole numbers and sums of labels. */
static void compare_tables(const struct setup *setup, struct state *sum, struct state *one)
{
    static const char *const names[] = { "keys", "answers", "sums", "owners", "queries", "visits" };
    static struct model a, b;
    struct fault fault = { FAULT_NONE, "" };
    must(learner_save(sum, &a, &fault), &fault);
    must(learner_save(one, &b, &fault), &fault);
    for (size_t i = 0; strcmp(setup->learner, "memory") == 0 && i < COUNT(names); i++)
        hold(same_values(record_column(&a.record, names[i]), record_column(&b.record, names[i])),
             setup->learner, names[i], (long double)i, 0);
}

static void compare(const struct setup *setup, struct state *sum, struct state *one)
{
    static const char *const exact[] = { "inverse", "level", "constant", "counted" };
    hold(sum->dim == one->dim && sum->rounds == one->rounds, setup->learner, "rounds", sum->rounds,
         one->rounds);
    near(setup, "w", one->dim, sum->w, one->w);
    for (size_t i = 0; i < ARRAYS_MOST && one->arrays.row[i].name; i++)
        for (size_t e = 0; e < COUNT(exact); e++)
            if (strcmp(one->arrays.row[i].name, exact[e]) == 0)
                near(setup, exact[e], length_of(one, i), sum->arrays.at[i], one->arrays.at[i]);
    compare_tables(setup, sum, one);
}

/* Adds the others to the first. */
static void add_up(struct state share[SHARES])
{
    struct fault fault = { FAULT_NONE, "" };
    const struct learner *learner = share[0].learner;
    must(learner->sums(share[0].own, &share[0], SUMS_OPEN, &fault), &fault);
    for (size_t i = 1; i < SHARES; i++) {
        size_t dim = share[0].dim > share[i].dim ? share[0].dim : share[i].dim;
        reach(&share[0], dim);
        reach(&share[i], dim);
        must(learner->sums(share[i].own, &share[i], SUMS_OPEN, &fault), &fault);
        must(learner->add(share[0].own, &share[0], &share[i], &fault), &fault);
        share[0].rounds += share[i].rounds;
    }
    must(learner->sums(share[0].own, &share[0], SUMS_CLOSE, &fault), &fault);
}

static void check(struct rng *rng, const struct setup *setup)
{
    static struct made made;
    struct state one, share[SHARES];
    struct query query[QUERIES];
    begin(setup, setup->prior, &one);
    for (size_t i = 0; i < SHARES; i++)
        begin(setup, setup->prior && i == 1, &share[i]);
    for (size_t q = 0; q < QUERIES; q++) /* queries of a share have a width of their own */
        draw_features(rng, &query[q], 2 + rng_below(rng, DOCS - 2), 2 + q % SHARES, draw_unit);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        struct query *asked = &query[t % QUERIES];
        uint32_t order[DOCS];
        draw_labels(rng, asked, 4);
        rng_permutation(rng, order, (uint32_t)asked->docs);
        make_round(&made, asked, t, DENSE);
        const struct round *round =
            mask_round(&made, order, 1 + rng_below(rng, (uint32_t)asked->docs));
        learn_round(&one, round);
        learn_round(&share[t % QUERIES % SHARES], round);
    }
    add_up(share);
    compare(setup, &share[0], &one);
    learner_close(&one);
    for (size_t i = 0; i < SHARES; i++)
        learner_close(&share[i]);
}

/* P^-1 times P is the identity, by products with both; and the factor comes back. */
static void check_inverse(struct rng *rng, size_t n)
{
    double a[ROWS * (ROWS + 1) / 2], factor[ROWS * (ROWS + 1) / 2] = { 0 };
    double x[ROWS] = { 0 }, y[ROWS], z[ROWS];
    for (size_t k = 0; k < n; k++) {
        x[k] = 2 * rng_unit(rng) - 1;
        for (size_t i = 0; i <= k; i++)
            factor[k * (k + 1) / 2 + i] = i == k ? 0.1 + rng_unit(rng) : 2 * rng_unit(rng) - 1;
    }
    memcpy(a, factor, sizeof a);
    udu_times(factor, n, x, y);
    udu_to_inverse(a, n);
    udu_inverse_times(a, n, y, z);
    for (size_t i = 0; i < n; i++)
        hold(fabs(z[i] - x[i]) <= 1e-8, "udu", "P^-1 P x", z[i], x[i]);
    hold(udu_of_inverse(a, n), "udu", "positive", (long double)n, 0);
    for (size_t i = 0; i < udu_size(n); i++)
        hold(fabs(a[i] - factor[i]) <= 1e-8, "udu", "factor", a[i], factor[i]);
    if (n > 0)
        a[udu_size(n) - 1] = -1;
    udu_to_inverse(a, n);
    hold(udu_of_inverse(a, n) == (n == 0), "udu", "not positive", (long double)n, 0);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 29);
    static const struct setup setups[] = {
        { "ridge", false, false, 0 },    { "ridge", true, false, 0 },
        { "ridge", false, true, 0 },     { "thompson", false, false, 0 },
        { "linucb", true, true, 0 },     { "memory", false, false, 3 },
        { "memory", true, false, 3 },    { "memory", false, false, 0 },
        { "memory", false, true, 7 },    { "memory", false, false, -1 },
    };
    for (size_t n = 0; n <= ROWS; n++)
        for (size_t times = 0; times < 20; times++)
            check_inverse(&rng, n);
    for (size_t i = 0; i < COUNT(setups); i++)
        for (size_t times = 0; times < 10; times++)
            check(&rng, &setups[i]);
    if (wrong)
        fprintf(stderr, "sums: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
