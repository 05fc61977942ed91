#include "feature/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/system.h"
#include "base/decimal.h"
#include "feature/scale.h"
#include "math/real.h"
#include "math/rng.h"

static const double PI = 0x1.921fb54442d18p+1;

void fourier_close(struct fourier *fourier)
{
    buffer_free(&fourier->slot);
    buffer_free(&fourier->omega);
    buffer_free(&fourier->shift);
    buffer_free(&fourier->turns);
}

int fourier_start(struct fourier *fourier, size_t number, double gamma, uint64_t seed,
                  struct fault *fault)
{
    struct rng rng = rng_at(seed, RNG_FOURIER, 0);
    struct siphash random = entropy_siphash();
    double *shift = buffer_for(&fourier->shift, number, sizeof *shift, fault);
    if (!shift || !buffer_for(&fourier->turns, number, sizeof(double), fault)) return -1;
    for (size_t i = 0; i < number; i++)
        shift[i] = rng_unit(&rng);
    fourier->number = number;
    fourier->seed = seed;
    fourier->factor = siphash_end(&random) | 1;
    fourier->scale = sqrt(gamma / 2) / PI; /* sqrt(2 gamma) / (2 pi) */
    return 0;
}

/* Where the frequencies of a feature are: a slot of a hash table. So memory grows with the
 * different features that came, not with their largest index. */
struct slot {
    uint32_t feature, row; /* of omega, from 1; 0: the slot is empty */
};

/* The slot of a feature, or the empty one where it goes. */
static struct slot *find_slot(const struct fourier *fourier, struct slot *slot, size_t slots,
                         uint32_t feature)
{
    size_t at = (size_t)((feature * fourier->factor) >> 32) & (slots - 1);
    while (slot[at].row && slot[at].feature != feature)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

/* Doubles the number of slots. */
static int widen(struct fourier *fourier, struct fault *fault)
{
    struct buffer wider = { 0 };
    const struct slot *old = fourier->slot.at;
    size_t slots = fourier->slots ? 2 * fourier->slots : 64;
    struct slot *slot = buffer_for(&wider, slots, sizeof *slot, fault);
    if (!slot) return -1;
    memset(slot, 0, slots * sizeof *slot);
    for (size_t at = 0; at < fourier->slots; at++)
        if (old[at].row)
            *find_slot(fourier, slot, slots, old[at].feature) = old[at];
    buffer_free(&fourier->slot);
    fourier->slot = wider;
    fourier->slots = slots;
    return 0;
}

/* Draws the frequencies of a feature that comes for the first time, from (seed, j + 1), one after
 * the other: with a larger D, the first ones stay the same. */
static int draw_frequencies(struct fourier *fourier, uint32_t feature, struct fault *fault)
{
    size_t number = fourier->number;
    struct normals normals = {
        .rng = rng_at(fourier->seed, RNG_FOURIER, (uint64_t)feature + 1)
    };
    if (2 * (fourier->known + 1) > fourier->slots && widen(fourier, fault) < 0) return -1;
    double *omega = buffer_for(&fourier->omega, (fourier->known + 1) * number, sizeof *omega,
                               fault);
    if (!omega) return -1;
    for (size_t i = 0; i < number; i++)
        omega[fourier->known * number + i] = fourier->scale * normal_draw(&normals);
    *find_slot(fourier, fourier->slot.at, fourier->slots, feature) =
        (struct slot){ feature, (uint32_t)++fourier->known };
    return 0;
}

static bool is_known(const struct fourier *fourier, uint32_t feature)
{
    return fourier->slots && find_slot(fourier, fourier->slot.at, fourier->slots, feature)->row;
}

/* Forgets the frequencies of all features, which are the same when they are drawn again. */
static void forget(struct fourier *fourier)
{
    memset(fourier->slot.at, 0, fourier->slots * sizeof(struct slot));
    fourier->known = 0;
}

/* Draws frequencies for all features of these rows that have none. Where there is no room for them,
 * those of queries before go. */
static int draw_new(struct fourier *fourier, const struct rows *rows, struct fault *fault)
{
    const uint32_t *idx = rows->idx.at;
    bool alone = fourier->known == 0;
    for (size_t e = 0; e < rows->entries; e++) {
        if (is_known(fourier, idx[e]))
            continue;
        if (fourier->known + 1 <= FOURIER_MOST / fourier->number) {
            if (draw_frequencies(fourier, idx[e], fault) < 0) return -1;
            continue;
        }
        if (alone)
            return fault_data(fault, "making %zu new features from more than %zu features of one "
                              "query needs more than %" PRIu64 " frequencies: use a smaller -D",
                              fourier->number, fourier->known, FOURIER_MOST);
        forget(fourier);
        alone = true;
        e = SIZE_MAX; /* again from the first one */
    }
    return 0;
}

/* The frequencies of a feature. */
static const double *find_omega(const struct fourier *fourier, uint32_t feature)
{
    size_t row = find_slot(fourier, fourier->slot.at, fourier->slots, feature)->row - 1;
    return (const double *)fourier->omega.at + row * fourier->number;
}

/* The arguments of the cosines, in turns, of a document with k features. */
static const double *find_turns(struct fourier *fourier, const uint32_t *idx, const float *val,
                                size_t k)
{
    double *restrict turns = fourier->turns.at;
    const size_t number = fourier->number;
    memcpy(turns, fourier->shift.at, number * sizeof *turns);
    for (size_t e = 0; e < k; e++) {
        const double *restrict omega = find_omega(fourier, idx[e]);
        const double x = val[e];
        for (size_t i = 0; i < number; i++)
            turns[i] += x * omega[i];
    }
    return turns;
}

int fourier_rows(struct fourier *fourier, const struct rows *in, size_t *dim, struct rows *out,
                 struct fault *fault)
{
    size_t number = fourier->number;
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    double high = sqrt(2 / (double)number);
    uint64_t all = (uint64_t)in->docs * number + in->entries;
    if (rows_start(out, (uint64_t)*dim + number, all, fault) < 0 ||
        draw_new(fourier, in, fault) < 0)
        return -1;
    for (size_t i = 0; i < in->docs; i++) {
        size_t k = ptr[i + 1] - ptr[i];
        if (rows_document(out, number + k, fault) < 0) return -1;
        const double *turns = find_turns(fourier, idx + ptr[i], val + ptr[i], k);
        for (size_t f = 0; f < number; f++)
            rows_feature(out, (uint32_t)f, (float)(high * real_cos_turns(turns[f])));
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, (uint32_t)(number + idx[e]), val[e]);
    }
    *dim += number;
    return 0;
}

