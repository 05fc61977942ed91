#include "learn/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char MADE[] = "made", FEATURES[] = "features", VARIES[] = "any";
static const char BASED[] = "based";
static const char YIELDS[] = "yields", RANKED[] = "base"; /* and a value of it, else 1 */

int origin_apply(struct origin *origin, const char *list, bool asked, struct fault *fault)
{
    if (steps_parse(&origin->steps, list, fault) < 0) return -1;
    strcpy(origin->words, origin->steps.words);
    origin->known = origin->applies = origin->parsed = true;
    origin->asked = asked;
    origin->yields = !asked;
    return 0;
}

int origin_open(struct origin *origin, struct watch *watch, struct fault *fault)
{
    if (origin->names_path &&
        feature_names_read(&origin->names, origin->names_path, watch, fault) < 0)
        return -1;
    if (!origin->applies)
        return 0;
    if (steps_open(&origin->steps, watch, fault) < 0 ||
        steps_follow(&origin->steps, NULL, fault) < 0)
        return -1;
    strcpy(origin->words, origin->steps.words);
    return 0;
}

void origin_close(struct origin *origin)
{
    feature_names_close(&origin->names);
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
        origin->parsed = origin->ready = false;
    }
    strcpy(origin->words, words);
    origin->known = true;
    return 0;
}

/* Reads the words into steps, unless that is done. */
static int parse(struct origin *origin, struct fault *fault)
{
    struct fault why = { FAULT_NONE, "" };
    if (!origin->parsed && steps_parse_made(&origin->steps, origin->words, &why) < 0)
        return fault_data(fault, "the model's features are made by %s, which this version cannot "
                          "do: %s", origin->words, why.text);
    origin->parsed = true;
    return 0;
}

/* Takes a model's words, and its constants unless they are here: the words name their checksum. */
static int set_steps(struct origin *origin, const char *words, const struct model *model,
                     struct fault *fault)
{
    struct constants constants = { .features = 0 };
    if (steps_gone(words))
        return fault_data(fault, "the model's features are made by %s: version 0.4.0 was the last "
                          "that makes %s: learn again by other steps", words, steps_gone(words));
    if (set_words(origin, words, fault) < 0) return -1;
    if (!record_column(&model->record, constant_names[0]) ||
        (origin->parsed && !steps_lack(&origin->steps)))
        return 0;
    int result = constants_load(&constants, model, fault) < 0 || parse(origin, fault) < 0 ||
                         steps_give(&origin->steps, &constants, fault) < 0
                     ? -1 : 0;
    constants_close(&constants);
    return result;
}

/* The list to give to -x for these words: a file in place of a checksum. */
enum { ASKED = ROUND_MADE + 8 };
static const char *asked(const char *words, char list[ASKED])
{
    const char *step = strstr(words, "standard:"), *range = strstr(words, "range:");
    const char *sum = !step && !range ? NULL : strchr(step ? step : range, ':') + 1;
    snprintf(list, ASKED, "%.*sFILE%s", sum ? (int)(sum - words) : 0, words,
             sum ? sum + strcspn(sum, STEPS_SEPARATOR) : "");
    return sum ? list : words;
}

/* Names that a user gave must be the model's, if it has some. */
static int load_names(struct origin *origin, const struct model *model, struct fault *fault)
{
    const char *named = record_key(&model->record, FEATURE_NAMES_KEY);
    if (origin->names_path)
        return feature_names_check(&origin->names, named, "the model", fault);
    feature_names_close(&origin->names);
    return feature_names_load(&origin->names, model, fault) < 0 ? -1 : 0;
}

static int load_width(struct origin *origin, const struct model *model, struct fault *fault)
{
    uint64_t width = 0;
    const char *text = record_key(&model->record, FEATURES);
    bool varies = text && strcmp(text, VARIES) == 0;
    if (text && !varies && !record_number(text, ROUND_DIM, &width))
        return fault_data(fault, "model: features=%.40s is neither a whole number up to %" PRIu64
                          " nor %s", text, ROUND_DIM, VARIES);
    origin->kind = varies ? WIDTH_VARIES : text ? WIDTH_SAME : WIDTH_UNKNOWN;
    origin->checks = origin->kind == WIDTH_SAME && !origin->most;
    origin->width = origin->due = (size_t)width;
    return 0;
}

int origin_take(struct origin *origin, const struct model *model, bool unknown,
                struct fault *fault)
{
    const char *words = record_key(&model->record, MADE);
    if (load_width(origin, model, fault) < 0 || load_names(origin, model, fault) < 0) return -1;
    const char *yields = record_key(&model->record, YIELDS);
    origin->applies = true;
    origin->yields = yields != NULL;
    origin->ranked = yields && strcmp(yields, RANKED) == 0;
    return words || !unknown ? set_steps(origin, words ? words : "", model, fault) : 0;
}

