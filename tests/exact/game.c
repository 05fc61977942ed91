/*
 * The laws of synth's games, exactly where they can be enumerated, and by counts in bounds of five
 * standard deviations where they are drawn: one honest count in two million is outside.  The seeds
 * are fixed: what passes once passes always.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature/game.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static unsigned long wrong;

static void tell(int right, const char *what, double a, double b)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "game: %s (%.17g, %.17g)\n", what, a, b);
}

/* `count` of `n` draws came out so, each with probability p. */
static void tell_count(const char *what, double count, double n, double p)
{
    tell(fabs(count - n * p) <= 5 * sqrt(n * p * (1 - p)), what, count / n, p);
}

/* ---- a game and its rounds ---- */

struct table {
    struct game game;
    struct record record;
    struct round round;
    struct fault fault;
};

static struct table *sit(const char *name, const struct game_settings *settings, uint64_t seed)
{
    struct table *table = calloc(1, sizeof *table);
    const struct game_rules *rules = game_find(name);
    if (!table || !rules || game_start(&table->game, rules, settings, seed, &table->fault) < 0) {
        fprintf(stderr, "game: %s does not start: %s\n", name, table ? table->fault.text : "");
        exit(1);
    }
    round_open(&table->round, &table->record);
    return table;
}

static void leave(struct table *table)
{
    round_close(&table->round);
    game_close(&table->game);
    free(table);
}

static const float *deal(struct table *table, uint64_t t)
{
    if (game_round(&table->game, t, &table->round, &table->fault) < 0) {
        fprintf(stderr, "game: %s: %s\n", table->game.rules->name, table->fault.text);
        exit(1);
    }
    return table->round.label;
}

static void set(struct game_settings *settings, enum game_number number, double value)
{
    settings->set[number] = true;
    settings->value[number] = value;
}

/* ---- the normal distribution ---- */

static double beyond(double x)
{
    return erfc(x / sqrt(2)) / 2;
}

static void check_quantiles(void)
{
    static const struct {
        double p, x;
    } known[] = {
        { 0.0001, -3.719016485455709 }, { 0.001, -3.090232306167813 }, { 0.01, -2.326347874040841 },
        { 0.025, -1.959963984540054 },  { 0.1, -1.281551565544600 },   { 0.2, -0.8416212335729143 },
        { 0.25, -0.674489750196082 },   { 0.4, -0.2533471031357997 },  { 0.5, 0 },
        { 0.6, 0.2533471031357997 },    { 0.8, 0.8416212335729143 },   { 0.975, 1.959963984540054 },
        { 0.999, 3.090232306167813 },
    };
    for (size_t i = 0; i < COUNT(known); i++)
        tell(fabs(normal_quantile(known[i].p) - known[i].x) < 1e-9, "a quantile", known[i].p,
             normal_quantile(known[i].p));
    for (int r = 1; r <= 1000; r++) {
        double p = r / 1001.0, x = normal_quantile(p);
        tell(fabs(1 - beyond(x) - p) < 1e-14, "a quantile's probability", p, x);
        tell(r == 1 || x > normal_quantile((r - 1) / 1001.0), "a quantile that falls", p, x);
    }
    for (double x = -12; x <= 12; x += 0x1p-7)
        tell(fabs(normal_below(x) - beyond(-x)) < 1e-15, "normal_below", x, normal_below(x));
}

/* Moments of n draws against their means and variances under N(0, 1), pairs of neighbours, and the
 * tails, on both sides. */
static void check_normals(void)
{
    enum { DRAWS = 4000000 };
    static const double mean[] = { 0, 1, 0, 3, 0 }, variance[] = { 1, 2, 15, 96, 1 };
    static const char *const what[] = { "mean", "variance", "skewness", "kurtosis", "covariance" };
    double sum[5] = { 0 }, last = 0, above[5] = { 0 }, below[5] = { 0 };
    struct normals normals = { .rng = rng_at(11, RNG_SAMPLE, 1) };
    for (long i = 0; i < DRAWS; i++) {
        double x = normal_draw(&normals), power = 1;
        for (size_t k = 0; k < 4; k++)
            sum[k] += power *= x;
        sum[4] += i ? x * last : 0;
        last = x;
        for (size_t k = 0; k < 5; k++) {
            above[k] += x > (double)k;
            below[k] += x < -(double)k;
        }
        tell(fabs(x) < NORMAL_MOST, "a draw too far out", x, 0);
    }
    for (size_t k = 0; k < 5; k++) {
        double got = sum[k] / DRAWS;
        tell(fabs(got - mean[k]) < 5 * sqrt(variance[k] / DRAWS), what[k], got, mean[k]);
        tell_count("normals above", above[k], DRAWS, beyond((double)k));
        tell_count("normals below", below[k], DRAWS, beyond((double)k));
    }
}

