/*
 * Clicks: the people's numbers, each outcome of two places summed over every cell of the draws,
 * lists of ten against another way to say the model, draw by draw, and whose search is whose.
 *
 * All probabilities are whole hundredths. What two places do is one thing all over each cell
 * between these that four draws fall into, and the sizes of the cells that have an outcome add up
 * to its probability, exactly: no sampling. One round is found for each cell.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/click_models.h"

enum { PARTS = 100, CUTS = 8, CELLS = CUTS * CUTS * CUTS * CUTS, PLACES = 10 };

static unsigned long wrong;

static void tell(int right, const char *what, size_t a, size_t b, size_t c)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "clicks: %s (%zu, %zu, %zu)\n", what, a, b, c);
}

/* In hundredths, by name and top: as the papers' tables have them; and as leave is defined: 20 + 60
 * r / L of 100 stop, and 20 of those who do not, or did not click. */
static const struct table {
    const char *name, *top;
    unsigned leave, grades, click[5], stop[5];
} tables[] = {
    { "perfect", "1", 0, 2, { 0, 100 }, { 0, 0 } },
    { "perfect", "2", 0, 3, { 0, 50, 100 }, { 0, 0, 0 } },
    { "perfect", "4", 0, 5, { 0, 20, 40, 80, 100 }, { 0, 0, 0, 0, 0 } },
    { "navigational", "1", 0, 2, { 5, 95 }, { 20, 90 } },
    { "navigational", "2", 0, 3, { 5, 50, 95 }, { 20, 50, 90 } },
    { "navigational", "4", 0, 5, { 5, 30, 50, 70, 95 }, { 20, 30, 50, 70, 90 } },
    { "informational", "1", 0, 2, { 40, 90 }, { 10, 50 } },
    { "informational", "2", 0, 3, { 40, 70, 90 }, { 10, 30, 50 } },
    { "informational", "4", 0, 5, { 40, 60, 70, 80, 90 }, { 10, 20, 30, 40, 50 } },
    { "cascade", "1", 0, 2, { 0, 100 }, { 100, 100 } },
    { "cascade", "2", 0, 3, { 0, 50, 100 }, { 100, 100, 100 } },
    { "cascade", "4", 0, 5, { 0, 20, 40, 80, 100 }, { 100, 100, 100, 100, 100 } },
    { "answered", "1", 0, 2, { 5, 30 }, { 20, 50 } },
    { "answered", "2", 0, 3, { 5, 50, 15 }, { 20, 50, 50 } },
    { "answered", "4", 0, 5, { 5, 30, 50, 30, 15 }, { 20, 30, 50, 50, 50 } },
    { "leave", "1", 20, 2, { 10, 100 }, { 20 + 16, 80 + 4 } },
    { "leave", "2", 20, 3, { 10, 40, 100 }, { 20 + 16, 50 + 10, 80 + 4 } },
    { "leave", "4", 20, 5, { 10, 16, 28, 52, 100 }, { 20 + 16, 35 + 13, 50 + 10, 65 + 7, 80 + 4 } },
};
enum { TABLES = sizeof tables / sizeof *tables };

static struct clicks_person parsed(const char *text, size_t scale)
{
    struct clicks_person person = { 0 };
    struct fault fault = { FAULT_NONE, "" };
    tell(clicks_parse(&person, text, scale, &fault) == 0, text, scale, 0, 0);
    return person;
}

/* ---- two places, exactly ---- */

/* The hundredths where what a draw does changes: cut[0] = 0, and rising up to cut[n] = PARTS. */
struct cuts {
    size_t n;
    unsigned cut[CUTS + 1];
};

static void add_cut(struct cuts *cuts, unsigned cut)
{
    size_t i = 0;
    while (i <= cuts->n && cuts->cut[i] < cut)
        i++;
    if (i <= cuts->n && cuts->cut[i] == cut)
        return;
    memmove(cuts->cut + i + 1, cuts->cut + i, (++cuts->n - i) * sizeof *cuts->cut);
    cuts->cut[i] = cut;
}

/* The cell of round t's draws, and its size in hundredths to the fourth. */
static size_t cell_of(const struct cuts cuts[2], uint64_t t, unsigned long *size)
{
    struct rng rng = rng_at(1, RNG_CLICKS, t);
    size_t cell = 0;
    *size = 1;
    for (size_t i = 0; i < 4; i++) {
        const struct cuts *cut = &cuts[i % 2];
        double u = rng_unit(&rng) * PARTS;
        size_t at = 0;
        while (u >= cut->cut[at + 1])
            at++;
        cell = cell * CUTS + at;
        *size *= cut->cut[at + 1] - cut->cut[at];
    }
    return cell;
}

