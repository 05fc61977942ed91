#include "stream/round_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

enum key_type {
    WHOLE,    /* uint64_t: a whole number              */
    DOCUMENT, /* uint64_t: a whole number below docs=  */
    SIZE,     /* size_t: a whole number                */
    SHARE,    /* double: a number from 0 to 1          */
    TEXT      /* const char *: at most so many bytes   */
};

/* ---- rules: what must hold besides a key's own range ---- */

static int check_docs(const struct round *round, struct fault *fault)
{
    uint64_t docs = round->docs, bytes = round->record->bytes;
    if (docs > ROUND_BARE && docs > bytes)
        return fault_data(fault, "docs=%" PRIu64 ", but the payload has only %" PRIu64 " bytes",
                          docs, bytes);
    return 0;
}

/* top= or swap=. */
static int check_drawn(const struct round *round, struct fault *fault)
{
    if (round->top && round->swap)
        return fault_data(fault, "top= and swap= exclude each other: an order is drawn in one way");
    if (!round->explored)
        return fault_data(fault, "%s= needs gamma=, the probability of exploration",
                          round->top ? "top" : "swap");
    return 0;
}

static int check_group(const struct round *round, struct fault *fault)
{
    if (round->in_block)
        return 0;
    return fault_data(fault, "group= needs block=: a group is explored once in each block");
}

/* qid= and request=. */
static int check_encoded(const char *name, const char *text, struct fault *fault)
{
    for (const char *p = text; p && (p = strchr(p, '%')); p += 3)
        if (strspn(p + 1, "0123456789ABCDEF") < 2)
            return fault_data(fault, "%s=%.40s: two hexadecimal digits (0-9, A-F) must follow %%",
                              name, text);
    return 0;
}

static int check_names(const struct round *round, struct fault *fault)
{
    return check_encoded("qid", round->qid, fault) < 0 ||
                   check_encoded("request", round->request, fault) < 0
               ? -1 : 0;
}

/* Steps, whose names begin with a letter, between commas. Programs that only pass rounds on need
 * not know them. */
static int check_made(const struct round *round, struct fault *fault)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const char *p = round->made;
    while (*p >= 'a' && *p <= 'z') {
        p += strspn(p, letters);
        if (*p == ':')
            p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789.:+-");
        if (*p == '\0')
            return 0;
        if (*p == ',')
            p++;
    }
    return fault_data(fault, "made=%.60s is not a list of steps such as scale,fourier:100:0.02:1",
                      round->made);
}

static int check_named(const struct round *round, struct fault *fault)
{
    if (strspn(round->named, "0123456789abcdef") == ROUND_NAMED)
        return 0;
    return fault_data(fault, "named=%.40s is not %d hexadecimal digits", round->named, ROUND_NAMED);
}

/* ---- the table ---- */

#define AT(member) offsetof(struct round, member)

static const struct key_row {
    const char *name;
    enum key_type type;
    bool required;
    uint64_t least, most; /* of a WHOLE or a SIZE; bytes of a TEXT */
    size_t value;         /* the offset of its field in struct round */
    size_t given;         /* of the bool that says whether the key is there; 0: no such field */
    int (*rule)(const struct round *round, struct fault *fault); /* NULL: none */
    bool choice;          /* says how the order was drawn */
} rows[ROUND_KEYS] = {
    [KEY_T] = { "t", WHOLE, true, 1, RECORD_MOST - 1, AT(t), 0, NULL, false },
    [KEY_QID] = { "qid", TEXT, false, 1, ROUND_QID, AT(qid), 0, check_names, false },
    [KEY_REQUEST] = { "request", TEXT, false, 1, ROUND_REQUEST, AT(request), 0, check_names,
                      false },
    [KEY_TIME] = { "time", WHOLE, false, 0, RECORD_MOST - 1, AT(time), AT(timed), NULL, false },
    [KEY_DOCS] = { "docs", SIZE, true, 1, ROUND_DOCS, AT(docs), 0, check_docs, false },
    [KEY_DIM] = { "dim", SIZE, true, 0, ROUND_DIM, AT(dim), 0, NULL, false },
    [KEY_MADE] = { "made", TEXT, false, 1, ROUND_MADE, AT(made), 0, check_made, false },
    [KEY_NAMED] = { "named", TEXT, false, 1, ROUND_NAMED, AT(named), 0, check_named, false },
    [KEY_JUDGED] = { "judged", WHOLE, false, 1, ROUND_DOCS, AT(judged), 0, NULL, false },
    [KEY_GAMMA] = { "gamma", SHARE, false, 0, 1, AT(gamma), AT(explored), NULL, true },
    [KEY_TOP] = { "top", WHOLE, false, 1, ROUND_DOCS, AT(top), 0, check_drawn, true },
    [KEY_SWAP] = { "swap", WHOLE, false, 1, ROUND_DOCS, AT(swap), 0, check_drawn, true },
    [KEY_BLOCK] = { "block", WHOLE, false, 0, RECORD_MOST - 1, AT(block), AT(in_block), NULL,
                    true },
    [KEY_GROUP] = { "group", DOCUMENT, false, 0, 0, AT(group), AT(grouped), check_group,
                    true },
    [KEY_SEED] = { "seed", WHOLE, false, 0, RECORD_MOST, AT(seed), AT(seeded), NULL, true },
    [KEY_STORED] = { "stored", TEXT, false, 1, ROUND_STORED, AT(stored), 0, NULL, false },
};

