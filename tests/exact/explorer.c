/*
 * explorer: given how the ties of a round were broken, each policy shows its documents with the
 * propensities that follow from the round's keys and columns. For every order of the ties the
 * frequencies of documents and pairs among the first k are compared with pi_j and pi_ij; a round's
 * greedy order is found here from the draws for ties, and from nothing of lib/explore.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/feedback.h"
#include "explore/policies.h"
#include "explore/propensity.h"

enum { DOCS = 4, ORDERS = 256, ROUNDS = 60000, SEED = 5 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Ties in scores, in indices, and in both. */
static const double SCORE[][DOCS] = { { 0, 0, 0, 0 }, { 1, 2, 1, 1 }, { 2, 1, 1, 2 } };
static const double INDEX[][DOCS] = { { 3, 3, 3, 3 }, { 1, 1, 1, 0 }, { 1, 1, 0, 0 } };

static const struct tested {
    const char *policy;
    double gamma;
    size_t k;
} TESTED[] = {
    { "uniform", 0.5, 1 }, { "uniform", 0.7, 2 },       { "top", 0.5, 1 },
    { "top", 0.8, 2 },     { "swap", 0.5, 1 },          { "swap", 0.6, 2 },
    { "index", 0.5, 1 },   { "index", 0.8, 2 },         { "plackett-luce", 0, 1 },
    { "slot", 0.5, 1 },    { "slot", 0.8, 2 },
    { NULL, 0.7, 1 }, /* by default: index */
};

/* The rounds whose ties were broken to one order; `pi` is as the first of them says, of documents
 * that were shown, else 0. */
struct group {
    unsigned long rounds, one[DOCS], two[DOCS][DOCS];
    double pi_one[DOCS], pi_two[DOCS][DOCS];
};

struct bench {
    const struct tested *tested;
    size_t world;
    struct explorer explorer;
    struct record record;
    struct round round;
    struct fault fault;
    struct buffer buffer;
    struct group group[ORDERS];
    unsigned long cases, wrong;
};

static void tell(struct bench *bench, int right, const char *what, double got, double want)
{
    bench->cases++;
    if (!right && bench->wrong++ < 10)
        fprintf(stderr, "explorer: %s, k=%zu, world %zu: %s is %g, not %g\n",
                bench->tested->policy ? bench->tested->policy : "default", bench->tested->k,
                bench->world, what, got, want);
}

static void stop(const struct bench *bench)
{
    fprintf(stderr, "explorer: %s\n", bench->fault.text);
    exit(1);
}

/* ---- the greedy order of round t, by the rule ---- */

static int before(const double *number, enum rng_purpose purpose, uint64_t t, uint32_t a,
                  uint32_t b)
{
    const struct rng rng = rng_at(SEED, purpose, t);
    return number[a] != number[b] ? number[a] > number[b]
                                  : rng_bits_at(&rng, a) < rng_bits_at(&rng, b);
}

static void sort(const double *number, enum rng_purpose purpose, uint64_t t, uint32_t *doc,
                 size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && before(number, purpose, t, doc[j], doc[j - 1]); j--) {
            uint32_t swap = doc[j];
            doc[j] = doc[j - 1];
            doc[j - 1] = swap;
        }
}

static int by_index(const struct bench *bench)
{
    const char *policy = bench->tested->policy;
    return !policy || strcmp(policy, "index") == 0;
}

static void rank_greedily(const struct bench *bench, uint64_t t, uint32_t *order)
{
    size_t k = by_index(bench) ? bench->tested->k : 0;
    for (uint32_t i = 0; i < DOCS; i++)
        order[i] = i;
    if (k)
        sort(INDEX[bench->world], RNG_INDEX_TIES, t, order, DOCS);
    sort(SCORE[bench->world], RNG_TIES, t, order + k, DOCS - k);
}

static size_t number(const uint32_t *order)
{
    size_t n = 0;
    for (size_t a = 0; a < DOCS; a++)
        n = n * DOCS + order[a];
    return n;
}

/* ---- rounds ---- */

static void show(struct bench *bench, uint64_t t)
{
    struct round *round = &bench->round;
    struct fault *fault = &bench->fault;
    double *score, *index;
    if (round_start(round, t, NULL, DOCS, 0, fault) < 0 ||
        !(score = round_new_score(round, fault)) || !(index = round_new(round, ROUND_INDEX, fault)))
        stop(bench);
    memcpy(score, SCORE[bench->world], sizeof *SCORE);
    memcpy(index, INDEX[bench->world], sizeof *INDEX);
    if (policies_show(&bench->explorer, round, fault) < 0)
        stop(bench);
    float *seen = round_new_seen(round, bench->tested->k, fault);
    if (!seen)
        stop(bench);
    memset(seen, 0, bench->tested->k * sizeof *seen);
}

/* What the round says of the documents shown: the same in every round of its group. */
static void note(struct bench *bench, double *known, double pi, const char *what)
{
    if (*known > 0)
        tell(bench, fabs(*known - pi) <= 1e-12 * pi, what, pi, *known);
    *known = pi;
}

