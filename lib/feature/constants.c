#include "feature/constants.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/siphash.h"
#include "base/decimal.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "io/lines.h"
#include "stream/record.h"

const char *const constant_names[] = { "mean", "deviation", "least", "largest", NULL };

void constants_close(struct constants *constants)
{
    for (size_t c = 0; c < CONSTANTS; c++)
        buffer_free(&constants->numbers[c]);
    buffer_free(&constants->moved);
    rows_close(&constants->in);
    *constants = (struct constants){ .features = 0 };
}

/* Makes room for so many features. */
static int reach(struct constants *constants, size_t features, struct fault *fault)
{
    for (size_t c = 0; c < CONSTANTS; c++) {
        constants->of[c] = buffer_for(&constants->numbers[c], features, sizeof(double), fault);
        if (!constants->of[c]) return -1;
    }
    return 0;
}

/* ---- text ---- */

#define wrong(lines, p, ...) lines_wrong(lines, p, text_word_bytes(p), fault, __VA_ARGS__)

/* The first line: how many features follow, and what made them. */
static int read_head(struct constants *constants, struct lines *lines, uint64_t *features,
                     struct fault *fault)
{
    char digits[24] = "";
    const char *p = lines->text + strlen(CONSTANTS_HEAD);
    bool ours = strncmp(lines->text, CONSTANTS_HEAD, strlen(CONSTANTS_HEAD)) == 0;
    size_t n = ours ? (size_t)(text_skip_digits(p) - p) : 0;
    if (n < sizeof digits)
        memcpy(digits, p, n);
    if (!ours || !record_number(digits, ROUND_DIM, features))
        return wrong(lines, lines->text, "not scales, which bin2txt -f scales prints of rounds");
    const char *made = strstr(p, CONSTANTS_MADE);
    if (made && strlen(made += strlen(CONSTANTS_MADE)) > ROUND_MADE)
        return wrong(lines, made, "made= has more than %d bytes", ROUND_MADE);
    strcpy(constants->made, made ? made : "");
    return 0;
}

/* A line of a feature, which it names, or numbers. */
static int read_feature(struct constants *constants, struct lines *lines, size_t feature,
                        struct fault *fault)
{
    const char *p = lines->text, *end = text_skip_digits(p);
    char own[TEXT_DIGITS], *number = text_from_number(own, feature + 1);
    if (end > p && *end == '\t' && strncmp(p, number, strlen(number)) != 0)
        return wrong(lines, p, "feature %zu should come here: the file is damaged", feature + 1);

    const char *at = p + strcspn(p, "\t");
    if (reach(constants, feature + 1, fault) < 0) return -1;
    for (size_t c = 0; c < CONSTANTS; c++) {
        char text[40] = "";
        size_t n = *at == '\t' ? strcspn(at + 1, "\t") : 0;
        if (n > 0 && n < sizeof text)
            memcpy(text, at + 1, n);
        if (!decimal_double(text, &constants->of[c][feature]))
            return wrong(lines, lines->text, "the %s of feature %zu is missing or not a number: "
                         "the file is damaged", constant_names[c], feature + 1);
        at += n + 1;
    }
    if (*at || constants->of[CONSTANT_DEVIATION][feature] < 0 ||
        constants->of[CONSTANT_LEAST][feature] > constants->of[CONSTANT_LARGEST][feature])
        return wrong(lines, lines->text, "the line is not valid: it needs a name, mean, deviation "
                     "(0 or more), least and largest value, with tabs between");
    return 0;
}

