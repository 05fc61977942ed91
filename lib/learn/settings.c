#include "learn/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { CLIENTS_MOST = 4 }; /* whose hashes a memory has room for */

static const char *const gains[] = { "exp", "lin", "ndcg", "auc", NULL };

/* By letter, capitals first. */
const struct setting settings_known[SETTINGS] = {
    [SETTING_AGE] = { 'A', "age", "rounds after which a query that does not return is forgotten",
                      TYPE_WHOLE, 1, RECORD_MOST, NULL, "never" },
    [SETTING_PAIRS] = { 'B', "pairs", "pairs of query and document that are kept", TYPE_WHOLE, 1,
                        RECORD_MOST, NULL, "all" },
    [SETTING_TRADEOFF] = { 'C', "tradeoff", "ridge penalty, C or gamma", TYPE_REAL, 1e-300,
                           1e300, NULL, NULL },
    [SETTING_DELTA] = { 'D', "delta", "chance of an error", TYPE_POSITIVE, 0, 0, NULL, NULL },
    [SETTING_EPSILON] = { 'E', "epsilon", "smoothing", TYPE_POSITIVE, 0, 0, NULL, NULL },
    [SETTING_FALL] = { 'F', "fall", "power of t by which epsilon falls", TYPE_POSITIVE, 0, 0, NULL,
                       "epsilon stays" },
    [SETTING_GAIN] = { 'G', "gain", "gain of a label", TYPE_WORD, 0, 0, gains, NULL },
    [SETTING_PRIOR] = { 'I', "prior", "model whose weights are the first ones", TYPE_PATH, 0, 0,
                        NULL, "weights begin at 0" },
    [SETTING_CLICKS] = { 'K', "clicks", "answers of rounds without clicks= are clicks", TYPE_FLAG,
                         0, 0, NULL, "they are relevance" },
    [SETTING_TOP_GRADE] = { 'L', "grades", "top grade of the labels", TYPE_WHOLE, 1, 1000, NULL,
                            NULL },
    [SETTING_MARGIN] = { 'M', "margin", "margin of the loss", TYPE_POSITIVE, 0, 0, NULL, "1" },
    [SETTING_MEMBERS] = { 'N', "size",
                          "members of the committee, or pairs or lists that kernel keeps",
                          TYPE_WHOLE, 1, 1000000, NULL, NULL },
    [SETTING_CLIENTS] = { 'O', "clients", "clients that release a query's documents", TYPE_WHOLE,
                          0, CLIENTS_MOST, NULL, "any number" },
    [SETTING_RHO] = { 'R', "rho", "variance of a document's own effect", TYPE_REAL, 0, 1e9, NULL,
                      "estimated" },
    [SETTING_EXPLORATION_WIDTH] = { 'S', "width", "width of exploration", TYPE_POSITIVE, 0, 0, NULL,
                                    "0.15 standard deviations of the residuals" },
    [SETTING_HORIZON] = { 'T', "horizon", "rounds of the run, which set eta", TYPE_WHOLE, 1,
                          RECORD_MOST, NULL, "none" },
    [SETTING_RADIUS] = { 'U', "radius", "radius of the ball for the weights", TYPE_POSITIVE, 0, 0,
                         NULL, "no ball" },
    [SETTING_STRENGTH] = { 'W', "strength", "answers that the prior counts as", TYPE_POSITIVE, 0, 0,
                           NULL, "1000 with prior" },
    [SETTING_ETA] = { 'e', "eta", "step size", TYPE_POSITIVE, 0, 0, NULL, "adaptive steps" },
    [SETTING_CUTOFF] = { 'k', "cutoff", "cutoff of the (N)DCG to learn", TYPE_WHOLE, 1, UINT32_MAX,
                         NULL, "slam the whole list, smoothdcg 1, kernel pairs" },
    [SETTING_IN_ORDER] = { 'o', "in-order", "take pairs in document order", TYPE_FLAG, 0, 0, NULL,
                           "a random order" },
    [SETTING_PLAIN] = { 'p', "plain", "features as they are", TYPE_FLAG, 0, 0, NULL,
                        "deviation and mean" },
    [SETTING_SEED] = { 's', "seed", "seed of what the learner draws", TYPE_WHOLE, 0, RECORD_MOST,
                       NULL, NULL },
    [SETTING_EXAMINATION] = { 't', "examination", "table of examination, to learn from clicks by",
                              TYPE_PATH, 0, 0, NULL, "none" },
};

