/* looks: of tests without a difference that are looked at daily for 60 days, how many ever call
 * one, by the confidence sequence and by an interval for one look; and how soon a real difference
 * is found. Clients differ in how much they search (Pareto, 1.2) and in their taste, and 20 of them
 * return daily. The argument is how many tests of each kind; `make looks` runs 2,000. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rng.h"
#include "measure/sequence.h"

enum { DAYS = 60, FRESH = 60, REGULARS = 20, LONGEST = 200, FIRST_LOOK = 3 /* clusters */ };

static unsigned long wrong;
static struct fault fault;

/* What a client's line is worth where it is not 0; `taste` is from -1 to 1, and 0 on average. */
typedef double draw_value(struct normals *normals, double taste, double effect);

/* Who won an interleaved round: the rival with the probability 1/2 + effect. */
static double draw_win(struct normals *normals, double taste, double effect)
{
    return rng_unit(&normals->rng) < 0.5 + effect + 0.2 * taste ? 1 : -1;
}

/* A difference of two measures: either sign, and a lognormal size. */
static double draw_difference(struct normals *normals, double taste, double effect)
{
    return draw_win(normals, taste, effect) * exp(normal_draw(normals));
}

/* a of ips, of the first of ten places in a log with gamma = .2: a click on the document that the
 * log has there, whose propensity is .82, or on one that it shows with .02. */
static double draw_weight(struct normals *normals, double taste, double effect)
{
    (void)taste;
    (void)effect;
    return rng_unit(&normals->rng) < 0.82 / 0.84 ? 1 / 0.82 : 1 / 0.02;
}

/* The difference of two rankers, neither of which made the log; or of one that did from another. */
static double draw_alike(struct normals *normals, double taste, double effect)
{
    return draw_win(normals, taste, effect) * draw_weight(normals, taste, effect);
}

static double draw_unlike(struct normals *normals, double taste, double effect)
{
    double weight = draw_weight(normals, taste, effect);
    return weight > 2 ? weight : -weight;
}

static double draw_click(struct normals *normals, double taste, double effect)
{
    (void)normals;
    (void)taste;
    (void)effect;
    return 1;
}

struct kind {
    const char *name;
    draw_value *draw;
    double mean;     /* of a value that is not 0 */
    bool by_taste;   /* is a value not 0 by taste? */
    bool estimate;
    size_t tables;   /* two: a client is in one of them, by `share` */
    double share;    /* of the second */
};

static const struct kind kinds[] = {
    { "wins", draw_win, 0, false, false, 1, 0 },
    { "differences", draw_difference, 0, false, false, 1, 0 },
    { "ips, alike", draw_alike, 0, false, true, 1, 0 },
    { "ips, unlike", draw_unlike, 0, false, true, 1, 0 },
    { "ips, one", draw_weight, 2 / 0.84, true, true, 1, 0 },
    { "two tables", draw_click, 0, true, false, 2, 0.5 },
    { "two, 1 in 10", draw_click, 0, true, false, 2, 0.1 },
};

/* One client's lines of a day. */
static void visit(struct sequence *to, const struct kind *kind, size_t client, double taste,
                  double rate, double effect, struct normals *normals)
{
    struct rng *rng = &normals->rng;
    struct rng of_client = rng_at(client, RNG_BUDGET, 0);
    const size_t table = kind->tables > 1 && rng_unit(&of_client) < kind->share;
    double lines = floor(pow(1 - rng_unit(rng), -1 / 1.2));
    double p = rate * (1 + (kind->by_taste ? 0.4 * taste : 0));
    for (double i = 0; i < lines && i < LONGEST; i++) {
        double part[CLUSTER_PARTS] = { rng_unit(rng) < p ? kind->draw(normals, taste, effect) : 0 };
        wrong += sequence_add(to, table, client, part, &fault) < 0;
        sequence_settle(to);
    }
}

/* Does the interval for one look miss the mean? */
static bool misses(const struct sequence *at, double mean)
{
    const struct clusters clusters = { at->tables > 1 ? at->cluster[0].at : NULL,
                                       at->cluster[at->tables - 1].at, at->clusters, at->ratio };
    struct clusters_sums sums;
    clusters_sum(&clusters, &sums);
    return sums.clusters >= FIRST_LOOK && sums.error > 0 &&
           tails_student((sums.mean - mean) / sums.error, (double)sums.clusters - 1) < 0.05;
}

/* The days of one test, from 1, at which each calls a difference first; 0: never. And whether the
 * interval does on each day. */
struct calls {
    size_t sequence, fixed;
    bool on[DAYS];
};

static struct calls run_test(const struct kind *kind, double rate, double effect, size_t fresh,
                             size_t regulars, uint64_t seed)
{
    struct normals normals = { .rng = rng_at(seed, RNG_SAMPLE, (uint64_t)(1000 * rate)) };
    struct sequence at = { .tables = kind->tables,
                           .wait = kind->estimate ? SEQUENCE_FIRST_ESTIMATES : SEQUENCE_FIRST };
    struct sequence_look look;
    struct calls calls = { 0, 0, { false } };
    double taste[REGULARS];
    const double mean = rate * kind->mean;
    for (size_t i = 0; i < regulars; i++)
        taste[i] = tanh(normal_draw(&normals) / 2);
    for (size_t day = 1; day <= DAYS; day++) {
        for (size_t i = 0; i < regulars; i++)
            visit(&at, kind, i, taste[i], rate, effect, &normals);
        for (size_t i = 0; i < fresh; i++)
            visit(&at, kind, regulars + (day - 1) * fresh + i, tanh(normal_draw(&normals) / 2),
                  rate, effect, &normals);
        sequence_look(&at, &look);
        if (calls.sequence == 0 && !(look.low <= mean && look.high >= mean) && !isnan(look.low))
            calls.sequence = day;
        calls.on[day - 1] = misses(&at, mean);
        if (calls.fixed == 0 && calls.on[day - 1])
            calls.fixed = day;
    }
    sequence_close(&at);
    return calls;
}

