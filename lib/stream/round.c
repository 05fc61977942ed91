#include "stream/round.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/order.h"

static const char *const known_keys[] = { "t", "qid", "docs", "dim", "gamma", "top",
                                          "swap", "block", "group" };
enum { KNOWN_KEYS = sizeof known_keys / sizeof *known_keys };

/* In the order of enum round_column: those of the features come last. */
static const char *const known_columns[] = { "label", "score", "rival", "order", "greedy", "logit",
                                             "team", "seen", "x", "ptr", "idx", "val" };

void round_open(struct round *round, struct record *record)
{
    memset(round, 0, sizeof *round);
    round->record = record;
}

void round_close(struct round *round)
{
    buffer_free(&round->buffer.label);
    buffer_free(&round->buffer.score);
    buffer_free(&round->buffer.rival);
    buffer_free(&round->buffer.order);
    buffer_free(&round->buffer.greedy);
    buffer_free(&round->buffer.logit);
    buffer_free(&round->buffer.team);
    buffer_free(&round->buffer.seen);
    buffer_free(&round->buffer.scratch);
}

/* A key's place in the order of keys, from 0; KNOWN_KEYS for one that is not known. */
static size_t key_rank(const char *name)
{
    size_t rank = 0;
    while (rank < KNOWN_KEYS && !name_is(name, known_keys[rank]))
        rank++;
    return rank;
}

static int check_keys(const struct record *record, struct fault *fault)
{
    size_t next = 0;
    for (size_t k = 0; k < record->keys; k++) {
        const char *name = record->key[k].name;
        if (name_begins(name, "x-"))
            continue;
        size_t rank = key_rank(name);
        if (rank == KNOWN_KEYS)
            return fault_data(fault, "unknown key %.40s= (a key of one's own begins with x-)",
                              name);
        if (rank < next)
            return fault_data(fault, "key %s= stands too late: the order is t, qid, docs, dim, "
                              "gamma, top, swap, block, group", name);
        next = rank + 1;
    }
    return 0;
}

static int read_number(const struct record *record, const char *name, uint64_t least,
                       uint64_t most, uint64_t *value, struct fault *fault)
{
    const char *text = record_key(record, name);
    if (!text)
        return fault_data(fault, "no key %s=", name);
    if (!record_number(text, most, value) || *value < least)
        return fault_data(fault, "%s=%.40s is not a whole number from %" PRIu64 " to %" PRIu64,
                          name, text, least, most);
    return 0;
}

static int read_gamma(struct round *round, struct fault *fault)
{
    char *end;
    struct round_gamma *parsed = &round->parsed;
    const char *text = record_key(round->record, "gamma");
    bool again = text && strcmp(text, parsed->text) == 0;
    round->explored = text != NULL;
    round->gamma = again ? parsed->value : 0;
    if (!text || again)
        return 0;
    round->gamma = strtod(text, &end);
    if (strspn(text, "0123456789.e-+") != strlen(text) || *end || !(round->gamma >= 0) ||
        !(round->gamma <= 1))
        return fault_data(fault, "gamma=%.40s is not a number from 0 to 1", text);
    if (strlen(text) < sizeof parsed->text) {
        strcpy(parsed->text, text);
        parsed->value = round->gamma;
    }
    return 0;
}

/* A key that need not be there. */
static int read_optional(const struct record *record, const char *name, uint64_t least,
                         uint64_t most, bool *has, uint64_t *value, struct fault *fault)
{
    *value = 0;
    *has = record_key(record, name) != NULL;
    return *has ? read_number(record, name, least, most, value, fault) : 0;
}

static int read_top(struct round *round, struct fault *fault)
{
    bool top, swap;
    const struct record *from = round->record;
    if (read_optional(from, "top", 1, ROUND_DOCS, &top, &round->top, fault) < 0 ||
        read_optional(from, "swap", 1, ROUND_DOCS, &swap, &round->swap, fault) < 0)
        return -1;
    if (top && swap)
        return fault_data(fault, "top= and swap=: an order is drawn in one way");
    if ((top || swap) && !round->explored)
        return fault_data(fault, "%s= without gamma=: how often is it drawn so?",
                          top ? "top" : "swap");
    return 0;
}