static int read_lines(struct constants *constants, struct lines *lines, struct fault *fault)
{
    uint64_t features = 0;
    bool any = false, ended = false;
    int more;
    while ((more = lines_next(lines, fault)) > 0) {
        ended = ended || strcmp(lines->text, CONSTANTS_END) == 0;
        if (any && lines->text[0] == '#')
            continue;
        if (any && constants->features == features)
            return wrong(lines, lines->text, "a line after the last of %" PRIu64 " features",
                         features);
        if ((any ? read_feature(constants, lines, constants->features, fault)
                 : read_head(constants, lines, &features, fault)) < 0)
            return -1;
        constants->features += any;
        any = true;
    }
    if (more < 0) return -1;
    if (!any)
        return fault_data(fault, "%s: empty: bin2txt -f scales prints scales", lines->name);
    if (constants->features < features || features == 0 || !ended)
        return fault_data(fault, "%s: cut short: it has the scales of %zu features, not of %"
                          PRIu64 ", or lacks its last line, '" CONSTANTS_END "': make it again",
                          lines->name, constants->features, features);
    return 0;
}

int constants_read(struct constants *constants, const char *path, struct watch *watch,
                   struct fault *fault)
{
    char *files[] = { (char *)path, NULL };
    struct lines lines;
    lines_open(&lines, files, watch);
    int result = read_lines(constants, &lines, fault);
    lines_close(&lines);
    return result;
}

/* ---- models ---- */

int constants_load(struct constants *constants, const struct model *model, struct fault *fault)
{
    const struct column *mean = record_column(&model->record, constant_names[CONSTANT_MEAN]);
    if (!mean)
        return 0;
    if (mean->count > ROUND_DIM)
        return fault_data(fault, "model: constants of %" PRIu64 " features", mean->count);
    size_t features = (size_t)mean->count;
    if (reach(constants, features, fault) < 0) return -1;
    for (size_t c = 0; c < CONSTANTS; c++)
        if (model_array(model, constant_names[c], features, constants->of[c], fault) < 0) return -1;
    constants->features = features;
    constants->made[0] = '\0';
    return 1;
}

int constants_save(const struct constants *constants, struct model *model, struct fault *fault)
{
    for (size_t c = 0; constants->features && c < CONSTANTS; c++)
        if (model_put(model, constant_names[c], constants->features, constants->of[c], fault) < 0)
            return -1;
    return 0;
}

int constants_copy(struct constants *to, const struct constants *from, struct fault *fault)
{
    if (reach(to, from->features, fault) < 0) return -1;
    for (size_t c = 0; c < CONSTANTS; c++)
        memcpy(to->of[c], from->of[c], from->features * sizeof *to->of[c]);
    to->features = from->features;
    strcpy(to->made, from->made);
    return 0;
}

void constants_sum(const struct constants *constants, char sum[CONSTANTS_SUM + 1])
{
    struct siphash hash = siphash_start(0, 0);
    for (size_t c = 0; c < CONSTANTS; c++)
        for (size_t j = 0; j < constants->features; j++) {
            uint64_t bits = little_u8(unaligned_u8(&constants->of[c][j]));
            siphash_add(&hash, &bits, sizeof bits);
        }
    snprintf(sum, CONSTANTS_SUM + 1, "%016" PRIx64, siphash_end(&hash));
}

/* ---- scaling ---- */

/* By what a feature is scaled: (value - *from) / *by. *by is 0 where all values were equal: then
 * each becomes 0. `range`: from the least value by largest - least; else from the mean by the
 * deviation. */
static void find_scale(const struct constants *constants, bool range, size_t feature, double *from,
                       double *by)
{
    double least = constants->of[CONSTANT_LEAST][feature];
    *from = range ? least : constants->of[CONSTANT_MEAN][feature];
    *by = range ? constants->of[CONSTANT_LARGEST][feature] - least
                : constants->of[CONSTANT_DEVIATION][feature];
}

/* Never -0. */
static float scaled(const struct constants *constants, bool range, size_t feature, float value)
{
    double from, by;
    find_scale(constants, range, feature, &from, &by);
    return by > 0 ? (float)(((double)value - from) / by) + 0.0F : 0;
}

/* Where most are listed: in place of a list, all features side by side. True, unless a value is not
 * finite. */
