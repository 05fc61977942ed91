#include "text/svm.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/text.h"
#include "feature/scale.h"
#include "kernels/plain_features.h"
#include "math/fingerprint.h"
#include "stream/record.h"
#include "stream/round.h"

/* Does this byte stand in a header as it is, not as %XX? */
static bool is_plain(unsigned char c)
{
    return c > ' ' && c < 127 && c != '%';
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte of %XX, of either case, at the beginning of n bytes; -1: there is none. */
static int coded_byte(const char *p, size_t n)
{
    int high = n < 3 || *p != '%' ? -1 : hex((char)toupper((unsigned char)p[1]));
    int low = high < 0 ? -1 : hex((char)toupper((unsigned char)p[2]));
    return low < 0 ? -1 : 16 * high + low;
}

/* Encodes a word. False where that takes more than QID_BYTES, or, if it has %XX already, where a %
 * does not begin one of a byte that is not 0. */
static bool encode(const char *word, size_t n, bool coded, char encoded[QID_BYTES + 1])
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)word[i];
        bool plain = is_plain((unsigned char)c);
        if (coded && c == '%') {
            c = coded_byte(word + i, n - i);
            i += 2;
        }
        if (c <= 0 || used + (plain ? 1 : 3) > QID_BYTES)
            return false;
        if (plain)
            encoded[used++] = (char)c;
        else
            used += (size_t)sprintf(encoded + used, "%%%02X", (unsigned)c);
    }
    encoded[used] = '\0';
    return true;
}

/* The first % that does not begin the code of a byte; NULL: there is none. */
static const char *bad_code(const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word[i] == '%' && coded_byte(word + i, n - i) <= 0)
            return word + i;
    return NULL;
}

bool qid_word_decode(const char *encoded, char plain[QID_BYTES + 1])
{
    char *to = plain;
    for (; *encoded; encoded++) {
        if (*encoded == '%' && hex(encoded[1]) >= 0 && hex(encoded[2]) >= 0) {
            *to++ = (char)(16 * hex(encoded[1]) + hex(encoded[2]));
            encoded += 2;
        } else {
            *to++ = *encoded;
        }
    }
    *to = '\0';
    return strlen(plain) == (size_t)(to - plain);
}

const char *qid_word_read(struct lines *lines, const char *p, size_t n, size_t before,
                          const char *what, bool coded, char encoded[QID_BYTES + 1],
                          struct fault *fault)
{
    const char *bad = coded ? bad_code(p, n) : NULL;
    if (n == 0)
        lines_wrong(lines, p - before, before, fault, "a %s without a name", what);
    else if (bad)
        lines_wrong(lines, p, n, fault, "with -Q a %% is followed by two hexadecimal digits, not "
                    "both 0, and %% itself is %%25, but this %s has '%.*s'", what,
                    n - (size_t)(bad - p) < 3 ? (int)(n - (size_t)(bad - p)) : 3, bad);
    else if (!encode(p, n, coded, encoded))
        lines_wrong(lines, p, n, fault, "a %s of more than %d bytes", what, QID_BYTES);
    else
        return p + n;
    return NULL;
}

bool qid_word_find(const char *line, bool coded, char encoded[QID_BYTES + 1])
{
    for (const char *p = text_skip_blanks(line); *p && *p != '#'; p = text_skip_word(p))
        if (strncmp(p, "qid:", 4) == 0)
            return text_name_bytes(p + 4) > 0 &&
                   encode(p + 4, text_name_bytes(p + 4), coded, encoded);
    return false;
}

#define REQUEST "request:" /* begins a line that names the request */
#define UNRANKED "order: none" /* the line that says so */
#define INDEX_MOST ((uint64_t)1 << 31)

void svm_open(struct svm *svm, char *const *files, const struct svm_options *options,
              struct watch *watch)
{
    memset(svm, 0, sizeof *svm);
    svm->options = *options;
    lines_open(&svm->lines, files, watch);
}

void svm_close(struct svm *svm)
{
    lines_close(&svm->lines);
    name_table_close(&svm->before);
    hash_table_close(&svm->documents);
    rows_close(&svm->rows);
    rows_close(&svm->scaled);
    buffer_free(&svm->label);
    buffer_free(&svm->name);
    buffer_free(&svm->fingerprint);
    buffer_free(&svm->scratch);
}

/* ---- a line ---- */

/* A fault in the current line. */
#define wrong(svm, ...) lines_wrong(&(svm)->lines, __VA_ARGS__)

