#include "feature/feature_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/name_table.h"
#include "base/siphash.h"
#include "base/text.h"
#include "feature/steps.h"
#include "io/lines.h"
#include "stream/record.h"

static const char COLUMN[] = "names";

void feature_names_close(struct feature_names *names)
{
    buffer_free(&names->at);
    buffer_free(&names->text);
    *names = (struct feature_names){ .features = 0 };
}

static int append_name(struct feature_names *names, const char *name, size_t n, struct fault *fault)
{
    size_t *at = buffer_for(&names->at, names->features + 1, sizeof *at, fault);
    char *text = buffer_for(&names->text, names->bytes + n + 1, 1, fault);
    if (!at || !text) return -1;
    at[names->features++] = names->bytes;
    memcpy(text + names->bytes, name, n);
    names->bytes += n;
    text[names->bytes++] = '\0';
    return 0;
}

/* The number of a list that tells it from others. */
static void set_sum(struct feature_names *names)
{
    struct siphash hash = siphash_start(0, 0);
    siphash_add(&hash, names->text.at, names->bytes);
    snprintf(names->sum, sizeof names->sum, "%016" PRIx64, siphash_end(&hash));
}

/* One word of ASCII. */
static bool is_word(const char *name, size_t n)
{
    bool word = n > 0 && n <= FEATURE_NAME;
    for (size_t i = 0; word && i < n; i++)
        word = name[i] > ' ' && name[i] < 127;
    return word;
}

/* ---- text ---- */

struct list {
    struct lines lines;
    struct name_table set;
    bool numbered;
    uint64_t first; /* number of the first feature: 0 or 1 */
};

#define wrong(list, p, ...) lines_wrong(&(list)->lines, p, text_word_bytes(p), fault, __VA_ARGS__)

/* The word after the name may be its type in a feature map of xgboost. */
static bool is_type(const char *p)
{
    static const char *const types[] = { "q", "i", "int", "float", NULL };
    size_t n = text_name_bytes(p);
    for (size_t i = 0; types[i]; i++)
        if (strlen(types[i]) == n && strncmp(types[i], p, n) == 0)
            return true;
    return false;
}

/* Skips the number of a feature at p: returns where its name begins, or NULL and a fault. */
static const char *check_number(struct list *list, const char *p, size_t feature,
                                struct fault *fault)
{
    char own[TEXT_DIGITS];
    const char *end = text_skip_digits(p), *number;
    if (feature == 0)
        list->first = end == p + 1 && *p == '0' ? 0 : 1;
    number = text_from_number(own, feature + list->first);
    if ((size_t)(end - p) != strlen(number) || strncmp(p, number, strlen(number)) != 0 ||
        (!text_is_blank(*end) && *end != ':')) {
        wrong(list, p, "'%s' and a name should come here: number the names in their order", number);
        return NULL;
    }
    return text_skip_blanks(end + (*end == ':'));
}

static int read_list(struct feature_names *names, struct list *list, struct fault *fault)
{
    int more;
    while ((more = lines_next(&list->lines, fault)) > 0) {
        const char *p = text_skip_blanks(list->lines.text);
        if (*p && *p != '#') {
            size_t i = names->features, digits = (size_t)(text_skip_digits(p) - p);
            if (i == 0)
                list->numbered = digits > 0 && (text_is_blank(p[digits]) || p[digits] == ':');
            if (list->numbered && !(p = check_number(list, p, i, fault))) return -1;
            size_t n = text_word_bytes(p);
            const char *rest = text_skip_blanks(p + n);
            if (!is_word(p, n))
                return wrong(list, p, "not a name: a word of up to %d letters, digits and signs of "
                             "ASCII", FEATURE_NAME);
            if (*rest && *rest != '#' && !(list->numbered && is_type(rest)))
                return wrong(list, rest, "more than a number and a name: names have no blanks");
            if (i == FEATURE_NAMES_MOST)
                return wrong(list, p, "more than %zu names", FEATURE_NAMES_MOST);
            int fresh = name_table_enter(&list->set, p, n, fault);
            if (fresh == 0)
                return wrong(list, p, "two features have this name");
            if ((fresh < 0 ? -1 : append_name(names, p, n, fault)) < 0)
                return -1;
        }
    }
    if (more < 0) return -1;
    if (names->features == 0)
        return fault_data(fault, "%s: no names: write a line 'number name' for each feature",
                          list->lines.name);
    set_sum(names);
    return 0;
}

int feature_names_read(struct feature_names *names, const char *path, struct watch *watch,
                       struct fault *fault)
{
    char *files[] = { (char *)path, NULL };
    struct list list = { .numbered = false };
    if (strcmp(path, "-") == 0)
        return fault_usage(fault, "-y wants a file: standard input has other data");
    lines_open(&list.lines, files, watch);
    int result = read_list(names, &list, fault);
    lines_close(&list.lines);
    name_table_close(&list.set);
    return result;
}

/* ---- models ---- */

int feature_names_load(struct feature_names *names, const struct model *model, struct fault *fault)
{
    const struct column *column = record_column(&model->record, COLUMN);
    const char *named = record_key(&model->record, FEATURE_NAMES_KEY);
    if (!column)
        return 0;
    const char *p = column->data;
    size_t left = column_bytes(column);
    while (left > 0) {
        const char *end = memchr(p, '\0', left);
        if (!end || column->type != COLUMN_U1 || !is_word(p, (size_t)(end - p)))
            return fault_data(fault, "model: column %s does not hold names of features: the model "
                              "is damaged", COLUMN);
        if (append_name(names, p, (size_t)(end - p), fault) < 0) return -1;
        left -= (size_t)(end + 1 - p);
        p = end + 1;
    }
    set_sum(names);
    return feature_names_check(names, named, "the model", fault) < 0 ? -1 : 1;
}

int feature_names_save(const struct feature_names *names, struct model *model, struct fault *fault)
{
    if (names->features == 0)
        return 0;
    if (model_set(model, FEATURE_NAMES_KEY, names->sum, fault) < 0) return -1;
    return record_put(&model->record, COLUMN, COLUMN_U1, names->bytes, names->text.at, fault);
}

int feature_names_copy(struct feature_names *to, const struct feature_names *from,
                       struct fault *fault)
{
    feature_names_close(to);
    for (size_t i = 0; i < from->features; i++) {
        const char *name = feature_names_of(from, i);
        if (append_name(to, name, strlen(name), fault) < 0) return -1;
    }
    strcpy(to->sum, from->sum);
    return 0;
}

const char *feature_names_of(const struct feature_names *names, size_t feature)
{
    if (feature >= names->features)
        return NULL;
    return (const char *)names->text.at + ((const size_t *)names->at.at)[feature];
}

const char *feature_names_made(const struct feature_names *names, const char *made,
                               size_t feature)
{
    bool based = made && steps_end_in_base(made);
    return based && feature == 0 ? STEPS_BASE : feature_names_of(names, feature - based);
}

int feature_names_check(const struct feature_names *names, const char *named, const char *whose,
                        struct fault *fault)
{
    if (!named || !*names->sum || strcmp(named, names->sum) == 0)
        return 0;
    return fault_data(fault, "%s has features with other names (" FEATURE_NAMES_KEY "=%.40s) than "
                      "these (%s)", whose, named, names->sum);
}
