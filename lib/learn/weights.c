#include "learn/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "learn/linear.h"
#include "text/print.h"

/* ---- out ---- */

/* What the user should know of weights that leave without what makes their features. */
static void notice(const struct linear *linear, struct printer *printer)
{
    if (linear->made)
        (void)fault_other(&printer->notice, "the weights are those of features made by %s, which "
                          "this text does not say: make them in the same way, or rank by score",
                          linear->made);
    else if (linear->remembers)
        (void)fault_other(&printer->notice, "these weights rank documents without answers: what "
                          "memory knows of others is printed by -f boosts");
}

static int finish(struct linear *linear, struct print *print, struct printer *printer)
{
    int result = print_end(print);
    notice(linear, printer);
    linear_close(linear);
    return result;
}

/* In a comment: readers skip it. */
static void print_name(struct print *print, const struct linear *linear, size_t j)
{
    const char *name = feature_names_of(&linear->names, j);
    if (name) {
        print_byte(print, ' ');
        print_word(print, name);
    }
}

/* svm_classify reads feature values as floats, but the weight of a support vector as a double. So
 * each weight gets a support vector of its own with the value 1, and none is rounded. */
int weights_svm_light(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, record, fault) < 0)
        return -1;
    size_t vectors = 0;
    for (size_t j = 0; j < linear.model.dim; j++)
        vectors += linear_weight(&linear, j) != 0;
    print_start(&print, printer->out, fault);
    print_word(&print, "SVM-light Version V6.02\n0 # kernel type\n3 # kernel parameter -d \n"
                       "1 # kernel parameter -g \n1 # kernel parameter -s \n"
                       "1 # kernel parameter -r \nempty# kernel parameter -u \n");
    print_whole(&print, linear.model.dim);
    print_word(&print, " # highest feature index \n0 # number of training documents \n");
    print_whole(&print, vectors + 1);
    print_word(&print, " # number of support vectors plus 1 \n"
                       "0 # threshold b, each following line is a SV (starting with alpha*y)\n");
    for (size_t j = 0; j < linear.model.dim && print.failed == 0; j++) {
        if (linear_weight(&linear, j) == 0)
            continue;
        print_double(&print, linear_weight(&linear, j));
        print_byte(&print, ' ');
        print_whole(&print, j + 1);
        print_word(&print, ":1 #");
        print_name(&print, &linear, j);
        print_byte(&print, '\n');
    }
    return finish(&linear, &print, printer);
}

/* All weights with their numbers, from 1. No blank follows the last of them. */
static void print_weights(struct print *print, const struct linear *linear, char between,
                          char after)
{
    size_t dim = linear->model.dim;
    for (size_t j = 0; j < dim && print->failed == 0; j++) {
        print_whole(print, j + 1);
        print_byte(print, between);
        print_double(print, linear_weight(linear, j));
        if (between == '\t' && linear->names.features > j) {
            print_word(print, "\t#");
            print_name(print, linear, j);
        }
        if (after != ' ' || j + 1 < dim)
            print_byte(print, after);
    }
}

int weights_ranklib(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, record, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    print_word(&print, "## Coordinate Ascent\n");
    print_weights(&print, &linear, ':', ' ');
    print_byte(&print, '\n');
    return finish(&linear, &print, printer);
}

