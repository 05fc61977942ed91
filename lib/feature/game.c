#include "feature/game.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rng.h"

const struct game_option game_options[GAME_NUMBERS] = {
    [GAME_GRADE] = { 'L', "the top grade", true, 1, 1000 },
    [GAME_MARGIN] = { 'M', "the margin", false, 1e-6, 1e6 },
    [GAME_SHARE] = { 'R', "the share of relevant documents", false, 1e-6, 0.5 },
    [GAME_DEVIATION] = { 'S', "the standard deviation", false, 1e-6, 1e6 },
    [GAME_DIM] = { 'd', "the number of features", true, 1, 65536 },
    [GAME_DOCS] = { 'l', "the number of documents", true, 1, 65536 },
};

/* Chaudhuri & Tewari 2016, Table 1: p and p~, in twentieths. For MAP (Chaudhuri & Tewari 2015,
 * Theorem 12) they do as well. */
static const struct law laws_ndcg[] = {
    { 3, 6, 20, { 2, 3, 1, 4, 6, 4 }, { "110", "101", "011", "100", "010", "001" } },
    { 3, 4, 20, { 6, 3, 3, 8 }, { "110", "100", "010", "001" } },
};

/* For Chaudhuri & Tewari 2015, Theorem 12. */
static const struct law laws_auc[] = {
    { 4, 4, 4, { 1, 1, 1, 1 }, { "0011", "0101", "1000", "1110" } },
    { 4, 4, 4, { 1, 1, 1, 1 }, { "0001", "0111", "1010", "1100" } },
};

/* Draws u, and makes the arrays of games with features. */
static int start_features(struct game *game, struct normals *normals, struct fault *fault)
{
    game->u = buffer_for(&game->buffer_u, game->dim, sizeof *game->u, fault);
    game->z = buffer_for(&game->buffer_z, game->dim, sizeof *game->z, fault);
    game->x = buffer_for(&game->buffer_x, game->docs * game->dim, sizeof *game->x, fault);
    if (!game->u || !game->z || !game->x) return -1;
    sphere_draw(normals, game->dim, game->u);
    return 0;
}

/* ---- separable ---- */

/* Along u, documents are within M/4 of the centre of their grade, and centres are 3/2 M apart, so
 * grades are M apart. Rounding to floats moves a document by at most 2^-24 of its length, which is
 * at most `length`. So centres are 2^-22 of `length` further apart: half of that for the floats of
 * two documents, half for the rounding of doubles. */
static int start_separable(struct game *game, struct normals *normals, struct fault *fault)
{
    double S = game->value[GAME_DEVIATION], bare = 1.5 * game->value[GAME_MARGIN];
    double length = 2 * NORMAL_MOST * S * sqrt((double)game->dim) + (game->top + 1) * bare;
    size_t means = (game->top + (size_t)1) * game->dim;
    game->step = bare + 0x1p-22 * length;
    if (start_features(game, normals, fault) < 0) return -1;
    game->mean = buffer_for(&game->buffer_mean, means, sizeof *game->mean, fault);
    for (size_t j = 0; game->mean && j < means; j++)
        game->mean[j] = S * normal_draw(normals);
    return game->mean ? 0 : -1;
}

/* Draws a document around the mean of its grade, then moves it along u to `place`. */
static void draw_at(struct game *game, struct normals *normals, const double *mean, double place,
                    float *x)
{
    double along = 0;
    for (size_t j = 0; j < game->dim; j++) {
        game->z[j] = mean[j] + game->value[GAME_DEVIATION] * normal_draw(normals);
        along += game->z[j] * game->u[j];
    }
    for (size_t j = 0; j < game->dim; j++)
        x[j] = (float)(game->z[j] + (place - along) * game->u[j]);
}

static void draw_separable(struct game *game, struct normals *normals, float *label)
{
    for (size_t i = 0; i < game->docs; i++) {
        uint32_t grade = rng_below(&normals->rng, game->top + 1);
        double centre = ((double)grade - game->top / 2.0) * game->step, from_centre;
        do
            from_centre = normal_draw(normals);
        while (fabs(from_centre) > 1);
        label[i] = (float)grade;
        draw_at(game, normals, game->mean + grade * game->dim,
                centre + game->value[GAME_MARGIN] / 4 * from_centre, game->x + i * game->dim);
    }
}