static int read_block(struct round *round, struct fault *fault)
{
    const struct record *from = round->record;
    if (read_optional(from, "block", 0, RECORD_MOST - 1, &round->in_block, &round->block,
                      fault) < 0 ||
        read_optional(from, "group", 0, round->docs - 1, &round->grouped, &round->group,
                      fault) < 0)
        return -1;
    if (round->grouped && !round->in_block)
        return fault_data(fault, "group= without block=: a group is explored once in each block");
    return 0;
}

static int check_qid(const char *qid, struct fault *fault)
{
    if (qid && strlen(qid) > ROUND_QID)
        return fault_data(fault, "a qid of %zu bytes; at most %d", strlen(qid), ROUND_QID);
    for (const char *p = qid; p && (p = strchr(p, '%')); p += 3)
        if (strspn(p + 1, "0123456789ABCDEF") < 2)
            return fault_data(fault, "qid=%.40s: behind %% stand two hexadecimal digits, A to F",
                              qid);
    return 0;
}

static int read_keys(struct round *round, struct fault *fault)
{
    uint64_t docs, dim;
    const struct record *record = round->record;
    if (read_number(record, "t", 1, RECORD_MOST - 1, &round->t, fault) < 0)
        return -1;
    round->qid = record_key(record, "qid");
    if (check_qid(round->qid, fault) < 0 || check_keys(record, fault) < 0 ||
        read_number(record, "docs", 1, ROUND_DOCS, &docs, fault) < 0 ||
        read_number(record, "dim", 0, ROUND_DIM, &dim, fault) < 0 ||
        read_gamma(round, fault) < 0 || read_top(round, fault) < 0)
        return -1;
    if (docs > SIZE_MAX / 8 || dim > SIZE_MAX / 8)
        return fault_data(fault, "docs=%" PRIu64 " dim=%" PRIu64 ": too large for this machine",
                          docs, dim);
    if (docs > ROUND_BARE && docs > record->bytes)
        return fault_data(fault, "docs=%" PRIu64 ", but a payload of %" PRIu64 " bytes", docs,
                          record->bytes);
    round->docs = (size_t)docs;
    round->dim = (size_t)dim;
    return read_block(round, fault);
}

static int wrong_column(const struct column *column, enum column_type type, uint64_t count,
                        struct fault *fault)
{
    static const char *const types[] = { "u1", "u4", "f4", "f8" };
    if (column->type != type)
        return fault_data(fault, "column %s is of type %s, not %s", column->name,
                          types[column->type], types[type]);
    return fault_data(fault, "column %s has %" PRIu64 " values, not %" PRIu64, column->name,
                      column->count, count);
}

/* Is a column of the type, and `count` long? NULL, one that is not there, always is. */
static inline int check_column(const struct column *column, enum column_type type,
                               uint64_t count, struct fault *fault)
{
    bool right = !column || (column->type == type && column->count == count);
    return right ? 0 : wrong_column(column, type, count, fault);
}

static int check_seen(const struct round *round, struct fault *fault)
{
    const struct column *seen = round->column[ROUND_SEEN];
    if (!seen)
        return 0;
    if (seen->count > round->docs)
        return fault_data(fault, "seen has %" PRIu64 " places, the round %zu documents",
                          seen->count, round->docs);
    if (!round->column[ROUND_ORDER])
        return fault_data(fault, "seen without order: nobody knows whose relevance it is");
    return check_column(seen, COLUMN_F4, seen->count, fault);
}

/* Of the features, what is there: who reads them sees whether all is. docs times dim is below
 * 2^63. */
static int check_features(const struct round *round, const struct column *const *column,
                          struct fault *fault)
{
    const struct column *idx = column[ROUND_IDX], *val = column[ROUND_VAL];
    uint64_t docs = round->docs, nnz = val ? val->count : idx ? idx->count : 0;
    if (check_column(column[ROUND_X], COLUMN_F4, docs * round->dim, fault) < 0 ||
        check_column(column[ROUND_PTR], COLUMN_U4, docs + 1, fault) < 0 ||
        check_column(idx, COLUMN_U4, nnz, fault) < 0)
        return -1;
    return check_column(val, COLUMN_F4, nnz, fault);
}