/* ---- hopeless ---- */

/* What the papers say, in words of this file's own. */
static const struct claim {
    const char *game, *twin;
    struct {
        const char *labels;
        double probability;
    } outcome[6];
    double marginal[4];
    double gain[4]; /* the mean of the normalized gain: what the best ranking sorts by */
} claims[] = {
    { "hopeless-ndcg", "hopeless-ndcg-q",
      { { "110", .1 }, { "101", .15 }, { "011", .05 }, { "100", .2 },
      { "010", .3 }, { "001", .2 } }, { .45, .45, .4 }, { .3533, .3920, .3226 } },
    { "hopeless-ndcg-q", "hopeless-ndcg",
      { { "110", .3 }, { "100", .15 }, { "010", .15 }, { "001", .4 } },
      { .45, .45, .4 }, { .3339, .3339, .4000 } },
    { "hopeless-map", "hopeless-map-q",
      { { "110", .1 }, { "101", .15 }, { "011", .05 }, { "100", .2 },
      { "010", .3 }, { "001", .2 } }, { .45, .45, .4 }, { .3533, .3920, .3226 } },
    { "hopeless-map-q", "hopeless-map",
      { { "110", .3 }, { "100", .15 }, { "010", .15 }, { "001", .4 } },
      { .45, .45, .4 }, { .3339, .3339, .4000 } },
    { "hopeless-auc", "hopeless-auc-q",
      { { "0011", .25 }, { "0101", .25 }, { "1000", .25 }, { "1110", .25 } },
      { .5, .5, .5, .5 }, { 8 / 48., 7 / 48., 7 / 48., 6 / 48. } },
    { "hopeless-auc-q", "hopeless-auc",
      { { "0001", .25 }, { "0111", .25 }, { "1010", .25 }, { "1100", .25 } },
      { .5, .5, .5, .5 }, { 6 / 48., 7 / 48., 7 / 48., 8 / 48. } },
};

/* What a list's relevant items add: 1 over its best DCG, or over its number of pairs to be put in
 * order. */
static double share(const struct law *law, const char *labels, int auc)
{
    double best = 0, relevant = 0;
    for (size_t i = 0; i < law->items; i++)
        if (labels[i] == '1')
            best += 1 / log2(++relevant + 1);
    return 1 / (auc ? relevant * ((double)law->items - relevant) : best);
}

/* By whole numbers: both laws of a game give each item the same chance, so that one answer a round
 * cannot tell them apart; their best rankings differ. */
static void check_law(const struct claim *claim, const struct law *law)
{
    uint32_t whole = 0;
    int auc = strstr(claim->game, "auc") != NULL;
    for (size_t o = 0; o < law->outcomes; o++) {
        whole += law->weight[o];
        tell(law->weight[o] / (double)law->whole == claim->outcome[o].probability &&
                 strcmp(law->labels[o], claim->outcome[o].labels) == 0,
             "an outcome that is not the paper's", law->weight[o], (double)o);
    }
    tell(whole == law->whole, "probabilities that make no 1", whole, law->whole);
    for (size_t i = 0; i < law->items; i++) {
        uint32_t marginal = 0, other = 0;
        double gain = 0;
        const struct law *twin = game_find(claim->twin)->law;
        for (size_t o = 0; o < law->outcomes; o++) {
            double p = law->weight[o] / (double)law->whole;
            marginal += law->labels[o][i] == '1' ? law->weight[o] : 0;
            gain += law->labels[o][i] == '1' ? p * share(law, law->labels[o], auc) : 0;
        }
        for (size_t o = 0; o < twin->outcomes; o++)
            other += twin->labels[o][i] == '1' ? twin->weight[o] : 0;
        tell(marginal * twin->whole == other * law->whole, "laws to be told apart", marginal,
             other);
        tell(marginal / (double)law->whole == claim->marginal[i], "a marginal", marginal, whole);
        tell(fabs(gain - claim->gain[i]) < 5.1e-5, "a normalized gain", gain, claim->gain[i]);
    }
}