const struct step_defaults steps_usual = { .number = 100, .seed = 1, .gamma = 1 };

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

/* How many of row[k] are not in used[n]; both rise. */
static size_t count_fresh(const uint32_t *used, size_t n, const uint32_t *row, size_t k)
{
    size_t fresh = 0;
    for (size_t a = 0, b = 0; b < k; b++) {
        while (a < n && used[a] < row[b])
            a++;
        fresh += a == n || used[a] != row[b];
    }
    return fresh;
}

/* Merges row[k] into used[n], from the back; `fresh` of them are new. */
static void merge_used(uint32_t *used, size_t n, const uint32_t *row, size_t k, size_t fresh)
{
    for (size_t at = n + fresh; k > 0; at--) {
        bool later = n > 0 && used[n - 1] > row[k - 1];
        bool both = n > 0 && used[n - 1] == row[k - 1];
        used[at - 1] = later ? used[n - 1] : row[k - 1];
        n -= later || both;
        k -= !later;
    }
}

/* The features that any document lists, and their number in *n. After each document rows_start
 * checks whether they are too many, so merging takes no longer than writing would. */
static const uint32_t *find_used(struct split *split, const struct rows *in, size_t dim, size_t *n,
                                 struct rows *out, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    uint32_t *used = buffer_for(&split->used, 0, sizeof *used, fault);
    *n = 0;
    for (size_t i = 0; used && i < in->docs; i++) {
        size_t k = ptr[i + 1] - ptr[i], fresh = count_fresh(used, *n, idx + ptr[i], k);
        if (fresh == 0)
            continue;
        if (rows_start(out, 2 * (uint64_t)dim, 2 * (uint64_t)in->docs * (*n + fresh), fault) < 0)
            return NULL;
        used = buffer_for(&split->used, *n + fresh, sizeof *used, fault);
        if (used)
            merge_used(used, *n, idx + ptr[i], k, fresh);
        *n += fresh;
    }
    return used;
}

static const double *find_means(struct split *split, const struct rows *in, const uint32_t *used,
                                size_t n, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    double *mean = buffer_for(&split->mean, n, sizeof *mean, fault);
    if (!mean)
        return NULL;
    memset(mean, 0, n * sizeof *mean);
    for (size_t i = 0; i < in->docs; i++) {
        for (size_t e = ptr[i], u = 0; e < ptr[i + 1]; e++) {
            while (used[u] != idx[e])
                u++;
            mean[u] += (double)val[e];
        }
    }
    for (size_t u = 0; u < n; u++)
        mean[u] /= (double)in->docs;
    return mean;
}

/* Writes at 2j feature j minus its mean over all documents, and at 2j + 1 that mean. Sums go by
 * documents in their order; a feature that is not listed is 0. */