/* ---- linear ---- */

/* A score is N(0, 1), and with its noise N(0, 1 + S^2). The cuts make all grades equally likely, or
 * of two grades the upper as likely as the share says. */
static int start_linear(struct game *game, struct normals *normals, struct fault *fault)
{
    double S = game->value[GAME_DEVIATION], share = game->value[GAME_SHARE];
    double deviation = sqrt(1 + S * S);
    game->cut = buffer_for(&game->buffer_cut, game->top, sizeof *game->cut, fault);
    if (!game->cut) return -1;
    for (unsigned r = 0; r < game->top; r++)
        game->cut[r] = deviation * normal_quantile(share > 0 ? 1 - share
                                                             : (r + 1.0) / (game->top + 1.0));
    return start_features(game, normals, fault);
}

/* Draws the features of a document: its score along u, with noise. */
static double draw_score(struct game *game, struct normals *normals, float *x)
{
    double score = 0;
    for (size_t j = 0; j < game->dim; j++) {
        x[j] = (float)normal_draw(normals);
        score += (double)x[j] * game->u[j];
    }
    return score + game->value[GAME_DEVIATION] * normal_draw(normals);
}

static void draw_linear(struct game *game, struct normals *normals, float *label)
{
    float *x = game->x;
    for (size_t i = 0; i < game->docs; i++, x += game->dim) {
        unsigned grade = 0;
        double score = draw_score(game, normals, x);
        while (grade < game->top && score >= game->cut[grade])
            grade++;
        label[i] = (float)grade;
    }
}

/* ---- known-item ---- */

/* The document with the greatest score and noise is the one that is sought; of equals the first. */
static void draw_known(struct game *game, struct normals *normals, float *label)
{
    float *x = game->x;
    double most = -HUGE_VAL;
    size_t sought = 0;
    for (size_t i = 0; i < game->docs; i++, x += game->dim) {
        double score = draw_score(game, normals, x);
        label[i] = 0;
        if (score > most) {
            most = score;
            sought = i;
        }
    }
    label[sought] = 1;
}

/* ---- noisy-binary ---- */

/* Half of the items, rounded down, are relevant. All choices are equally likely. */
static int start_noisy(struct game *game, struct normals *normals, struct fault *fault)
{
    size_t left = game->docs / 2;
    game->truth = buffer_for(&game->buffer_truth, game->docs, 1, fault);
    for (size_t i = 0; game->truth && i < game->docs; i++) {
        game->truth[i] = rng_below(&normals->rng, (uint32_t)(game->docs - i)) < left;
        left -= game->truth[i];
    }
    return game->truth ? 0 : -1;
}

static void draw_noisy(struct game *game, struct normals *normals, float *label)
{
    for (size_t i = 0; i < game->docs; i++) {
        double noise = game->value[GAME_DEVIATION] * normal_draw(normals);
        label[i] = game->truth[i] + noise > 0.5;
    }
}

/* ---- hopeless ---- */

static void draw_law(struct game *game, struct normals *normals, float *label)
{
    const struct law *law = game->rules->law;
    uint32_t drawn = rng_below(&normals->rng, law->whole);
    size_t outcome = 0;
    while (drawn >= law->weight[outcome])
        drawn -= law->weight[outcome++];
    for (size_t i = 0; i < law->items; i++)
        label[i] = law->labels[outcome][i] == '1';
}

/* ---- all games ---- */

