/*
 * Clicks: the people's numbers, each outcome of two places counted over every cell of the draws,
 * and lists of ten against another way to say the model, draw by draw.
 *
 * All probabilities are whole twentieths. So what two places do is one thing all over each of the
 * 20^4 cells that four draws fall into, and the cells that have an outcome are its probability,
 * exactly: no sampling. One round is found for each cell.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/click_models.h"

enum { PARTS = 20, CELLS = PARTS * PARTS * PARTS * PARTS, PLACES = 10 };

static unsigned long wrong;

static void tell(int right, const char *what, size_t a, size_t b, size_t c)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "clicks: %s (%zu, %zu, %zu)\n", what, a, b, c);
}

/* In twentieths, by name and top: as the papers' tables have them. */
static const struct table {
    const char *name, *top;
    unsigned grades, click[5], stop[5];
} tables[4][3] = {
    { { "perfect", "1", 2, { 0, 20 }, { 0, 0 } },
      { "perfect", "2", 3, { 0, 10, 20 }, { 0, 0, 0 } },
      { "perfect", "4", 5, { 0, 4, 8, 16, 20 }, { 0, 0, 0, 0, 0 } } },
    { { "navigational", "1", 2, { 1, 19 }, { 4, 18 } },
      { "navigational", "2", 3, { 1, 10, 19 }, { 4, 10, 18 } },
      { "navigational", "4", 5, { 1, 6, 10, 14, 19 }, { 4, 6, 10, 14, 18 } } },
    { { "informational", "1", 2, { 8, 18 }, { 2, 10 } },
      { "informational", "2", 3, { 8, 14, 18 }, { 2, 6, 10 } },
      { "informational", "4", 5, { 8, 12, 14, 16, 18 }, { 2, 4, 6, 8, 10 } } },
    { { "cascade", "1", 2, { 0, 20 }, { 20, 20 } },
      { "cascade", "2", 3, { 0, 10, 20 }, { 20, 20, 20 } },
      { "cascade", "4", 5, { 0, 4, 8, 16, 20 }, { 20, 20, 20, 20, 20 } } },
};

/* ---- two places, exactly ---- */

static size_t cell_of(uint64_t t)
{
    struct rng rng = rng_at(1, RNG_CLICKS, t);
    size_t cell = 0;
    for (size_t i = 0; i < 4; i++)
        cell = cell * PARTS + (size_t)(rng_unit(&rng) * PARTS);
    return cell;
}

/* A round for each cell: the first that falls into it. The rounds that it took. */
static uint64_t find_rounds(uint64_t *round)
{
    uint64_t t = 0;
    for (size_t found = 0; found < CELLS;) {
        size_t cell = cell_of(++t);
        if (round[cell] == 0) {
            round[cell] = t;
            found++;
        }
    }
    return t;
}

static void check_pair(const struct table *table, const struct clicks_person *person, unsigned g,
                       unsigned h, const uint64_t *round)
{
    const float label[2] = { (float)g, (float)h };
    unsigned long count[2][2] = { { 0 } };
    for (size_t cell = 0; cell < CELLS; cell++) {
        float click[2] = { -1, -1 };
        struct rng rng = rng_at(1, RNG_CLICKS, round[cell]);
        clicks_draw(person, 2, label, &rng, click);
        tell((click[0] == 0 || click[0] == 1) && (click[1] == 0 || click[1] == 1),
             "neither 0 nor 1", g, h, cell);
        count[click[0] > 0][click[1] > 0]++;
    }
    /* Of 20^4: he clicks and stops, clicks and goes on, passes. */
    unsigned long first = table->click[g], stop = table->stop[g], second = table->click[h];
    unsigned long stops = first * stop, on = first * (PARTS - stop), pass = (PARTS - first) * PARTS;
    tell(count[1][1] == on * second * PARTS, "both", g, h, count[1][1]);
    tell(count[1][0] == (stops * PARTS + on * (PARTS - second)) * PARTS, "first alone", g, h,
         count[1][0]);
    tell(count[0][1] == pass * second * PARTS, "second alone", g, h, count[0][1]);
    tell(count[0][0] == pass * (PARTS - second) * PARTS, "neither", g, h, count[0][0]);
}

/* ---- ten places, draw by draw ---- */

/* All would-be clicks and stops first; then those after the first click that stops go. */
static void by_definition(const struct table *table, const float *label, struct rng rng,
                          float *click)
{
    size_t last = PLACES;
    for (size_t a = 0; a < PLACES; a++) {
        unsigned grade = (unsigned)label[a];
        click[a] = rng_unit(&rng) * PARTS < table->click[grade];
        int stops = rng_unit(&rng) * PARTS < table->stop[grade];
        if (last == PLACES && click[a] > 0 && stops)
            last = a;
    }
    for (size_t a = last + 1; a < PLACES; a++)
        click[a] = 0;
}