static int make_split(struct feature_step *step, const struct rows *in, size_t *dim,
                      struct rows *out, struct fault *fault)
{
    struct split *split = &step->split;
    size_t n;
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    if (rows_start(out, 2 * (uint64_t)*dim, 0, fault) < 0) return -1;
    const uint32_t *used = find_used(split, in, *dim, &n, out, fault);
    const double *mean = used ? find_means(split, in, used, n, fault) : NULL;
    if (!mean) return -1;
    for (size_t i = 0; i < in->docs; i++) {
        if (rows_document(out, 2 * n, fault) < 0) return -1;
        uint32_t *to;
        float *value;
        rows_place(out, &to, &value);
        for (size_t u = 0, e = ptr[i]; u < n; u++, to += 2, value += 2) {
            double x = e < ptr[i + 1] && idx[e] == used[u] ? (double)val[e++] : 0;
            to[0] = 2 * used[u];
            to[1] = 2 * used[u] + 1;
            value[0] = (float)(x - mean[u]);
            value[1] = (float)mean[u];
        }
        rows_placed(out, to);
    }
    *dim *= 2;
    return 0;
}

/* The number of features and products of k features. */
static uint64_t count_products(uint64_t k)
{
    return k * (k + 3) / 2;
}

static void put_products(struct rows *out, const uint32_t *idx, const float *val, size_t k)
{
    for (size_t b = 0; b < k; b++) {
        uint64_t j = (uint64_t)idx[b] + 1, at = j * (j + 1) / 2 - 1;
        rows_feature(out, (uint32_t)at, val[b]);
        for (size_t a = 0; a <= b; a++)
            rows_feature(out, (uint32_t)(at + idx[a] + 1), (float)((double)val[a] * val[b]));
    }
}

/* With x_0 = 1 and the features x_1, x_2 ..., the product of i <= j is at j (j + 1) / 2 + i - 1,
 * which does not depend on the number of features. */
static int make_products(struct feature_step *step, const struct rows *in, size_t *dim,
                         struct rows *out, struct fault *fault)
{
    (void)step;
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    uint64_t all = 0;
    for (size_t i = 0; i < in->docs; i++)
        all += count_products(ptr[i + 1] - ptr[i]);
    if (rows_start(out, count_products(*dim), all, fault) < 0) return -1;
    for (size_t i = 0; i < in->docs; i++) {
        size_t k = ptr[i + 1] - ptr[i];
        if (rows_document(out, (size_t)count_products(k), fault) < 0) return -1;
        put_products(out, idx + ptr[i], val + ptr[i], k);
    }
    *dim = (size_t)count_products(*dim);
    return 0;
}

/* ---- the table ---- */

/* From the features of x to *y, a view of `out`. */
typedef int scale_features(const struct matrix *x, struct rows *out, struct matrix *y,
                           struct fault *fault);

/* The same by constants. */
typedef int scale_by_constants(struct constants *constants, const struct matrix *x,
                               struct rows *out, struct matrix *y, struct fault *fault);

static int make_fourier(struct feature_step *step, const struct rows *in, size_t *dim,
                        struct rows *out, struct fault *fault)
{
    return fourier_rows(&step->fourier, in, dim, out, fault);
}

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
    bool draws; /* takes the parameters number, gamma and seed */
    bool list;  /* what it makes of a document depends on the others */
    scale_features *scale; /* one of these three, or base */
    make_features *make;
    scale_by_constants *constants; /* takes the file of constants, or their checksum */
    bool keeps; /* makes feature j of feature j alone, or, as base, j + 1 */
} kinds[] = {
    { "scale", false, true, scale_values, NULL, NULL, true },
    { "rank", false, true, scale_ranks, NULL, NULL, true },
    { "standard", false, false, NULL, NULL, scale_standard, true },
    { "range", false, false, NULL, NULL, scale_range, true },
    { "log", false, false, NULL, make_log, NULL, true },
    { "split", false, true, NULL, make_split, NULL, false },
    { "fourier", true, false, NULL, make_fourier, NULL, false },
    { "products", false, false, NULL, make_products, NULL, false },
    { STEPS_BASE, false, true, NULL, NULL, NULL, true }, /* as change() makes it */
    { NULL, false, false, NULL, NULL, NULL, false },
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

bool steps_keep_features(const struct steps *steps)
{
    bool keep = true;
    for (size_t i = 0; i < steps->number; i++)
        keep = keep && steps->step[i].kind->keeps;
    return keep;
}

bool steps_end_in_base(const char *words)
{
    size_t n = strlen(words), base = sizeof STEPS_BASE - 1;
    return n >= base && strcmp(words + n - base, STEPS_BASE) == 0 &&
           (n == base || words[n - base - 1] == *STEPS_SEPARATOR);
}

/* ---- words ---- */

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
    if (before && before->path)
        fault_usage(fault, "no step '%s': a file that %s names cannot have a comma or a colon in "
                    "its path, which separate steps: rename the file, or link it by ln -s", name,
                    before->kind->name);
    else
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
            decimal_double(number[1], &draw->gamma) && draw->gamma > 0 &&
            record_number(number[2], RECORD_MOST, &draw->seed))
            return 0;
    }
    return fault_usage(fault, "step '%.*s': fourier takes number:gamma:seed, as in "
                       "fourier:100:0.02:1", n < 60 ? (int)n : 60, word);
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

