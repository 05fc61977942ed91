#include "feature/steps.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "feature/scale.h"
#include "loss/dcg.h"
#include "math/real.h"

/* The step base: a feature of the place that a search engine gave each document, for learners that
 * begin with its order. With D(p) = 1 / log2(1 + p), as DCG discounts place p, and m documents,
 *
 *     g(p) = (D(p) - D(m)) / (D(1) - D(m)),  m = 1: 0
 *
 * falls from 1 to 0, and most where users look. */

/* g of each document, or NULL with a fault. */
static const float *find_feature(struct base_rank *my, const uint32_t *base, size_t m,
                                 struct fault *fault)
{
    double *D = buffer_for(&my->discount, m, sizeof *D, fault);
    for (; D && my->known < m; my->known++)
        D[my->known] = dcg_discount(my->known);
    float *g = buffer_for(&my->feature, m, sizeof *g, fault);
    if (!D || !g)
        return NULL;
    for (size_t a = 0; a < m; a++)
        g[base[a]] = m > 1 ? (float)((D[a] - D[m - 1]) / (D[0] - D[m - 1])) : 0;
    return g;
}

static int insert_sparse(const float *g, const struct rows *in, size_t dim, struct rows *out,
                         struct matrix *y, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    if (rows_start(out, (uint64_t)dim + 1, (uint64_t)in->docs + in->entries, fault) < 0) return -1;
    for (size_t i = 0; i < in->docs; i++) {
        if (rows_document(out, ptr[i + 1] - ptr[i] + 1, fault) < 0) return -1;
        if (g[i] > 0)
            rows_feature(out, 0, g[i]);
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, idx[e] + 1, val[e]);
    }
    return rows_matrix(out, dim + 1, y, fault);
}

/* Points *y at the features of x, which is not MATRIX_UNIT, in a view of `out`: feature 1 is
 * that of base[docs], a permutation of the documents, first to last, and feature j of x is j + 1.
 * `in` is space that may be used. 0 or a fault (memory, or too many features). O(features). */
static int base_rank_insert(struct base_rank *my, const uint32_t *base, const struct matrix *x,
                            struct rows *in, struct rows *out, struct matrix *y,
                            struct fault *fault)
{
    const float *g = find_feature(my, base, x->docs, fault);
    if (!g) return -1;
    if (x->kind == MATRIX_DENSE) {
        /* The sums of dense features, where they are known, move with them. */
        size_t m = x->docs, d = x->dim + 1;
        if (rows_start(out, d, (uint64_t)m * d, fault) < 0) return -1;
        float *made = buffer_for(&out->dense, m * d, sizeof *made, fault);
        double *sum = buffer_for(&out->ranges, d, sizeof *sum, fault);
        if (!made || !sum) return -1;
        sum[0] = 0;
        for (size_t i = 0; i < m; i++) {
            made[i * d] = g[i];
            memcpy(made + i * d + 1, x->x + i * x->dim * sizeof *made, x->dim * sizeof *made);
            sum[0] += (double)g[i];
        }
        if (x->sum)
            memcpy(sum + 1, x->sum, x->dim * sizeof *sum);
        *y = (struct matrix){ .kind = MATRIX_DENSE, .docs = m, .dim = d,
                              .x = (const unsigned char *)made, .sum = x->sum ? sum : NULL };
        return 0;
    }
    return rows_take(in, x, fault) < 0 ? -1 : insert_sparse(g, in, x->dim, out, y, fault);
}

/* ---- what steps make ---- */

/* Writes into `out` what the step makes of `in`, which has *dim features; *dim is then the number
 * of the new ones. 0, or a fault where those are more than rows_start allows. */
typedef int make_features(struct feature_step *step, const struct rows *in, size_t *dim,
                          struct rows *out, struct fault *fault);

/* sign(v) ln(1 + |v|), for features with long tails. With u = 1 + |v| as rounded, ln u is
 * multiplied by |v| / (u - 1): so small values keep their digits (Goldberg, Computing Surveys 23,
 * 1991, theorem 4). */
static float logarithm(float value)
{
    double size = value < 0 ? -(double)value : (double)value, u = 1 + size;
    double log = u > 1 ? real_log(u) * (size / (u - 1)) : size;
    return (float)(value < 0 ? -log : log);
}

static int make_log(struct feature_step *step, const struct rows *in, size_t *dim,
                    struct rows *out, struct fault *fault)
{
    (void)step;
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    if (rows_finite(in, "is", fault) < 0 || rows_start(out, *dim, in->entries, fault) < 0)
        return -1;
    for (size_t i = 0; i < in->docs; i++) {
        if (rows_document(out, ptr[i + 1] - ptr[i], fault) < 0) return -1;
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, idx[e], logarithm(val[e]));
    }
    return 0;
}

/* ---- the table ---- */

/* From the features of x to *y, a view of `out`. */
typedef int scale_features(const struct matrix *x, struct rows *out, struct matrix *y,
                           struct fault *fault);

/* The same by constants. */
typedef int scale_by_constants(struct constants *constants, const struct matrix *x,
                               struct rows *out, struct matrix *y, struct fault *fault);