int weights_tsv(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct linear linear = { .known = false };
    struct print print;
    if (linear_read(&linear, record, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    print_weights(&print, &linear, '\t', '\n');
    return finish(&linear, &print, printer);
}

/* ---- in ---- */

enum weights_form { WEIGHTS_TSV, WEIGHTS_SVM_LIGHT, WEIGHTS_RANKLIB };

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

/* Reads an index of at least `least` at p: returns its end, or NULL and a fault. */
static const char *read_index(struct weights *weights, const char *p, uint64_t least,
                              uint64_t *index, struct fault *fault)
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
    else if (*index < least)
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
    if (!w || !given)
        return -1;
    memset(given + dim, 0, (width - dim) * sizeof *given);
    memset(w + dim, 0, (width - dim) * sizeof *w);
    weights->w = w;
    weights->dim = width;
    return 0;
}

/* Stores one weight, whose text is at p. */
static int store(struct weights *weights, const char *p, uint64_t index, double value,
                struct fault *fault)
{
    if (reach(weights, (size_t)index, fault) < 0)
        return -1;
    bool *given = weights->given.at;
    if (given[index - 1])
        return wrong(weights, p, "index %" PRIu64 " twice", index);
    given[index - 1] = true;
    weights->w[index - 1] = value;
    return 0;
}

static int read_tsv(struct weights *weights, const char *p, struct fault *fault)
{
    uint64_t index;
    double value;
    const char *end = read_index(weights, p, 1, &index, fault);
    if (!end)
        return -1;
    if (*end != ' ' && *end != '\t')
        return wrong(weights, p, "not an index and a weight with a tab between");
    const char *number = text_skip_blanks(end);
    if (!(end = read_number(weights, number, number, &value, fault)))
        return -1;
    end = text_skip_blanks(end);
    if (*end && *end != '#')
        return wrong(weights, end, "more than an index and a weight");
    return store(weights, p, index, value, fault);
}

/* Reads index:value at p: returns its end, or NULL and a fault. */
static const char *read_pair(struct weights *weights, const char *p, uint64_t least,
                             uint64_t *index, double *value, struct fault *fault)
{
    const char *end = read_index(weights, p, least, index, fault);
    if (end && *end != ':') {
        wrong(weights, p, "not index:value");
        return NULL;
    }
    return end ? read_number(weights, p, end + 1, value, fault) : NULL;
}

/* Index 0 is the constant of RankLib's Linear Regression. */
static int read_ranklib(struct weights *weights, const char *p, struct fault *fault)
{
    uint64_t index;
    double value;
    if (weights->ranklib_seen)
        return wrong(weights, p, "a second line of weights: RankLib has them in one line");
    weights->ranklib_seen = true;
    for (const char *end; *p && *p != '#'; p = text_skip_blanks(end)) {
        end = read_pair(weights, p, 0, &index, &value, fault);
        if (!end || (index > 0 && store(weights, p, index, value, fault) < 0))
            return -1;
    }
    return 0;
}

enum { KERNEL = 2, HIGHEST = 8, VECTORS = 10, HEADER = 11 }; /* lines of an SVM-light header */

/* Reads a whole number up to `most` at the start of the current line. */
static int read_whole(struct weights *weights, const char *p, uint64_t most, uint64_t *value,
                      struct fault *fault)
{
    char digits[24] = "";
    size_t n = (size_t)(text_skip_digits(p) - p);
    if (n < sizeof digits)
        memcpy(digits, p, n);
    if (text_ends_number(p[n]) && record_number(digits, most, value))
        return 0;
    return wrong(weights, p, "line %u of an SVM-light model must begin with a whole number up to %"
                 PRIu64, weights->headers, most);
}

static int read_header(struct weights *weights, const char *p, struct fault *fault)
{
    uint64_t value;
    switch (++weights->headers) {
    case KERNEL:
        if (read_whole(weights, p, RECORD_MOST, &value, fault) < 0)
            return -1;
        return value == 0 ? 0 : wrong(weights, p, "kernel type %" PRIu64 ": only a linear model "
                                      "(0) has weights", value);
    case HIGHEST:
        if (read_whole(weights, p, weights->most, &value, fault) < 0)
            return -1;
        return reach(weights, (size_t)value, fault);
    case VECTORS:
        if (read_whole(weights, p, RECORD_MOST, &value, fault) < 0)
            return -1;
        weights->due = value ? value - 1 : 0;
        return 0;
    default:
        return 0;
    }
}

/* Reads a support vector: its weight, and its features. */
static int read_vector(struct weights *weights, const char *p, struct fault *fault)
{
    double alpha, value;
    uint64_t index, last = 0;
    const char *end = read_number(weights, p, p, &alpha, fault);
    weights->vectors++;
    if (!end)
        return -1;
    p = text_skip_blanks(end);
    if (strncmp(p, "qid:", 4) == 0)
        p = text_skip_word(p);
    for (; *p && *p != '#'; p = text_skip_blanks(end)) {
        if (!(end = read_pair(weights, p, 1, &index, &value, fault)))
            return -1;
        if (index <= last)
            return wrong(weights, p, "index %" PRIu64 " after index %" PRIu64, index, last);
        if (index > weights->dim)
            return wrong(weights, p, "an index over %zu, the highest that the header announces",
                         weights->dim);
        last = index;
        weights->w[index - 1] += alpha * value;
        if (!isfinite(weights->w[index - 1]))
            return wrong(weights, p, "weight %" PRIu64 " becomes too large for a double", index);
    }
    return 0;
}

/* Reads the current line. The first line's first word decides the form of the whole text. */
static int read_line(struct weights *weights, enum weights_form *form, bool *any,
                     struct fault *fault)
{
    struct lines *line = &weights->lines;
    const char *p = text_skip_blanks(line->text);
    if (*p == '\0' || *p == '#')
        return 0;
    if (!*any) {
        const char *end = text_skip_digits(p);
        *form = strncmp(p, "SVM-light Version ", 18) == 0 ? WEIGHTS_SVM_LIGHT
                : *end == ':'                             ? WEIGHTS_RANKLIB
                                                          : WEIGHTS_TSV;
        *any = true;
        if (*form == WEIGHTS_TSV && (end == p || !text_ends_number(*end)))
            return lines_wrong(line, p, strlen(p), fault, "not weights: neither index TAB weight, "
                               "nor index:weight, nor an SVM-light model");
    }
    if (*form == WEIGHTS_TSV)
        return read_tsv(weights, p, fault);
    if (*form == WEIGHTS_RANKLIB)
        return read_ranklib(weights, p, fault);
    return weights->headers < HEADER ? read_header(weights, p, fault)
                                     : read_vector(weights, p, fault);
}

int weights_read(struct weights *weights, struct fault *fault)
{
    enum weights_form form = WEIGHTS_TSV;
    bool any = false;
    int more;
    while ((more = lines_next(&weights->lines, fault)) > 0)
        if (read_line(weights, &form, &any, fault) < 0)
            return -1;
    if (more < 0)
        return -1;
    if (form == WEIGHTS_SVM_LIGHT && weights->headers < HEADER)
        return fault_data(fault, "%s: an SVM-light model has %d lines before its support vectors, "
                          "but this text has only %u lines", weights->lines.name, HEADER,
                          weights->headers);
    if (weights->vectors != weights->due)
        return fault_data(fault, "%s: line %d announces %" PRIu64 " support vectors, but there are "
                          "%" PRIu64, weights->lines.name, VECTORS, weights->due,
                          weights->vectors);
    return weights->dim ? 0 : fault_data(fault, "%s: no weights", weights->lines.name);
}