/* Reads a finite float at p, in the word that begins at `token`. Returns where it ends, or NULL and
 * a fault that calls it `what`. */
static const char *read_float(struct svm *svm, const char *token, const char *p, const char *what,
                               float *value, struct fault *fault)
{
    const char *end = decimal_float(p, value);
    if (end)
        return end;
    end = decimal_end(p);
    bool number = end > p && text_ends_number(*end);
    *value = number ? strtof(p, NULL) : 0;
    if (number && !isinf(*value))
        return end;
    wrong(svm, token, text_word_bytes(token), fault,
          number ? "%s is too large for a float" : "%s is not a number", what);
    return NULL;
}

/* Reads the label at p, or finds that the document has none. Returns where it ends, or NULL and a
 * fault. */
static const char *read_label(struct svm *svm, const char *p, bool *labelled, float *label,
                              struct fault *fault)
{
    bool none = strncmp(p, "qid:", 4) == 0 || (p[0] == '?' && text_ends_number(p[1]));
    *labelled = !none;
    *label = 0;
    if (none && !svm->options.unlabelled) {
        wrong(svm, p, text_word_bytes(p), fault,
              *p == '?' ? "a query without labels needs -u" : "no label before the qid: use -u");
        return NULL;
    }
    if (none)
        return *p == '?' ? p + 1 : p;
    const char *end = decimal_end(p);
    if (end > p && *end == ':') {
        wrong(svm, p, text_word_bytes(p), fault, "no label before the first feature");
        return NULL;
    }
    end = read_float(svm, p, p, "the label", label, fault);
    if (end && *label < 0) {
        wrong(svm, p, text_word_bytes(p), fault, "the label is below 0");
        return NULL;
    }
    return end;
}

/* Reads the feature at p of the current document. Its index, counted from 0, is at least *least and
 * below most. Returns where it ends, or NULL and a fault. */
static const char *read_feature(struct svm *svm, const char *p, uint64_t *least, uint64_t most,
                                struct fault *fault)
{
    uint64_t index = 0;
    float value;
    const char *digits = p;
    while (*digits == '0')
        digits++;
    const char *colon = decimal_digits(digits, &index);
    index -= !svm->options.from_zero;
    if (colon == p || *colon != ':' || colon - digits > DECIMAL_DIGITS || index < *least ||
        index >= most) {
        uint64_t first = svm->options.from_zero ? 0 : 1, limit = INDEX_MOST - 1 + first, named = 0;
        const char *end = p;
        for (; *end >= '0' && *end <= '9'; end++)
            if (named <= limit)
                named = 10 * named + (uint64_t)(*end - '0');
        size_t n = text_word_bytes(p);
        if (end == p || *end != ':')
            wrong(svm, p, n, fault, "not a feature (index:value)");
        else if (named > limit)
            wrong(svm, p, n, fault, "an index above %" PRIu64, limit);
        else if (named < first)
            wrong(svm, p, n, fault, "index 0: indices start at 1 (or use -0)");
        else if (named - first + 1 == *least)
            wrong(svm, p, n, fault, "index %" PRIu64 " comes twice", named);
        else if (named - first < *least)
            wrong(svm, p, n, fault, "index %" PRIu64 " after a larger one", named);
        else if (!svm->options.widths)
            wrong(svm, p, n, fault, "the queries so far had no features and were read as "
                  "fixed lists of items: give the number of features with -d");
        else
            wrong(svm, p, n, fault, "an index past -d %zu", svm->options.dim);
        return NULL;
    }
    const char *end = read_float(svm, p, colon + 1, "the value", &value, fault);
    if (!end)
        return NULL;
    rows_feature(&svm->rows, (uint32_t)index, value);
    *least = index + 1;
    return end;
}

/* The number of features that a document may have: its indices are below it. */
static uint64_t width_most(const struct svm *svm)
{
    if (svm->options.widths)
        return svm->options.dim;
    return svm->any_feature || svm->before.table.used <= 1 ? INDEX_MOST : 0;
}

/* Is the character that ends before p taken for a blank by people, and part of a qid? */
static bool is_mark(const char *p)
{
    const unsigned char *at = (const unsigned char *)p - 3; /* "qid:" is before it */
    unsigned two = (unsigned)at[1] << 8 | at[2], three = (unsigned)at[0] << 16 | two;
    return strchr(",;\f\v", at[2]) || two == 0xc285 || two == 0xc2a0 || three == 0xe19a80 ||
           (three >= 0xe28080 && three <= 0xe2808b) || three == 0xe280a8 || three == 0xe280a9 ||
           three == 0xe280af || three == 0xe2819f || three == 0xe38080 || three == 0xefbbbf ||
           (at[2] == 0xa0 && at[1] < 0x80); /* of Latin-1 */
}