static size_t column_rank(const char *name)
{
    size_t rank = 0;
    while (rank < ROUND_COLUMNS && !name_is(name, known_columns[rank]))
        rank++;
    return rank;
}

static void find_columns(const struct record *record,
                         const struct column *known[ROUND_COLUMNS + 1])
{
    for (size_t k = 0; k <= ROUND_COLUMNS; k++)
        known[k] = NULL;
    for (size_t c = 0; c < record->columns; c++)
        known[column_rank(record->column[c].name)] = &record->column[c];
}

/* What says how an order was drawn says it of one, and in one way. */
static int check_drawn(const struct round *round, struct fault *fault)
{
    bool logit = round->column[ROUND_LOGIT], team = round->column[ROUND_TEAM];
    if ((logit || team) && !round->column[ROUND_ORDER])
        return fault_data(fault, "%s without order: what was drawn?", logit ? "logit" : "team");
    if (logit && round->explored)
        return fault_data(fault, "gamma= and the column logit: an order is drawn in one way");
    if (team && (logit || round->explored))
        return fault_data(fault, "%s and the column team: an order is drawn in one way",
                          logit ? "the column logit" : "gamma=");
    return 0;
}

/* The sizes of all known columns, before anybody waits for them. */
static int check_sizes(struct round *round, struct fault *fault)
{
    const struct column *const *column = round->column;
    uint64_t docs = round->docs;
    find_columns(round->record, round->column);
    if (check_column(column[ROUND_LABEL], COLUMN_F4, docs, fault) < 0 ||
        check_column(column[ROUND_SCORE], COLUMN_F8, docs, fault) < 0 ||
        check_column(column[ROUND_RIVAL], COLUMN_F8, docs, fault) < 0 ||
        check_column(column[ROUND_ORDER], COLUMN_U4, docs, fault) < 0 ||
        check_column(column[ROUND_GREEDY], COLUMN_U4, docs, fault) < 0 ||
        check_column(column[ROUND_LOGIT], COLUMN_F8, docs, fault) < 0 ||
        check_column(column[ROUND_TEAM], COLUMN_U1, docs, fault) < 0 ||
        check_seen(round, fault) < 0 || check_drawn(round, fault) < 0)
        return -1;
    return check_features(round, column, fault);
}

/* An aligned copy of a column. */
static void *copy_column(const struct column *column, struct buffer *buffer, struct fault *fault)
{
    void *copy = buffer_for(buffer, (size_t)column->count, column_width(column->type), fault);
    if (copy)
        memcpy(copy, column->data, column_bytes(column));
    return copy;
}

static int check_relevance(const float *value, size_t n, const char *name, struct fault *fault)
{
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++)
        bad |= !(value[i] >= 0) | !(value[i] <= FLT_MAX);
    for (size_t i = 0; bad && i < n; i++)
        if (!(value[i] >= 0) || isinf(value[i]))
            return fault_data(fault, "%s %zu is %g: relevance is a finite number, 0 and up", name,
                              i, (double)value[i]);
    return 0;
}

static int read_label(struct round *round, struct fault *fault)
{
    const struct column *column = round->column[ROUND_LABEL];
    if (!column)
        return 0;
    round->label = copy_column(column, &round->buffer.label, fault);
    return round->label ? check_relevance(round->label, round->docs, "label", fault) : -1;
}

static int read_seen(struct round *round, struct fault *fault)
{
    const struct column *column = round->column[ROUND_SEEN];
    if (!column)
        return 0;
    round->places = (size_t)column->count;
    round->seen = copy_column(column, &round->buffer.seen, fault);
    return round->seen ? check_relevance(round->seen, round->places, "seen", fault) : -1;
}

/* score, rival or logit. */
static int read_finite(struct round *round, const struct column *column, struct buffer *buffer,
                       double **value, struct fault *fault)
{
    if (!column)
        return 0;
    *value = copy_column(column, buffer, fault);
    if (!*value)
        return -1;
    bool finite = unaligned_finite(*value, round->docs);
    for (size_t i = 0; !finite && i < round->docs; i++)
        if (!isfinite((*value)[i]))
            return fault_data(fault, "%s %zu is %g", column->name, i, (*value)[i]);
    return 0;
}