static void *field(struct round *round, size_t offset)
{
    return (char *)round + offset;
}

static void set_given(struct round *round, const struct key_row *row, bool given)
{
    if (row->given)
        *(bool *)field(round, row->given) = given;
}

static void set_whole(struct round *round, const struct key_row *row, uint64_t value)
{
    if (row->type == SIZE)
        *(size_t *)field(round, row->value) = (size_t)value;
    else
        *(uint64_t *)field(round, row->value) = value;
}

static void clear(struct round *round, const struct key_row *row)
{
    set_given(round, row, false);
    if (row->type == TEXT)
        *(const char **)field(round, row->value) = NULL;
    else if (row->type == SHARE)
        *(double *)field(round, row->value) = 0;
    else
        set_whole(round, row, 0);
}

void round_keys_clear(struct round *round)
{
    for (size_t k = 0; k < ROUND_KEYS; k++)
        clear(round, &rows[k]);
}

/* ---- reading ---- */

static int read_whole(struct round *round, const struct key_row *row, const char *text,
                      struct fault *fault)
{
    uint64_t value, most = row->type == DOCUMENT ? round->docs - 1 : row->most;
    if (!record_number(text, most, &value) || value < row->least)
        return fault_data(fault, "%s=%.40s is not a whole number from %" PRIu64 " to %" PRIu64,
                          row->name, text, row->least, most);
    if (row->type == SIZE && value > SIZE_MAX / 8)
        return fault_data(fault, "%s=%" PRIu64 " is too large for this machine", row->name, value);
    set_whole(round, row, value);
    return 0;
}

/* A number from 0 to 1. */
static int read_share(struct round *round, const struct key_row *row, const char *text,
                      struct fault *fault)
{
    char *end;
    struct round_gamma *parsed = &round->parsed;
    double *value = field(round, row->value);
    if (strcmp(text, parsed->text) == 0) {
        *value = parsed->value;
        return 0;
    }
    *value = strtod(text, &end);
    if (strspn(text, "0123456789.e-+") != strlen(text) || *end || !(*value >= 0) || !(*value <= 1))
        return fault_data(fault, "%s=%.40s is not a number from 0 to 1", row->name, text);
    if (strlen(text) < sizeof parsed->text) {
        strcpy(parsed->text, text);
        parsed->value = *value;
    }
    return 0;
}

static int read_text(struct round *round, const struct key_row *row, const char *text,
                     struct fault *fault)
{
    size_t n = strlen(text);
    *(const char **)field(round, row->value) = text;
    return n <= row->most ? 0 : fault_data(fault, "%s= has %zu bytes: at most %" PRIu64
                                           " are allowed", row->name, n, row->most);
}

/* A key's value, or that it is missing (NULL). */
static int read_key(struct round *round, const struct key_row *row, const char *text,
                    struct fault *fault)
{
    if (!text && row->required)
        return fault_data(fault, "key %s= is missing", row->name);
    if (!text) {
        clear(round, row);
        return 0;
    }
    set_given(round, row, true);
    if (row->type == TEXT)
        return read_text(round, row, text, fault);
    return (row->type == SHARE ? read_share : read_whole)(round, row, text, fault);
}

/* The first row from `rank` on that has that name; ROUND_KEYS where none has. */
static inline size_t key_rank(const char *name, size_t rank)
{
    while (rank < ROUND_KEYS && !name_is(name, rows[rank].name))
        rank++;
    return rank;
}

