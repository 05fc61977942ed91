#include "stream/round_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"

/* ---- rules: what must hold besides a key's own range ---- */

static int check_docs(const struct round *round, struct fault *fault)
{
    uint64_t docs = round->docs, bytes = round->record->bytes;
    if (docs > ROUND_BARE && docs > bytes)
        return fault_data(fault, "docs=%" PRIu64 ", but the payload has only %" PRIu64 " bytes",
                          docs, bytes);
    return 0;
}

static int check_encoded(const char *name, const char *text, struct fault *fault)
{
    for (const char *p = text; (p = strchr(p, '%')); p += 3)
        if (strspn(p + 1, "0123456789ABCDEF") < 2)
            return fault_data(fault, "%s=%.40s: two hexadecimal digits (0-9, A-F) must follow %%",
                              name, text);
    return 0;
}

/* Steps, whose names begin with a letter, between commas. Programs that only pass rounds on need
 * not know them. */
static int check_steps(const char *name, const char *text, struct fault *fault)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const char *p = text;
    while (*p >= 'a' && *p <= 'z') {
        p += strspn(p, letters);
        if (*p == ':')
            p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789.:+-");
        if (*p == '\0')
            return 0;
        if (*p == ',')
            p++;
    }
    return fault_data(fault, "%s=%.60s is not a list of steps such as scale,fourier:100:0.02:1",
                      name, text);
}

static int check_hex(const struct format *row, const char *text, struct fault *fault)
{
    size_t digits = (size_t)row->most;
    if (strlen(text) == digits && strspn(text, "0123456789abcdef") == digits)
        return 0;
    return fault_data(fault, "%s=%.40s is not %zu hexadecimal digits", row->name, text, digits);
}

/* ---- fields ---- */

static void *field(struct round *round, size_t offset)
{
    return (char *)round + offset;
}

static void set_given(struct round *round, const struct format *row, bool given)
{
    if (row->given)
        *(bool *)field(round, row->given) = given;
}

static void set_whole(struct round *round, const struct format *row, uint64_t value)
{
    if (row->type == FORMAT_SIZE)
        *(size_t *)field(round, row->value) = (size_t)value;
    else
        *(uint64_t *)field(round, row->value) = value;
}

static void clear(struct round *round, const struct format *row)
{
    set_given(round, row, false);
    if (row->type >= FORMAT_TEXT)
        *(const char **)field(round, row->value) = NULL;
    else if (row->type == FORMAT_NUMBER)
        *(double *)field(round, row->value) = 0;
    else
        set_whole(round, row, 0);
}

void round_keys_clear(struct round *round)
{
    for (size_t k = 0; k < ROUND_KEYS; k++)
        clear(round, &format_keys[k]);
}

/* ---- reading ---- */

static int read_whole(struct round *round, const struct format *row, const char *text,
                      struct fault *fault)
{
    uint64_t value, least = (uint64_t)row->least;
    uint64_t most = row->most == FORMAT_DOCS ? round->docs - 1 : (uint64_t)row->most;
    if (!record_number(text, most, &value) || value < least)
        return fault_data(fault, "%s=%.40s is not a whole number from %" PRIu64 " to %" PRIu64,
                          row->name, text, least, most);
    if (row->type == FORMAT_SIZE && value > SIZE_MAX / 8)
        return fault_data(fault, "%s=%" PRIu64 " is too large for this machine", row->name, value);
    set_whole(round, row, value);
    return 0;
}

static int read_number(struct round *round, const struct format *row, const char *text,
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
    if (strspn(text, "0123456789.e-+") != strlen(text) || *end || !(*value >= row->least) ||
        !(*value <= row->most))
        return fault_data(fault, "%s=%.40s is not a number from %g to %g", row->name, text,
                          row->least, row->most);
    if (strlen(text) < sizeof parsed->text) {
        strcpy(parsed->text, text);
        parsed->value = *value;
    }
    return 0;
}

static int read_text(struct round *round, const struct format *row, const char *text,
                     struct fault *fault)
{
    size_t n = strlen(text), most = (size_t)row->most;
    *(const char **)field(round, row->value) = text;
    if (row->type == FORMAT_HEX)
        return check_hex(row, text, fault);
    if (n > most)
        return fault_data(fault, "%s= has %zu bytes: at most %zu are allowed", row->name, n, most);
    if (row->type == FORMAT_ENCODED)
        return check_encoded(row->name, text, fault);
    return row->type == FORMAT_STEPS ? check_steps(row->name, text, fault) : 0;
}

/* A key's value, or that it is missing (NULL). */
static int read_key(struct round *round, const struct format *row, const char *text,
                    struct fault *fault)
{
    if (!text && row->required)
        return fault_data(fault, "key %s= is missing", row->name);
    if (!text) {
        clear(round, row);
        return 0;
    }
    set_given(round, row, true);
    if (row->type >= FORMAT_TEXT)
        return read_text(round, row, text, fault);
    return (row->type == FORMAT_NUMBER ? read_number : read_whole)(round, row, text, fault);
}

/* The first row from `rank` on that has that name; ROUND_KEYS where none has. */
static inline size_t key_rank(const char *name, size_t rank)
{
    while (rank < ROUND_KEYS && !name_is(name, format_keys[rank].name))
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
        names_add(&order, "%s", format_keys[k].name);
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

int round_keys_read(struct round *round, uint64_t *has, struct fault *fault)
{
    const char *text[ROUND_KEYS];
    *has = 0;
    if (find_keys(round->record, text, fault) < 0)
        return -1;
    for (size_t k = 0; k < ROUND_KEYS; k++) {
        if (read_key(round, &format_keys[k], text[k], fault) < 0)
            return -1;
        if (text[k])
            *has |= FORMAT_KEY(k);
    }
    return check_docs(round, fault);
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
    if (record_set(record, place, format_keys[key].name, value, fault) < 0)
        return -1;
    record->key[place].known = (unsigned char)(key + 1);
    return 0;
}

int round_set(struct round *round, enum round_key key, uint64_t value, struct fault *fault)
{
    char digits[TEXT_DIGITS];
    const char *text = text_from_number(digits, value);
    set_given(round, &format_keys[key], true);
    set_whole(round, &format_keys[key], value);
    return set_value(round->record, key, text, (size_t)(digits + TEXT_DIGITS - 1 - text), fault);
}

int round_set_text(struct round *round, enum round_key key, const char *text, struct fault *fault)
{
    const struct format *row = &format_keys[key];
    if (set_value(round->record, key, text, strlen(text), fault) < 0)
        return -1;
    *(const char **)field(round, row->value) = record_key(round->record, row->name);
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
            clear(round, &format_keys[rank]);
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
        gone |= (unsigned)format_keys[k].choice << k;
    drop(round, gone);
}

void round_drop_key(struct round *round, enum round_key key)
{
    drop(round, 1u << key);
}