/* The mean AP of one of the six rankings under a law. */
static double mean_ap(const struct law *law, const unsigned ranking[3])
{
    double mean = 0;
    for (size_t o = 0; o < law->outcomes; o++) {
        double met = 0, sum = 0;
        for (size_t i = 0; i < 3; i++)
            if (law->labels[o][ranking[i]] == '1')
                sum += ++met / (double)(i + 1);
        mean += law->weight[o] / (double)law->whole * sum / met;
    }
    return mean;
}

/* Whatever distribution of rankings a learner shows, under one law it is 0.0218 below the best
 * ranking or more: on the segment from ranking 1 0 2 to ranking 2 0 1 that is where both regrets
 * are equal, and no ranking is below the line through these two. */
static void check_map(void)
{
    static const unsigned rankings[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
                                             { 2, 0, 1 }, { 2, 1, 0 } };
    const struct law *law[2] = { game_find("hopeless-map")->law, game_find("hopeless-map-q")->law };
    const double best[2] = { 167 / 240., 0.7 }, most[2] = { 11 / 240., 1 / 24. };
    double value = 1 / (1 / most[0] + 1 / most[1]);
    tell(fabs(value - 0.0218) < 5e-5, "the value of the game", value, 0.0218);
    for (size_t r = 0; r < 6; r++) {
        double line = 0;
        for (size_t which = 0; which < 2; which++) {
            double regret = best[which] - mean_ap(law[which], rankings[r]);
            tell(regret > -1e-12, "a better ranking", regret, (double)r);
            line += regret / most[which];
        }
        tell(line >= 1 - 1e-12, "a ranking below the line", line, (double)r);
        tell((fabs(line - 1) < 1e-12) == (r == 2 || r >= 4), "a ranking on it", line, (double)r);
    }
}

static void check_hopeless(const struct claim *claim)
{
    enum { ROUNDS = 200000 };
    double count[6] = { 0 }, ones[4] = { 0 };
    struct game_settings settings = { .set = { false } };
    struct table *table = sit(claim->game, &settings, 5);
    const struct law *law = table->game.rules->law;
    check_law(claim, law);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t);
        char labels[8] = "";
        size_t o = 0;
        for (size_t i = 0; i < law->items; i++) {
            labels[i] = label[i] == 0 ? '0' : label[i] == 1 ? '1' : '?';
            ones[i] += label[i] == 1;
        }
        while (o < law->outcomes && strcmp(labels, claim->outcome[o].labels) != 0)
            o++;
        tell(o < law->outcomes, "a list that the law has not", (double)t, 0);
        count[o % 6]++;
    }
    for (size_t o = 0; o < law->outcomes; o++)
        tell_count("lists of a law", count[o], ROUNDS, claim->outcome[o].probability);
    for (size_t i = 0; i < law->items; i++)
        tell_count("relevant by a law", ones[i], ROUNDS, claim->marginal[i]);
    leave(table);
}

/* ---- noisy-binary ---- */

/* Each item's label, and the first two items' together, as they are independent. */
static void check_noisy(size_t docs, double deviation, uint64_t seed)
{
    enum { ROUNDS = 100000 };
    double ones[20] = { 0 }, both = 0, p[20];
    size_t relevant = 0;
    struct game_settings settings = { .set = { false } };
    set(&settings, GAME_DOCS, (double)docs);
    set(&settings, GAME_DEVIATION, deviation);
    struct table *table = sit("noisy-binary", &settings, seed);
    for (size_t i = 0; i < docs; i++) {
        relevant += table->game.truth[i] == 1;
        p[i] = table->game.truth[i] ? beyond(-0.5 / deviation) : beyond(0.5 / deviation);
    }
    tell(relevant == docs / 2, "not half of the items are relevant", (double)docs,
         (double)relevant);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t);
        for (size_t i = 0; i < docs; i++) {
            tell(label[i] == 0 || label[i] == 1, "a label that is neither 0 nor 1", label[i], 0);
            ones[i] += label[i] == 1;
        }
        both += docs > 1 && label[0] == 1 && label[1] == 1;
    }
    for (size_t i = 0; i < docs; i++)
        tell_count("labels of an item", ones[i], ROUNDS, p[i]);
    if (docs > 1)
        tell_count("labels of two items", both, ROUNDS, p[0] * p[1]);
    leave(table);
}