/* A key that none of the rows from the last key's on has. */
static int wrong_key(const char *name, struct fault *fault)
{
    struct names order = { 0 };
    if (key_rank(name, 0) == ROUND_KEYS)
        return fault_data(fault, "unknown key %.40s=: give a key of your own a name that begins "
                          "with x-", name);
    for (size_t k = 0; k < ROUND_KEYS; k++)
        names_add(&order, "%s", rows[k].name);
    return fault_data(fault, "key %s= is out of order: the order is %s", name, order.text);
}

/* The row of a key, which remembers it; ROUND_KEYS where none has its name. */
static inline size_t key_of(struct key *key)
{
    if (!key->known)
        key->known = (unsigned char)(key_rank(key->name, 0) + 1);
    return key->known - 1u;
}

/* text[k] becomes the value of row k's key, or NULL. Keys come in the order of the rows. */
static int find_keys(struct record *record, const char *text[ROUND_KEYS], struct fault *fault)
{
    size_t next = 0;
    for (size_t k = 0; k < ROUND_KEYS; k++)
        text[k] = NULL;
    for (size_t k = 0; k < record->keys; k++) {
        struct key *key = &record->key[k];
        size_t rank = key_of(key);
        if (rank == ROUND_KEYS && name_begins(key->name, "x-"))
            continue;
        if (rank == ROUND_KEYS || rank < next)
            return wrong_key(key->name, fault);
        text[rank] = key->value;
        next = rank + 1;
    }
    return 0;
}

int round_keys_read(struct round *round, struct fault *fault)
{
    const char *text[ROUND_KEYS];
    if (find_keys(round->record, text, fault) < 0)
        return -1;
    for (size_t k = 0; k < ROUND_KEYS; k++)
        if (read_key(round, &rows[k], text[k], fault) < 0)
            return -1;
    for (size_t k = 0; k < ROUND_KEYS; k++)
        if (text[k] && rows[k].rule && rows[k].rule(round, fault) < 0)
            return -1;
    return 0;
}

/* ---- setting ---- */

/* Sets a key of a record, in its place in the order of the rows. */
static int set_value(struct record *record, enum round_key key, const char *value, size_t bytes,
                     struct fault *fault)
{
    size_t place = 0;
    for (size_t k = 0; k < record->keys; k++) {
        size_t rank = key_of(&record->key[k]);
        if (rank == key)
            return record_set_value(record, k, value, bytes, fault);
        if (rank < key)
            place = k + 1;
    }
    if (record_set(record, place, rows[key].name, value, fault) < 0)
        return -1;
    record->key[place].known = (unsigned char)(key + 1);
    return 0;
}

int round_set(struct round *round, enum round_key key, uint64_t value, struct fault *fault)
{
    char digits[TEXT_DIGITS];
    const char *text = text_from_number(digits, value);
    set_given(round, &rows[key], true);
    set_whole(round, &rows[key], value);
    return set_value(round->record, key, text, (size_t)(digits + TEXT_DIGITS - 1 - text), fault);
}

int round_set_text(struct round *round, enum round_key key, const char *text, struct fault *fault)
{
    if (set_value(round->record, key, text, strlen(text), fault) < 0)
        return -1;
    *(const char **)field(round, rows[key].value) = record_key(round->record, rows[key].name);
    return 0;
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
    return set_value(round->record, KEY_GAMMA, printed->text, strlen(printed->text), fault);
}

/* Removes the keys of which the numbers are set as bits. */
static void drop(struct round *round, unsigned gone)
{
    struct record *record = round->record;
    size_t left = 0;
    for (size_t k = 0; k < record->keys; k++) {
        size_t rank = key_of(&record->key[k]);
        if (rank < ROUND_KEYS && (gone >> rank & 1))
            clear(round, &rows[rank]);
        else if (left++ < k)
            record->key[left - 1] = record->key[k];
    }
    if (left < record->keys)
        record_changes(record);
    record->keys = left;
}

void round_keys_forget_choice(struct round *round)
{
    unsigned gone = 0;
    for (size_t k = 0; k < ROUND_KEYS; k++)
        gone |= (unsigned)rows[k].choice << k;
    drop(round, gone);
}

void round_drop_key(struct round *round, enum round_key key)
{
    drop(round, 1u << key);
}