static int read_team(struct round *round, struct fault *fault)
{
    const struct column *column = round->column[ROUND_TEAM];
    if (!column)
        return 0;
    round->team = copy_column(column, &round->buffer.team, fault);
    for (size_t a = 0; round->team && a < round->docs; a++)
        if (round->team[a] > 1)
            return fault_data(fault, "team %zu is %d, neither 0 nor 1", a, round->team[a]);
    return round->team ? 0 : -1;
}

/* order or greedy. */
static int read_order(struct round *round, const struct column *column, struct buffer *buffer,
                      uint32_t **order, struct fault *fault)
{
    if (!column)
        return 0;
    uint32_t *scratch = buffer_for(&round->buffer.scratch, round->docs, sizeof *scratch, fault);
    *order = scratch ? copy_column(column, buffer, fault) : NULL;
    if (!*order)
        return -1;
    if (!order_is_permutation(round->docs, *order, scratch))
        return fault_data(fault, "column %s is no permutation of 0 to %zu", column->name,
                          round->docs - 1);
    return 0;
}

static void forget_policy(struct round *round)
{
    round->explored = round->in_block = round->grouped = false;
    round->gamma = 0;
    round->top = round->swap = 0;
    round->block = round->group = 0;
}

static void forget_columns(struct round *round)
{
    round->label = round->seen = NULL;
    round->score = round->rival = round->logit = NULL;
    round->team = NULL;
    round->live = round->checked = false;
    round->order = round->greedy = NULL;
    round->places = 0;
}

int round_header(struct round *round, struct fault *fault)
{
    forget_columns(round);
    return read_keys(round, fault) < 0 ? -1 : check_sizes(round, fault);
}

int round_columns(struct round *round, struct fault *fault)
{
    if (read_label(round, fault) < 0 ||
        read_finite(round, round->column[ROUND_SCORE], &round->buffer.score, &round->score,
                    fault) < 0 ||
        read_finite(round, round->column[ROUND_RIVAL], &round->buffer.rival, &round->rival,
                    fault) < 0 ||
        read_order(round, round->column[ROUND_ORDER], &round->buffer.order, &round->order,
                   fault) < 0 ||
        read_order(round, round->column[ROUND_GREEDY], &round->buffer.greedy, &round->greedy,
                   fault) < 0 ||
        read_finite(round, round->column[ROUND_LOGIT], &round->buffer.logit, &round->logit,
                    fault) < 0 ||
        read_team(round, fault) < 0)
        return -1;
    return read_seen(round, fault);
}

int round_read(struct round *round, struct fault *fault)
{
    return round_header(round, fault) < 0 ? -1 : round_columns(round, fault);
}

static int check_rows(const struct matrix *x, uint64_t nnz, struct fault *fault)
{
    uint32_t from = unaligned_u4(x->ptr);
    if (from != 0)
        return fault_data(fault, "ptr 0 is %" PRIu32 ", not 0", from);
    for (size_t i = 0; i < x->docs; i++) {
        uint32_t to = unaligned_u4(x->ptr + 4 * (i + 1));
        if (to < from || to > nnz)
            return fault_data(fault, "ptr %zu is %" PRIu32 ", not from %" PRIu32 " to %" PRIu64,
                              i + 1, to, from, nnz);
        uint64_t least = 0;
        for (size_t e = from; e < to; e++) {
            uint32_t j = unaligned_u4(x->idx + 4 * e);
            if (j < least || j >= x->dim)
                return fault_data(fault, "idx %zu (document %zu) is %" PRIu32 ", not %" PRIu64
                                  " or more and below dim=%zu", e, i, j, least, x->dim);
            least = (uint64_t)j + 1;
        }
        from = to;
    }
    if (from != nnz)
        return fault_data(fault, "ptr %zu is %" PRIu32 ", but there are %" PRIu64 " values",
                          x->docs, from, nnz);
    return 0;
}

static int sparse_features(const struct column *const *known, struct matrix *x,
                           struct fault *fault)
{
    const struct column *ptr = known[ROUND_PTR], *idx = known[ROUND_IDX], *val = known[ROUND_VAL];
    if (!ptr || !idx || !val)
        return fault_data(fault, "sparse features are the three columns ptr, idx and val");
    x->form = MATRIX_SPARSE;
    x->ptr = ptr->data;
    x->idx = idx->data;
    x->val = val->data;
    return check_rows(x, val->count, fault);
}