static size_t path_of(enum setting_number i)
{
    return i == SETTING_PRIOR ? 0 : 1;
}

const char *settings_path(const struct settings *settings, enum setting_number i)
{
    return settings->path[path_of(i)];
}

const char *setting_print(const struct setting *setting, double value, char text[SETTING_TEXT])
{
    int digits = value == floor(value) && value < 1e15 ? 17 : 1;
    if (setting->type == TYPE_WORD)
        return setting->words[(size_t)value - 1];
    snprintf(text, SETTING_TEXT, "%.*g", digits, value);
    for (; digits <= 17 && strtod(text, NULL) != value; digits++)
        snprintf(text, SETTING_TEXT, "%.*g", digits, value);
    return text;
}

const char *setting_range(const struct setting *setting, char text[SETTING_TEXT])
{
    char least[SETTING_TEXT], most[SETTING_TEXT];
    size_t used = 0;
    if (setting->type == TYPE_POSITIVE)
        return "a number above 0";
    if (setting->type == TYPE_FLAG)
        return "no value";
    if (setting->type == TYPE_PATH)
        return setting->letter == settings_known[SETTING_PRIOR].letter
                   ? "the path of a model's file" : "the path of a table";
    for (size_t i = 0; setting->type == TYPE_WORD && setting->words[i]; i++)
        used += (size_t)snprintf(text + used, SETTING_TEXT - used, "%s%s",
                                 i == 0 ? "" : setting->words[i + 1] ? ", " : " or ",
                                 setting->words[i]);
    if (setting->type != TYPE_WORD)
        snprintf(text, SETTING_TEXT, "a %snumber from %.25s to %.25s",
                 setting->type == TYPE_WHOLE ? "whole " : "",
                 setting_print(setting, setting->least, least),
                 setting_print(setting, setting->most, most));
    return text;
}

static bool parse(const struct setting *setting, const char *text, double *value)
{
    uint64_t whole = 0;
    *value = 0;
    switch (setting->type) {
    case TYPE_POSITIVE:
        return decimal_double(text, value) && *value > 0;
    case TYPE_REAL:
        return decimal_double(text, value) && *value >= setting->least && *value <= setting->most;
    case TYPE_WHOLE:
        if (!record_number(text, (uint64_t)setting->most, &whole))
            return false;
        *value = (double)whole;
        return *value >= setting->least;
    case TYPE_WORD:
        for (size_t i = 0; setting->words[i]; i++)
            if (strcmp(text, setting->words[i]) == 0)
                *value = (double)(i + 1);
        return *value > 0;
    default:
        *value = 1;
        return strcmp(text, "1") == 0; /* as models have it */
    }
}

/* A path, as far as command lines and the lists of settings in them can carry it. */
static int set_path(struct settings *settings, enum setting_number i, const char *text,
                    struct fault *fault)
{
    char quoted[FAULT_QUOTE];
    if (!*text || strlen(text) >= SETTING_PATH || strpbrk(text, ",:"))
        return fault_usage(fault, "%s=%s: a path must be shorter than %d bytes, without , and :, "
                           "which divide settings: make a link to the file (ln -s) and name that",
                           settings_known[i].name, fault_quote(quoted, text, strlen(text)),
                           SETTING_PATH);
    strcpy(settings->path[path_of(i)], text);
    settings->set[i] = true;
    settings->value[i] = 1;
    return 0;
}

int settings_set(struct settings *settings, enum setting_number i, const char *called,
                 const char *text, struct fault *fault)
{
    const struct setting *setting = &settings_known[i];
    char range[SETTING_TEXT], quoted[FAULT_QUOTE];
    if (settings->set[i])
        return fault_usage(fault, "%s (-%c) is given twice: give it once", setting->name,
                           setting->letter);
    if (!text && setting->type != TYPE_FLAG)
        return fault_usage(fault, "%s needs a value: %s=..., %s", called, setting->name,
                           setting_range(setting, range));
    if (setting->type == TYPE_PATH)
        return set_path(settings, i, text, fault);
    if (!parse(setting, text ? text : "1", &settings->value[i]))
        return fault_usage(fault, "%s wants %s, not %s", called, setting_range(setting, range),
                           fault_quote(quoted, text, strlen(text)));
    settings->set[i] = true;
    return 0;
}