/* Does the qid of n bytes at p end in such a character and a feature? */
static bool swallows(const char *p, size_t n)
{
    const char *end = p + n, *at = p, *from;
    while (end > p && is_mark(end))
        end--;
    while ((at = memchr(at, ':', (size_t)(end - at)))) {
        for (from = at++; from > p && from[-1] >= '0' && from[-1] <= '9';)
            from--;
        bool is_word = end - at == 3 && (!strncasecmp(at, "nan", 3) || !strncasecmp(at, "inf", 3));
        if (from > p && from + 1 < at && at < end && is_mark(from) &&
            (is_word || decimal_end(at) == end))
            return true;
    }
    return false;
}

/* Does the line belong to the current query, or begin one where there is none? 1; 0 where it
 * belongs to another; or a fault. */
static int join_query(struct svm *svm, const char *at, const char *qid, struct fault *fault)
{
    if (svm->any && !qid && svm->any_qid)
        return wrong(svm, at, strlen(at), fault, "no qid, but the lines before have one");
    if (svm->any && qid && !svm->any_qid)
        return wrong(svm, at, strlen(at), fault, "a qid, but the lines before have none");
    bool same = !qid || (svm->rows.docs && strcmp(qid, svm->qid) == 0);
    if (svm->rows.docs && !same && svm->options.blank_ends)
        return wrong(svm, at, strlen(at), fault, "a second qid: a blank line must end a query");
    if (svm->rows.docs)
        return same;
    svm->any = true;
    svm->any_qid = qid != NULL;
    if (!qid)
        return 1;
    strcpy(svm->qid, qid);
    if (svm->options.blank_ends)
        return 1; /* a user may ask for anything */
    size_t n = text_name_bytes(at + 4);
    if (swallows(at + 4, n))
        return wrong(svm, at, n + 4, fault, "a qid with a feature in it: write a blank after the "
                     "qid, and between features");
    int fresh = name_table_enter(&svm->before, qid, strlen(qid), fault);
    if (fresh == 0)
        return wrong(svm, at, text_word_bytes(at), fault,
                     "a qid is not contiguous: the lines of a query must follow each other: "
                     "sort -s -k 2,2 groups them");
    return fresh;
}

/* Reads the features of a document from p on. Returns where they end, or NULL and a fault.
 * read_feature reads what svm->read leaves, and makes all checks. */
static const char *read_features(struct svm *svm, const char *p, struct fault *fault)
{
    const struct lines *lines = &svm->lines;
    struct feature_row row = { .first = !svm->options.from_zero, .most = width_most(svm) };
    for (p = text_skip_blanks(p);; p = text_skip_blanks(p)) {
        rows_place(&svm->rows, &row.idx, &row.val);
        p = plain_features(&row, p, lines->text + lines->bytes, lines_ahead(lines));
        rows_placed(&svm->rows, row.idx);
        if (!*p || *p == '#')
            break;
        p = read_feature(svm, p, &row.least, row.most, fault);
        if (!p)
            return NULL;
    }
    if (row.least > svm->width)
        svm->width = (size_t)row.least;
    return p;
}

/* Adds the name of a document, with a NUL: in its comment, which begins at p, the word after
 * "docid =", in svm2bin also after "docid:" and "doc_id:", or else the first word. 0 or a fault
 * (memory). */
static int add_name(struct svm *svm, const char *p, struct fault *fault)
{
    const char *name = *p == '#' ? text_skip_blanks(p + 1) : p;
    bool plain = strncmp(name, "docid", 5) == 0, other = strncmp(name, "doc_id", 6) == 0;
    const char *sign = plain || other ? text_skip_blanks(name + 5 + other) : "";
    other = other || *sign == ':';
    if ((*sign == '=' || *sign == ':') && (!other || svm->options.whole_names)) {
        name = text_skip_blanks(sign + 1);
        svm->renamed = svm->renamed || other;
    }
    size_t n = text_word_bytes(name);
    svm->nameless = svm->nameless || n == 0;
    char *text = buffer_for(&svm->name, svm->name_bytes + n + 1, 1, fault);
    if (!text) return -1;
    memcpy(text + svm->name_bytes, name, n);
    svm->name_bytes += n;
    text[svm->name_bytes++] = '\0';
    return 0;
}