int round_features(const struct round *round, struct matrix *x, struct fault *fault)
{
    const struct column *known[ROUND_COLUMNS + 1];
    if (round->checked) {
        *x = round->x;
        return 0;
    }
    find_columns(round->record, known);
    const struct column *dense = known[ROUND_X];
    bool sparse = known[ROUND_PTR] || known[ROUND_IDX] || known[ROUND_VAL];
    memset(x, 0, sizeof *x);
    x->docs = round->docs;
    x->dim = round->dim;
    if (check_features(round, known, fault) < 0)
        return -1;
    if (dense && sparse)
        return fault_data(fault, "dense and sparse features in one round");
    if (sparse)
        return sparse_features(known, x, fault);
    x->form = round->dim ? MATRIX_DENSE : MATRIX_UNIT;
    if (round->dim && !dense)
        return fault_data(fault, "dim=%zu, but no features", round->dim);
    x->x = dense ? dense->data : NULL;
    return 0;
}

/* Where a known key goes: where the order of keys puts it. */
static size_t key_place(const struct record *record, const char *name)
{
    size_t at = 0, rank = key_rank(name);
    for (size_t k = 0; k < record->keys; k++)
        if (key_rank(record->key[k].name) < rank)
            at = k + 1;
    return at;
}

static int set_text(struct round *round, const char *name, const char *text, struct fault *fault)
{
    return record_set(round->record, key_place(round->record, name), name, text, fault);
}

static int set_number(struct round *round, const char *name, uint64_t value, struct fault *fault)
{
    return record_set_number(round->record, key_place(round->record, name), name, value, fault);
}

int round_start(struct round *round, uint64_t t, const char *qid, size_t docs, size_t dim,
                struct fault *fault)
{
    record_start(round->record, RECORD_ROUND);
    round->t = t;
    round->docs = docs;
    round->dim = dim;
    forget_policy(round);
    forget_columns(round);
    if (set_number(round, "t", t, fault) < 0 ||
        (qid && set_text(round, "qid", qid, fault) < 0) ||
        set_number(round, "docs", docs, fault) < 0 || set_number(round, "dim", dim, fault) < 0)
        return -1;
    round->qid = record_key(round->record, "qid");
    return 0;
}

int round_set_t(struct round *round, uint64_t t, struct fault *fault)
{
    round->t = t;
    return set_number(round, "t", t, fault);
}

int round_set_gamma(struct round *round, double gamma, struct fault *fault)
{
    struct round_gamma *printed = &round->printed;
    if (!*printed->text || gamma != printed->value) {
        snprintf(printed->text, sizeof printed->text, "%.17g", gamma);
        printed->value = gamma;
    }
    round->explored = true;
    round->gamma = gamma;
    return set_text(round, "gamma", printed->text, fault);
}

int round_set_top(struct round *round, uint64_t top, struct fault *fault)
{
    round->top = top;
    return set_number(round, "top", top, fault);
}

int round_set_swap(struct round *round, uint64_t swap, struct fault *fault)
{
    round->swap = swap;
    return set_number(round, "swap", swap, fault);
}

int round_set_block(struct round *round, uint64_t block, struct fault *fault)
{
    round->in_block = true;
    round->block = block;
    return set_number(round, "block", block, fault);
}

int round_set_group(struct round *round, uint64_t group, struct fault *fault)
{
    round->grouped = true;
    round->group = group;
    return set_number(round, "group", group, fault);
}

void round_forget_choice(struct round *round)
{
    static const char *const keys[] = { "gamma", "top", "swap", "block", "group" };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        record_unset(round->record, keys[k]);
    record_drop(round->record, "order");
    record_drop(round->record, "greedy");
    record_drop(round->record, "logit");
    record_drop(round->record, "team");
    round->order = round->greedy = NULL;
    round->logit = NULL;
    round->team = NULL;
    forget_policy(round);
}

static bool is_feature(const struct column *column)
{
    size_t rank = column_rank(column->name);
    return rank >= ROUND_X && rank < ROUND_COLUMNS;
}