/* Over the seeds, each half of four items is as likely. */
static void check_halves(void)
{
    enum { SEEDS = 30000 };
    double count[16] = { 0 };
    struct game_settings settings = { .set = { false } };
    set(&settings, GAME_DOCS, 4);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct table *table = sit("noisy-binary", &settings, seed);
        size_t half = 0;
        for (size_t i = 0; i < 4; i++)
            half = 2 * half + table->game.truth[i];
        count[half % 16]++;
        leave(table);
    }
    static const size_t halves[] = { 3, 5, 6, 9, 10, 12 };
    for (size_t h = 0; h < COUNT(halves); h++)
        tell_count("a half of the items", count[halves[h]], SEEDS, 1 / 6.);
}

/* ---- games with features ---- */

/* Document i's place along the hidden ranker, from its features as they are written. */
static double place_of(const struct game *game, const float *x, size_t i)
{
    double place = 0;
    for (size_t j = 0; j < game->dim; j++)
        place += (double)x[i * game->dim + j] * game->u[j];
    return place;
}

static const float *features(const struct table *table)
{
    const struct column *x = record_column(&table->record, "x");
    tell(x && x->type == COLUMN_F4 && x->count == table->game.docs * table->game.dim,
         "no features", 0, 0);
    return x->data; /* of the game, and aligned */
}

static void check_unit(const struct game *game)
{
    double square = 0;
    for (size_t j = 0; j < game->dim; j++)
        square += game->u[j] * game->u[j];
    tell(fabs(square - 1) < 1e-12, "a hidden ranker whose length is not 1", square,
         (double)game->dim);
}

enum { GRADES = 1001 };
struct span {
    double low[GRADES], high[GRADES]; /* the places of each grade's documents */
};

/* Every grade that came is above every lower one by the margin, over all rounds. */
static void check_spans(const struct span *span, const struct game *game)
{
    double margin = game->value[GAME_MARGIN], high = -INFINITY;
    for (unsigned r = 0; r <= game->top; r++) {
        if (span->low[r] > span->high[r])
            continue;
        tell(span->low[r] - high >= margin, "grades closer than the margin", span->low[r] - high,
             margin);
        high = span->high[r];
    }
}

static void check_margin(const struct game_settings *settings, uint64_t seed, uint64_t rounds)
{
    struct span *span = malloc(sizeof *span);
    struct table *table = sit("separable", settings, seed);
    const struct game *game = &table->game;
    for (size_t r = 0; span && r < GRADES; r++) {
        span->low[r] = INFINITY;
        span->high[r] = -INFINITY;
    }
    check_unit(game);
    for (uint64_t t = 1; span && t <= rounds; t++) {
        const float *label = deal(table, t), *x = features(table);
        for (size_t i = 0; i < game->docs; i++) {
            size_t r = (size_t)label[i];
            double place = place_of(game, x, i);
            tell(r <= game->top && (float)r == label[i], "no grade", label[i], game->top);
            if (r < GRADES) {
                span->low[r] = fmin(span->low[r], place);
                span->high[r] = fmax(span->high[r], place);
            }
        }
    }
    if (span)
        check_spans(span, game);
    tell(span != NULL, "no memory", 0, 0);
    leave(table);
    free(span);
}

static unsigned long check_margins(void)
{
    static const double dims[] = { 1, 2, 3, 20, 300 }, docs[] = { 1, 2, 20, 100 },
                        grades[] = { 1, 4, 1000 }, margins[] = { 1e-6, 0.1, 1e6 },
                        deviations[] = { 1e-6, 0.25, 1e6 };
    unsigned long tried = 0;
    for (size_t i = 0; i < COUNT(dims) * COUNT(docs) * COUNT(grades) * 9; i++, tried++) {
        struct game_settings settings = { .set = { false } };
        size_t rest = i / COUNT(dims);
        set(&settings, GAME_DIM, dims[i % COUNT(dims)]);
        set(&settings, GAME_DOCS, docs[rest % COUNT(docs)]);
        set(&settings, GAME_GRADE, grades[rest / COUNT(docs) % COUNT(grades)]);
        set(&settings, GAME_MARGIN, margins[rest / COUNT(docs) / COUNT(grades) % 3]);
        set(&settings, GAME_DEVIATION, deviations[rest / COUNT(docs) / COUNT(grades) / 3]);
        check_margin(&settings, i, 20);
    }
    struct game_settings usual = { .set = { false } }, wide = { .set = { false } };
    for (uint64_t seed = 0; seed < 200; seed++, tried++)
        check_margin(&usual, seed, 50);
    set(&wide, GAME_DIM, 65536);
    set(&wide, GAME_DEVIATION, 1e6);
    set(&wide, GAME_MARGIN, 1e-6);
    check_margin(&wide, 1, 5);
    return tried + 1;
}