const struct game_rules games[] = {
    { .name = "separable", .letters = "LMSdl",
      .usual = { [GAME_GRADE] = 4, [GAME_MARGIN] = 0.1, [GAME_DEVIATION] = 0.25, [GAME_DIM] = 20,
                 [GAME_DOCS] = 20 },
      .start = start_separable, .draw = draw_separable },
    { .name = "linear", .letters = "LSdl",
      .usual = { [GAME_GRADE] = 4, [GAME_DEVIATION] = 0.5, [GAME_DIM] = 10, [GAME_DOCS] = 10 },
      .start = start_linear, .draw = draw_linear },
    { .name = "rare", .letters = "RSdl",
      .usual = { [GAME_GRADE] = 1, [GAME_SHARE] = 0.001, [GAME_DEVIATION] = 0.5, [GAME_DIM] = 10,
                 [GAME_DOCS] = 100 },
      .start = start_linear, .draw = draw_linear },
    { .name = "known-item", .letters = "Sdl",
      .usual = { [GAME_GRADE] = 1, [GAME_DEVIATION] = 0.25, [GAME_DIM] = 5, [GAME_DOCS] = 1000 },
      .start = start_features, .draw = draw_known },
    { .name = "noisy-binary", .letters = "Sl",
      .usual = { [GAME_GRADE] = 1, [GAME_DEVIATION] = 0.3, [GAME_DOCS] = 10 },
      .start = start_noisy, .draw = draw_noisy },
#define HOPELESS(label, items, its_law) \
    { .name = "hopeless-" label, .letters = "", .draw = draw_law, .law = its_law, \
      .usual = { [GAME_GRADE] = 1, [GAME_DOCS] = items } }
    HOPELESS("ndcg", 3, &laws_ndcg[0]), HOPELESS("ndcg-q", 3, &laws_ndcg[1]),
    HOPELESS("auc", 4, &laws_auc[0]), HOPELESS("auc-q", 4, &laws_auc[1]),
    HOPELESS("map", 3, &laws_ndcg[0]), HOPELESS("map-q", 3, &laws_ndcg[1]),
    { .name = NULL },
};

const struct game_rules *game_find(const char *name)
{
    for (size_t i = 0; games[i].name; i++)
        if (strcmp(games[i].name, name) == 0)
            return &games[i];
    return NULL;
}

static int fill_settings(struct game *game, const struct game_settings *settings,
                         struct fault *fault)
{
    const struct game_rules *rules = game->rules;
    for (size_t i = 0; i < GAME_NUMBERS; i++) {
        if (settings->set[i] && !strchr(rules->letters, game_options[i].letter))
            return fault_usage(fault, "%s does not take -%c (%s)", rules->name,
                               game_options[i].letter, game_options[i].what);
        game->value[i] = settings->set[i] ? settings->value[i] : rules->usual[i];
    }
    game->docs = (size_t)game->value[GAME_DOCS];
    game->dim = (size_t)game->value[GAME_DIM];
    game->top = (unsigned)game->value[GAME_GRADE];
    if (game->dim && game->docs > GAME_FEATURES / game->dim)
        return fault_usage(fault, "-l %zu and -d %zu make more than %zu features, the most that a "
                           "round may have", game->docs, game->dim, GAME_FEATURES);
    if (game->dim && game->top >= GAME_FEATURES / game->dim)
        return fault_usage(fault, "-L %u and -d %zu make more than %zu features for one document "
                           "of each grade", game->top, game->dim, GAME_FEATURES);
    return 0;
}

int game_start(struct game *game, const struct game_rules *rules,
               const struct game_settings *settings, uint64_t seed, struct fault *fault)
{
    struct normals normals = { .rng = rng_at(seed, RNG_GAME, 0) };
    game->rules = rules;
    game->seed = seed;
    if (fill_settings(game, settings, fault) < 0) return -1;
    return rules->start ? rules->start(game, &normals, fault) : 0;
}

int game_round(struct game *game, uint64_t t, struct round *round, struct fault *fault)
{
    struct normals normals = { .rng = rng_at(game->seed, RNG_GAME, t) };
    struct record *record = round->record;
    char qid[24];
    snprintf(qid, sizeof qid, "%" PRIu64, t);
    if (round_start(round, t, qid, game->docs, game->dim, fault) < 0) return -1;
    float *label = round_new(round, ROUND_LABEL, fault);
    if (!label) return -1;
    game->rules->draw(game, &normals, label);
    if (game->dim == 0)
        return 0;
    return record_put(record, "x", COLUMN_F4, (uint64_t)game->docs * game->dim, game->x, fault);
}

void game_close(struct game *game)
{
    buffer_free(&game->buffer_u);
    buffer_free(&game->buffer_truth);
    buffer_free(&game->buffer_mean);
    buffer_free(&game->buffer_cut);
    buffer_free(&game->buffer_x);
    buffer_free(&game->buffer_z);
}
