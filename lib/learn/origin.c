#include "learn/origin.h"

#include <inttypes.h>
#include <string.h>

static const char MADE[] = "made", FEATURES[] = "features", VARIES[] = "any";
static const char YIELDS[] = "yields";

int origin_apply(struct origin *origin, const char *list, bool asked, struct fault *fault)
{
    if (steps_parse(&origin->steps, list, &steps_usual, fault) < 0)
        return -1;
    strcpy(origin->words, origin->steps.words);
    origin->known = origin->applies = origin->parsed = true;
    origin->asked = asked;
    origin->yields = !asked;
    return 0;
}

void origin_close(struct origin *origin)
{
    steps_close(&origin->steps);
}

/* ---- models ---- */

static int set_words(struct origin *origin, const char *words, struct fault *fault)
{
    if (strlen(words) > ROUND_MADE)
        return fault_data(fault, "model: made= has %zu bytes: at most %d are allowed",
                          strlen(words), ROUND_MADE);
    if (origin->parsed && strcmp(origin->words, words) != 0) {
        steps_close(&origin->steps);
        memset(&origin->steps, 0, sizeof origin->steps);
        origin->parsed = false;
    }
    strcpy(origin->words, words);
    origin->known = true;
    return 0;
}

static int load_width(struct origin *origin, const struct model *model, struct fault *fault)
{
    uint64_t width = 0;
    const char *text = record_key(&model->record, FEATURES);
    bool varies = text && strcmp(text, VARIES) == 0;
    if (text && !varies && !record_number(text, ROUND_DIM, &width))
        return fault_data(fault, "model: features=%.40s is neither a whole number up to %" PRIu64
                          " nor %s", text, ROUND_DIM, VARIES);
    origin->form = varies ? WIDTH_VARIES : text ? WIDTH_SAME : WIDTH_UNKNOWN;
    origin->checks = origin->form == WIDTH_SAME;
    origin->width = origin->due = (size_t)width;
    return 0;
}

int origin_take(struct origin *origin, const struct model *model, bool unknown,
                struct fault *fault)
{
    const char *words = record_key(&model->record, MADE);
    if (load_width(origin, model, fault) < 0)
        return -1;
    origin->applies = true;
    origin->yields = record_key(&model->record, YIELDS) != NULL;
    return words || !unknown ? set_words(origin, words ? words : "", fault) : 0;
}

int origin_load(struct origin *origin, const struct model *model, struct fault *fault)
{
    const char *words = record_key(&model->record, MADE);
    if (load_width(origin, model, fault) < 0)
        return -1;
    if (!origin->applies || origin->yields) {
        bool tells = words || model->rounds;
        origin->yields = origin->yields && !tells;
        return tells ? set_words(origin, words ? words : "", fault) : 0;
    }
    if (strcmp(words ? words : "", origin->words) == 0 || (!words && model->rounds == 0))
        return 0;
    return fault_data(fault, "it learnt from %s%.255s, but this run makes %s: use -x %.255s, or "
                      "another file", words ? "features made by " : "raw features",
                      words ? words : "", origin->words, words ? words : "none");
}

int origin_publish(const struct origin *origin, struct model *model, struct fault *fault)
{
    if (origin->yields && model_set(model, YIELDS, "1", fault) < 0)
        return -1;
    return *origin->words ? model_set(model, MADE, origin->words, fault) : 0;
}

int origin_save(const struct origin *origin, struct model *model, struct fault *fault)
{
    if (!origin->yields && origin_publish(origin, model, fault) < 0)
        return -1;
    if (origin->form == WIDTH_UNKNOWN)
        return 0;
    if (origin->form == WIDTH_VARIES)
        return model_set(model, FEATURES, VARIES, fault);
    return record_set_number(&model->record, model->record.keys, FEATURES, origin->width, fault);
}

/* What the features of a model are, in words. */
static const char *features_of(const struct origin *origin)
{
    return *origin->words ? origin->words : "nothing: they are raw";
}