/* A round for each cell, and the cells' sizes: the first that falls into it. The rounds that it
 * took. */
static uint64_t find_rounds(const struct table *table, uint64_t *round, unsigned long *size)
{
    struct cuts cuts[2] = { { 1, { 0, PARTS } }, { 1, { 0, PARTS } } };
    uint64_t t = 0;
    memset(round, 0, CELLS * sizeof *round);
    for (unsigned g = 0; g < table->grades; g++) {
        add_cut(&cuts[0], table->click[g]);
        add_cut(&cuts[1], table->stop[g]);
    }
    add_cut(&cuts[1], table->leave);
    for (size_t left = cuts[0].n * cuts[1].n * cuts[0].n * cuts[1].n; left > 0;) {
        unsigned long parts;
        size_t cell = cell_of(cuts, ++t, &parts);
        if (round[cell] == 0) {
            round[cell] = t;
            size[cell] = parts;
            left--;
        }
    }
    return t;
}

static const struct clicks_page two = { 2, 2, NULL, 0, 0 };
static const struct clicks_page ten = { PLACES, PLACES, NULL, 0, 0 };

static void check_pair(const struct table *table, const struct clicks_person *person, unsigned g,
                       unsigned h, const uint64_t *round, const unsigned long *size)
{
    const float label[2] = { (float)g, (float)h };
    unsigned long sum[2][2] = { { 0 } };
    for (size_t cell = 0; cell < CELLS; cell++) {
        float click[2] = { -1, -1 };
        struct rng rng = rng_at(1, RNG_CLICKS, round[cell]);
        if (round[cell] == 0)
            continue;
        clicks_draw(person, &two, label, &rng, click);
        tell((click[0] == 0 || click[0] == 1) && (click[1] == 0 || click[1] == 1),
             "neither 0 nor 1", g, h, cell);
        sum[click[0] > 0][click[1] > 0] += size[cell];
    }
    /* Of 100^2: he clicks and goes on, passes and goes on, clicks and stops, passes and stops. */
    unsigned long first = table->click[g], stop = table->stop[g], second = table->click[h];
    unsigned long on = first * (PARTS - stop), pass = (PARTS - first) * (PARTS - table->leave);
    unsigned long stops = first * stop, leaves = (PARTS - first) * table->leave;
    tell(sum[1][1] == on * second * PARTS, "both", g, h, sum[1][1]);
    tell(sum[1][0] == (stops * PARTS + on * (PARTS - second)) * PARTS, "first alone", g, h,
         sum[1][0]);
    tell(sum[0][1] == pass * second * PARTS, "second alone", g, h, sum[0][1]);
    tell(sum[0][0] == (leaves * PARTS + pass * (PARTS - second)) * PARTS, "neither", g, h,
         sum[0][0]);
}

/* ---- ten places, draw by draw ---- */

/* All would-be clicks and stops first; then those after the first stop go. Which places the user
 * examined. */
static size_t by_definition(const struct table *table, const float *label, struct rng rng,
                            float *click)
{
    size_t last = PLACES;
    for (size_t a = 0; a < PLACES; a++) {
        unsigned grade = (unsigned)label[a];
        click[a] = rng_unit(&rng) * PARTS < table->click[grade];
        int stops = rng_unit(&rng) * PARTS < (click[a] > 0 ? table->stop[grade] : table->leave);
        if (last == PLACES && stops)
            last = a;
    }
    for (size_t a = last + 1; a < PLACES; a++)
        click[a] = 0;
    return last;
}

static void draw_labels(unsigned grades, uint64_t t, float *label)
{
    struct rng rng = rng_at(2, RNG_SAMPLE, t);
    for (size_t a = 0; a < PLACES; a++)
        label[a] = (float)rng_below(&rng, grades);
}

static void check_ten(const struct table *table, const struct clicks_person *person)
{
    for (uint64_t t = 1; t <= 20000; t++) {
        float label[PLACES], want[PLACES], got[PLACES];
        struct rng rng = rng_at(3, RNG_CLICKS, t);
        draw_labels(table->grades, t, label);
        by_definition(table, label, rng, want);
        struct rng again = rng;
        clicks_draw(person, &ten, label, &rng, got);
        tell(memcmp(got, want, sizeof got) == 0, "not as the model says", (size_t)t, 0, 0);
        clicks_draw(person, &ten, label, &again, label);
        tell(memcmp(label, want, sizeof label) == 0, "not so in place", (size_t)t, 0, 0);
    }
}