int origin_load(struct origin *origin, const struct model *model, struct fault *fault)
{
    const char *words = record_key(&model->record, MADE);
    char list[ASKED];
    if (load_width(origin, model, fault) < 0 || load_names(origin, model, fault) < 0) return -1;
    const char *based = record_key(&model->record, BASED);
    if (based && strlen(based) != ROUND_BASED)
        return fault_data(fault, "model: based=%.40s is not the checksum of a model", based);
    strcpy(origin->based, based ? based : "");
    origin->ordered = model->rounds > 0;

    if (!origin->applies || origin->yields) {
        bool tells = words || model->rounds;
        origin->yields = origin->yields && !tells;
        return tells ? set_steps(origin, words ? words : "", model, fault) : 0;
    }
    if (strcmp(words ? words : "", origin->words) == 0 || (!words && model->rounds == 0))
        return 0;
    return fault_data(fault, "it learnt from %s%.255s, but this run makes %s: use -x %s, or "
                      "another file", words ? "features made by " : "raw features",
                      words ? words : "", origin->words, asked(words ? words : "none", list));
}

int origin_publish(const struct origin *origin, struct model *model, bool changes,
                   struct fault *fault)
{
    if ((origin->yields && model_set(model, YIELDS, origin->ranked ? RANKED : "1", fault) < 0) ||
        (!changes && constants_save(&origin->steps.constants, model, fault) < 0))
        return -1;
    return *origin->words ? model_set(model, MADE, origin->words, fault) : 0;
}

int origin_save(const struct origin *origin, struct model *model, struct fault *fault)
{
    if ((!origin->yields && origin_publish(origin, model, false, fault) < 0) ||
        feature_names_save(&origin->names, model, fault) < 0 ||
        (*origin->based && model_set(model, BASED, origin->based, fault) < 0))
        return -1;
    if (origin->kind == WIDTH_VARIES || origin->most)
        return model_set(model, FEATURES, VARIES, fault);
    if (origin->kind == WIDTH_UNKNOWN)
        return 0;
    return record_set_number(&model->record, model->record.keys, FEATURES, origin->width, fault);
}

/* What the features of a model are, in words. */
static const char *features_of(const struct origin *origin)
{
    return *origin->words ? origin->words : "nothing: they are raw";
}

int origin_join(struct origin *origin, size_t dim, const struct origin *other, size_t dims,
                struct fault *fault)
{
    bool both = origin->known && other->known;
    bool same = origin->kind == WIDTH_SAME && other->kind == WIDTH_SAME;
    const char *named = *other->names.sum ? other->names.sum : NULL;
    if (feature_names_check(&origin->names, named, "the model", fault) < 0 ||
        (!*origin->names.sum && feature_names_copy(&origin->names, &other->names, fault) < 0))
        return -1;
    if (both && strcmp(origin->words, other->words) != 0)
        return fault_data(fault, "its features are made by %s; those of the models before it by "
                          "%s", features_of(other), features_of(origin));
    if (same && origin->width != other->width)
        return fault_data(fault, "it learnt from rounds of %zu features, but those before it from "
                          "rounds of %zu", other->width, origin->width);

    /* A model of sparse rounds that reach further than the others are wide makes both vary, as a
     * sparse round does in origin_count. */
    size_t sparse = origin->kind == WIDTH_UNKNOWN ? dim : other->kind == WIDTH_UNKNOWN ? dims : 0;
    if (other->kind == WIDTH_VARIES || origin->kind == WIDTH_UNKNOWN) {
        origin->kind = other->kind;
        origin->width = other->width;
    }
    if (origin->kind == WIDTH_SAME && sparse > origin->width)
        origin->kind = WIDTH_VARIES;

    if (!other->known || set_words(origin, other->words, fault) < 0)
        return other->known ? -1 : 0;
    if (!other->steps.constants.features || origin->steps.constants.features)
        return 0;
    return parse(origin, fault) < 0 ? -1 : steps_give(&origin->steps, &other->steps.constants,
                                                      fault);
}

/* ---- rounds ---- */

/* Once, before steps are applied. */
static int prepare(struct origin *origin, struct fault *fault)
{
    if (parse(origin, fault) < 0) return -1;
    if (steps_lack(&origin->steps))
        return fault_data(fault, "the model's features are made by %s, but it learnt from rounds "
                          "that had them, and so lacks the constants: give rounds made by %s, or "
                          "learn from raw ones by update -x", origin->words, origin->words);
    origin->ready = true;
    return 0;
}

