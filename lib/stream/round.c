#include "stream/round.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/siphash.h"
#include "base/unaligned.h"
#include "math/fingerprint.h"
#include "stream/round_format.h"

void round_open(struct round *round, struct record *record)
{
    memset(round, 0, sizeof *round);
    round->record = record;
    round->expansion = &round->own;
}

void round_close(struct round *round)
{
    for (size_t c = 0; c < ROUND_COLUMNS; c++)
        buffer_free(&round->buffer[c]);
    buffer_free(&round->scratch);
    compact_close(&round->own.memory);
}

int round_read(struct round *round, struct fault *fault)
{
    if (!round->restored && round_header(round, fault) < 0) return -1;
    return round_columns_read(round, fault);
}

int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault)
{
    record_start(round->record, RECORD_ROUND);
    round_keys_clear(round);
    round_columns_clear(round);
    if (round_set(round, KEY_T, t, fault) < 0 ||
        (qid && round_set_text(round, KEY_QID, qid, fault) < 0) ||
        round_set(round, KEY_DOCS, docs, fault) < 0)
        return -1;
    return round_set(round, KEY_DIM, dim, fault);
}

double *round_new_score(struct round *round, struct fault *fault)
{
    if (round->rival)
        round_drop(round, ROUND_RIVAL);
    if (round->index)
        round_drop(round, ROUND_INDEX);
    if (round->worth)
        round_drop(round, ROUND_WORTH);
    if (round->held)
        round_drop(round, ROUND_HELD);
    if (round->judged)
        round_drop_key(round, KEY_JUDGED);
    if (round->rates)
        round_drop_key(round, KEY_RATES);
    if (round->subset)
        round_drop_key(round, KEY_SUBSET);
    return round_new(round, ROUND_SCORE, fault);
}

float *round_new_seen(struct round *round, size_t places, struct fault *fault)
{
    round->places = places;
    if (round->propensity)
        round_drop(round, ROUND_PROPENSITY);
    if (round->clicks)
        round_drop_key(round, KEY_CLICKS);
    return round_new(round, ROUND_SEEN, fault);
}

int round_base_in_line_order(struct round *round, struct fault *fault)
{
    uint32_t *base = round_new(round, ROUND_BASE, fault);
    for (uint32_t i = 0; base && i < round->docs; i++)
        base[i] = i;
    round_drop_key(round, KEY_BASED);
    return base ? 0 : -1;
}

void round_forget_service(struct round *round)
{
    static const enum round_column gone[] = { ROUND_SCORE, ROUND_RIVAL, ROUND_INDEX, ROUND_WORTH,
                                              ROUND_HELD, ROUND_SEEN };
    round_forget_choice(round);
    round_drop_labels(round);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        round_drop(round, gone[i]);
    round_drop_key(round, KEY_JUDGED);
    round_drop_key(round, KEY_RATES);
    round_drop_key(round, KEY_REQUEST);
    round_drop_key(round, KEY_TIME);
    round_drop_key(round, KEY_CLIENT);
    round_drop_key(round, KEY_CLICKS);
    round->places = 0;
}

bool round_erased(const struct record *record)
{
    return record->kind == RECORD_ROUND && record_key(record, "x-erased");
}

char *round_name(const struct round *round, char name[ROUND_NAME])
{
    if (round->qid)
        snprintf(name, ROUND_NAME, "round %" PRIu64 " (qid %s)", round->t, round->qid);
    else
        snprintf(name, ROUND_NAME, "round %" PRIu64, round->t);
    return name;
}

uint64_t round_share(const struct round *round, uint64_t shares)
{
    struct siphash hash = siphash_start(0, 0);
    if (round->qid)
        siphash_add(&hash, round->qid, strlen(round->qid));
    for (int i = 0; !round->qid && i < 8; i++)
        siphash_add(&hash, &(unsigned char){ (unsigned char)(round->t >> 8 * i) }, 1);
    return 1 + siphash_end(&hash) % shares;
}

/* ---- documents: their names, and what stands for them ---- */

int round_names_wrong(size_t i, struct fault *fault)
{
    return fault_data(fault, "the name of document %zu is not one word: it is empty, or has blanks "
                      "or control characters", i);
}

/* The column holds docs names, each ended by NUL. */
int round_names(const struct round *round, struct buffer *buffer, const char *const **names,
                struct fault *fault)
{
    const struct column *column = record_column(round->record, ROUND_NAMES);
    *names = NULL;
    if (!column)
        return 0;
    const char **name = buffer_for(buffer, round->docs, sizeof *name, fault);
    const char *at = column->data, *end = at + column_bytes(column);
    if (!name) return -1;
    for (size_t i = 0; i < round->docs; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul || column->type != COLUMN_U1)
            return fault_data(fault, "the column 'name' must hold %zu names", round->docs);
        for (const char *p = at; p < nul; p++)
            if ((unsigned char)*p <= ' ' || *p == 127)
                return round_names_wrong(i, fault);
        name[i] = at;
        at = nul + 1;
    }
    if (at != end)
        return fault_data(fault, "the column 'name' holds more than %zu names", round->docs);
    *names = name;
    return 0;
}

int round_fingerprint(struct round *round, const struct matrix *x, struct buffer *scratch,
                      struct fault *fault)
{
    if (x->kind == MATRIX_UNIT || round->fingerprint || record_column(round->record, ROUND_NAMES))
        return 0;
    uint64_t *hash = round_new(round, ROUND_FINGERPRINT, fault);
    return hash ? fingerprint_rows(x, scratch, hash, fault) : -1;
}

/* ---- features ---- */

