/*
 * The regret of random rounds against brute force: each of the m! fixed rankings is measured in
 * every round, and the best of them so far is held against what was shown.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "math/rng.h"
#include "measure/regret.h"

enum { MOST = 5, RANKINGS = 120, ROUNDS = 12, RUNS = 6 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name;
    bool less;   /* is better */
    bool binary; /* labels alone */
    bool exact;  /* with them */
} measures[] = {
    { "dcg", false, false, false },    { "dcg@1", false, false, false },
    { "dcg@2", false, false, false },  { "dcg@4", false, false, false },
    { "dcg@9", false, false, false },  { "ndcg", false, false, false },
    { "ndcg@1", false, false, false }, { "ndcg@2", false, false, false },
    { "ndcg@4", false, false, false }, { "ndcg@9", false, false, false },
    { "prec@1", false, false, true },  { "prec@2", false, false, true },
    { "prec@4", false, false, true },  { "prec@9", false, false, true },
    { "sumloss", true, false, true },  { "pairloss", true, true, true },
    { "auc", false, true, false },     { "map", false, false, false },
};

enum labels { BINARY, GRADED, REAL, LABELS };

static unsigned long wrong, compared, above, below;

static void tell(bool right, const char *what, double got, double want)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "regret: %s: %.17g, not %.17g\n", what, got, want);
}

/* All orders of m documents; returns how many. */
static size_t fill_rankings(size_t m, uint32_t ranking[RANKINGS][MOST])
{
    size_t n = 1;
    memset(ranking[0], 0, sizeof ranking[0]);
    for (uint32_t doc = 1; doc < m; doc++) {
        size_t had = n;
        for (uint32_t place = 0; place < doc; place++)
            for (size_t r = 0; r < had; r++, n++) {
                memcpy(ranking[n], ranking[r], sizeof ranking[n]);
                memmove(ranking[n] + place + 1, ranking[n] + place, (doc - place) * sizeof doc);
                ranking[n][place] = doc;
            }
        for (size_t r = 0; r < had; r++)
            ranking[r][doc] = doc; /* the old ones last, which are read until then */
    }
    return n;
}

static void draw_labels(struct rng *rng, enum labels kind, size_t m, float *label)
{
    uint32_t nothing = rng_below(rng, 6); /* now and then no label at all is above 0 */
    for (size_t i = 0; i < m; i++) {
        label[i] = kind == BINARY   ? (float)rng_below(rng, 2)
                   : kind == GRADED ? (float)rng_below(rng, 5)
                                    : (float)(3 * rng_unit(rng));
        if (nothing == 0)
            label[i] = 0;
    }
}

/* What a measure is in a round, 0 where it means nothing. */
static double value_of(const struct measure *measure, struct measured *measured, size_t m,
                       const uint32_t *order, const float *label)
{
    double value = 0;
    struct fault fault = { FAULT_NONE, "" };
    bool prepared = measure_round(measured, m, order, label, NULL, &fault) == 0;
    int defined = prepared ? measure_value(measure, measured, &value, &fault) : -1;
    tell(defined >= 0, fault.text, 0, 0);
    return defined > 0 ? value : 0;
}

static bool look(struct regret *regret, struct measured *measured, size_t m, const uint32_t *order,
                 const float *label, struct fault *fault)
{
    return measure_round(measured, m, order, label, NULL, fault) == 0 &&
           regret_look(regret, measured, 0, fault) == 0;
}

static void compare(const char *name, bool exact, double got, double want)
{
    compared++;
    above += want > 0.01;
    below += want < -0.01;
    tell(exact ? got == want : fabs(got - want) <= 1e-12 * ROUNDS, name, got, want);
}

static void run(struct rng *rng, size_t which, enum labels kind, size_t m,
                const struct conventions *conventions)
{
    uint32_t ranking[RANKINGS][MOST];
    double total[RANKINGS] = { 0 }, had = 0;
    struct regret regret = { 0 };
    struct measured measured = { .conventions = *conventions }, other = measured;
    struct fault fault = { FAULT_NONE, "" };
    size_t rankings = fill_rankings(m, ranking);
    tell(regret_parse(&regret, measures[which].name, &fault) == 0, fault.text, 0, 0);
    for (size_t t = 0; t < ROUNDS; t++) {
        float label[MOST];
        draw_labels(rng, kind, m, label); /* looked at, but not added */
        tell(look(&regret, &measured, m, ranking[0], label, &fault), fault.text, 0, 0);
        draw_labels(rng, kind, m, label);
        const uint32_t *order = ranking[rng_below(rng, (uint32_t)rankings)];
        tell(look(&regret, &measured, m, order, label, &fault), fault.text, 0, 0);
        regret_add(&regret);
        had += value_of(&regret.measure, &other, m, order, label);
        double best = measures[which].less ? INFINITY : -INFINITY;
        for (size_t r = 0; r < rankings; r++) {
            total[r] += value_of(&regret.measure, &other, m, ranking[r], label);
            best = measures[which].less ? fmin(best, total[r]) : fmax(best, total[r]);
        }
        compare(measures[which].name, measures[which].exact && kind == BINARY,
                regret_sum(&regret), measures[which].less ? had - best : best - had);
    }
    regret_close(&regret);
    measure_close(&measured);
    measure_close(&other);
}