static int scale_standard(struct constants *constants, const struct matrix *x, struct rows *out,
                          struct matrix *y, struct fault *fault)
{
    return constants_scale(constants, false, x, out, y, fault);
}

static int scale_range(struct constants *constants, const struct matrix *x, struct rows *out,
                       struct matrix *y, struct fault *fault)
{
    return constants_scale(constants, true, x, out, y, fault);
}

static const struct step_kind {
    const char *name;
    bool list;  /* what it makes of a document depends on the others */
    scale_features *scale; /* one of these three, or base */
    make_features *make;
    scale_by_constants *constants; /* takes the file of constants, or their checksum */
} kinds[] = {
    { "scale", true, scale_values, NULL, NULL },
    { "rank", true, scale_ranks, NULL, NULL },
    { "standard", false, NULL, NULL, scale_standard },
    { "range", false, NULL, NULL, scale_range },
    { "log", false, NULL, make_log, NULL },
    { STEPS_BASE, true, NULL, NULL, NULL }, /* as change() makes it */
    { NULL, false, NULL, NULL, NULL },
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

bool steps_end_in_base(const char *words)
{
    size_t n = strlen(words), base = sizeof STEPS_BASE - 1;
    return n >= base && strcmp(words + n - base, STEPS_BASE) == 0 &&
           (n == base || words[n - base - 1] == *STEPS_SEPARATOR);
}

/* ---- words ---- */

const char *steps_gone(const char *words)
{
    static const char *const gone[] = { "fourier", "split", "products", NULL };
    for (;; words++) {
        size_t n = strcspn(words, STEPS_SEPARATOR ":");
        for (const char *const *name = gone; *name; name++)
            if (strlen(*name) == n && strncmp(*name, words, n) == 0)
                return *name;
        words += strcspn(words, STEPS_SEPARATOR);
        if (*words == '\0')
            return NULL;
    }
}

/* `before`: the step before it, which may have lost the end of its path; or NULL. */
static const struct step_kind *find_kind(const char *word, size_t n,
                                         const struct feature_step *before, struct fault *fault)
{
    struct names names = { 0 };
    char name[41];
    snprintf(name, sizeof name, "%.*s", n < 40 ? (int)n : 40, word);
    for (const struct step_kind *kind = kinds; kind->name; kind++) {
        if (strlen(kind->name) == n && strncmp(kind->name, word, n) == 0)
            return kind;
        names_offer(&names, name, kind->name);
    }
    if (steps_gone(name))
        fault_usage(fault, "no step '%s': version 0.4.0 was the last that has it", name);
    else if (before && before->path)
        fault_usage(fault, "no step '%s': a file that %s names cannot have a comma or a colon in "
                    "its path, which separate steps: rename the file, or link it by ln -s", name,
                    before->kind->name);
    else
        fault_usage(fault, "no step '%s': %s", name, names_advice(&names));
    return NULL;
}

/* The n bytes after standard: or range:, a path; of made=, a checksum. */
static int read_file(struct feature_step *step, const char *path, size_t n, struct fault *fault)
{
    const char *name = step->kind->name;
    step->path = path;
    step->path_bytes = n;
    if (n == 0)
        return fault_usage(fault, "step '%s': it needs the file of constants that bin2txt -f "
                           "scales prints, as in %s:scales.txt", name, name);
    if (memchr(path, ':', n))
        return fault_usage(fault, "step '%s:%.*s': the path has a colon, which separates "
                           "parameters: rename the file, or link it by ln -s", name,
                           n < 60 ? (int)n : 60, path);
    if (n == 1 && *path == '-')
        return fault_usage(fault, "step '%s:-': standard input has the rounds: name a file", name);
    return 0;
}

/* Writes the words, which are complete once the constants have come. */
static int write_words(struct steps *steps, struct fault *fault)
{
    char parameters[100];
    size_t used = 0;
    for (size_t i = 0; i < steps->number; i++) {
        const struct feature_step *step = &steps->step[i];
        char sum[CONSTANTS_SUM + 1];
        *parameters = '\0';
        if (step->kind->constants) {
            constants_sum(&steps->constants, sum);
            snprintf(parameters, 100, ":%s", sum);
        }

        used += (size_t)snprintf(steps->words + used, sizeof steps->words - used, "%s%s%s",
                                 i ? STEPS_SEPARATOR : "", step->kind->name, parameters);
        if (used > ROUND_MADE)
            return fault_usage(fault, "these steps take more than %d bytes to name", ROUND_MADE);
    }
    return 0;
}

int steps_parse(struct steps *steps, const char *list, struct fault *fault)
{
    for (;; list++) {
        size_t n = strcspn(list, STEPS_SEPARATOR);

        struct feature_step *step = &steps->step[steps->number];
        size_t name = 0;
        while (name < n && list[name] != ':')
            name++;
        if (steps->number == STEPS_MOST)
            return fault_usage(fault, "more than %d steps", STEPS_MOST);
        step->kind = find_kind(list, name, steps->number ? step - 1 : NULL, fault);
        if (!step->kind) return -1;
        if (name < n && !step->kind->constants)
            return fault_usage(fault, "step '%.*s': %s takes no parameters", n < 60 ? (int)n : 60,
                               list, step->kind->name);
        for (size_t i = 0; step->kind->constants && i < steps->number; i++)
            if (steps->step[i].kind->constants)
                return fault_usage(fault, "two steps have constants: only one of standard and "
                                   "range is allowed");
        if (step->kind->constants &&
            read_file(step, list + name + (name < n), n - name - (name < n), fault) < 0)
            return -1;
        steps->number++;

        list += n;
        if (*list == '\0')
            return write_words(steps, fault);
    }
}

int steps_parse_made(struct steps *steps, const char *made, struct fault *fault)
{
    if (steps_parse(steps, made, fault) < 0) return -1;
    for (size_t i = 0; i < steps->number; i++)
        steps->step[i].path = NULL; /* it was a checksum */
    strcpy(steps->words, made);
    return 0;
}

/* ---- constants ---- */

/* The step that has some, or NULL. */
static struct feature_step *with_constants(struct steps *steps)
{
    for (size_t i = 0; i < steps->number; i++)
        if (steps->step[i].kind->constants)
            return &steps->step[i];
    return NULL;
}

bool steps_lack(const struct steps *steps)
{
    return with_constants((struct steps *)steps) && steps->constants.features == 0;
}

int steps_open(struct steps *steps, struct watch *watch, struct fault *fault)
{
    char path[4096];
    const struct feature_step *step = with_constants(steps);
    if (!step || !step->path)
        return 0;
    if (step->path_bytes >= sizeof path)
        return fault_usage(fault, "step %s: the path is too long", step->kind->name);
    memcpy(path, step->path, step->path_bytes);
    path[step->path_bytes] = '\0';
    if (constants_read(&steps->constants, path, watch, fault) < 0) return -1;
    return write_words(steps, fault);
}

int steps_give(struct steps *steps, const struct constants *constants, struct fault *fault)
{
    char sum[CONSTANTS_SUM + 1];
    if (!with_constants(steps))
        return 0;
    constants_sum(constants, sum);
    if (!strstr(steps->words, sum))
        return fault_data(fault, "model: its constants have the checksum %s, but made=%s: the "
                          "model is damaged", sum, steps->words);
    return constants_copy(&steps->constants, constants, fault);
}

int steps_follow(const struct steps *steps, const char *made, struct fault *fault)
{
    char before[2 * ROUND_MADE + 2];
    const struct feature_step *step = with_constants((struct steps *)steps);
    if (!step || !step->path)
        return 0;
    const char *own = strstr(steps->words, step->kind->name); /* no other name has it as a part */
    int n = own > steps->words ? (int)(own - steps->words) - 1 : 0;
    snprintf(before, sizeof before, "%s%s%.*s", made ? made : "", made && n ? STEPS_SEPARATOR : "",
             n, steps->words);
    if (strcmp(before, steps->constants.made) == 0)
        return 0;
    return fault_data(fault, "%.*s has the scales of %s%s, but the features to scale are %s%s: "
                      "print scales of rounds with those", (int)step->path_bytes, step->path,
                      steps->constants.made[0] ? "features made by " : "raw features",
                      steps->constants.made, *before ? "made by " : "raw", before);
}

/* ---- features ---- */

static int change(struct steps *steps, size_t i, const struct matrix *x, const uint32_t *base,
                  struct matrix *y, struct fault *fault)
{
    const struct step_kind *kind = steps->step[i].kind;
    struct rows *out = &steps->out[i % 2];
    size_t dim = x->dim;
    if (strcmp(kind->name, STEPS_BASE) == 0) {
        if (!base)
            return fault_data(fault, "the step base needs the column base, the order of the search "
                              "engine: give documents in that order to svm2bin -e, log2bin -e or "
                              "serve -e");
        return base_rank_insert(&steps->step[i].base_rank, base, x, &steps->in, &steps->out[i % 2],
                                y, fault);
    }
    if (kind->scale)
        return kind->scale(x, out, y, fault);
    if (kind->constants)
        return kind->constants(&steps->constants, x, out, y, fault);
    if (rows_take(&steps->in, x, fault) < 0 ||
        kind->make(&steps->step[i], &steps->in, &dim, out, fault) < 0 ||
        rows_finite(out, "would be", fault) < 0)
        return -1;
    return rows_matrix(out, dim, y, fault);
}

int steps_apply(struct steps *steps, const struct matrix *x, const uint32_t *base,
                struct matrix *y, struct fault *fault)
{
    struct matrix before = *x;
    for (size_t i = 0; i < steps->number; i++, before = *y)
        if (change(steps, i, &before, base, y, fault) < 0) return -1;
    return 0;
}

void steps_close(struct steps *steps)
{
    for (size_t i = 0; i < steps->number; i++) {
        buffer_free(&steps->step[i].base_rank.discount);
        buffer_free(&steps->step[i].base_rank.feature);
    }
    constants_close(&steps->constants);
    rows_close(&steps->in);
    rows_close(&steps->out[0]);
    rows_close(&steps->out[1]);
}