int settings_save(const struct settings *settings, struct model *model, struct fault *fault)
{
    char digits[SETTING_TEXT];
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        if (i == SETTING_HORIZON || !settings->set[i])
            continue;
        snprintf(digits, sizeof digits, "%.17g", settings->value[i]);
        bool word = setting->type == TYPE_WORD;
        if (model_set(model, setting->name,
                      word ? setting_print(setting, settings->value[i], digits) : digits,
                      fault) < 0)
            return -1;
    }
    return 0;
}

/* The text of a setting in a model, or NULL. */
static const char *saved(const struct model *model, size_t i)
{
    return i == SETTING_HORIZON ? NULL : record_key(&model->record, settings_known[i].name);
}

int settings_load(struct settings *settings, const struct model *model, struct fault *fault)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        const char *text = saved(model, i);
        settings->set[i] = text != NULL;
        if (text && !parse(setting, text, &settings->value[i]))
            return fault_data(fault, "model: %s=%.40s is not a valid value", setting->name, text);
    }
    return 0;
}

static void adopt(struct settings *settings, enum setting_number i, const struct model *model)
{
    const char *text = saved(model, i);
    settings->set[i] = text && parse(&settings_known[i], text, &settings->value[i]);
}

void settings_adopt(struct settings *settings, const struct model *model)
{
    static const enum setting_number bounds[] = { SETTING_AGE, SETTING_PAIRS,
                                                   SETTING_CLIENTS };
    static const enum setting_number answers[] = { SETTING_CLICKS, SETTING_EXAMINATION };
    static const enum setting_number begun[] = { SETTING_PRIOR, SETTING_STRENGTH };
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
        if (!settings->set[bounds[k]])
            adopt(settings, bounds[k], model);
    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++)
        if (!settings->set[answers[k]])
            adopt(settings, answers[k], model);
    if (settings->set[SETTING_PRIOR])
        return;
    for (size_t k = 0; k < sizeof begun / sizeof *begun; k++)
        adopt(settings, begun[k], model);
}

static int compare(const struct setting *setting, bool set, double value, const char *text,
                   struct fault *fault)
{
    const char *name = setting->name;
    char mine[SETTING_TEXT], theirs[SETTING_TEXT];
    double learnt = 0;
    if (text && parse(setting, text, &learnt))
        text = setting_print(setting, learnt, theirs);
    if (text && !set)
        return fault_data(fault, "it was learnt with %s=%s, but this run has no %s: add %s=%s to "
                          "-a", name, text, name, name, text);
    if (!set || (text && learnt == value))
        return 0;
    if (!text)
        return fault_data(fault, "it was learnt without %s, but this run has %s=%s: omit %s, or "
                          "learn into another file", name, name,
                          setting_print(setting, value, mine), name);
    return fault_data(fault, "it was learnt with %s=%s, but this run has %s: use the same value, "
                      "or learn into another file", name, text,
                      setting_print(setting, value, mine));
}

int settings_compare(const struct settings *settings, const struct model *model,
                     struct fault *fault)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (i != SETTING_HORIZON && i != SETTING_AGE && i != SETTING_PAIRS &&
            i != SETTING_CLICKS && i != SETTING_CLIENTS &&
            compare(&settings_known[i], settings->set[i], settings->value[i], saved(model, i),
                    fault) < 0)
            return -1;
    return 0;
}

int settings_match(const struct settings *settings, const struct settings *share,
                   struct fault *fault)
{
    char one[SETTING_TEXT], other[SETTING_TEXT];
    if (settings->set[SETTING_PRIOR] && share->set[SETTING_PRIOR])
        return fault_data(fault, "it began at a prior, as one before it did, and the prior would "
                          "count twice: learn only one share with prior");
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        bool here = share->set[i], there = settings->set[i];
        if (i == SETTING_PRIOR || i == SETTING_STRENGTH || i == SETTING_HORIZON ||
            (here == there && (!here || share->value[i] == settings->value[i])))
            continue;
        return fault_data(fault, "it was learnt %s %s%s%s, but those before it %s %s%s%s: learn "
                          "all shares with the same settings", here ? "with" : "without",
                          setting->name, here ? "=" : "",
                          here ? setting_print(setting, share->value[i], one) : "",
                          there ? "with" : "without", setting->name, there ? "=" : "",
                          there ? setting_print(setting, settings->value[i], other) : "");
    }
    return 0;
}