static bool scale_dense(const struct constants *constants, bool range, size_t docs,
                        const float *value, size_t dim, float *made)
{
    size_t n = constants->features;
    bool finite = true;
    for (size_t j = 0; j < n; j++) {
        double from, by;
        find_scale(constants, range, j, &from, &by);
        for (size_t i = 0; i < docs; i++) {
            float v = j < dim ? value[i * dim + j] : 0;
            float to = by > 0 ? (float)(((double)v - from) / by) + 0.0F : 0;
            finite = finite && isfinite(v) && isfinite(to);
            made[i * n + j] = to;
        }
    }
    return finite;
}

/* One document, with room for all that it will list: its features e to end, and those whose 0
 * becomes another number. */
static int scale_document(const struct constants *constants, bool range, const struct rows *in,
                          size_t doc, size_t moved, struct rows *out, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at, *next = constants->moved.at;
    const float *val = in->val.at;
    const uint32_t *last = next + moved;
    size_t e = ptr[doc], end = ptr[doc + 1];
    if (rows_document(out, end - e + moved, fault) < 0) return -1;
    while (e < end || next < last) {
        bool listed = e < end && (next == last || idx[e] <= *next);
        uint32_t feature = listed ? idx[e] : *next;
        float value = listed ? val[e] : 0;
        if (feature >= constants->features)
            return fault_data(fault, "feature %" PRIu64 " of document %zu has no constants: the "
                              "scales are of %zu features", (uint64_t)feature + 1, doc,
                              constants->features);
        next += next < last && *next == feature;
        e += listed;
        rows_feature(out, feature, scaled(constants, range, feature, value));
    }
    return 0;
}

/* Lists the features whose 0 becomes another number: how many these are, or SIZE_MAX after a
 * fault. */
static size_t list_moved(struct constants *constants, bool range, struct fault *fault)
{
    size_t moved = 0;
    uint32_t *list = buffer_for(&constants->moved, constants->features, sizeof *list, fault);
    for (size_t j = 0; list && j < constants->features; j++)
        if (scaled(constants, range, j, 0) != 0)
            list[moved++] = (uint32_t)j;
    return list ? moved : SIZE_MAX;
}

static int scale_listed(struct constants *constants, bool range, const struct matrix *x,
                        struct rows *out, struct matrix *y, struct fault *fault)
{
    struct rows *in = &constants->in;
    size_t moved = list_moved(constants, range, fault);
    int result = moved == SIZE_MAX || rows_take(in, x, fault) < 0 ||
                         rows_finite(in, "is", fault) < 0 ||
                         rows_start(out, constants->features,
                                    in->entries + (uint64_t)moved * x->docs, fault) < 0
                     ? -1 : 0;
    for (size_t i = 0; result == 0 && i < in->docs; i++)
        result = scale_document(constants, range, in, i, moved, out, fault);
    if (result < 0 || rows_finite(out, "would be", fault) < 0) return -1;
    return rows_matrix(out, constants->features, y, fault);
}

int constants_scale(struct constants *constants, bool range, const struct matrix *x,
                    struct rows *out, struct matrix *y, struct fault *fault)
{
    size_t n = constants->features, dim = x->dim;
    uint64_t places = (uint64_t)x->docs * n;
    uint32_t nonzero = 0;
    if (x->kind != MATRIX_DENSE || dim > n || places > ROWS_MOST)
        return scale_listed(constants, range, x, out, y, fault);
    float *value = buffer_for(&out->sorted, x->docs * dim, sizeof *value, fault);
    float *made = value ? buffer_for(&out->dense, (size_t)places, sizeof *made, fault) : NULL;
    if (!made) return -1;
    matrix_spread(x, value);
    if (!scale_dense(constants, range, x->docs, value, dim, made))
        return scale_listed(constants, range, x, out, y, fault); /* which names the value */
    for (size_t i = 0; i < (size_t)places; i++)
        nonzero += made[i] != 0;
    const struct matrix all = { .kind = MATRIX_DENSE, .docs = x->docs, .dim = n,
                                .x = (const unsigned char *)made };
    *y = all;
    if (matrix_dense_is_smaller(all.docs, all.dim, nonzero))
        return 0;
    return rows_take(out, &all, fault) < 0 ? -1 : rows_matrix(out, n, y, fault);
}

