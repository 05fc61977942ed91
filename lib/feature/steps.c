#include "feature/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "feature/products.h"
#include "feature/scale.h"

const struct step_defaults steps_usual = { .number = 100, .seed = 1, .gamma = 1 };

/* ---- the table ---- */

/* From the features of x to *y, a view of `out`. */
typedef int scale_features(const struct matrix *x, struct rows *out, struct matrix *y,
                           struct fault *fault);

/* From the rows `in`, with *dim features, to `out`. */
typedef int make_features(struct feature_step *step, const struct rows *in, size_t *dim,
                          struct rows *out, struct fault *fault);

static int make_split(struct feature_step *step, const struct rows *in, size_t *dim,
                      struct rows *out, struct fault *fault)
{
    return split_rows(&step->split, in, dim, out, fault);
}

static int make_fourier(struct feature_step *step, const struct rows *in, size_t *dim,
                        struct rows *out, struct fault *fault)
{
    return fourier_rows(&step->fourier, in, dim, out, fault);
}

static int make_products(struct feature_step *step, const struct rows *in, size_t *dim,
                         struct rows *out, struct fault *fault)
{
    (void)step;
    return products_rows(in, dim, out, fault);
}

static const struct step_kind {
    const char *name;
    bool draws; /* takes the parameters number, gamma and seed */
    bool list;  /* what it makes of a document depends on the others */
    scale_features *scale; /* one of these two */
    make_features *make;
} kinds[] = {
    { "scale", false, true, scale_values, NULL },
    { "rank", false, true, scale_ranks, NULL },
    { "split", false, true, NULL, make_split },
    { "fourier", true, false, NULL, make_fourier },
    { "products", false, false, NULL, make_products },
    { NULL, false, false, NULL, NULL },
};

const char *steps_name(size_t i)
{
    return kinds[i].name;
}

bool steps_see_list(const struct steps *steps)
{
    bool list = false;
    for (size_t i = 0; i < steps->number; i++)
        list = list || steps->step[i].kind->list;
    return list;
}

/* ---- words ---- */

static const struct step_kind *find_kind(const char *word, size_t n, struct fault *fault)
{
    struct names names = { 0 };
    char name[41];
    snprintf(name, sizeof name, "%.*s", n < 40 ? (int)n : 40, word);
    for (const struct step_kind *kind = kinds; kind->name; kind++) {
        if (strlen(kind->name) == n && strncmp(kind->name, word, n) == 0)
            return kind;
        names_offer(&names, name, kind->name);
    }
    fault_usage(fault, "no step '%s': %s", name, names_advice(&names));
    return NULL;
}

/* Splits a copy of ":150:0.02:1" into its three numbers: true where there are three. */
static bool part_numbers(char *text, char *number[3])
{
    for (int i = 0; i < 3; i++) {
        if (!text || *text != ':')
            return false;
        *text++ = '\0';
        number[i] = text;
        text = strchr(text, ':');
    }
    return !text;
}

static int read_draw(struct step_defaults *draw, const char *word, size_t n, struct fault *fault)
{
    char copy[ROUND_MADE + 1], *number[3];
    const char *colon = memchr(word, ':', n);
    size_t left = n - (size_t)(colon - word);
    if (left < sizeof copy) {
        memcpy(copy, colon, left);
        copy[left] = '\0';
        if (part_numbers(copy, number) &&
            record_number(number[0], STEPS_NUMBER_MOST, &draw->number) && draw->number > 0 &&
            text_real(number[1], &draw->gamma) && draw->gamma > 0 &&
            record_number(number[2], RECORD_MOST, &draw->seed))
            return 0;
    }
    return fault_usage(fault, "step '%.*s': fourier takes number:gamma:seed, as in "
                       "fourier:100:0.02:1", n < 60 ? (int)n : 60, word);
}