/* At most 5 of 100; of few tests, by three standard errors more. */
static void check_share(double alarms, size_t tests)
{
    double n = (double)tests;
    wrong += alarms / n > 0.05 + (tests < 2000 ? 3 * sqrt(0.05 * 0.95 / n) : 0);
}

static void check_alarms(size_t tests)
{
    static const double rates[] = { 0.3, 0.05, 0.005 };
    printf("no difference; calls one on any of %d days, of 100 tests:\n", DAYS);
    printf("%-14s %8s %10s %10s\n", "kind", "not 0", "sequence", "interval");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            double alarms = 0, fixed = 0, n = (double)tests;
            for (size_t test = 0; test < tests; test++) {
                struct calls calls = run_test(&kinds[k], rates[r], 0, FRESH, REGULARS, test);
                alarms += calls.sequence > 0;
                fixed += calls.fixed > 0;
            }
            printf("%-14s %8g %10.1f %10.1f\n", kinds[k].name, rates[r], 100 * alarms / n,
                   100 * fixed / n);
            fflush(stdout);
            check_share(alarms, tests);
        }
}

/* Independent rounds, by the exact evidence, looked at after each. */
static void check_wins(size_t tests)
{
    double alarms = 0;
    for (size_t test = 0; test < tests; test++) {
        struct rng rng = rng_at(test, RNG_SAMPLE, 1);
        double won = 0, most = 0;
        for (double n = 1; n <= DAYS * 30; n++) {
            won += rng_unit(&rng) < 0.5;
            double logs = sequence_evidence(won, n - won, 0.5);
            most = logs > most ? logs : most;
        }
        alarms += most >= log(20);
    }
    printf("%-14s %8s %10.1f   (of %d independent rounds, looked at after each)\n", "-u t", "1",
           100 * alarms / (double)tests, DAYS * 30);
    check_share(alarms, tests);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* P(win) = .6, independent rounds: the median round at which each finds it, and the rounds that the
 * test of .05 needs for a power of .8. */
static void check_power(size_t tests)
{
    const double fixed = pow(1.959964 * 0.5 + 0.841621 * sqrt(0.24), 2) / 0.01;
    double *found[2] = { malloc(tests * sizeof(double)), malloc(tests * sizeof(double)) };
    for (size_t test = 0; test < tests; test++) {
        struct rng rng = rng_at(test, RNG_SAMPLE, 2);
        struct sequence at = { .tables = 1, .wait = SEQUENCE_FIRST };
        struct sequence_look look;
        double won = 0;
        found[0][test] = found[1][test] = INFINITY;
        for (size_t n = 1; n <= 2000 && isinf(found[0][test] + found[1][test]); n++) {
            bool win = rng_unit(&rng) < 0.6;
            won += win;
            wrong += sequence_add(&at, 0, n - 1, (double[]){ win ? 1 : -1, 0, 0 }, &fault) < 0;
            sequence_settle(&at);
            sequence_look(&at, &look);
            if (isinf(found[0][test]) && look.low > 0)
                found[0][test] = (double)n;
            if (isinf(found[1][test]) &&
                sequence_evidence(won, (double)n - won, 0.5) >= log(20))
                found[1][test] = (double)n;
        }
        sequence_close(&at);
    }
    printf("P(win) = .6, rounds: %.0f for a power of .8 of one look", fixed);
    for (size_t i = 0; i < 2; i++) {
        qsort(found[i], tests, sizeof(double), by_size);
        printf("; %s median %.0f, %.2f times", i ? "-u t" : "sequence", found[i][tests / 2],
               found[i][tests / 2] / fixed);
        wrong += found[i][tests / 2] > 2 * fixed;
        free(found[i]);
    }
    printf("\n");
}

/* The same of clients, few a day: by days, where the interval for one look has a power of .8. */
static void check_power_of_clients(size_t tests)
{
    static double count[DAYS];
    double *found = malloc(tests * sizeof *found);
    size_t day = 0;
    memset(count, 0, sizeof count);
    for (size_t test = 0; test < tests; test++) {
        struct calls calls = run_test(&kinds[0], 0.3, 0.1, 15, 5, test);
        found[test] = calls.sequence > 0 ? (double)calls.sequence : INFINITY;
        for (size_t i = 0; i < DAYS; i++)
            count[i] += calls.on[i];
    }
    qsort(found, tests, sizeof *found, by_size);
    while (day < DAYS && count[day] < 0.8 * (double)tests)
        day++;
    printf("P(win) = .6, 20 clients a day, days: %zu for a power of .8 of one look; sequence "
           "median %.0f\n", day + 1, found[tests / 2]);
    wrong += found[tests / 2] > 2 * (double)(day + 1);
    free(found);
}

int main(int argc, char **argv)
{
    long tests = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (tests < 1)
        return 2;
    check_alarms((size_t)tests);
    check_wins((size_t)tests);
    check_power((size_t)tests);
    check_power_of_clients((size_t)tests);
    return wrong != 0;
}
