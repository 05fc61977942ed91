#include "learn/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "feature/feature_names.h"
#include "feature/steps.h"
#include "learn/learner.h"
#include "model/model.h"
#include "text/print.h"

/* A fault in the current line that quotes the token at p. */
#define wrong(weights, p, ...) \
    lines_wrong(&(weights)->lines, p, text_word_bytes(p), fault, __VA_ARGS__)

void weights_open(struct weights *weights, char *const *files, size_t most, struct watch *watch)
{
    memset(weights, 0, sizeof *weights);
    weights->most = most;
    lines_open(&weights->lines, files, watch);
}

void weights_close(struct weights *weights)
{
    lines_close(&weights->lines);
    buffer_free(&weights->buffer);
    buffer_free(&weights->given);
}

/* Reads a number within the token that begins at `token`: returns its end, or NULL and a fault. */
static const char *read_number(struct weights *weights, const char *token, const char *p,
                               double *value, struct fault *fault)
{
    const char *end = decimal_end(p);
    if (end == p || !text_ends_number(*end)) {
        wrong(weights, token, "not a number, where a weight should be");
        return NULL;
    }
    *value = strtod(p, NULL);
    if (isinf(*value)) {
        wrong(weights, token, "too large for a double");
        return NULL;
    }
    return end;
}

/* Reads an index at p: returns its end, or NULL and a fault. */
static const char *read_index(struct weights *weights, const char *p, uint64_t *index,
                              struct fault *fault)
{
    const char *end = text_skip_digits(p);
    *index = 0;
    for (const char *digit = p; digit < end && *index <= weights->most; digit++)
        *index = 10 * *index + (uint64_t)(*digit - '0');
    if (end == p)
        wrong(weights, p, "not a number, where an index should be");
    else if (*index > weights->most)
        wrong(weights, p, "an index over %zu, the most weights allowed: use a larger -d if that is "
              "meant", weights->most);
    else if (*index == 0)
        wrong(weights, p, "index 0: indices start at 1");
    else
        return end;
    return NULL;
}

static int reach(struct weights *weights, size_t width, struct fault *fault)
{
    size_t dim = weights->dim;
    if (width <= dim)
        return 0;
    double *w = buffer_for(&weights->buffer, width, sizeof *w, fault);
    bool *given = buffer_for(&weights->given, width, sizeof *given, fault);
    if (!w || !given) return -1;
    memset(given + dim, 0, (width - dim) * sizeof *given);
    memset(w + dim, 0, (width - dim) * sizeof *w);
    weights->w = w;
    weights->dim = width;
    return 0;
}

/* Reads the weight of the current line, or its weights, if they have colons. The first of the text
 * tells whether it is such a text at all. */
static int read_line(struct weights *weights, struct fault *fault)
{
    uint64_t index;
    double value;
    bool colon = true; /* of the first pair, and so of all */
    const char *first = text_skip_blanks(weights->lines.text), *p = first;
    const char *end = text_skip_digits(p);
    if (*p && *p != '#' && !weights->dim && (end == p || !(*end == ':' || text_is_blank(*end))))
        return lines_wrong(&weights->lines, p, strlen(p), fault, "not weights: neither index TAB "
                           "weight nor index:weight (rankpipe import reads other programs' "
                           "models)");
    while (*p && *p != '#' && colon) {
        const char *word = p;
        if (!(end = read_index(weights, p, &index, fault))) return -1;
        colon = *end == ':';
        if (!colon && (word != first || !text_is_blank(*end)))
            return wrong(weights, p, "not an index and a weight with a tab or a colon between");
        const char *number = colon ? end + 1 : text_skip_blanks(end);
        end = read_number(weights, colon ? word : number, number, &value, fault);
        if (!end || reach(weights, (size_t)index, fault) < 0) return -1;
        bool *given = weights->given.at;
        if (given[index - 1])
            return wrong(weights, word, "index %" PRIu64 " twice", index);
        given[index - 1] = true;
        weights->w[index - 1] = value;

        p = text_skip_blanks(end);
    }
    return *p && *p != '#' ? wrong(weights, p, "more than an index and a weight") : 0;
}

int weights_read(struct weights *weights, struct fault *fault)
{
    int more;
    while ((more = lines_next(&weights->lines, fault)) > 0)
        if (read_line(weights, fault) < 0) return -1;
    if (more < 0) return -1;
    return weights->dim ? 0 : fault_data(fault, "%s: no weights", weights->lines.name);
}

/* ---- printing ---- */

/* Does each feature keep its name through the steps of made=, but for a base, which comes before
 * them? Others make new ones. */
static bool keeps_names(const char *made)
{
    static const char *const keep[] = { "log", "scale", "rank", "standard:", "range:" };
    size_t i = 0;
    while (made && *made && i < sizeof keep / sizeof *keep)
        if (strncmp(made, keep[i], strlen(keep[i])) == 0) {
            made += strcspn(made, ",");
            made += *made == ',';
            i = 0;
        } else {
            i++;
        }
    return !made || !*made || strcmp(made, STEPS_BASE) == 0;
}

/* The model's own names, or those that a user gave, of which there may be none. */
static int find_names(struct feature_names *names, const struct model *model,
                      const struct feature_names *given, struct fault *fault)
{
    if (!keeps_names(record_key(&model->record, "made")))
        return 0;
    int loaded = feature_names_load(names, model, fault);
    if (loaded != 0)
        return loaded < 0 ? -1 : feature_names_check(given, names->sum, "the model", fault);
    return feature_names_copy(names, given, fault);
}

static void notice(const struct model *model, bool remembers, struct printer *printer)
{
    const char *made = record_key(&model->record, "made");
    if (made)
        (void)fault_other(&printer->notice, "the weights are those of features made by %s, which "
                          "this text does not say: make them in the same way, or rank by score",
                          made);
    else if (remembers)
        (void)fault_other(&printer->notice, "these weights rank documents without answers: what "
                          "memory knows of others is printed by -f boosts");
}

int weights_tsv(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct feature_names names = { 0 };
    struct model model;
    model.record = *record;
    if (model_read(&model, fault) < 0) return -1;
    const struct learner *learner = learner_named(printer->learners, model.learner);
    if (learner && learner->by == BY_MORE)
        return fault_data(fault, "a model of %s ranks by more than weights, but this form holds "
                          "only weights", model.learner);
    if (!model.dim)
        return fault_data(fault, "the model has no weights");
    int result = find_names(&names, &model, &printer->feature_names, fault);
    if (result == 0) {
        struct print print;
        const char *made = record_key(&model.record, "made");
        print_start(&print, printer->out, fault);
        for (size_t j = 0; j < model.dim && print.failed == 0; j++) {
            const char *name = feature_names_made(&names, made, j);
            print_whole(&print, j + 1);
            print_byte(&print, '\t');
            print_double(&print, unaligned_f8((const unsigned char *)model.w + j * sizeof(double)));
            print_word(&print, name ? "\t# " : "");
            print_word(&print, name ? name : "");
            print_byte(&print, '\n');
        }
        result = print_end(&print);
    }
    notice(&model, learner && learner->by == BY_WEIGHTS_AT_FIRST, printer);
    feature_names_close(&names);
    return result;
}