/* Welford's sums (Technometrics 4, 1962) of the values that are stored: so a large mean does not
 * cancel a small deviation. */
struct scales_stored {
    uint64_t n;
    double mean, squares; /* of deviations from the mean */
    double least, largest;
};

void scales_close(struct scales *scales)
{
    buffer_free(&scales->features);
}

/* One more than the last feature that is stored. */
static size_t width_of(const struct matrix *x)
{
    size_t width = x->kind == MATRIX_DENSE ? x->dim : 0;
    for (size_t e = 0; x->kind == MATRIX_SPARSE && e < matrix_entries(x); e++) {
        size_t feature = unaligned_u4(x->idx + 4 * e);
        width = feature < width ? width : feature + 1;
    }
    return width;
}

static int scales_reach(struct scales *scales, size_t width, struct fault *fault)
{
    if (width <= scales->width)
        return 0;
    if (width > SCALES_FEATURES)
        return fault_data(fault, "the round has %zu features, but a summary keeps the ranges of at "
                          "most %zu", width, SCALES_FEATURES);
    struct scales_stored *stored = buffer_for(&scales->features, width, sizeof *stored, fault);
    if (!stored) return -1;
    memset(stored + scales->width, 0, (width - scales->width) * sizeof *stored);
    scales->width = width;
    return 0;
}

static void add_value(struct scales *scales, size_t feature, double value)
{
    struct scales_stored *stored = (struct scales_stored *)scales->features.at + feature;
    if (!isfinite(value)) {
        scales->not_finite++;
        return;
    }
    if (!stored->n || value < stored->least)
        stored->least = value;
    if (!stored->n || value > stored->largest)
        stored->largest = value;
    double apart = value - stored->mean;
    stored->mean += apart / (double)++stored->n;
    stored->squares += apart * (value - stored->mean);
}

int scales_add(struct scales *scales, const struct matrix *x, struct fault *fault)
{
    size_t entries = matrix_entries(x);
    if (scales_reach(scales, width_of(x), fault) < 0) return -1;
    scales->docs += x->docs;
    scales->dim = x->dim > scales->dim ? x->dim : scales->dim;
    for (size_t i = 0; x->kind == MATRIX_DENSE && i < x->docs; i++)
        for (size_t j = 0; j < x->dim; j++)
            add_value(scales, j, (double)unaligned_f4(x->x + 4 * (i * x->dim + j)));
    for (size_t e = 0; x->kind == MATRIX_SPARSE && e < entries; e++)
        add_value(scales, unaligned_u4(x->idx + 4 * e), (double)unaligned_f4(x->val + 4 * e));
    return 0;
}

struct scale scales_of(const struct scales *scales, size_t feature)
{
    struct scale scale = { .mean = 0 };
    if (feature >= scales->width)
        return scale;
    struct scales_stored stored = ((const struct scales_stored *)scales->features.at)[feature];
    double all = (double)scales->docs, n = (double)stored.n, share = all > 0 ? n / all : 0;
    double squares = stored.squares + stored.mean * stored.mean * n * (1 - share); /* with zeros */
    scale = (struct scale){ share * stored.mean, all > 0 ? sqrt(squares / all) : 0, stored.least,
                            stored.largest };
    if (stored.n < scales->docs && scale.least > 0)
        scale.least = 0;
    if (stored.n < scales->docs && scale.largest < 0)
        scale.largest = 0;
    return scale;
}