/* What follows the name in the word of a step, its gamma with the fewest digits that give it
 * back. */
static void print_parameters(const struct steps *steps, const struct feature_step *step,
                             char parameters[100])
{
    char gamma[40] = "", sum[CONSTANTS_SUM + 1];
    *parameters = '\0';
    for (int digits = 1; digits <= 17 && strtod(gamma, NULL) != step->draw.gamma; digits++)
        snprintf(gamma, sizeof gamma, "%.*g", digits, step->draw.gamma);
    if (step->kind->draws)
        snprintf(parameters, 100, ":%" PRIu64 ":%s:%" PRIu64, step->draw.number, gamma,
                 step->draw.seed);
    if (step->kind->constants) {
        constants_sum(&steps->constants, sum);
        snprintf(parameters, 100, ":%s", sum);
    }
}

/* Writes the words, which are complete once the constants have come. */
static int write_words(struct steps *steps, struct fault *fault)
{
    char parameters[100];
    size_t used = 0;
    for (size_t i = 0; i < steps->number; i++) {
        const struct feature_step *step = &steps->step[i];
        print_parameters(steps, step, parameters);
        used += (size_t)snprintf(steps->words + used, sizeof steps->words - used, "%s%s%s",
                                 i ? STEPS_SEPARATOR : "", step->kind->name, parameters);
        if (used > ROUND_MADE)
            return fault_usage(fault, "these steps take more than %d bytes to name", ROUND_MADE);
    }
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
    step->kind = find_kind(word, name, steps->number ? step - 1 : NULL, fault);
    if (!step->kind) return -1;
    if (name < n && !step->kind->draws && !step->kind->constants)
        return fault_usage(fault, "step '%.*s': %s takes no parameters", n < 60 ? (int)n : 60,
                           word, step->kind->name);
    for (size_t i = 0; step->kind->constants && i < steps->number; i++)
        if (steps->step[i].kind->constants)
            return fault_usage(fault, "two steps have constants: only one of standard and range is "
                               "allowed");
    step->draw = *defaults;
    steps->defaulted = steps->defaulted || (step->kind->draws && name == n);
    if ((step->kind->constants &&
         read_file(step, word + name + (name < n), n - name - (name < n), fault) < 0) ||
        (step->kind->draws && name < n && read_draw(&step->draw, word, n, fault) < 0))
        return -1;
    steps->number++;
    return 0;
}

int steps_parse(struct steps *steps, const char *list, const struct step_defaults *defaults,
                struct fault *fault)
{
    for (;; list++) {
        size_t n = strcspn(list, STEPS_SEPARATOR);
        if (parse_step(steps, list, n, defaults, fault) < 0) return -1;
        list += n;
        if (*list == '\0')
            return write_words(steps, fault);
    }
}

int steps_parse_made(struct steps *steps, const char *made, struct fault *fault)
{
    if (steps_parse(steps, made, &steps_usual, fault) < 0) return -1;
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

static int insert_base(struct steps *steps, size_t i, const uint32_t *base,
                       const struct matrix *x, struct matrix *y, struct fault *fault)
{
    if (!base)
        return fault_data(fault, "the step base needs the column base, the order of the search "
                          "engine: give documents in that order to svm2bin -e, log2bin -e or "
                          "serve -e");
    return base_rank_insert(&steps->step[i].base_rank, base, x, &steps->in, &steps->out[i % 2], y,
                            fault);
}

static int change(struct steps *steps, size_t i, const struct matrix *x, const uint32_t *base,
                  struct matrix *y, struct fault *fault)
{
    const struct step_kind *kind = steps->step[i].kind;
    struct rows *out = &steps->out[i % 2];
    size_t dim = x->dim;
    if (strcmp(kind->name, STEPS_BASE) == 0)
        return insert_base(steps, i, base, x, y, fault);
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
    if (!steps->started && start(steps, fault) < 0) return -1;
    for (size_t i = 0; i < steps->number; i++, before = *y)
        if (change(steps, i, &before, base, y, fault) < 0) return -1;
    return 0;
}

void steps_close(struct steps *steps)
{
    for (size_t i = 0; i < steps->number; i++) {
        buffer_free(&steps->step[i].split.used);
        buffer_free(&steps->step[i].split.mean);
        fourier_close(&steps->step[i].fourier);
        base_rank_close(&steps->step[i].base_rank);
    }
    constants_close(&steps->constants);
    rows_close(&steps->in);
    rows_close(&steps->out[0]);
    rows_close(&steps->out[1]);
}