static void count(struct bench *bench, uint64_t t)
{
    uint32_t want[DOCS];
    struct exposure exposure;
    const struct round *round = &bench->round;
    rank_greedily(bench, t, want);
    const uint32_t *greedy = round->greedy ? round->greedy : round->order;
    if (!round->logit || round->greedy)
        tell(bench, memcmp(greedy, want, sizeof want) == 0, "greedy", (double)number(greedy),
             (double)number(want));
    struct group *group = &bench->group[number(want)];
    group->rounds++;
    if (feedback_exposure(&exposure, round, "test", 1, &bench->buffer, &bench->fault) < 0)
        stop(bench);
    for (size_t a = 0; a < bench->tested->k; a++) {
        uint32_t i = round->order[a];
        group->one[i]++;
        note(bench, &group->pi_one[i], propensity_one(&exposure, a), "pi_j");
        for (size_t b = 0; b < bench->tested->k; b++) {
            uint32_t j = round->order[b];
            if (a == b)
                continue;
            group->two[i][j]++;
            note(bench, &group->pi_two[i][j], propensity_two(&exposure, a, b), "pi_ij");
        }
    }
}

/* Within five standard deviations. */
static void near(struct bench *bench, unsigned long shown, unsigned long rounds, double pi)
{
    double n = (double)rounds, d = (double)shown - n * pi;
    if (shown > 0)
        tell(bench, d * d <= 25 * n * pi * (1 - pi) + 1e-9, "a frequency", (double)shown / n, pi);
}

/* The probability of a greedy order: each place goes to one of the documents that tie for it. */
static double chance_of(const struct bench *bench, size_t number)
{
    uint32_t order[DOCS];
    double chance = 1;
    for (size_t a = DOCS; a-- > 0; number /= DOCS)
        order[a] = (uint32_t)(number % DOCS);
    for (size_t a = 0; a < DOCS; a++) {
        size_t equals = 0;
        const double *value =
            by_index(bench) && a < bench->tested->k ? INDEX[bench->world] : SCORE[bench->world];
        for (size_t b = a; b < DOCS; b++)
            equals += value[order[b]] == value[order[a]];
        chance /= (double)equals;
    }
    return chance;
}

/* The sums of pi_j and pi_ij are the numbers of documents and pairs seen: so none is missing. */
static void check_group(struct bench *bench, const struct group *group)
{
    double one = 0, two = 0, k = (double)bench->tested->k;
    for (size_t i = 0; i < DOCS; i++) {
        near(bench, group->one[i], group->rounds, group->pi_one[i]);
        one += group->pi_one[i];
        for (size_t j = 0; j < DOCS; j++) {
            near(bench, group->two[i][j], group->rounds, group->pi_two[i][j]);
            two += group->pi_two[i][j];
        }
    }
    tell(bench, fabs(one - k) < 1e-9, "the sum of pi_j", one, k);
    tell(bench, fabs(two - k * (k - 1)) < 1e-9, "the sum of pi_ij", two, k * (k - 1));
}

/* Every order of the ties came, as often as it should. */
static void check(struct bench *bench)
{
    double all = 0;
    for (size_t g = 0; g < ORDERS; g++) {
        const struct group *group = &bench->group[g];
        if (group->rounds == 0)
            continue;
        double chance = chance_of(bench, g), n = (double)group->rounds, mean = ROUNDS * chance;
        tell(bench, fabs(n - mean) <= 5 * sqrt(mean * (1 - chance)), "rounds of one order", n,
             mean);
        check_group(bench, group);
        all += chance;
    }
    tell(bench, fabs(all - 1) < 1e-9, "the sum of the orders' probabilities", all, 1);
}

static const struct policy *find(const char *name)
{
    for (size_t i = 0; name && policies[i].name; i++)
        if (strcmp(policies[i].name, name) == 0)
            return &policies[i];
    return NULL;
}

static void run(struct bench *bench)
{
    const struct tested *tested = bench->tested;
    memset(bench->group, 0, sizeof bench->group);
    bench->explorer = (struct explorer){ .policy = find(tested->policy), .rated = true,
                                         .gamma = tested->gamma, .temperature = 1,
                                         .places = tested->k, .seed = SEED };
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        show(bench, t);
        count(bench, t);
    }
    check(bench);
    policies_close(&bench->explorer);
}

int main(void)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return 1;
    round_open(&bench->round, &bench->record);
    for (size_t i = 0; i < COUNT(TESTED); i++) {
        bench->tested = &TESTED[i];
        for (bench->world = 0; bench->world < COUNT(SCORE); bench->world++)
            run(bench);
    }
    int failed = bench->wrong != 0;
    printf("%lu cases, %lu wrong\n", bench->cases, bench->wrong);
    buffer_free(&bench->buffer);
    round_close(&bench->round);
    free(bench);
    return failed;
}