static int sparse_features(const struct column *const *known, struct matrix *x,
                           struct fault *fault)
{
    const struct column *ptr = known[ROUND_PTR], *idx = known[ROUND_IDX], *val = known[ROUND_VAL];
    if (!ptr || !idx || !val)
        return fault_data(fault, "sparse features need the three columns ptr, idx and val");
    x->kind = MATRIX_SPARSE;
    x->ptr = ptr->data;
    x->idx = idx->data;
    x->val = val->data;

    /* ptr rises to the number of values; idx rises in each document, and stays below dim. */
    const uint64_t values = val->count;
    uint32_t from = unaligned_u4(x->ptr);
    if (from != 0)
        return fault_data(fault, "ptr 0 is %" PRIu32 ", not 0", from);
    for (size_t i = 0; i < x->docs; i++) {
        uint32_t to = unaligned_u4(x->ptr + 4 * (i + 1));
        if (to < from)
            return fault_data(fault, "ptr %zu is %" PRIu32 ", below ptr %zu, %" PRIu32, i + 1, to,
                              i, from);
        if (to > values)
            return fault_data(fault, "ptr %zu is %" PRIu32 ", above the number of values, %" PRIu64,
                              i + 1, to, values);

        uint64_t least = 0;
        for (size_t e = from; e < to; e++) {
            uint32_t j = unaligned_u4(x->idx + 4 * e);
            if (j < least || j >= x->dim)
                return fault_data(fault, "idx %zu (document %zu) is %" PRIu32 ": it must be at "
                                  "least %" PRIu64 " and below dim=%zu", e, i, j, least, x->dim);
            least = (uint64_t)j + 1;
        }
        from = to;
    }
    if (from != values)
        return fault_data(fault, "ptr %zu is %" PRIu32 ", not %" PRIu64 ", the number of values",
                          x->docs, from, values);
    return 0;
}

static int read_compact(const struct column *const *known, const struct round *round,
                        struct matrix *x, struct fault *fault)
{
    const struct column *offset = known[ROUND_OFFSET], *step = known[ROUND_STEP];
    const struct column *number = known[ROUND_NUMBER];
    struct round_expansion *expansion = round->expansion;
    if (!offset || !step || !number)
        return fault_data(fault, "compact features need the three columns offset, step and number");
    if (!round->dim)
        return 0;
    const struct compact compact = { round->docs, round->dim, column_width(number->type),
                                     offset->data, step->data, number->data };
    if (compact_check(&compact, fault) < 0 ||
        compact_features(&compact, &expansion->memory, &expansion->x, fault) < 0)
        return -1;
    expansion->done = true;
    *x = expansion->x;
    return 0;
}

int round_matrix(const struct round *round, struct matrix *x, struct fault *fault)
{
    const struct column *known[ROUND_COLUMNS + 1];
    if (round->checked || round->expansion->done) {
        *x = round->checked ? round->x : round->expansion->x;
        return 0;
    }
    round_columns_find(round->record, known);
    *x = (struct matrix){ .kind = MATRIX_UNIT, .docs = round->docs, .dim = round->dim };
    if (round_columns_check_features(round, known, fault) < 0) return -1;

    /* Features are in one form. */
    const struct column *dense = known[ROUND_X];
    bool sparse = known[ROUND_PTR] || known[ROUND_IDX] || known[ROUND_VAL];
    bool compact = known[ROUND_OFFSET] || known[ROUND_STEP] || known[ROUND_NUMBER];
    if ((dense != NULL) + sparse + compact > 1)
        return fault_data(fault, "dense features (x), sparse ones (ptr, idx, val) and compact ones "
                          "(offset, step, number) exclude each other");
    if (sparse)
        return sparse_features(known, x, fault);
    if (compact)
        return read_compact(known, round, x, fault);
    x->kind = round->dim ? MATRIX_DENSE : MATRIX_UNIT;
    if (round->dim && !dense)
        return fault_data(fault, "dim=%zu, but the round has no features", round->dim);
    x->x = dense ? dense->data : NULL;
    return 0;
}

/* ---- replacing ---- */

static int put(struct record *record, enum round_column column, enum column_type type,
               uint64_t count, const void *data, struct fault *fault)
{
    return record_put(record, format_columns[column].name, type, count, data, fault);
}

int round_new_features(struct round *round, const struct matrix *x, struct fault *fault)
{
    for (size_t c = ROUND_X; c < ROUND_COLUMNS; c++)
        round_drop(round, (enum round_column)c);
    round->record->spliced = NULL; /* only the old features are there, which nobody needs now */
    round->live = false; /* the scores were computed from the old features */
    round->prepared = NULL;
    round->checked = round->expansion->done = false;

    round->x = *x;
    round->checked = true;
    if (round_set(round, KEY_DIM, x->dim, fault) < 0) return -1;

    struct record *record = round->record;
    if (x->kind == MATRIX_DENSE)
        return put(record, ROUND_X, COLUMN_F4, (uint64_t)x->docs * x->dim, x->x, fault);
    if (x->kind == MATRIX_UNIT)
        return 0;
    uint64_t values = unaligned_u4(x->ptr + 4 * x->docs);
    if (put(record, ROUND_PTR, COLUMN_U4, (uint64_t)x->docs + 1, x->ptr, fault) < 0 ||
        put(record, ROUND_IDX, COLUMN_U4, values, x->idx, fault) < 0)
        return -1;
    return put(record, ROUND_VAL, COLUMN_F4, values, x->val, fault);
}

size_t round_feature_bytes(struct record *record)
{
    size_t bytes = 0;
    for (size_t c = 0; c < record->columns; c++) {
        bool feature = round_column_is_feature(round_column_of(&record->column[c]));
        if (bytes && !feature)
            return 0;
        bytes += feature ? column_bytes(&record->column[c]) : 0;
    }
    return bytes;
}