static int add_document(struct svm *svm, bool labelled, float label, const char *p,
                        struct fault *fault)
{
    size_t docs = svm->rows.docs;
    float *labels = buffer_for(&svm->label, docs + 1, sizeof *labels, fault);
    if (!labels) return -1;
    if (svm->options.most && docs == svm->options.most)
        return wrong(svm, svm->lines.text, svm->lines.bytes, fault, "more than %zu documents",
                     docs);
    if (docs && labelled != (svm->labels > 0))
        return wrong(svm, svm->lines.text, svm->lines.bytes, fault,
                           labelled ? "a label, but other documents of its query have none"
                                    : "no label, but other documents of its query have one");
    labels[docs] = label;
    svm->labels += labelled;
    size_t most = svm->lines.bytes / 3 + FEATURES_SPARE; /* "1:0 " each, at least */
    if (rows_document(&svm->rows, most, fault) < 0 || !(p = read_features(svm, p, fault)))
        return -1;
    return svm->options.names ? add_name(svm, p, fault) : 0;
}

/* Does the line belong to another query than the current one, whatever else is wrong with it? */
static bool is_other(const struct svm *svm, const char *line)
{
    char qid[QID_BYTES + 1];
    return svm->options.skips && !svm->options.blank_ends && svm->rows.docs && svm->any_qid &&
           qid_word_find(line, svm->options.coded, qid) && strcmp(qid, svm->qid) != 0;
}

/* Reads the current line. 1: the query may go on; 0: it is at its end, with this line if svm->over,
 * else before it; or a fault. */
static int read_text_line(struct svm *svm, struct fault *fault)
{
    bool labelled;
    float label;
    char qid[QID_BYTES + 1];
    const struct lines *line = &svm->lines;
    const char *p = text_skip_blanks(line->text);
    if (*p == '\0') {
        if (!svm->options.blank_ends)
            return 1;
        svm->over = svm->rows.docs || svm->requested;
        if (svm->over && !svm->rows.docs)
            return fault_data(fault, "%s: line %" PRIu64 ": a request without documents",
                              svm->lines.name, lines_number(&svm->lines));
        return !svm->over;
    }
    if (svm->options.blank_ends && strncmp(p, REQUEST, sizeof REQUEST - 1) == 0) {
        if (svm->rows.docs || svm->requested)
            return wrong(svm, p, strlen(p), fault, "request: must be the first line of a query");
        const char *id = text_skip_blanks(p + sizeof REQUEST - 1);
        const char *end = qid_word_read(&svm->lines, id, text_word_bytes(id), (size_t)(id - p),
                                        "request", false, svm->request, fault);
        if (end && *text_skip_blanks(end))
            return wrong(svm, p, strlen(p), fault, "a request's name must be one word");
        svm->requested = end != NULL;
        return end ? 1 : -1;
    }
    if (svm->options.blank_ends && strncmp(p, UNRANKED, sizeof UNRANKED - 1) == 0) {
        if (svm->rows.docs || *text_skip_blanks(p + sizeof UNRANKED - 1))
            return wrong(svm, p, strlen(p), fault, "\"%s\" is a line of its own, before the "
                         "documents", UNRANKED);
        svm->unranked = true;
        return 1;
    }
    if (*p == '#')
        return 1;
    if (is_other(svm, line->text))
        return 0;
    p = read_label(svm, p, &labelled, &label, fault);
    if (!p) return -1;
    p = text_skip_blanks(p);
    const char *at = p;
    bool coded = svm->options.blank_ends && strncmp(p, "qid=", 4) == 0;
    bool has_qid = coded || strncmp(p, "qid:", 4) == 0;
    if (has_qid && !(p = qid_word_read(&svm->lines, p + 4, text_name_bytes(p + 4), 4, "qid",
                                       coded || svm->options.coded, qid, fault)))
        return -1;
    const char *from = has_qid ? at : line->text, *name = has_qid ? qid : NULL;
    int joins = join_query(svm, from, name, fault);
    if (joins <= 0)
        return joins;
    return add_document(svm, labelled, label, p, fault) < 0 ? -1 : 1;
}

/* ---- a query ---- */

