#include "stream/round_columns.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "math/finite.h"
#include "math/order.h"

/* ---- what must hold of the values of a column ---- */

/* label and seen. */
static int check_relevance(struct round *round, const struct column *column, const void *values,
                           struct fault *fault)
{
    unsigned bad = 0;
    const float *value = values;
    size_t n = (size_t)column->count;
    (void)round;
    for (size_t i = 0; i < n; i++)
        bad |= !(value[i] >= 0) | !(value[i] <= FLT_MAX);
    for (size_t i = 0; bad && i < n; i++)
        if (!(value[i] >= 0) || isinf(value[i]))
            return fault_data(
                fault, "column %s: value %zu is %g: a relevance is a finite number of at least 0",
                column->name, i, (double)value[i]);
    return 0;
}

/* score, rival, index, worth and logit. */
static int check_finite(struct round *round, const struct column *column, const void *values,
                        struct fault *fault)
{
    const double *value = values;
    size_t n = (size_t)column->count, i = finite_until(n, value);
    (void)round;
    return i == n ? 0 : fault_data(fault, "column %s: value %zu is %g: it must be a finite number",
                                   column->name, i, value[i]);
}

/* fingerprint: any number is a hash. */
static int check_nothing(struct round *round, const struct column *column, const void *values,
                         struct fault *fault)
{
    (void)round, (void)column, (void)values, (void)fault;
    return 0;
}

/* order and greedy. */
static int check_permutation(struct round *round, const struct column *column, const void *values,
                             struct fault *fault)
{
    uint32_t *scratch = buffer_for(&round->scratch, round->docs, sizeof *scratch, fault);
    if (!scratch)
        return -1;
    if (!order_is_permutation(round->docs, values, scratch))
        return fault_data(fault, "column %s is not a permutation of 0 to %zu", column->name,
                          round->docs - 1);
    return 0;
}

static int check_team(struct round *round, const struct column *column, const void *values,
                      struct fault *fault)
{
    const unsigned char *team = values;
    (void)round;
    for (size_t a = 0; a < column->count; a++)
        if (team[a] > 1)
            return fault_data(fault, "column team: value %zu is %d: it must be 0 or 1", a, team[a]);
    return 0;
}

/* propensity: the reciprocal of each is finite. */
static int check_propensity(struct round *round, const struct column *column, const void *values,
                            struct fault *fault)
{
    const double *value = values;
    (void)round;
    for (size_t a = 0; a < column->count; a++)
        if (!(value[a] >= DBL_MIN) || !(value[a] <= 1))
            return fault_data(fault, "column propensity: value %zu is %g: it must be above 0, and "
                              "at most 1", a, value[a]);
    return 0;
}

/* ---- rules: which columns and keys go together ---- */

static int need_order(const struct round *round, const char *name, struct fault *fault)
{
    if (round->column[ROUND_ORDER])
        return 0;
    return fault_data(fault, "column %s needs the column order, to which it refers", name);
}

static int rule_logit(const struct round *round, struct fault *fault)
{
    if (need_order(round, "logit", fault) < 0)
        return -1;
    if (round->explored)
        return fault_data(fault, "gamma= and the column logit exclude each other: an order is "
                          "drawn in one way");
    return 0;
}

static int rule_team(const struct round *round, struct fault *fault)
{
    bool logit = round->column[ROUND_LOGIT];
    if (need_order(round, "team", fault) < 0)
        return -1;
    if (logit || round->explored)
        return fault_data(fault, "%s and the column team exclude each other: an order is drawn in "
                          "one way", logit ? "the column logit" : "gamma=");
    return 0;
}

static int rule_seen(const struct round *round, struct fault *fault)
{
    uint64_t places = round->column[ROUND_SEEN]->count;
    if (places > round->docs)
        return fault_data(fault, "column seen has %" PRIu64 " places, but the round has %zu "
                          "documents", places, round->docs);
    return need_order(round, "seen", fault);
}

static int rule_propensity(const struct round *round, struct fault *fault)
{
    const struct column *seen = round->column[ROUND_SEEN];
    if (!seen)
        return fault_data(fault, "column propensity needs the column seen, whose places it is of");
    if (round->column[ROUND_PROPENSITY]->count != seen->count)
        return fault_data(fault, "column propensity has %" PRIu64 " places, and the column seen "
                          "has %" PRIu64, round->column[ROUND_PROPENSITY]->count, seen->count);
    if (round->column[ROUND_LOGIT] || round->column[ROUND_TEAM] || round->explored)
        return fault_data(fault, "%s and the column propensity exclude each other: an order is "
                          "drawn in one way", round->explored ? "gamma=" :
                          round->column[ROUND_LOGIT] ? "the column logit" : "the column team");
    return 0;
}

/* ---- the table ---- */