/* ---- whose search it is, on a scale of 3 grades ---- */

/* At the numbers 0, .05, ... .95 that choose: each of the mixed has its twentieths. */
static void check_mixed(const char *text, double share)
{
    static const char *const names[] = { "navigational", "informational", "position" };
    struct clicks_person person = parsed(text, 1);
    for (uint64_t t = 1; t <= 20000; t++) {
        float label[PLACES], want[PLACES] = { 0 }, got[PLACES];
        unsigned part = (unsigned)(t % 20);
        struct clicks_page page = { PLACES, t % 3 ? 7 : 12, NULL, 0, (part + 0.5) / 20 * share };
        size_t shown = page.docs < PLACES ? page.docs : PLACES;
        struct rng rng = rng_at(3, RNG_CLICKS, t), own = rng;
        page.places = shown;
        draw_labels(3, t, label);
        clicks_draw(&person, &page, label, &rng, got);
        if (part < 16) {
            struct clicks_person one = parsed(names[part < 8 ? 0 : part < 12 ? 1 : 2], 1);
            clicks_draw(&one, &page, label, &own, want);
        } else if (part < 18) {
            want[0] = rng_unit(&own) < 0.5;
        } else { /* place a + 1 with (1 - 1/n) (1 - 1/(n-1)) ... 1/(n-a), which is 1/n */
            size_t a = 0;
            for (; rng_unit(&own) * (double)(shown - a) >= 1; a++)
                (void)rng_unit(&own);
            want[a] = 1;
        }
        tell(memcmp(got, want, shown * sizeof *got) == 0, text, (size_t)t, part, page.docs);
        page.search = share + (1 - share) * part / 20;
        clicks_draw(&person, &page, label, &own, got);
        for (size_t a = 0; share < 1 && a < shown; a++)
            tell(got[a] == 0, "a click in a search that has none", (size_t)t, part, a);
    }
}

/* Where the navigational user would have clicked and answered did not, the first posts. */
static void check_posts(void)
{
    struct clicks_person person = parsed("answered:0.25", 1);
    const struct table *nav = &tables[4], *table = &tables[13];
    for (uint64_t t = 1; t <= 20000; t++) {
        float label[PLACES], want[PLACES], got[PLACES];
        struct clicks_page page = { PLACES, PLACES, NULL, 0, (double)(t % 4) / 4 };
        struct rng rng = rng_at(3, RNG_CLICKS, t), own = rng;
        draw_labels(3, t, label);
        size_t last = by_definition(table, label, rng, want);
        for (size_t a = 0; t % 4 == 0 && a < PLACES && a <= last; a++) {
            if (rng_unit(&own) * PARTS < nav->click[(unsigned)label[a]] && want[a] == 0) {
                want[a] = 1;
                break;
            }
            (void)rng_unit(&own);
        }
        clicks_draw(&person, &page, label, &rng, got);
        tell(memcmp(got, want, sizeof got) == 0, "not posted", (size_t)t, 0, 0);
    }
}

/* Each document is bait in all rounds of its query, or in none; .9 / k of a click on one, whose
 * value is 1 with A: which it is can be told where A is not 1. The share that is bait is within
 * five deviations of .2. */