int origin_join(struct origin *origin, const struct origin *other, struct fault *fault)
{
    bool both = origin->known && other->known;
    bool same = origin->form == WIDTH_SAME && other->form == WIDTH_SAME;
    if (both && strcmp(origin->words, other->words) != 0)
        return fault_data(fault, "its features are made by %s; those of the models before it by "
                          "%s", features_of(other), features_of(origin));
    if (same && origin->width != other->width)
        return fault_data(fault, "it learnt from rounds of %zu features, but those before it from "
                          "rounds of %zu", other->width, origin->width);
    if (other->form == WIDTH_VARIES || origin->form == WIDTH_UNKNOWN) {
        origin->form = other->form;
        origin->width = other->width;
    }
    return other->known ? set_words(origin, other->words, fault) : 0;
}

/* ---- rounds ---- */

static int report(const struct origin *origin, const struct round *round, struct fault *fault)
{
    const char *theirs = round->made, *words = origin->words;
    if (!theirs)
        return fault_data(fault, "the round has raw features, but the model learnt from features "
                          "made by %s: add -x %s", words, words);
    if (!*words)
        return fault_data(fault, "the round's features are made by %s, but the model learnt from "
                          "raw features: give raw rounds, or learn into another model", theirs);
    return fault_data(fault, "the round's features are made by %s, but the model's by %s: give "
                      "rounds made by %s%s", theirs, words, words,
                      origin->applies ? ", or raw rounds" : "");
}

static int apply(struct origin *origin, const struct matrix *x, struct matrix *z,
                 struct fault *fault)
{
    struct fault why = { FAULT_NONE, "" };
    if (!origin->parsed && steps_parse(&origin->steps, origin->words, &steps_usual, &why) < 0)
        return fault_data(fault, "the model's features are made by %s, which this version cannot "
                          "do: %s", origin->words, why.text);
    origin->parsed = true;
    return steps_apply(&origin->steps, x, z, fault);
}

int origin_make(struct origin *origin, const struct round *round, const struct matrix *x,
                  struct matrix *z, struct fault *fault)
{
    const char *theirs = round->made ? round->made : "";
    bool yields = origin->yields && (*theirs || x->form == MATRIX_UNIT);
    *z = *x;
    if ((!origin->known || yields) && set_words(origin, theirs, fault) < 0)
        return -1;
    origin->yields = false;
    if (strcmp(theirs, origin->words) == 0)
        return 0;
    if (*theirs || !origin->applies)
        return report(origin, round, fault);
    if (x->form != MATRIX_UNIT && round->prepared && strcmp(round->prepared, origin->words) == 0) {
        *z = round->prepared_x;
        return 0;
    }
    if (x->form != MATRIX_UNIT)
        return apply(origin, x, z, fault);
    return origin->asked ? fault_data(fault, "-x needs features, but the round has none "
                                      "(dim=0)") : 0;
}

int origin_check_width(const struct origin *origin, const struct matrix *z, size_t allowed,
                     struct fault *fault)
{
    bool items = z->form == MATRIX_UNIT;
    size_t width = origin->due;
    if (!origin->checks || z->dim == width || (allowed && z->dim <= allowed))
        return 0;
    if (items)
        return fault_data(fault, "the round has no features (dim=0), but the model learnt from "
                          "rounds of %zu features: give those", width);
    if (z->form == MATRIX_SPARSE && z->dim < width)
        return 0;
    return fault_data(fault, "the round has %zu features, but the model learnt from rounds of %zu "
                      "features: give those, or add -d %zu if the number may vary", z->dim, width,
                      z->dim > width ? z->dim : width);
}

void origin_count(struct origin *origin, const struct matrix *z, size_t dim)
{
    if (z->form == MATRIX_SPARSE) {
        if (origin->form == WIDTH_SAME && z->dim > origin->width)
            origin->form = WIDTH_VARIES;
    } else if (origin->form == WIDTH_UNKNOWN) {
        bool wider = z->form == MATRIX_DENSE && z->dim < dim; /* was a sparse round */
        origin->form = wider ? WIDTH_VARIES : WIDTH_SAME;
        origin->width = z->dim;
    } else if (z->dim != origin->width) {
        origin->form = WIDTH_VARIES;
    }
}