enum length { DOCS, PLACES, DOCS_BY_DIM, ROW_STARTS, ENTRIES, DIM };

#define AT(member) offsetof(struct round, member)

static const struct column_row {
    const char *name;
    enum column_type type;
    enum length length;
    size_t value; /* the offset in struct round of the pointer to its copy; 0: it is not copied */
    int (*check)(struct round *round, const struct column *column, const void *values,
                 struct fault *fault);
    int (*rule)(const struct round *round, struct fault *fault); /* NULL: none */
    bool choice; /* says what order was drawn, or how */
} rows[ROUND_COLUMNS] = {
    [ROUND_LABEL] = { "label", COLUMN_F4, DOCS, AT(label), check_relevance, NULL, false },
    [ROUND_FINGERPRINT] = { "fingerprint", COLUMN_U8, DOCS, AT(fingerprint), check_nothing, NULL,
                            false },
    [ROUND_SCORE] = { "score", COLUMN_F8, DOCS, AT(score), check_finite, NULL, false },
    [ROUND_RIVAL] = { "rival", COLUMN_F8, DOCS, AT(rival), check_finite, NULL, false },
    [ROUND_INDEX] = { "index", COLUMN_F8, DOCS, AT(index), check_finite, NULL, false },
    [ROUND_WORTH] = { "worth", COLUMN_F8, DOCS, AT(worth), check_finite, NULL, false },
    [ROUND_ORDER] = { "order", COLUMN_U4, DOCS, AT(order), check_permutation, NULL, true },
    [ROUND_GREEDY] = { "greedy", COLUMN_U4, DOCS, AT(greedy), check_permutation, NULL, true },
    [ROUND_LOGIT] = { "logit", COLUMN_F8, DOCS, AT(logit), check_finite, rule_logit, true },
    [ROUND_TEAM] = { "team", COLUMN_U1, DOCS, AT(team), check_team, rule_team, true },
    [ROUND_SEEN] = { "seen", COLUMN_F4, PLACES, AT(seen), check_relevance, rule_seen, false },
    [ROUND_PROPENSITY] = { "propensity", COLUMN_F8, PLACES, AT(propensity), check_propensity,
                           rule_propensity, true },
    [ROUND_X] = { "x", COLUMN_F4, DOCS_BY_DIM, 0, NULL, NULL, false },
    [ROUND_PTR] = { "ptr", COLUMN_U4, ROW_STARTS, 0, NULL, NULL, false },
    [ROUND_IDX] = { "idx", COLUMN_U4, ENTRIES, 0, NULL, NULL, false },
    [ROUND_VAL] = { "val", COLUMN_F4, ENTRIES, 0, NULL, NULL, false },
    [ROUND_OFFSET] = { "offset", COLUMN_F4, DIM, 0, NULL, NULL, false },
    [ROUND_STEP] = { "step", COLUMN_F4, DIM, 0, NULL, NULL, false },
    [ROUND_NUMBER] = { "number", COLUMN_U1, DOCS_BY_DIM, 0, NULL, NULL, false }, /* or u2 */
};

enum round_column round_column_find(const char *name)
{
    unsigned c = 0;
    while (c < ROUND_COLUMNS && !name_is(name, rows[c].name))
        c++;
    return (enum round_column)c;
}

const char *round_column_name(enum round_column column)
{
    return rows[column].name;
}

void round_columns_find(struct record *record, const struct column *known[ROUND_COLUMNS + 1])
{
    for (size_t c = 0; c <= ROUND_COLUMNS; c++)
        known[c] = NULL;
    for (size_t c = 0; c < record->columns; c++)
        known[round_column_of(&record->column[c])] = &record->column[c];
}

/* ---- types and lengths ---- */

/* How many values known column c must have. docs times dim is below 2^63. */
static uint64_t right_count(const struct round *round, const struct column *const *known, size_t c)
{
    switch (rows[c].length) {
    case DOCS:
        return round->docs;
    case PLACES:
        return known[c]->count; /* its rule says how many there may be */
    case DOCS_BY_DIM:
        return (uint64_t)round->docs * round->dim;
    case ROW_STARTS:
        return (uint64_t)round->docs + 1;
    case DIM:
        return round->dim;
    default:
        return (known[ROUND_VAL] ? known[ROUND_VAL] : known[c])->count;
    }
}

static int check_size(const struct round *round, const struct column *const *known, size_t c,
                      struct fault *fault)
{
    const struct column *column = known[c];
    enum column_type type = rows[c].type;
    uint64_t count = right_count(round, known, c);
    bool two = c == ROUND_NUMBER && column->type == COLUMN_U2;
    if (column->type != type && !two)
        return fault_data(fault, "column %s has type %s, not %s%s", column->name,
                          column_type_name(column->type), column_type_name(type),
                          c == ROUND_NUMBER ? " or u2" : "");
    if (column->count != count)
        return fault_data(fault, "column %s has %" PRIu64 " values, not %" PRIu64, column->name,
                          column->count, count);
    return 0;
}

