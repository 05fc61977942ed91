#include "learn/scoring.h"

#include <stdlib.h>
#include <string.h>

#include "math/finite.h"
#include "stream/round_fingerprint.h"

bool scoring_has_rival(const struct scoring *scoring)
{
    return scoring->learner->rival && scoring->ring;
}

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
    if (set_learner(scoring, model, fault) < 0)
        return -1;
    scoring->dim = model->dim;
    scoring->rounds = model->rounds;
    scoring->scale = model->scale;
    if (origin_take(&scoring->origin, model, scoring->ring || is_fixed(scoring), fault) < 0)
        return -1;
    bool takes = scoring->learner->rank || scoring_has_rival(scoring);
    return takes ? scoring->learner->take(scoring->own, scoring->learner, model, how, fault) : 0;
}

int scoring_take(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    size_t had = scoring->dim;
    if (!model->w && model->dim < had)
        return fault_data(fault, "changes to %zu weights came, but the model had %zu weights",
                          model->dim, had);
    double *w = buffer_for(&scoring->weights, model->dim, sizeof *w, fault);
    enum taking how = scoring->ring ? TAKE_MESSAGE : TAKE_FILE;
    if (!w || take_learner(scoring, model, how, fault) < 0)
        return -1;
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

int scoring_borrow(struct scoring *scoring, const struct model *model, struct fault *fault)
{
    scoring->w = model->w;
    return take_learner(scoring, model, TAKE_SHARED, fault);
}

bool scoring_is_live(const struct scoring *scoring, const struct matrix *x)
{
    return !scoring->learner->rank && !scoring->learner->weights &&
           scoring->dim >= matrix_width(x);
}

int scoring_make(struct scoring *scoring, const struct round *round, const struct matrix *x,
                     struct matrix *z, struct fault *fault)
{
    if (origin_make(&scoring->origin, round, x, z, fault) < 0)
        return -1;
    return scoring->ring ? 0 : origin_check_width(&scoring->origin, z, scoring->allowed, fault);
}

const char *scoring_made(const struct scoring *scoring)
{
    return scoring->origin.applies && *scoring->origin.words ? scoring->origin.words : NULL;
}

bool scoring_lacks(const struct scoring *scoring, const struct matrix *z)
{
    return !scoring->ring && !is_fixed(scoring) && scoring->dim > 0 && z->dim > scoring->dim &&
           z->dim > scoring->allowed;
}

void scoring_close(struct scoring *scoring)
{
    leave(scoring);
    origin_close(&scoring->origin);
    buffer_free(&scoring->weights);
    buffer_free(&scoring->spare);
    mapped_close(&scoring->file);
}

bool scoring_has_index(const struct scoring *scoring)
{
    return scoring->learner->has_index;
}

bool scoring_has_worth(const struct scoring *scoring)
{
    return scoring->learner->worth != NULL;
}

int scoring_worth(struct scoring *scoring, const struct matrix *x, double *s, double *worth,
                  uint64_t *judged, struct fault *fault)
{
    return scoring->learner->worth(scoring->own, x, s, worth, judged, fault);
}

int scoring_fingerprint(struct scoring *scoring, struct round *round, const struct matrix *x,
                        struct fault *fault)
{
    return scoring->learner->fingerprints ? round_fingerprint(round, x, &scoring->spare, fault) : 0;
}

bool scoring_notice(struct scoring *scoring, const struct round *round, struct fault *line)
{
    const struct learner *learner = scoring->learner;
    return learner->notice && learner->notice(scoring->own, round, line);
}

int scoring_round(struct scoring *scoring, const struct matrix *x, const struct round *round,
                  double *s, double *index, struct fault *fault)
{
    size_t room =
        x->form == MATRIX_DENSE ? x->dim : 0; /* that came; a sparse one may be any width */
    double *spare = buffer_for(&scoring->spare, room, sizeof *spare, fault);
    if (!spare)
        return -1;
    matrix_times(x, scoring->w, scoring->scale, scoring->dim, s, spare);
    if (finite_scores(x->docs, s, "one of its features is not finite, or the weights are too large",
                      fault) < 0)
        return -1;
    const struct learner *learner = scoring->learner;
    return learner->rank ? learner->rank(scoring->own, x, round, s, index, fault) : 0;
}

int scoring_rival(struct scoring *scoring, const struct matrix *x, uint64_t t, const double *s,
                  double *rival, struct fault *fault)
{
    return scoring->learner->rival(scoring->own, x, t, s, rival, fault);
}