/* Appends a step to the words, its gamma with the fewest digits that give it back. */
static int append_words(struct steps *steps, const struct feature_step *step, struct fault *fault)
{
    char word[100], gamma[40] = "";
    int n = snprintf(word, sizeof word, "%s%s", *steps->words ? STEPS_SEPARATOR : "",
                     step->kind->name);
    for (int digits = 1; digits <= 17 && strtod(gamma, NULL) != step->draw.gamma; digits++)
        snprintf(gamma, sizeof gamma, "%.*g", digits, step->draw.gamma);
    if (step->kind->draws)
        snprintf(word + n, sizeof word - (size_t)n, ":%" PRIu64 ":%s:%" PRIu64, step->draw.number,
                 gamma, step->draw.seed);
    if (strlen(steps->words) + strlen(word) > ROUND_MADE)
        return fault_usage(fault, "these steps take more than %d bytes to name", ROUND_MADE);
    strcat(steps->words, word);
    return 0;
}

/* One step: the n bytes at `word`. */
static int parse_step(struct steps *steps, const char *word, size_t n,
                      const struct step_defaults *defaults, struct fault *fault)
{
    struct feature_step *step = &steps->step[steps->number];
    size_t name = 0;
    while (name < n && word[name] != ':')
        name++;
    if (steps->number == STEPS_MOST)
        return fault_usage(fault, "more than %d steps", STEPS_MOST);
    step->kind = find_kind(word, name, fault);
    if (!step->kind)
        return -1;
    if (name < n && !step->kind->draws)
        return fault_usage(fault, "step '%.*s': %s takes no parameters", n < 60 ? (int)n : 60,
                           word, step->kind->name);
    step->draw = *defaults;
    steps->defaulted = steps->defaulted || (step->kind->draws && name == n);
    if (name < n && read_draw(&step->draw, word, n, fault) < 0)
        return -1;
    steps->number++;
    return append_words(steps, step, fault);
}

int steps_parse(struct steps *steps, const char *list, const struct step_defaults *defaults,
                struct fault *fault)
{
    for (;; list++) {
        size_t n = strcspn(list, STEPS_SEPARATOR);
        if (parse_step(steps, list, n, defaults, fault) < 0)
            return -1;
        list += n;
        if (*list == '\0')
            return 0;
    }
}

/* ---- features ---- */

static int start(struct steps *steps, struct fault *fault)
{
    for (size_t i = 0; i < steps->number; i++) {
        struct feature_step *step = &steps->step[i];
        const struct step_defaults *draw = &step->draw;
        if (step->kind->draws && fourier_start(&step->fourier, (size_t)draw->number, draw->gamma,
                                               draw->seed, fault) < 0)
            return -1;
    }
    steps->started = true;
    return 0;
}

static int change(struct steps *steps, size_t i, const struct matrix *x, struct matrix *y,
                  struct fault *fault)
{
    const struct step_kind *kind = steps->step[i].kind;
    struct rows *out = &steps->out[i % 2];
    size_t dim = x->dim;
    if (kind->scale)
        return kind->scale(x, out, y, fault);
    if (rows_take(&steps->in, x, fault) < 0 ||
        kind->make(&steps->step[i], &steps->in, &dim, out, fault) < 0 ||
        rows_finite(out, "would be", fault) < 0)
        return -1;
    return rows_matrix(out, dim, y, fault);
}

int steps_apply(struct steps *steps, const struct matrix *x, struct matrix *y, struct fault *fault)
{
    struct matrix before = *x;
    if (!steps->started && start(steps, fault) < 0)
        return -1;
    for (size_t i = 0; i < steps->number; i++, before = *y)
        if (change(steps, i, &before, y, fault) < 0)
            return -1;
    return 0;
}

void steps_close(struct steps *steps)
{
    for (size_t i = 0; i < steps->number; i++) {
        split_close(&steps->step[i].split);
        fourier_close(&steps->step[i].fourier);
    }
    rows_close(&steps->in);
    rows_close(&steps->out[0]);
    rows_close(&steps->out[1]);
}