static void check_against_all_rankings(struct rng *rng)
{
    for (unsigned c = 0; c < 4; c++) {
        struct conventions conventions = { c & 1, c & 2, 4, 0.01 };
        for (size_t which = 0; which < COUNT(measures); which++)
            for (int kind = BINARY; kind < LABELS; kind++)
                for (size_t m = 1; m <= MOST && !(kind > BINARY && measures[which].binary); m++)
                    for (size_t n = 0; n < RUNS; n++)
                        run(rng, which, (enum labels)kind, m, &conventions);
    }
}

/* A round that is refused leaves the sums as they were. */
static void refuses(struct regret *regret, struct measured *measured, size_t m, size_t dim,
                    const float *label)
{
    static const uint32_t order[] = { 0, 1, 2 };
    struct fault fault = { FAULT_NONE, "" };
    double before = regret_sum(regret);
    tell(measure_round(measured, m, order, label, NULL, &fault) == 0, fault.text, 0, 0);
    tell(regret_look(regret, measured, dim, &fault) < 0 && fault.kind == FAULT_DATA,
         "a round that is no round of a fixed list is taken", (double)m, (double)dim);
    tell(regret_sum(regret) == before, "a fault that adds", regret_sum(regret), before);
}

/* map takes 16 items, of which the two that are always relevant are best on top; and no more. */
static void check_long(void)
{
    static const uint32_t order[17] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
    float label[17] = { [14] = 1, [15] = 1 };
    struct regret regret = { 0 };
    struct measured measured = { .conventions = { false, false, 4, 0.01 } };
    struct fault fault = { FAULT_NONE, "" };
    tell(regret_parse(&regret, "map", &fault) == 0, fault.text, 0, 0);
    tell(!look(&regret, &measured, 17, order, label, &fault) && fault.kind == FAULT_DATA,
         "17 items for map", 17, 0);
    tell(look(&regret, &measured, 16, order, label, &fault), fault.text, 0, 0);
    regret_add(&regret);
    double want = 1 - (1 / 15. + 2 / 16.) / 2;
    tell(fabs(regret_sum(&regret) - want) < 1e-14, "16 items", regret_sum(&regret), want);
    regret_close(&regret);
    measure_close(&measured);
}

static void check_refusals(const char *name, bool binary)
{
    static const float first[] = { 1, 0 }, three[] = { 1, 0, 1 }, graded[] = { 0, 2 };
    static const float half[] = { 0.5, 0 }, large[] = { 0, 2000 };
    static const uint32_t order[] = { 1, 0 };
    struct regret regret = { 0 };
    struct measured measured = { .conventions = { false, false, 4, 0.01 } };
    struct fault fault = { FAULT_NONE, "" };
    tell(regret_parse(&regret, name, &fault) == 0, fault.text, 0, 0);
    tell(look(&regret, &measured, 2, order, first, &fault), fault.text, 0, 0);
    regret_add(&regret);
    refuses(&regret, &measured, 2, 1, first);
    refuses(&regret, &measured, 3, 0, three);
    refuses(&regret, &measured, 1, 0, first);
    if (binary) {
        refuses(&regret, &measured, 2, 0, graded);
        refuses(&regret, &measured, 2, 0, half);
    }
    if (strcmp(name, "map") == 0)
        check_long();
    if (strncmp(name, "dcg", 3) == 0) /* of a document past the cut, too */
        refuses(&regret, &measured, 2, 0, large);
    regret_close(&regret);
    measure_close(&measured);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    check_against_all_rankings(&rng);
    for (size_t which = 0; which < COUNT(measures); which++)
        check_refusals(measures[which].name, measures[which].binary);
    printf("regret: %lu compared, %lu of them above 0, %lu below\n", compared, above, below);
    tell(above > compared / 4 && below > 0, "hardly any regret", (double)above, (double)below);
    if (wrong)
        fprintf(stderr, "regret: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