int round_columns_check_features(const struct round *round, const struct column *const *known,
                                 struct fault *fault)
{
    for (size_t c = ROUND_X; c < ROUND_COLUMNS; c++)
        if (known[c] && check_size(round, known, c, fault) < 0)
            return -1;
    return 0;
}

int round_columns_check(struct round *round, struct fault *fault)
{
    const struct column *const *column = round->column;
    round_columns_find(round->record, round->column);
    for (size_t c = 0; c < ROUND_COLUMNS; c++)
        if (column[c] && (check_size(round, column, c, fault) < 0 ||
                          (rows[c].rule && rows[c].rule(round, fault) < 0)))
            return -1;
    return 0;
}

/* ---- copies ---- */

/* Sets the round's pointer to a column. All pointers to objects look alike in POSIX. */
static inline void set_pointer(struct round *round, size_t c, void *data)
{
    memcpy((char *)round + rows[c].value, &data, sizeof data);
}

static int read_column(struct round *round, size_t c, struct fault *fault)
{
    const struct column *column = round->column[c];
    void *copy = buffer_for(&round->buffer[c], (size_t)column->count, column_width(column->type),
                            fault);
    if (!copy)
        return -1;
    memcpy(copy, column->data, column_bytes(column));
    set_pointer(round, c, copy);
    return rows[c].check(round, column, copy, fault);
}

int round_columns_read(struct round *round, struct fault *fault)
{
    for (size_t c = 0; c < ROUND_X; c++)
        if (round->column[c] && read_column(round, c, fault) < 0)
            return -1;
    round->places = round->column[ROUND_SEEN] ? (size_t)round->column[ROUND_SEEN]->count : 0;
    return 0;
}

void round_columns_clear(struct round *round)
{
    for (size_t c = 0; c < ROUND_X; c++)
        set_pointer(round, c, NULL);
    round->places = 0;
    round->live = round->checked = round->restored = false;
    round->prepared = NULL;
    round->expansion->done = false;
}

/* ---- new columns ---- */

/* Sets a column where the record has it, else before the first of the features; a fingerprint
 * before all others, so that it makes no difference which program wrote it. */
static int put(struct record *record, const struct column *new, struct fault *fault)
{
    size_t c = 0, before = new->known == ROUND_FINGERPRINT + 1u ? 0 : record->columns;
    record_changes(record);
    for (; c < record->columns; c++) {
        enum round_column number = round_column_of(&record->column[c]);
        if (number + 1u == new->known)
            break;
        if (before == record->columns && round_column_is_feature(number))
            before = c;
    }
    if (c < record->columns) {
        record->column[c] = *new;
        return 0;
    }
    if (record->columns == RECORD_COLUMNS)
        return fault_data(fault, "the header line has no room for a column %s", new->name);
    for (c = record->columns++; c > before; c--)
        record->column[c] = record->column[c - 1];
    record->column[before] = *new;
    return 0;
}

void *round_new(struct round *round, enum round_column column, struct fault *fault)
{
    const struct column_row *row = &rows[column];
    size_t count = row->length == PLACES ? round->places : round->docs;
    void *data = buffer_for(&round->buffer[column], count, column_width(row->type), fault);
    const struct column new = { .name = row->name, .type = row->type, .count = count, .data = data,
                                .known = (unsigned char)(column + 1) };
    if (data && put(round->record, &new, fault) < 0)
        data = NULL;
    set_pointer(round, column, data);
    return data;
}

/* Removes columns of which the numbers are set as bits, and all of a family of names, if not NULL,
 * that are not known. */
static void drop(struct round *round, unsigned gone, const char *family)
{
    struct record *record = round->record;
    size_t left = 0;
    for (size_t c = 0; c < record->columns; c++) {
        unsigned number = round_column_of(&record->column[c]);
        bool kin = family && number == ROUND_COLUMNS &&
                   name_begins(record->column[c].name, family);
        if (!(gone >> number & 1) && !kin && left++ < c)
            record->column[left - 1] = record->column[c];
    }
    if (left < record->columns)
        record_changes(record);
    record->columns = left;
    for (size_t c = 0; c < ROUND_COLUMNS; c++)
        if ((gone >> c & 1) && rows[c].value)
            set_pointer(round, c, NULL);
}

void round_drop(struct round *round, enum round_column column)
{
    drop(round, 1u << column, NULL);
}

void round_drop_labels(struct round *round)
{
    drop(round, 1u << ROUND_LABEL, "label-");
}

void round_columns_forget_choice(struct round *round)
{
    unsigned gone = 0;
    for (size_t c = 0; c < ROUND_X; c++)
        gone |= (unsigned)rows[c].choice << c;
    drop(round, gone, NULL);
}
