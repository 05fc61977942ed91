/*
 * How often intervals from logs hold the truth: rounds are drawn from a stream of queries, with
 * replacement, as traffic draws them; one ranker's scores show them, and a target is judged by the
 * log. Columns: label, score of the ranker that logs, rival of the one that is judged, features.
 *
 *     coverage stream LOGS GAMMA FEEDBACK TARGET [ROUNDS [MEASURE]]
 *
 * FEEDBACK is how many places have labels, or "clicks": ten places of the user position, on a scale
 * of 2 grades. TARGET is the words of metric -x, after "score:" if the scores that log are judged.
 * After 300, 1,000, 3,000 and 10,000 rounds, or up to ROUNDS, a line for each estimator: rounds,
 * estimator, logs that knew the value, logs with an interval, percent of these that held the truth,
 * their mean width, percent of all logs within 1.96 standard errors, and the mean estimate less the
 * truth.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/click_models.h"
#include "explore/policies.h"
#include "math/rng.h"
#include "measure/offline.h"
#include "stream/round_store.h"

enum { LENGTHS = 4, ESTIMATORS = 3, DOCS = 1000 };
static const uint64_t lengths[LENGTHS] = { 300, 1000, 3000, 10000 };

struct sums {
    double known, printed, held, width, plain, off;
};

struct world {
    struct round_store store;
    struct record record;
    struct round round;
    struct fault fault;
    struct logged logged;
    struct measured measured;
    struct examination examination;
    struct clicks_person person;
    struct explorer explorer;
    struct offline offline[ESTIMATORS];
    struct sums sums[LENGTHS][ESTIMATORS];
    bool clicks, own;
    size_t places, lengths;
    const char *measure;
    float labels[DOCS];
    double truth;
};

static void stop(const struct world *world, const char *what)
{
    fprintf(stderr, "coverage: %s: %s\n", what, world->fault.text);
    exit(1);
}

static void read_query(struct world *world, size_t i, uint64_t t)
{
    struct round *round = &world->round;
    if (round_store_round(&world->store, i, round, &world->fault) < 0 ||
        round_read(round, &world->fault) < 0)
        stop(world, "a query");
    if (!round->label || !round->score || !round->rival || round->docs > DOCS)
        stop(world, "a column is missing");
    memcpy(world->labels, round->label, round->docs * sizeof(float));
    round->t = t;
}

/* From here on the scores of a query are those that are judged. */
static void judge(struct world *world)
{
    if (!world->own)
        world->round.score = world->round.rival;
}

/* The gain of a label in the truth: of clicks, how attractive the document is. */
static double gain_of(const struct world *world, float label)
{
    return world->clicks ? clicks_chance(&world->person, 0, world->person.by.click[(unsigned)label])
                         : world->offline[0].linear->gain(&world->measured, label);
}

/* What the target is worth, over all queries. */
static void find_truth(struct world *world)
{
    const struct ties ties = { .seed = 1 };
    double sum = 0, weight[DOCS], W[DOCS];
    uint32_t order[DOCS];
    for (size_t q = 0; q < world->store.rounds; q++) {
        struct round *round = &world->round;
        read_query(world, q, q + 1);
        judge(world);
        size_t m = round->docs, k = world->offline[0].measure.cutoff < m
                                        ? world->offline[0].measure.cutoff : m;
        if (measure_places(&world->measured, m, &world->fault) < 0)
            stop(world, "measure_places");
        for (size_t a = 0; a < k; a++)
            weight[a] = world->offline[0].linear->weight(&world->measured, a);
        if (target_rank(&world->logged.target, round, &ties, order, &world->fault) < 0 ||
            target_weights(&world->logged.target, m, k, weight, W, NULL, &world->fault) < 0)
            stop(world, "the target");
        for (size_t i = 0; i < m; i++)
            sum += W[i] * gain_of(world, world->labels[order[i]]);
    }
    world->truth = sum / (double)world->store.rounds;
}

/* Shows a query, and hides labels or draws clicks. */
static void serve(struct world *world, struct rng *rng, uint64_t t)
{
    struct round *round = &world->round;
    read_query(world, rng_below(rng, (uint32_t)world->store.rounds), t);
    world->explorer.redraws = true;
    if (policies_show(&world->explorer, round, &world->fault) < 0)
        stop(world, "policies_show");
    size_t k = world->places < round->docs ? world->places : round->docs;
    float *seen = round_new_seen(round, k, &world->fault);
    for (size_t a = 0; a < k; a++)
        seen[a] = world->labels[round->order[a]];
    if (world->clicks)
        clicks_draw(&world->person, &(struct clicks_page){ .places = k }, seen, rng, seen);
    round->label = NULL;
    judge(world);
}