static void check_ten(const struct table *table, const struct clicks_person *person)
{
    for (uint64_t t = 1; t <= 20000; t++) {
        float label[PLACES], want[PLACES], got[PLACES];
        struct rng grades = rng_at(2, RNG_SAMPLE, t), rng = rng_at(3, RNG_CLICKS, t);
        for (size_t a = 0; a < PLACES; a++)
            label[a] = (float)rng_below(&grades, table->grades);
        by_definition(table, label, rng, want);
        struct rng again = rng;
        clicks_draw(person, PLACES, label, &rng, got);
        tell(memcmp(got, want, sizeof got) == 0, "not as the model says", (size_t)t, 0, 0);
        clicks_draw(person, PLACES, label, &again, label);
        tell(memcmp(label, want, sizeof label) == 0, "not so in place", (size_t)t, 0, 0);
    }
}

/* ---- labels that are no grades ---- */

static void check_labels(const struct clicks_person *person)
{
    const float label[] = { 0, (float)person->by.top, 0.5f, (float)person->by.top + 1, 1e30f };
    struct fault fault = { FAULT_NONE, "" };
    tell(clicks_check(person, 2, label, &fault) == 0, "grades refused", person->by.top, 0, 0);
    for (size_t i = 2; i < 5; i++) {
        fault.kind = FAULT_NONE;
        tell(clicks_check(person, 1, label + i, &fault) < 0 && fault.kind == FAULT_DATA,
             "taken for a grade", person->by.top, i, 0);
    }
}

/* ---- by position: the formulas of the page, whose eta is 0, 1 or 2 here ---- */

static double chance(int trusts, unsigned eta, double noise, unsigned top, size_t k, unsigned grade)
{
    double A = noise + (1 - noise) * ((1 << grade) - 1) / ((1 << top) - 1), K = (double)k;
    if (trusts)
        return (0.98 * A + 0.65 / K * (1 - A)) / K;
    return eta == 2 ? A / (K * K) : eta == 1 ? A / K : A;
}

static void check_biased(const char *text, int trusts, unsigned eta, double noise)
{
    for (size_t i = 0; i < 3; i++) {
        struct clicks_person person;
        struct fault fault = { FAULT_NONE, "" };
        unsigned top = (unsigned)atoi(clicks_tops[i]);
        tell(clicks_parse(&person, text, i, &fault) == 0 && person.by.top == top, text, i, 0, 0);
        for (uint64_t t = 1; t <= 20000; t++) {
            float label[PLACES], got[PLACES];
            struct rng grades = rng_at(2, RNG_SAMPLE, t), rng = rng_at(3, RNG_CLICKS, t), own = rng;
            for (size_t a = 0; a < PLACES; a++)
                label[a] = (float)rng_below(&grades, top + 1);
            clicks_draw(&person, PLACES, label, &rng, got);
            for (size_t a = 0; a < PLACES; a++) {
                double p = chance(trusts, eta, noise, top, a + 1, (unsigned)label[a]);
                double e = clicks_chance(&person, a, (unsigned)label[a]) - p;
                tell(e < 1e-15 && e > -1e-15, text, i, a, (size_t)label[a]);
                tell((got[a] > 0) == (rng_unit(&own) < p), "not as drawn", i, a, (size_t)t);
                (void)rng_unit(&own);
            }
        }
    }
}

static void check_refused(const char *text)
{
    struct clicks_person person;
    struct fault fault = { FAULT_NONE, "" };
    tell(clicks_parse(&person, text, 2, &fault) < 0 && fault.kind == FAULT_USAGE, text, 0, 0, 0);
}

static void check_positions(void)
{
    static const char *const refused[] = {
        "position:", "position::1", "position:1:", "position:-1", "position:1:1.1",
        "position:1:-0.1", "position:1:0.1:1", "position:nan", "position:inf", "positio",
        "trust:1", "perfect:1", ""
    };
    check_biased("position", 0, 1, 0.1);
    check_biased("position:0", 0, 0, 0.1);
    check_biased("position:2:0", 0, 2, 0);
    check_biased("position:1:1", 0, 1, 1);
    check_biased("trust", 1, 1, 0.1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(refused[i]);
}

int main(void)
{
    uint64_t *round = calloc(CELLS, sizeof *round);
    if (!round)
        return 1;
    uint64_t rounds = find_rounds(round), pairs = 0;
    for (size_t name = 0; name < 4; name++)
        for (size_t top = 0; top < 3; top++) {
            const struct table *table = &tables[name][top];
            struct clicks_person found, *person = &found;
            struct fault fault = { FAULT_NONE, "" };
            tell(clicks_parse(person, table->name, top, &fault) == 0, "parse", name, top, 0);
            tell(strcmp(clicks_names[name], table->name) == 0, "name", name, top, 0);
            tell(strcmp(clicks_tops[top], table->top) == 0, "top", name, top, 0);
            tell(person->by.top + 1 == table->grades, "grades", name, top, person->by.top);
            for (unsigned g = 0; g < table->grades; g++)
                for (unsigned h = 0; h < table->grades; h++, pairs++)
                    check_pair(table, person, g, h, round);
            check_ten(table, person);
            check_labels(person);
        }
    check_positions();
    tell(!clicks_names[6] && !clicks_tops[3], "more of them than were checked", 0, 0, 0);
    free(round);
    printf("clicks: %llu pairs of grades, each in %d cells of the draws, found in %llu rounds\n",
           (unsigned long long)pairs, CELLS, (unsigned long long)rounds);
    if (wrong)
        fprintf(stderr, "clicks: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