/* What the page says of separable's distribution: grades as likely, places about their centre cut
 * at M/4, and across u a variance of S^2 about the grade's mean in each of the other d - 1
 * directions. */
static void check_separable(void)
{
    enum { ROUNDS = 5000, DOCS = 20, DIM = 20, ALL = ROUNDS * DOCS };
    const double S = 0.25, M = 0.1, step = 0.15; /* 3/2 M */
    /* Of a normal cut at 1: its variance, 1 - 2 density(1) / (1 - 2 beyond(1)). */
    const double cut = 1 - 2 * 0.24197072451914337 / (1 - 2 * beyond(1));
    double count[5] = { 0 }, across = 0, mean = 0, square = 0;
    struct game_settings settings = { .set = { false } };
    struct table *table = sit("separable", &settings, 3);
    tell(fabs(table->game.step - step) < 1e-5, "step", table->game.step, step);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t), *x = features(table);
        for (size_t i = 0; i < DOCS; i++) {
            double place = place_of(&table->game, x, i), length = 0;
            double off = (place - ((double)label[i] - 2) * table->game.step) / (M / 4);
            const double *centre = table->game.mean + (size_t)label[i] * DIM;
            double along = 0;
            for (size_t j = 0; j < DIM; j++) {
                double z = (double)x[i * DIM + j] - centre[j];
                length += z * z;
                along += z * table->game.u[j];
            }
            across += (length - along * along) / (S * S);
            count[(size_t)label[i] % 5]++;
            tell(fabs(off) < 1 + 1e-4, "a place beyond its grade's interval", place, label[i]);
            mean += off;
            square += off * off;
        }
    }
    for (size_t r = 0; r < 5; r++)
        tell_count("documents of a grade", count[r], ALL, 0.2);
    tell(fabs(across / ALL - (DIM - 1)) < 5 * sqrt(2. * (DIM - 1) / ALL), "spread across u",
         across / ALL, DIM - 1);
    tell(fabs(mean / ALL) < 5 * sqrt(cut / ALL), "places off their centre", mean / ALL, 0);
    tell(fabs(square / ALL - cut) < 5 * sqrt(cut / ALL), "spread along u", square / ALL, cut);
    leave(table);
}

/* Grades as likely as one another; with next to no noise they are the score's, cut. */
static void check_linear(double top, double deviation)
{
    enum { ROUNDS = 4000, DOCS = 10 };
    double count[GRADES] = { 0 }, mean = 0, square = 0;
    struct game_settings settings = { .set = { false } };
    set(&settings, GAME_GRADE, top);
    set(&settings, GAME_DEVIATION, deviation);
    struct table *table = sit("linear", &settings, 9);
    const struct game *game = &table->game;
    check_unit(game);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t), *x = features(table);
        for (size_t i = 0; i < DOCS; i++) {
            double place = place_of(game, x, i), spare = 13 * deviation;
            size_t r = (size_t)label[i];
            count[r % GRADES]++;
            mean += place;
            square += place * place;
            tell((r == 0 || place > game->cut[r - 1] - spare) &&
                     (r == game->top || place < game->cut[r] + spare),
                 "a grade that is not its score's", place, (double)r);
        }
    }
    double n = ROUNDS * DOCS;
    for (size_t r = 0; r <= game->top; r++)
        tell_count("documents of a linear grade", count[r], n, 1 / (top + 1));
    tell(fabs(mean / n) < 5 / sqrt(n), "mean score", mean / n, 0);
    tell(fabs(square / n - 1) < 5 * sqrt(2 / n), "variance of the scores", square / n, 1);
    leave(table);
}

/* As many relevant documents as the share says; with next to no noise, those that score highest. */
static void check_rare(double share, double deviation)
{
    enum { ROUNDS = 40000, DOCS = 10 };
    double relevant = 0;
    struct game_settings settings = { .set = { false } };
    set(&settings, GAME_SHARE, share);
    set(&settings, GAME_DEVIATION, deviation);
    set(&settings, GAME_DOCS, DOCS);
    struct table *table = sit("rare", &settings, 11);
    const struct game *game = &table->game;
    check_unit(game);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t), *x = features(table);
        for (size_t i = 0; i < DOCS; i++) {
            double above = place_of(game, x, i) - game->cut[0], spare = 13 * deviation;
            relevant += (double)label[i];
            tell(label[i] == 1 ? above > -spare : label[i] == 0 && above < spare,
                 "a rare label that is not its score's", above, (double)label[i]);
        }
    }
    tell_count("relevant documents", relevant, ROUNDS * DOCS, share);
    leave(table);
}