/* Sets the names of the query, where they are asked for and, for whole_names, are whole. */
static int set_names(struct svm *svm, struct svm_query *query, struct fault *fault)
{
    int whole = 1;
    if (svm->options.names && svm->options.whole_names)
        whole = name_table_differ(&svm->documents, svm->name.at, svm->rows.docs, fault);
    svm->equal += whole == 0 && !svm->nameless;
    query->names = svm->options.names && whole > 0 ? svm->name.at : NULL;
    query->name_bytes = svm->name_bytes;
    return whole < 0 ? -1 : 0;
}

/* Sets the features of the query. Before the first feature of the text, queries are fixed lists of
 * items; after it, a query that lists no features has features that are all 0. */
static int set_features(struct svm *svm, struct svm_query *query, struct fault *fault)
{
    size_t dim = svm->options.widths ? svm->options.dim : svm->width;
    svm->any_feature = svm->any_feature || dim;
    query->x = (struct matrix){ .kind = MATRIX_UNIT, .docs = svm->rows.docs };
    if (!svm->any_feature)
        return 0;
    if (rows_matrix(&svm->rows, dim, &query->x, fault) < 0) return -1;
    if (svm->options.scale) {
        if (!query->names) {
            uint64_t *hash = buffer_for(&svm->fingerprint, query->x.docs, sizeof *hash, fault);
            if (!hash || fingerprint_rows(&query->x, &svm->scratch, hash, fault) < 0) return -1;
            query->fingerprint = hash;
        }
        if (scale_values(&query->x, &svm->scaled, &query->x, fault) < 0) return -1;
    }
    query->nnz = matrix_entries(&query->x);
    return 0;
}

/* `last`: the current line is the last one of the query, and not one after it. */
static int finish_query(struct svm *svm, struct svm_query *query, bool last, struct fault *fault)
{
    query->qid = svm->any_qid ? svm->qid : NULL;
    query->request = svm->requested ? svm->request : NULL;
    query->ranked = svm->options.ranked && !svm->unranked;
    query->docs = svm->rows.docs;
    query->label = svm->labels ? svm->label.at : NULL;
    query->fingerprint = NULL;
    if (set_names(svm, query, fault) == 0 && set_features(svm, query, fault) == 0)
        return 1;
    if (fault->kind == FAULT_DATA)
        fault_place(fault, "%s: the query that ends before line %" PRIu64 ": ", svm->lines.name,
                    lines_number(&svm->lines) + last);
    return -1;
}

int svm_next(struct svm *svm, struct svm_query *query, struct fault *fault)
{
    int more = 1, on = 1;

    rows_clear(&svm->rows);
    svm->labels = svm->name_bytes = svm->width = 0;
    svm->over = svm->requested = svm->unranked = svm->nameless = false;
    if (svm->options.blank_ends)
        svm->any = svm->any_qid = svm->any_feature = false;

    while (on > 0 && (more = lines_next(&svm->lines, fault)) > 0)
        on = read_text_line(svm, fault);
    if (on < 0 || more < 0) return -1;
    if (on == 0 && !svm->over)
        lines_again(&svm->lines);
    svm->over = true;
    if (svm->requested && !svm->rows.docs)
        return fault_data(fault, "%s: the text ends within a request", svm->lines.name);
    return svm->rows.docs ? finish_query(svm, query, on > 0, fault) : 0;
}

/* ---- skipping ---- */

static int skip_to_blank(struct svm *svm, struct fault *fault)
{
    int got = 1;
    while (!svm->over && (got = lines_next_any(&svm->lines, fault)) > 0)
        svm->over = svm->lines.bytes == 0 || !*text_skip_blanks(svm->lines.text);
    return got < 0 ? -1 : 0;
}

static int skip_qid(struct svm *svm, struct fault *fault)
{
    char bad[QID_BYTES + 1] = "", qid[QID_BYTES + 1];
    int got;
    bool coded = svm->options.coded;
    if (!qid_word_find(svm->lines.text, coded, bad) && svm->rows.docs && svm->any_qid)
        strcpy(bad, svm->qid);
    while ((got = lines_next_any(&svm->lines, fault)) > 0)
        if (qid_word_find(svm->lines.text, coded, qid) && strcmp(qid, bad) != 0) {
            lines_again(&svm->lines);
            return 0;
        }
    return got;
}

int svm_skip(struct svm *svm, struct fault *fault)
{
    if (svm->over)
        return 0;
    if (lines_endless(&svm->lines))
        return lines_next_any(&svm->lines, fault);
    return (svm->options.blank_ends ? skip_to_blank : skip_qid)(svm, fault);
}

/* ---- rounds ---- */

