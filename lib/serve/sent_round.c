#include "serve/sent_round.h"

#include <string.h>

#include "base/unaligned.h"
#include "stream/reader.h"
#include "stream/record_header.h"
#include "stream/round_format.h"

static const char magic[] = "rankpipe/";

bool sent_round_begins(const char *bytes, size_t n)
{
    return n >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

size_t sent_round_bytes(const char *line, size_t n)
{
    enum { DIGITS = 20 };
    char digits[DIGITS];
    uint64_t bytes;
    size_t from = n - 1, most = n < DIGITS ? n : DIGITS;
    while (from > 0 && n - from < most && line[from - 1] != '=')
        from--;
    memcpy(digits, line + from, n - 1 - from);
    digits[n - 1 - from] = '\0';
    if (from < 7 || memcmp(line + from - 7, " bytes=", 7) != 0 ||
        !record_number(digits, RECORD_MOST, &bytes))
        return 0;
    return bytes > SIZE_MAX - n ? SIZE_MAX : n + (size_t)bytes;
}

int sent_round_end(struct record *record, const char *line, size_t n, uint64_t *rounds,
                   struct fault *fault)
{
    static const char end[] = "rankpipe/1 end";
    if (n < sizeof end || memcmp(line, end, sizeof end - 1) != 0)
        return 0;
    if (header_parse(record, line, n - 1, fault) < 0) return -1;
    *rounds = record->rounds;
    return record->kind == RECORD_END;
}

/* ---- what a round may hold ---- */

static const unsigned keys_allowed = 1u << KEY_T | 1u << KEY_QID | 1u << KEY_REQUEST |
                                     1u << KEY_TIME | 1u << KEY_DOCS | 1u << KEY_DIM;

static bool is_allowed(const struct key *key)
{
    for (size_t k = 0; k < ROUND_KEYS; k++)
        if (keys_allowed >> k & 1 && name_is(key->name, format_keys[k].name))
            return true;
    return false;
}

static bool is_column_allowed(const struct column *column)
{
    enum round_column c = round_column_find(column->name);
    return c == ROUND_LABEL || c == ROUND_NAME_COLUMN || c == ROUND_BASE ||
           (c >= ROUND_X && c < ROUND_COLUMNS);
}

/* Scores, orders, propensities and feedback are not for clients to say. */
static int check_parts(const struct record *record, struct fault *fault)
{
    if (record->kind != RECORD_ROUND)
        return fault_data(fault, "a model, where a round should be");
    for (size_t k = 0; k < record->keys; k++)
        if (!is_allowed(&record->key[k]))
            return fault_data(fault, "key %.40s=: the rounds of a client have t, qid, request, "
                              "time, docs and dim", record->key[k].name);
    for (size_t c = 0; c < record->columns; c++)
        if (!is_column_allowed(&record->column[c]))
            return fault_data(fault, "column %.40s: the rounds of a client have label, name, base "
                              "and features", record->column[c].name);
    return 0;
}

static int check_limits(const struct round *round, const struct svm_options *options,
                        struct fault *fault)
{
    if (options->most && round->docs > options->most)
        return fault_data(fault, "more than %zu documents", options->most);
    if (options->widths && round->dim != options->dim)
        return fault_data(fault, "dim=%zu, but -d %zu", round->dim, options->dim);
    return 0;
}

/* Answers go by names, so each document has one, or none has. */
static int check_names(struct round *round, struct fault *fault)
{
    const struct column *column = record_column(round->record, ROUND_NAMES);
    const char *const *name;
    if (!column)
        return 0;
    if (round_names(round, &round->scratch, &name, fault) < 0) return -1;
    for (size_t i = 0; i < round->docs; i++)
        if (!name[i][0])
            return round_names_wrong(i, fault);
    return 0;
}

static int check_finite(uint64_t n, const unsigned char *values, const char *column,
                        struct fault *fault)
{
    const uint32_t exponent = 0x7f800000;
    unsigned bad = 0;
    for (uint64_t i = 0; i < n; i++)
        bad |= (unaligned_u4(values + 4 * i) & exponent) == exponent;
    for (uint64_t i = 0; bad && i < n; i++)
        if ((unaligned_u4(values + 4 * i) & exponent) == exponent)
            return fault_data(fault, "column %s: value %zu is not finite", column, (size_t)i);
    return 0;
}

/* Of compact features round_matrix checks that values are finite. */
static int check_features(struct round *round, struct fault *fault)
{
    struct matrix x;
    if (round_matrix(round, &x, fault) < 0) return -1;
    if (x.kind == MATRIX_DENSE)
        return check_finite((uint64_t)x.docs * x.dim, x.x, "x", fault);
    if (x.kind == MATRIX_SPARSE)
        return check_finite(unaligned_u4(x.ptr + 4 * x.docs), x.val, "val", fault);
    return 0;
}

int sent_round_read(struct round *round, const char *bytes, size_t n, uint64_t t,
                    const struct svm_options *options, struct fault *fault)
{
    struct reader reader;
    reader_open_bytes(&reader, bytes, n, "request");
    int got = reader_next(&reader, round->record, fault);
    if (got > 0 && (check_parts(round->record, fault) < 0 || round_header(round, fault) < 0 ||
                    check_limits(round, options, fault) < 0 ||
                    round_columns_read(round, fault) < 0 || check_names(round, fault) < 0 ||
                    check_features(round, fault) < 0)) {
        reader_refuse(&reader, round->record, fault);
        got = -1;
    }
    reader_close(&reader);
    if (got == 0)
        return fault_data(fault, "request: an empty stream");
    if (got < 0) {
        if (fault->kind == FAULT_CUT)
            fault->kind = FAULT_DATA; /* of this request, not of what serve reads */
        return -1;
    }
    return round_set(round, KEY_T, t, fault);
}
