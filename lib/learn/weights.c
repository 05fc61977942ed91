#include "learn/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "stream/record.h"

enum weights_form { WEIGHTS_TSV, WEIGHTS_SVM_LIGHT, WEIGHTS_RANKLIB, WEIGHTS_SOFIA };

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
    if (weights->one_line)
        return wrong(weights, p, "a second line of weights: RankLib has them in one line");
    weights->one_line = true;
    for (const char *end; *p && *p != '#'; p = text_skip_blanks(end)) {
        end = read_pair(weights, p, 0, &index, &value, fault);
        if (!end || (index > 0 && store(weights, p, index, value, fault) < 0))
            return -1;
    }
    return 0;
}

/* The weights of all features from 0 on, that of the constant: 0 at the end says nothing. */
static int read_sofia(struct weights *weights, const char *p, struct fault *fault)
{
    double value;
    if (weights->one_line)
        return wrong(weights, p, "a second line of weights: sofia-ml has them in one line");
    weights->one_line = true;
    for (uint64_t index = 0; *p && *p != '#'; index++) {
        const char *end = read_number(weights, p, p, &value, fault);
        if (!end)
            return -1;
        if (value != 0 && index > weights->most)
            return wrong(weights, p, "weight %" PRIu64 ", but at most %zu are allowed: use a "
                         "larger -d if that is meant", index, weights->most);
        if (value != 0 && index > 0 && store(weights, p, index, value, fault) < 0)
            return -1;
        p = text_skip_blanks(end);
    }
    return 0;
}

/* Is a line one of sofia-ml's: numbers, of which there are more than two, or the first is not
 * whole? */
static bool is_sofia(const char *p)
{
    const char *first = decimal_end(p), *second = text_skip_blanks(first), *end;
    if (first == p || !text_is_blank(*first))
        return false;
    end = decimal_end(second);
    if (end == second || !text_ends_number(*end))
        return false;
    end = text_skip_blanks(end);
    return text_skip_digits(p) != first || (*end && *end != '#' && decimal_end(end) != end);
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
                : is_sofia(p)                             ? WEIGHTS_SOFIA
                                                          : WEIGHTS_TSV;
        *any = true;
        if (*form == WEIGHTS_TSV && (end == p || !text_ends_number(*end)))
            return lines_wrong(line, p, strlen(p), fault, "not weights: neither index TAB weight, "
                               "nor index:weight, nor a model of SVM-light or sofia-ml");
    }
    if (*form == WEIGHTS_TSV)
        return read_tsv(weights, p, fault);
    if (*form == WEIGHTS_RANKLIB)
        return read_ranklib(weights, p, fault);
    if (*form == WEIGHTS_SOFIA)
        return read_sofia(weights, p, fault);
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