/* Adds a column of values that a query has. */
static int put_column(struct round *round, enum round_column column, const void *values,
                      size_t bytes, struct fault *fault)
{
    void *to = values ? round_new(round, column, fault) : NULL;
    if (to)
        memcpy(to, values, bytes);
    return !values || to ? 0 : -1;
}

int svm_round(struct svm *svm, const struct svm_query *query, uint64_t t,
              struct round *round, struct fault *fault)
{
    if (query->x.kind == MATRIX_UNIT && !query->label && query->docs > ROUND_BARE)
        return fault_data(fault, "%s: line %" PRIu64 ": the query that ends here has %zu documents "
                          "with neither features nor labels: at most %" PRIu64 " are allowed",
                          svm->lines.name, lines_number(&svm->lines), query->docs, ROUND_BARE);
    if (round_start(round, t, query->qid, query->docs, query->x.dim, fault) < 0 ||
        (query->request && round_set_text(round, KEY_REQUEST, query->request, fault) < 0))
        return -1;
    if (put_column(round, ROUND_LABEL, query->label,
                   query->docs * sizeof *query->label, fault) < 0 ||
        (query->names && record_put(round->record, ROUND_NAMES, COLUMN_U1, query->name_bytes,
                                    query->names, fault) < 0) ||
        put_column(round, ROUND_FINGERPRINT, query->fingerprint,
                   query->docs * sizeof *query->fingerprint, fault) < 0 ||
        (query->ranked && round_base_in_line_order(round, fault) < 0))
        return -1;
    if (round_new_features(round, &query->x, fault) < 0) return -1;
    bool made = svm->options.scale && query->x.kind != MATRIX_UNIT;
    return made ? round_set_text(round, KEY_MADE, "scale", fault) : 0;
}

/* ---- shares of a file ---- */

/* Reads up to the first line with another qid than the one with a qid before. *left is then what is
 * left of the file with that line, 0 where there is none. */
static int find_line(struct lines *lines, bool coded, uint64_t *left, struct fault *fault)
{
    int got;
    char first[QID_BYTES + 1] = "", qid[QID_BYTES + 1];
    bool any = false;
    while (*left = lines_left(lines), (got = lines_next_any(lines, fault)) > 0) {
        if (!qid_word_find(lines->text, coded, qid))
            continue;
        if (any && strcmp(qid, first) != 0)
            return 0;
        strcpy(first, qid);
        any = true;
    }
    return got;
}

/* Where the first query begins that is known to begin after byte b of the file; 0 for the first. */
static int find_border(const char *file, bool coded, struct watch *watch, uint64_t size, uint64_t b,
                       uint64_t *border, struct fault *fault)
{
    struct lines lines;
    uint64_t left = size;
    char *const files[] = { (char *)file, NULL };
    *border = b == 0 ? 0 : size;
    if (b == 0 || b >= size)
        return 0;
    lines_open(&lines, files, watch);
    lines_part(&lines, b - 1, size);
    int got = lines_next_any(&lines, fault); /* the rest of a line that began before */
    if (got > 0)
        got = find_line(&lines, coded, &left, fault);
    lines_close(&lines);
    *border = size - (got < 0 ? 0 : left);
    return got < 0 ? -1 : 0;
}

static int find_size(const char *file, struct watch *watch, uint64_t *size, struct fault *fault)
{
    struct stat is;
    int result = 0, fd = watch_open(watch, file, O_RDONLY | O_NONBLOCK, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", file);
    if (fstat(fd, &is) < 0)
        result = fault_system(fault, "cannot examine %s", file);
    else if (!S_ISREG(is.st_mode))
        result = fault_other(fault, "%s is not a regular file, which -i needs", file);
    close(fd);
    *size = result < 0 ? 0 : (uint64_t)is.st_size;
    return result;
}

/* The first byte of the shares after so many of them, before they are moved to a border. */
static uint64_t first_byte(const struct svm_share *share, uint64_t size, uint64_t before)
{
    return size / share->shares * before + size % share->shares * before / share->shares;
}

int svm_share_find(struct svm_share *share, const char *file, struct watch *watch,
                   struct fault *fault)
{
    uint64_t size = 0, n = share->number;
    if (find_size(file, watch, &size, fault) < 0) return -1;
    uint64_t from = first_byte(share, size, n - 1), to = first_byte(share, size, n);
    bool coded = share->coded;
    return find_border(file, coded, watch, size, from, &share->from, fault) < 0 ||
                   find_border(file, coded, watch, size, to, &share->to, fault) < 0 ? -1 : 0;
}