static void check_bait(void)
{
    enum { QUERIES = 500, TIMES = 60 };
    struct clicks_person person = parsed("bait:0.2:0.25", 1);
    static const double A[] = { 0.1, 0.4, 1 };
    size_t bait = 0;
    for (size_t q = 0; q < QUERIES; q++) {
        char qid[24];
        unsigned may[PLACES];
        snprintf(qid, sizeof qid, "%zu", q);
        for (size_t i = 0; i < PLACES; i++)
            may[i] = 3; /* 1: no bait, 2: bait */
        for (uint64_t t = 1; t <= TIMES; t++) {
            uint32_t order[PLACES];
            float label[PLACES], got[PLACES];
            struct rng orders = rng_at(q, RNG_EXPLORE, t), rng = rng_at(q, RNG_CLICKS, t);
            struct rng own = rng;
            struct clicks_page page = { PLACES, PLACES, order, clicks_query(4, qid), 0 };
            rng_permutation(&orders, order, PLACES);
            for (size_t a = 0; a < PLACES; a++)
                label[a] = (float)(order[a] % 3);
            clicks_draw(&person, &page, label, &rng, got);
            for (size_t a = 0; a < PLACES; a++) {
                double k = (double)a + 1, u = rng_unit(&own), v = rng_unit(&own);
                double attracts = A[order[a] % 3];
                unsigned as = got[a] == (u < attracts / k);
                as += got[a] == (u < 0.9 / k ? v < attracts ? 1 : 0.25f : 0) ? 2 : 0;
                tell((may[order[a]] &= as) > 0, "neither bait nor not", q, order[a], (size_t)t);
            }
        }
        for (size_t i = 0; i < PLACES; i++) {
            tell(may[i] != 3 || i % 3 == 2, "bait or not cannot be told", q, i, 0);
            bait += may[i] == 2 && i % 3 != 2;
        }
    }
    tell(bait > 581 && bait < 819, "share of bait", bait, 0, 0); /* 7 of 10: 700 +- 5 x 23.7 */
    uint64_t query = clicks_query(4, "a");
    tell(query != clicks_query(5, "a") && query != clicks_query(4, "b"), "the same bait", 0, 0, 0);
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

/* ---- by position: the formulas of the page, whose eta is 0, 1 or 2 here; a negative noise is A of
 * each grade ---- */

static double chance(int trusts, unsigned eta, double noise, unsigned top, size_t k, unsigned grade)
{
    double A = noise + (1 - noise) * ((1 << grade) - 1) / ((1 << top) - 1), K = (double)k;
    if (noise < 0)
        A = -noise;
    if (trusts)
        return (0.98 * A + 0.65 / K * (1 - A)) / K;
    return eta == 2 ? A / (K * K) : eta == 1 ? A / K : A;
}

static void check_biased(const char *text, int trusts, unsigned eta, double noise)
{
    for (size_t i = 0; i < 3; i++) {
        struct clicks_person person = parsed(text, i);
        unsigned top = (unsigned)atoi(clicks_tops[i]);
        tell(person.by.top == top, text, i, 0, 0);
        for (uint64_t t = 1; t <= 20000; t++) {
            float label[PLACES], got[PLACES];
            struct rng rng = rng_at(3, RNG_CLICKS, t), own = rng;
            draw_labels(top + 1, t, label);
            clicks_draw(&person, &ten, label, &rng, got);
            for (size_t a = 0; a < PLACES; a++) {
                double p = chance(trusts, eta, noise, top, a + 1, (unsigned)label[a]);
                double e = clicks_chance(&person, a, person.by.click[(unsigned)label[a]]) - p;
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
        "trust:1", "perfect:1", "", "bait", "bait:", "bait:1.1", "bait:0.2:-1", "bait:0.2:1:1",
        "answered:2", "answered:", "answered:0.5:1", "mixed:1", "sparse", "sparse:0.1",
        "sparse:0.1:", "sparse:2:perfect", "sparse:0.1:nobody", "sparse:0.1:trust:1",
        "sparse:0.1:sparse"
    };
    check_biased("position", 0, 1, 0.1);
    check_biased("position:0", 0, 0, 0.1);
    check_biased("position:2:0", 0, 2, 0);
    check_biased("position:1:1", 0, 1, 1);
    check_biased("place", 0, 1, 1);
    check_biased("noise", 0, 1, -0.3);
    check_biased("trust", 1, 1, 0.1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(refused[i]);
}

int main(void)
{
    uint64_t *round = calloc(CELLS, sizeof *round), rounds = 0, pairs = 0;
    unsigned long *size = calloc(CELLS, sizeof *size);
    if (!round || !size)
        return 1;
    for (size_t i = 0; i < TABLES; i++) {
        const struct table *table = &tables[i];
        struct clicks_person person = parsed(table->name, i % 3);
        tell(strcmp(clicks_tops[i % 3], table->top) == 0, "top", i, 0, 0);
        tell(person.by.top + 1 == table->grades, "grades", i, person.by.top, 0);
        rounds += find_rounds(table, round, size);
        for (unsigned g = 0; g < table->grades; g++)
            for (unsigned h = 0; h < table->grades; h++, pairs++)
                check_pair(table, &person, g, h, round, size);
        check_ten(table, &person);
        check_labels(&person);
    }
    check_mixed("mixed", 1);
    check_mixed("sparse:0.5:mixed", 0.5);
    check_mixed("sparse:0.5:sparse:0.5:mixed", 0.25);
    check_posts();
    check_bait();
    check_positions();
    tell(!clicks_name(13) && !clicks_tops[3], "more of them than were checked", 0, 0, 0);
    free(round);
    free(size);
    printf("clicks: %llu pairs of grades, each in all cells of the draws, found in %llu rounds\n",
           (unsigned long long)pairs, (unsigned long long)rounds);
    if (wrong)
        fprintf(stderr, "clicks: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
