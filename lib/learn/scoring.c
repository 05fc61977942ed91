#include "learn/scoring.h"

#include <stdlib.h>
#include <string.h>

#include "math/matrix.h"
#include "model/model_file.h"

/* From text, which says nothing about features, and leaves out those of weight 0. */
static bool is_fixed(const struct scoring *scoring)
{
    return strcmp(scoring->learner->name, LEARNER_FIXED) == 0;
}

static void leave(struct scoring *scoring)
{
    if (scoring->own && scoring->learner->leave)
        scoring->learner->leave(scoring->own);
    free(scoring->own);
    scoring->own = NULL;
}

/* The learner of the model, with a scoring half that has nothing yet. */
static int set_learner(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    if (scoring->learner && strcmp(scoring->learner->name, model->learner) == 0)
        return 0;
    leave(scoring);
    scoring->learner = learner_of_model(scoring->learners, model->learner);
    if (!scoring->learner)
        return fault_data(fault, "it is a model of the learner %.40s, which this version does not "
                          "have", model->learner);
    size_t bytes = scoring->learner->scoring;
    scoring->own = bytes ? calloc(1, bytes) : NULL;
    return bytes && !scoring->own ? fault_no_room(fault, bytes) : 0;
}

/* Takes all but the weights. */
static int take_learner(struct scoring *scoring, const struct model *model, enum taking how,
                        struct fault *fault)
{
    if (set_learner(scoring, model, fault) < 0) return -1;
    scoring->dim = model->dim;
    scoring->rounds = model->rounds;
    scoring->scale = model->scale;
    if (origin_take(&scoring->origin, model, scoring->ring || is_fixed(scoring), fault) < 0)
        return -1;
    const struct learner *learner = scoring->learner;
    return learner->rank ? learner->take(scoring->own, learner, model, how, fault) : 0;
}

int scoring_take(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    size_t had = scoring->dim;
    if (!model->w && model->dim < had)
        return fault_data(fault, "changes to %zu weights came, but the model had %zu weights",
                          model->dim, had);
    double *w = buffer_for(&scoring->weights, model->dim, sizeof *w, fault);
    enum taking how = scoring->ring ? TAKE_MESSAGE : TAKE_FILE;
    if (!w || take_learner(scoring, model, how, fault) < 0) return -1;
    for (size_t j = had; !model->w && j < model->dim; j++)
        w[j] = 0;
    model_weights(model, w);
    scoring->w = w;
    return 0;
}

int scoring_take_file(struct scoring *scoring, struct mapped *file, const struct model *model,
                      struct fault *fault)
{
    scoring->file = *file;
    *file = (struct mapped){ .map = NULL };
    return scoring_take(scoring, model, fault);
}

int scoring_open(struct scoring *scoring, const char *path, const struct watch *watch,
                 struct fault *fault)
{
    struct mapped mapped;
    struct model model;
    int got = model_file_load(path, watch, &mapped, &model, fault);
    if (got == 0)
        (void)fault_other(fault, "%s" SCORING_NO_FILE, path);
    int result = got > 0 ? scoring_take_file(scoring, &mapped, &model, fault) : -1;
    if (got > 0 && result < 0)
        fault_place(fault, "model %s: ", path);
    mapped_close(&mapped);
    return result;
}

int scoring_borrow(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    bool again = model->form && model->form == scoring->form;
    scoring->w = model->w;
    scoring->scale = model->scale;
    scoring->rounds = model->rounds;
    scoring->borrows = true;
    scoring->form = model->form;
    return again ? 0 : take_learner(scoring, model, TAKE_SHARED, fault);
}

void scoring_close(struct scoring *scoring)
{
    leave(scoring);
    origin_close(&scoring->origin);
    buffer_free(&scoring->weights);
    buffer_free(&scoring->spare);
    mapped_close(&scoring->file);
}

/* Says, once, that features have no weight; not of a model without any, nor of one from text. */
static void look_for_lack(struct scoring *scoring, const struct ranking *ranking)
{
    char name[ROUND_NAME];
    size_t dim = ranking->x->dim, had = scoring->dim, came = origin_width(&scoring->origin,
                                                                          ranking->x);
    if (scoring->lacked || scoring->ring || is_fixed(scoring) || had == 0 || dim <= had ||
        came <= scoring->allowed || ranking->line->kind != FAULT_NONE)
        return;
    scoring->lacked = true;
    (void)fault_other(ranking->line, "%s has %zu features, but the model has %zu weights: features "
                      "without a weight count as 0 (-d %zu accepts this)",
                      round_name(ranking->round, name), came, had - (dim - came), came);
}

/* The weights of a file are all that score, unless it has none yet. */
static double find_first(const struct scoring *scoring)
{
    return scoring->ring || scoring->dim == 0
               ? learner_first(scoring->learner, &scoring->origin) : 0;
}

double scoring_weight(const struct scoring *scoring, size_t feature)
{
    double w = feature < scoring->dim ? scoring->w[feature] * scoring->scale : 0;
    return feature == 0 ? w + find_first(scoring) : w;
}

int scoring_features(struct scoring *scoring, const struct round *round, struct matrix *x,
                     struct fault *fault)
{
    struct matrix came;
    return round_matrix(round, &came, fault) < 0
               ? -1 : origin_make(&scoring->origin, round, &came, x, fault);
}

int scoring_round(struct scoring *scoring, struct round *round, enum round_column column,
                  struct fault *line, struct fault *fault)
{
    const struct learner *learner = scoring->learner;
    struct matrix came, x;
    if (round_matrix(round, &came, fault) < 0 ||
        origin_make(&scoring->origin, round, &came, &x, fault) < 0 ||
        (!scoring->ring &&
         origin_check_width(&scoring->origin, &x, scoring->allowed, fault) < 0))
        return -1;
    double *s = column == ROUND_SCORE ? round_new_score(round, fault)
                                      : round_new(round, column, fault);
    size_t room = x.kind == MATRIX_DENSE ? x.dim : 0; /* that came; a sparse one may be any width */
    double *spare = buffer_for(&scoring->spare, room, sizeof *spare, fault);
    if (!s || !spare) return -1;
    matrix_times_from(&x, find_first(scoring), scoring->w, scoring->scale, scoring->dim, s, spare);
    const struct ranking ranking = { round, &came, &x, s, scoring->ring, column == ROUND_RIVAL,
                                     origin_has_base(&scoring->origin), line };
    if (finite_scores(x.docs, s, "one of its features is not finite, or the weights are too large",
                      fault) < 0 ||
        (learner->rank && learner->rank(scoring->own, &ranking, fault) < 0))
        return -1;
    if (line)
        look_for_lack(scoring, &ranking);
    if (!ranking.rival) { /* what the learner, in the same process, need not compute again */
        const struct origin *origin = &scoring->origin;
        round->x = came;
        round->checked = true;
        round->live = scoring->borrows && !learner->rank && !learner->weights &&
                      scoring->dim >= matrix_width(&x);
        if (scoring->borrows && origin->applies && *origin->words) {
            round->prepared = origin->words;
            round->prepared_x = x;
        }
    }
    return 0;
}
