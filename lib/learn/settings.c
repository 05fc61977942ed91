#include "learn/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const gains[] = { "exp", "lin", "ndcg", "auc", NULL };

/* By letter, capitals first. */
const struct setting settings_known[SETTINGS] = {
    [SETTING_TRADEOFF] = { 'C', "tradeoff", "the trade-off", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_DELTA] = { 'D', "delta", "the chance of an error", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_EPSILON] = { 'E', "epsilon", "the smoothing", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_FALL] = { 'F', "fall", "the fall of the smoothing", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_GAIN] = { 'G', "gain", "the gain", FORM_WORD, 0, 0, gains },
    [SETTING_DRIFT] = { 'H', "drift", "the reset by surprise", FORM_FLAG, 0, 0, NULL },
    [SETTING_CLICKS] = { 'K', "clicks", "answers by clicks", FORM_FLAG, 0, 0, NULL },
    [SETTING_TOP_GRADE] = { 'L', "grades", "the top grade", FORM_WHOLE, 1, 1000, NULL },
    [SETTING_MARGIN] = { 'M', "margin", "the margin", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_MEMBERS] = { 'N', "size", "the committee's size", FORM_WHOLE, 1, 1000000, NULL },
    [SETTING_RHO] = { 'R', "rho", "the variance of a document's own effect", FORM_FROM_ZERO, 0,
                      1000000000, NULL },
    [SETTING_EXPLORATION_WIDTH] = { 'S', "width", "the width of exploration", FORM_POSITIVE, 0, 0,
                                    NULL },
    [SETTING_HORIZON] = { 'T', NULL, "the horizon", FORM_WHOLE, 1, RECORD_MOST, NULL },
    [SETTING_RADIUS] = { 'U', "radius", "the ball's radius", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_ETA] = { 'e', "eta", "the step size", FORM_POSITIVE, 0, 0, NULL },
    [SETTING_CUTOFF] = { 'k', "cutoff", "the cutoff", FORM_WHOLE, 1, UINT32_MAX, NULL },
    [SETTING_IN_ORDER] = { 'o', "in-order", "pairs in document order", FORM_FLAG, 0, 0, NULL },
    [SETTING_PLAIN] = { 'p', "plain", "plain features", FORM_FLAG, 0, 0, NULL },
    [SETTING_SEED] = { 's', "seed", "the seed", FORM_WHOLE, 0, RECORD_MOST, NULL },
};

/* As the model file has it: with all digits. */
static void print(const struct setting *setting, double value, char text[40])
{
    if (setting->form == FORM_WORD)
        snprintf(text, 40, "%s", setting->words[(size_t)value - 1]);
    else
        snprintf(text, 40, "%.17g", value);
}

int settings_save(const struct settings *settings, struct model *model, struct fault *fault)
{
    char text[40];
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        if (!setting->key || !settings->set[i])
            continue;
        print(setting, settings->value[i], text);
        if (model_set(model, setting->key, text, fault) < 0)
            return -1;
    }
    return 0;
}

static bool in_range(const struct setting *setting, double value)
{
    if (setting->form == FORM_FROM_ZERO)
        return value >= 0 && value <= (double)setting->most;
    if (setting->form != FORM_WHOLE)
        return value > 0 && isfinite(value);
    return value >= (double)setting->least && value <= (double)setting->most &&
           value == floor(value);
}

static bool parse(const struct setting *setting, const char *text, double *value)
{
    char *end;
    *value = 0;
    for (size_t i = 0; setting->form == FORM_WORD && setting->words[i]; i++)
        if (strcmp(text, setting->words[i]) == 0)
            *value = (double)(i + 1);
    if (setting->form == FORM_WORD)
        return *value > 0;
    *value = strtod(text, &end);
    return *end == '\0' && in_range(setting, *value);
}

int settings_load(struct settings *settings, const struct model *model, struct fault *fault)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        const char *text = setting->key ? record_key(&model->record, setting->key) : NULL;
        settings->set[i] = text != NULL;
        if (text && !parse(setting, text, &settings->value[i]))
            return fault_data(fault, "model: %s=%.40s is not a valid value", setting->key, text);
    }
    return 0;
}

/* For people: the fewest digits that give the same number again. */
static const char *shortest(const struct setting *setting, double value, char text[40])
{
    if (setting->form == FORM_WORD || (value == floor(value) && value < 1e15)) {
        print(setting, value, text);
        return text;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static int compare(const struct setting *setting, bool set, double value, const char *text,
                   struct fault *fault)
{
    const char *key = setting->key;
    char mine[40], theirs[40];
    double learnt = 0;
    if (text && !set && setting->form == FORM_FLAG)
        return fault_data(fault, "it was learnt with -%c (%s), this run without: add -%c",
                          setting->letter, setting->what, setting->letter);
    if (text && parse(setting, text, &learnt))
        text = shortest(setting, learnt, theirs);
    if (text && !set)
        return fault_data(fault, "it was learnt with %s=%s, this run without: add -%c %s", key,
                          text, setting->letter, text);
    if (!set || (text && learnt == value))
        return 0;
    shortest(setting, value, mine);
    if (!text)
        return fault_data(fault, "it was learnt without %s, this run has -%c%s%s: omit it, "
                          "or learn into another file", key, setting->letter,
                          setting->form == FORM_FLAG ? "" : " ",
                          setting->form == FORM_FLAG ? "" : mine);
    return fault_data(fault, "it was learnt with %s=%s (-%c), this run has %s: use the same, or "
                      "learn into another file", key, text, setting->letter, mine);
}

int settings_compare(const struct settings *settings, const struct model *model,
                     struct fault *fault)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings_known[i];
        if (setting->key && compare(setting, settings->set[i], settings->value[i],
                                    record_key(&model->record, setting->key), fault) < 0)
            return -1;
    }
    return 0;
}