static void add_sums(struct world *world, size_t length)
{
    for (size_t e = 0; e < ESTIMATORS; e++) {
        struct sums *sums = &world->sums[length][e];
        const struct offline *offline = &world->offline[e];
        double value = offline_value(offline), off = value - world->truth;
        double margin = offline_margin(offline);
        if (isnan(value))
            continue;
        sums->known++;
        sums->off += off;
        sums->plain += fabs(off) <= 1.96 * offline_error(offline);
        sums->printed += !isnan(margin);
        sums->held += fabs(off) <= margin;
        sums->width += isnan(margin) ? 0 : 2 * margin;
    }
}

static void parse_estimates(struct world *world)
{
    for (size_t e = 0; e < ESTIMATORS; e++) {
        offline_end(&world->offline[e]);
        if (offline_parse(&world->offline[e], world->measure, (enum estimator)e, &world->fault) < 0)
            stop(world, "offline_parse");
        world->offline[e].clicks = world->clicks;
    }
}

static void run_log(struct world *world, uint64_t log)
{
    const struct ties ties = { .seed = 1 };
    struct rng rng = rng_at(log, RNG_SAMPLE, 1);
    size_t length = 0;
    parse_estimates(world);
    world->explorer.seed = log;
    for (uint64_t t = 1; length < world->lengths; t++) {
        serve(world, &rng, t);
        if (measure_places(&world->measured, world->round.docs, &world->fault) < 0 ||
            offline_round(&world->logged, &world->round, &ties, "ips", &world->fault) < 0 ||
            offline_features(&world->logged, &world->round, &world->fault) < 0)
            stop(world, "a round");
        for (size_t e = 0; e < ESTIMATORS; e++) {
            if (offline_look(&world->offline[e], &world->logged, &world->measured,
                             &world->fault) < 0)
                stop(world, "a look");
            offline_add(&world->offline[e]);
        }
        if (t == lengths[length])
            add_sums(world, length++);
    }
}

static void set_up(struct world *world, char **argv)
{
    double *theta = examination_new(&world->examination, 10, &world->fault);
    const char *target = argv[5];
    world->own = strncmp(target, "score:", 6) == 0;
    world->clicks = strcmp(argv[4], "clicks") == 0;
    world->places = world->clicks ? 10 : (size_t)atoi(argv[4]);
    world->measure = argv[6] && argv[7] ? argv[7] : "dcg@10";
    uint64_t longest = argv[6] ? (uint64_t)atoi(argv[6]) : lengths[LENGTHS - 1];
    while (world->lengths < LENGTHS && lengths[world->lengths] <= longest)
        world->lengths++;
    world->explorer.policy = &policies[POLICY_UNIFORM];
    world->explorer.gamma = atof(argv[3]);
    world->logged.examination = world->clicks ? &world->examination : NULL;
    for (size_t k = 0; k < 10; k++)
        theta[k] = 1 / ((double)k + 1);
    if (round_store_add(&world->store, argv[1], NULL, &world->fault) < 0 ||
        target_parse(&world->logged.target, target + (world->own ? 6 : 0), &world->fault) < 0 ||
        clicks_parse(&world->person, "position", 1, &world->fault) < 0)
        stop(world, "arguments");
}

int main(int argc, char **argv)
{
    static struct world world;
    static const char *const names[] = { "ips", "snips", "dr" };
    if (argc < 6) {
        fprintf(stderr, "usage: coverage stream logs gamma feedback target [rounds [measure]]\n");
        return 2;
    }
    round_open(&world.round, &world.record);
    set_up(&world, argv);
    parse_estimates(&world);
    find_truth(&world);
    uint64_t logs = (uint64_t)atoi(argv[2]);
    for (uint64_t log = 1; log <= logs; log++)
        run_log(&world, log);
    printf("truth %.4f\n", world.truth);
    for (size_t l = 0; l < world.lengths; l++)
        for (size_t e = 0; e < ESTIMATORS; e++) {
            struct sums s = world.sums[l][e];
            printf("%5d %-5s known %3.0f printed %3.0f held %5.1f width %5.3f plain %5.1f "
                   "off %+.3f\n", (int)lengths[l], names[e], s.known, s.printed,
                   100 * s.held / s.printed, s.width / s.printed, 100 * s.plain / (double)logs,
                   s.off / s.known);
        }
    return 0;
}