size_t origin_width(const struct origin *origin, const struct matrix *z)
{
    return z->dim - (z->kind != MATRIX_UNIT && z->dim > 0 && origin_has_base(origin));
}

const char *origin_feature_name(struct origin *origin, size_t feature)
{
    struct fault why = { FAULT_NONE, "" };
    bool keeps = !*origin->words || parse(origin, &why) == 0;
    return keeps ? feature_names_of(&origin->names, feature) : NULL;
}

int origin_make(struct origin *origin, const struct round *round, const struct matrix *x,
                  struct matrix *z, struct fault *fault)
{
    const char *theirs = round->made ? round->made : "";
    if (feature_names_check(&origin->names, round->named, "the round", fault) < 0) return -1;
    bool foreign = *theirs || x->kind == MATRIX_UNIT;
    *z = *x;
    if ((!origin->known || (origin->yields && foreign)) && set_words(origin, theirs, fault) < 0)
        return -1;
    /* The steps are a default, and the first round, of raw features, has a base. */
    if (origin->yields && !foreign && origin->ranked && round->base) {
        char words[ROUND_MADE + sizeof STEPS_SEPARATOR STEPS_BASE];
        snprintf(words, sizeof words, "%s" STEPS_SEPARATOR STEPS_BASE, origin->words);
        if (set_words(origin, words, fault) < 0) return -1;
    }
    origin->yields = false;
    size_t came = *theirs ? origin_width(origin, x) : x->dim;
    if (origin->most && came > origin->most)
        return fault_data(fault, "the round has %zu features: at most %zu are accepted", came,
                          origin->most);
    if (strcmp(theirs, origin->words) == 0)
        return 0;
    if (*theirs || !origin->applies) {
        const char *words = origin->words;
        char list[ASKED];
        if (!round->made)
            return fault_data(fault, "the round has raw features, but the model learnt from "
                              "features made by %s: add -x %s", words, asked(words, list));
        if (!*words)
            return fault_data(fault, "the round's features are made by %s, but the model learnt "
                              "from raw features: give raw rounds, or learn into another model",
                              theirs);
        return fault_data(fault, "the round's features are made by %s, but the model's by %s: give "
                          "rounds made by %s%s", theirs, words, words,
                          origin->applies ? ", or raw rounds" : "");
    }
    if (x->kind != MATRIX_UNIT && round->prepared && strcmp(round->prepared, origin->words) == 0) {
        *z = round->prepared_x;
        return 0;
    }
    if (x->kind != MATRIX_UNIT)
        return !origin->ready && prepare(origin, fault) < 0
                   ? -1 : steps_apply(&origin->steps, x, round->base, z, fault);
    return origin->asked ? fault_data(fault, "-x needs features, but the round has none "
                                      "(dim=0)") : 0;
}

int origin_check_width(const struct origin *origin, const struct matrix *z, size_t allowed,
                     struct fault *fault)
{
    bool items = z->kind == MATRIX_UNIT;
    size_t width = origin->due, came = origin_width(origin, z);
    if (!origin->checks || came == width || (allowed && came <= allowed))
        return 0;
    if (items)
        return fault_data(fault, "the round has no features (dim=0), but the model learnt from "
                          "rounds of %zu features: give those", width);
    if (z->kind == MATRIX_SPARSE && came < width)
        return 0;
    return fault_data(fault, "the round has %zu features, but the model learnt from rounds of %zu "
                      "features: give those, or add -d %zu if the number may vary", came, width,
                      came > width ? came : width);
}

bool origin_base_differs(struct origin *origin, const struct round *round)
{
    const char *based = round->based ? round->based : "";
    if (!origin_has_base(origin) || !round->base || origin->noted)
        return false;
    if (!origin->ordered)
        strcpy(origin->based, based);
    origin->ordered = true;
    origin->noted = strcmp(origin->based, based) != 0;
    return origin->noted;
}

void origin_count(struct origin *origin, const struct matrix *z, size_t dim)
{
    size_t came = origin_width(origin, z);
    if (z->kind == MATRIX_SPARSE) {
        if (origin->kind == WIDTH_SAME && came > origin->width)
            origin->kind = WIDTH_VARIES;
    } else if (origin->kind == WIDTH_UNKNOWN) {
        bool wider = z->kind == MATRIX_DENSE && z->dim < dim; /* was a sparse round */
        origin->kind = wider ? WIDTH_VARIES : WIDTH_SAME;
        origin->width = came;
    } else if (came != origin->width) {
        origin->kind = WIDTH_VARIES;
    }
}