/* One document is sought: with next to no noise the one that scores highest; with so much that
 * scores do not matter, any. */
static void check_known(double deviation)
{
    enum { ROUNDS = 2000, DOCS = 20 };
    double first = 0, highest = 0;
    struct game_settings settings = { .set = { false } };
    set(&settings, GAME_DEVIATION, deviation);
    set(&settings, GAME_DOCS, DOCS);
    struct table *table = sit("known-item", &settings, 11);
    check_unit(&table->game);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t), *x = features(table);
        double sum = 0;
        size_t best = 0;
        for (size_t i = 0; i < DOCS; i++) {
            sum += (double)label[i];
            best = place_of(&table->game, x, i) > place_of(&table->game, x, best) ? i : best;
        }
        tell(sum == 1, "not one document is sought", sum, 1);
        highest += (double)label[best];
        first += (double)label[0];
    }
    tell_count("the first document", first, ROUNDS, 1.0 / DOCS);
    if (deviation < 1)
        tell(highest == ROUNDS, "the one that scores highest", highest, ROUNDS);
    else
        tell_count("the one that scores highest", highest, ROUNDS, 1.0 / DOCS);
    leave(table);
}

/* How much noise linear has: of the labels that cut at 0, so many are on the other side of their
 * score. For score and score + noise that is acos(correlation) / pi. */
static void check_linear_noise(double deviation)
{
    enum { ROUNDS = 4000, DOCS = 10 };
    double other = 0;
    struct game_settings settings = { .set = { false } };
    set(&settings, GAME_GRADE, 1);
    set(&settings, GAME_DEVIATION, deviation);
    struct table *table = sit("linear", &settings, 10);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        const float *label = deal(table, t), *x = features(table);
        for (size_t i = 0; i < DOCS; i++)
            other += (place_of(&table->game, x, i) > 0) != (label[i] > 0);
    }
    tell_count("labels that noise turned", other, ROUNDS * DOCS,
               acos(1 / sqrt(1 + deviation * deviation)) / acos(-1));
    leave(table);
}

/* ---- rounds ---- */

/* A round is the same whatever was dealt before it; and where there are features no two are. */
static void check_rounds(const char *name)
{
    static float label[1000], x[5000];
    struct game_settings settings = { .set = { false } };
    struct table *whole = sit(name, &settings, 1), *part = sit(name, &settings, 1);
    size_t docs = whole->game.docs, all = docs * whole->game.dim;
    tell(docs <= COUNT(label) && all <= COUNT(x), "too large", (double)docs, (double)all);
    for (uint64_t t = 1; t <= 40; t++) {
        memcpy(label, deal(whole, t), docs * sizeof *label);
        if (all)
            memcpy(x, features(whole), all * sizeof *x);
        if (t <= 30)
            continue;
        tell(memcmp(deal(part, t), label, docs * sizeof *label) == 0, name, (double)t, 0);
        tell(!all || memcmp(features(part), x, all * sizeof *x) == 0, name, (double)t, 1);
        tell(!all || memcmp(features(whole), features(part), all * sizeof *x) == 0, name, 0, 2);
        (void)deal(part, t + 100);
        tell(!all || memcmp(features(part), x, all * sizeof *x) != 0, name, (double)t, 3);
    }
    leave(whole);
    leave(part);
}

int main(void)
{
    check_quantiles();
    check_normals();
    for (size_t i = 0; i < COUNT(claims); i++)
        check_hopeless(&claims[i]);
    check_map();
    for (size_t docs = 1; docs <= 20; docs += docs < 4 ? 1 : 5)
        check_noisy(docs, 0.3, docs);
    check_noisy(10, 1, 1);
    check_halves();
    unsigned long margins = check_margins();
    check_separable();
    check_linear(4, 0.5);
    check_linear(1, 0.5);
    check_linear(9, 1e-6);
    check_linear(1000, 2);
    check_rare(0.001, 0.5);
    check_rare(0.001, 1e-6);
    check_rare(0.5, 1);
    check_known(1e-6);
    check_known(1e5);
    check_linear_noise(0.5);
    check_linear_noise(2);
    for (size_t i = 0; games[i].name; i++)
        check_rounds(games[i].name);
    printf("game: the margin held in %lu games\n", margins);
    if (wrong)
        fprintf(stderr, "game: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