/* Where a new column goes: just before the features. */
static size_t before_features(const struct record *record)
{
    size_t c = 0;
    while (c < record->columns && !is_feature(&record->column[c]))
        c++;
    return c;
}

size_t round_feature_bytes(const struct record *record)
{
    size_t bytes = 0;
    for (size_t c = before_features(record); c < record->columns; c++) {
        if (!is_feature(&record->column[c]))
            return 0;
        bytes += column_bytes(&record->column[c]);
    }
    return bytes;
}

static void *new_column(struct round *round, const char *name, enum column_type type, size_t n,
                        struct buffer *buffer, struct fault *fault)
{
    void *data = buffer_for(buffer, n, column_width(type), fault);
    if (!data || record_put(round->record, before_features(round->record), name, type, n, data,
                            fault) < 0)
        return NULL;
    return data;
}

float *round_new_label(struct round *round, struct fault *fault)
{
    return round->label = new_column(round, "label", COLUMN_F4, round->docs, &round->buffer.label,
                                     fault);
}

double *round_new_score(struct round *round, struct fault *fault)
{
    if (round->rival)
        record_drop(round->record, "rival");
    round->rival = NULL;
    return round->score = new_column(round, "score", COLUMN_F8, round->docs, &round->buffer.score,
                                     fault);
}

double *round_new_rival(struct round *round, struct fault *fault)
{
    return round->rival = new_column(round, "rival", COLUMN_F8, round->docs, &round->buffer.rival,
                                     fault);
}

uint32_t *round_new_order(struct round *round, struct fault *fault)
{
    return round->order = new_column(round, "order", COLUMN_U4, round->docs, &round->buffer.order,
                                     fault);
}

uint32_t *round_new_greedy(struct round *round, struct fault *fault)
{
    return round->greedy = new_column(round, "greedy", COLUMN_U4, round->docs,
                                      &round->buffer.greedy, fault);
}

double *round_new_logit(struct round *round, struct fault *fault)
{
    return round->logit = new_column(round, "logit", COLUMN_F8, round->docs, &round->buffer.logit,
                                     fault);
}

unsigned char *round_new_team(struct round *round, struct fault *fault)
{
    return round->team = new_column(round, "team", COLUMN_U1, round->docs, &round->buffer.team,
                                    fault);
}

float *round_new_seen(struct round *round, size_t places, struct fault *fault)
{
    round->places = places;
    return round->seen = new_column(round, "seen", COLUMN_F4, places, &round->buffer.seen, fault);
}

static int put_features(struct record *record, const struct matrix *x, struct fault *fault)
{
    size_t end = record->columns;
    if (x->form == MATRIX_DENSE)
        return record_put(record, end, "x", COLUMN_F4, (uint64_t)x->docs * x->dim, x->x, fault);
    if (x->form == MATRIX_UNIT)
        return 0;
    uint64_t nnz = unaligned_u4(x->ptr + 4 * x->docs);
    if (record_put(record, end, "ptr", COLUMN_U4, (uint64_t)x->docs + 1, x->ptr, fault) < 0 ||
        record_put(record, end + 1, "idx", COLUMN_U4, nnz, x->idx, fault) < 0)
        return -1;
    return record_put(record, end + 2, "val", COLUMN_F4, nnz, x->val, fault);
}

int round_new_features(struct round *round, const struct matrix *x, struct fault *fault)
{
    struct record *record = round->record;
    for (size_t k = ROUND_X; k < ROUND_COLUMNS; k++)
        record_drop(record, known_columns[k]);
    record->spliced = NULL; /* the features that came lie there */
    record->mapped = false;
    round->dim = x->dim;
    round->live = false; /* scores are those of other features */
    round->x = *x;
    round->checked = true;
    if (set_number(round, "dim", x->dim, fault) < 0)
        return -1;
    return put_features(record, x, fault);
}

void round_drop_labels(struct round *round)
{
    record_drop(round->record, "label");
    record_drop(round->record, "label-");
    round->label = NULL;
}

char *round_name(const struct round *round, char name[ROUND_NAME])
{
    if (round->qid)
        snprintf(name, ROUND_NAME, "round %" PRIu64 " (qid %s)", round->t, round->qid);
    else
        snprintf(name, ROUND_NAME, "round %" PRIu64, round->t);
    return name;
}
