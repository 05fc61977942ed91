#include "second.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 9007199254740992u /* 2^53 */

/* A line of the format: what a key or a column of rounds may be. */
enum { KIND, NAME, TYPE, LENGTH, LEAST, MOST_OF, NEEDS, EXCLUDES, WORDS = 10, ROWS = 64 };

static struct row {
    char line[512];
    const char *word[WORDS];
} rows[ROWS];
static size_t lines;

void second_format(const char *line)
{
    struct row *row = &rows[lines++];
    char *p = strcpy(row->line, line);
    for (size_t i = 0; i < WORDS; i++) {
        row->word[i] = p;
        p += strcspn(p, "\t");
        if (*p)
            *p++ = '\0';
    }
}

static const struct row *row_of(const char *kind, const char *name)
{
    for (size_t i = 0; i < lines; i++)
        if (strcmp(rows[i].word[KIND], kind) == 0 && strcmp(rows[i].word[NAME], name) == 0)
            return &rows[i];
    return NULL;
}

static bool says(const struct row *row, size_t word, const char *what)
{
    return strcmp(row->word[word], what) == 0;
}

static bool among(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

static bool is_name(const char *text)
{
    if (*text < 'a' || *text > 'z')
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

/* A whole number by the grammar, at most 2^53. */
static bool whole(const char *text, uint64_t *value)
{
    size_t n = strspn(text, "0123456789");
    *value = 0;
    if (n < 1 || n > 16 || text[n] || (n > 1 && text[0] == '0'))
        return false;
    *value = strtoull(text, NULL, 10);
    return *value <= MOST;
}

static uint64_t whole_key(const struct draft *record, const char *name)
{
    uint64_t value = 0;
    const char *text = draft_value(record, name);
    if (text)
        (void)whole(text, &value);
    return value;
}

/* One word of cols=, "x:f4[8]", which is cut up. */
static const char *read_column(struct draft *record, char *word)
{
    uint64_t n;
    char *colon = strchr(word, ':'), *open = strchr(word, '[');
    size_t end = strlen(word);
    if (!colon || !open || open != colon + 3 || word[end - 1] != ']')
        return "a column is not name:type[n]";
    *colon = *open = word[end - 1] = '\0';
    static const char *const types[] = { "u1", "u2", "u4", "u8", "f4", "f8", NULL };
    if (!is_name(word) || !among(colon + 1, types) || !whole(open + 1, &n))
        return "a column has a wrong name, type or length";
    if (draft_column(record, word))
        return "a column stands twice";
    if (record->columns == COLUMNS_MOST)
        return "more columns than this reader has room for";
    struct array column = { word, colon + 1, (size_t)n, { NULL, 0 } };
    record->column[record->columns++] = column;
    return NULL;
}

static const char *read_columns(struct draft *record, char *list)
{
    for (char *comma; list; list = comma) {
        comma = strchr(list, ',');
        if (comma)
            *comma++ = '\0';
        const char *wrong = read_column(record, list);
        if (wrong)
            return wrong;
    }
    return NULL;
}

/* One word of the line, "key=value". Nothing but bytes= follows cols=. */
static const char *read_word(struct draft *record, char *word)
{
    char *equals = strchr(word, '=');
    if (record->bytes)
        return "a word follows bytes=";
    if (!equals || !equals[1])
        return "a word is not key=value";
    *equals = '\0';
    if (!is_name(word))
        return "a key has a wrong name";
    for (const char *p = equals + 1; *p; p++)
        if (*p < '!' || *p > '~')
            return "a value has a byte that is not printed";
    if (strcmp(word, "bytes") == 0)
        return record->bytes = equals + 1, NULL;
    if (record->columns)
        return "a key follows cols=";
    if (strcmp(word, "cols") == 0)
        return read_columns(record, equals + 1);
    if (draft_value(record, word))
        return "a key stands twice";
    if (record->keys == KEYS_MOST)
        return "more keys than this reader has room for";
    draft_key(record, word, equals + 1);
    return NULL;
}

static const char *read_line(struct draft *record, char *line)
{
    char *word = line;
    for (size_t i = 0; word; i++) {
        char *space = strchr(word, ' ');
        if (space)
            *space = '\0';
        if (i == 0 && strcmp(word, "rankpipe/1") != 0)
            return "a record does not begin with rankpipe/1";
        const char *wrong = i > 1 ? read_word(record, word) : NULL;
        if (i == 1)
            record->kind = word;
        if (wrong)
            return wrong;
        word = space ? space + 1 : NULL;
    }
    return record->bytes ? NULL : "a header line has no bytes=";
}

static const char *check_crc(const struct draft *record, char *line, size_t n,
                             const unsigned char *payload, size_t size)
{
    const char *value = draft_value(record, "crc");
    if (!value)
        return NULL;
    if (strlen(value) != 8 || strspn(value, "0123456789abcdef") != 8)
        return "crc= is not eight digits";
    uint32_t said = (uint32_t)strtoul(value, NULL, 16);
    memset(strstr(line, " crc=") + 5, '0', 8);
    return said == crc_by_bits(crc_by_bits(0, line, n), payload, size) ? NULL : "crc= is wrong";
}

static const char *check_names(const struct array *column, uint64_t docs)
{
    uint64_t n = 0;
    for (size_t i = 0; i < column->n; i++)
        n += column->data.data[i] == 0;
    if (column->n && column->data.data[column->n - 1] != 0)
        return "the last name has no NUL";
    return n == docs ? NULL : "there is not a name for each document";
}

static const char *check_order(const struct array *column, uint64_t docs)
{
    unsigned char *seen = memory_take((size_t)docs + 1);
    for (size_t i = 0; i < column->n; i++) {
        double at = array_get(column, i);
        if (at >= (double)docs || seen[(size_t)at]++)
            return "an order is no permutation";
    }
    return NULL;
}

/* A bound of the format, the least or the most. */
static double bound(const struct row *row, size_t word)
{
    if (says(row, word, "finite"))
        return word == LEAST ? -DBL_MAX : DBL_MAX;
    return strtod(row->word[word], NULL);
}

static const char *check_values(const struct array *column, const struct row *row, uint64_t docs)
{
    if (says(row, LEAST, "-"))
        return NULL;
    if (says(row, MOST_OF, "docs-1"))
        return check_order(column, docs);
    double least = bound(row, LEAST), most = bound(row, MOST_OF);
    for (size_t i = 0; i < column->n; i++)
        if (!(array_get(column, i) >= least && array_get(column, i) <= most))
            return "a value is out of its range";
    return NULL;
}

static bool right_length(struct draft *record, const struct array *column, const char *length)
{
    uint64_t docs = whole_key(record, "docs"), dim = whole_key(record, "dim");
    const struct array *seen = draft_column(record, "seen");
    if (strcmp(length, "docs") == 0)
        return column->n == docs;
    if (strcmp(length, "docs+1") == 0)
        return column->n == docs + 1;
    if (strcmp(length, "dim") == 0)
        return column->n == dim;
    if (strcmp(length, "docs*dim") == 0)
        return dim ? column->n % dim == 0 && column->n / dim == docs : column->n == 0;
    return strcmp(length, "places") != 0 || (column->n <= docs && seen && column->n == seen->n);
}

static bool stands(struct draft *record, const char *name)
{
    return draft_value(record, name) || draft_column(record, name);
}

/* Each of some words, between commas, stands in the round, or none does. */
static bool all_stand(struct draft *record, const char *words, bool there)
{
    char list[512];
    for (char *word = strtok(strcpy(list, words), ","); word; word = strtok(NULL, ","))
        if (strcmp(word, "-") != 0 && stands(record, word) != there)
            return false;
    return true;
}

static const char *check_together(struct draft *record, const struct row *row)
{
    if (!all_stand(record, row->word[NEEDS], true))
        return memory_text("%s lacks what it needs", row->word[NAME]);
    if (!all_stand(record, row->word[EXCLUDES], false))
        return memory_text("%s stands with what it excludes", row->word[NAME]);
    return NULL;
}

static const char *check_column(struct draft *record, const struct array *column)
{
    const struct row *row = row_of("column", column->name);
    if (!row)
        return NULL;
    if (!strstr(row->word[TYPE], column->type) || !right_length(record, column, row->word[LENGTH]))
        return memory_text("column %s has a wrong type or length", column->name);
    const char *wrong = check_values(column, row, whole_key(record, "docs"));
    return wrong ? memory_text("column %s: %s", column->name, wrong) : check_together(record, row);
}

static const char *check_sparse(struct draft *record)
{
    const struct array *ptr = draft_column(record, "ptr"), *idx = draft_column(record, "idx");
    double dim = (double)whole_key(record, "dim"), from = 0, before = -1;
    if (!ptr || !idx || !draft_column(record, "val") || draft_column(record, "val")->n != idx->n)
        return "sparse features are not whole";
    if (ptr->n < 1 || array_get(ptr, 0) != 0 || array_get(ptr, ptr->n - 1) != (double)idx->n)
        return "ptr does not begin at 0 or end at the number of features";
    for (size_t i = 1; i < ptr->n; i++, before = -1)
        for (double until = array_get(ptr, i); from < until; from++) {
            double at = from < (double)idx->n ? array_get(idx, (size_t)from) : dim;
            if (at <= before || at >= dim)
                return "idx does not rise below dim";
            before = at;
        }
    for (size_t i = 1; i < ptr->n; i++)
        if (array_get(ptr, i) < array_get(ptr, i - 1))
            return "ptr falls";
    return NULL;
}

/* Compact features: the value of the smallest and of the largest number of each is finite. */
static const char *check_compact(struct draft *record)
{
    const struct array *offset = draft_column(record, "offset");
    const struct array *step = draft_column(record, "step");
    const struct array *number = draft_column(record, "number");
    if (!offset || !step || !number)
        return "compact features are not whole";
    float top = strcmp(number->type, "u1") == 0 ? 255 : 65535;
    for (size_t j = 0; j < offset->n; j++) {
        float from = (float)array_get(offset, j), by = (float)array_get(step, j);
        float product = by * top;
        if (!isfinite(from) || !isfinite(by) || by < 0 || !isfinite(from + product))
            return "a compact feature has a wrong offset or step";
    }
    return NULL;
}

static const char *check_features(struct draft *record)
{
    bool dense = draft_column(record, "x");
    bool sparse = draft_column(record, "ptr") || draft_column(record, "idx") ||
                  draft_column(record, "val");
    bool compact = draft_column(record, "offset") || draft_column(record, "step") ||
                   draft_column(record, "number");
    if (dense + sparse + compact > 1)
        return "features have two forms";
    if (compact)
        return check_compact(record);
    if (!dense && !sparse)
        return whole_key(record, "dim") ? "there are no features" : NULL;
    return sparse ? check_sparse(record) : NULL;
}

/* The key crc, which stands before all others. */
static bool is_crc(const struct word *key)
{
    return strcmp(key->name, "crc") == 0;
}

/* Text in which %, where it stands, begins a byte as two digits. */
static bool is_encoded(const char *value)
{
    for (const char *p = strchr(value, '%'); p; p = strchr(p + 1, '%'))
        if (strspn(p + 1, "0123456789ABCDEF") < 2)
            return false;
    return true;
}

static bool are_steps(const char *value)
{
    for (const char *p = value; p; p = *p ? p + 1 : NULL) {
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz");
        p += n;
        if (*p == ':')
            p += strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789.+-:");
        if (n == 0 || (*p && *p != ','))
            return false;
    }
    return true;
}

static bool is_number(const char *text, const struct row *row)
{
    char *end;
    double value = strtod(text, &end);
    return *end == '\0' && !strpbrk(text, "xXpP") && value >= bound(row, LEAST) &&
           value <= bound(row, MOST_OF);
}

static bool is_whole(const char *text, const struct row *row, uint64_t docs)
{
    uint64_t value, most = strtoull(row->word[MOST_OF], NULL, 10);
    return whole(text, &value) && value >= strtoull(row->word[LEAST], NULL, 10) &&
           value <= (says(row, MOST_OF, "docs-1") ? docs - 1 : most);
}

static bool right_value(const struct draft *record, const struct row *row, const char *value)
{
    size_t n = strlen(value), most = strtoul(row->word[LENGTH], NULL, 10);
    if (says(row, TYPE, "whole"))
        return is_whole(value, row, whole_key(record, "docs"));
    if (says(row, TYPE, "number"))
        return is_number(value, row);
    if (says(row, TYPE, "hex"))
        return n == most && strspn(value, "0123456789abcdef") == n;
    return n <= most && (!says(row, TYPE, "encoded") || is_encoded(value)) &&
           (!says(row, TYPE, "steps") || are_steps(value));
}

/* crc is a key of the format like the others, and its first. */
static const char *check_round_keys(struct draft *record)
{
    const struct row *last = rows;
    for (size_t i = 0; i < record->keys; i++) {
        const struct word *key = &record->key[i];
        const struct row *row = row_of("key", key->name);
        if (strncmp(key->name, "x-", 2) == 0)
            continue;
        if (!row || row < last || (is_crc(key) && i > 0))
            return memory_text("key %s is unknown, or out of order", key->name);
        if (!right_value(record, row, key->value))
            return memory_text("key %s has a wrong value", key->name);
        const char *wrong = check_together(record, row);
        if (wrong)
            return wrong;
        last = row;
    }
    return NULL;
}

/* The type and length of each column, and values that every reader checks. */
static const char *check_columns(struct draft *record)
{
    const char *wrong = NULL;
    const struct array *idx = draft_column(record, "idx"), *val = draft_column(record, "val");
    for (size_t i = 0; i < record->columns && !wrong; i++)
        wrong = check_column(record, &record->column[i]);
    if (!wrong && idx && val && idx->n != val->n)
        wrong = "idx and val differ in length";
    return wrong;
}

static const char *check_round(struct draft *record, enum second second)
{
    if (!draft_value(record, "t") || !draft_value(record, "docs") || !draft_value(record, "dim"))
        return "a round needs t, docs and dim";
    const struct array *name = draft_column(record, "name");
    const char *wrong = check_round_keys(record);
    if (!wrong)
        wrong = check_columns(record);
    if (!wrong && whole_key(record, "docs") > 65536 &&
        strtoull(record->bytes, NULL, 10) < whole_key(record, "docs"))
        wrong = "more documents than bytes";
    if (!wrong && second == SECOND_ALL && name)
        wrong = check_names(name, whole_key(record, "docs"));
    return wrong || second <= SECOND_PASSED ? wrong : check_features(record);
}

/* Arrays of a model whose length is known: 0 is dim. That of clicks is toprank's: memory has one of
 * its own, and older models of it a shorter one. */
enum { MEMORY_CLICKS = 217, MEMORY_CLICKS_OLDER = 34 };

static const struct {
    const char *name;
    size_t n;
} arrays[] = {
    { "w", 0 },        { "direction", 0 }, { "scale", 1 },  { "residuals", 2 }, { "moments", 5 },
    { "constant", 1 }, { "top", 1 },       { "looks", 0 },  { "clicks", 0 },    { "current", 0 },
    { "members", 1 },  { "streak", 1 },    { "block", 1 },  { "items", 1 },     { "groups", 1 },
    { "whole", 1 },    { "pairs", 1 },     { "base", 0 },   { "losses", 0 },  { "squares", 1 },
    { NULL, 0 },
};

static const char *check_array(const struct draft *record, const struct array *column)
{
    size_t dim = (size_t)whole_key(record, "dim"), i = 0;
    while (arrays[i].name && strcmp(arrays[i].name, column->name) != 0)
        i++;
    const char *learner = draft_value(record, "learner");
    bool clicks = strcmp(column->name, "clicks") == 0 && learner && strcmp(learner, "memory") == 0;
    size_t older = column->n == MEMORY_CLICKS_OLDER ? MEMORY_CLICKS_OLDER : MEMORY_CLICKS;
    size_t want = clicks ? older : arrays[i].name && arrays[i].n ? arrays[i].n : dim;
    if (arrays[i].name && column->n != want)
        return memory_text("array %s of a model has a wrong length", column->name);
    for (i = 0; i < column->n && column->type[0] == 'f'; i++)
        if (!isfinite(array_get(column, i)))
            return memory_text("array %s of a model is not finite", column->name);
    for (i = 1; i < column->n && strcmp(column->name, "keys") == 0; i++)
        if (memcmp(column->data.data + 8 * i, column->data.data + 8 * i - 8, 8) == 0)
            return "a key of a memory stands twice";
    return NULL;
}

static const char *check_model(struct draft *record)
{
    uint64_t value;
    static const char *const first[] = { "learner", "rounds", "dim" };
    const struct word *key = record->key + (record->keys && is_crc(record->key));
    for (size_t i = 0; i < 3; i++)
        if (key + i >= record->key + record->keys || strcmp(key[i].name, first[i]) != 0)
            return "a model does not begin with learner, rounds and dim";
    if (!whole(key[1].value, &value) || value >= MOST)
        return "a model has a wrong number of rounds";
    if (!whole(key[2].value, &value) || value > 4294967296u)
        return "a model has a wrong dim";
    if (!draft_column(record, "w"))
        return "a model has no w";
    for (size_t i = 0; i < record->columns; i++) {
        const char *wrong = check_array(record, &record->column[i]);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *check_record(struct draft *record, uint64_t since, enum second second)
{
    bool salvaged = second == SECOND_SALVAGED;
    if (strcmp(record->kind, "round") == 0)
        return salvaged && draft_value(record, "crc") ? NULL : check_round(record, second);
    if (strcmp(record->kind, "model") == 0)
        return second == SECOND_ALL ? check_model(record) : NULL;
    if (strcmp(record->kind, "end") != 0)
        return "a record is no round, no model and no end";
    if (record->keys != 1 || strcmp(record->key[0].name, "rounds") != 0 || record->columns)
        return "an end record has more than its count";
    uint64_t said;
    bool right = whole(record->key[0].value, &said) && said == since;
    return right && strcmp(record->bytes, "0") == 0 ? NULL : "an end record counts wrong";
}

/* Cuts the payload up, which the columns must fill. */
static const char *read_payload(struct draft *record, const unsigned char *from, size_t n,
                                size_t *size)
{
    uint64_t said;
    *size = 0;
    if (!whole(record->bytes, &said) || said > n)
        return "a payload is cut short";
    for (size_t i = 0; i < record->columns; i++) {
        struct array *column = &record->column[i];
        size_t width = type_width(column->type);
        if (column->n > (said - *size) / width)
            return "bytes= is too small";
        column->data.n = column->n * width;
        column->data.data = memory_take(column->data.n + 1);
        memcpy(column->data.data, from + *size, column->data.n);
        *size += column->data.n;
    }
    return *size == said ? NULL : "bytes= is too large";
}

/* The record at `bytes`, and how long it is. */
static const char *read_record(struct draft *record, const unsigned char *bytes, size_t n,
                               size_t *length)
{
    size_t size;
    const unsigned char *newline = memchr(bytes, '\n', n < 4096 ? n : 4096);
    if (!newline || memchr(bytes, '\0', (size_t)(newline - bytes)))
        return "a header line does not end, or has a NUL";
    size_t line = (size_t)(newline - bytes) + 1;
    char *whole_line = memory_text("%.*s", (int)line, (const char *)bytes);
    char *words = memory_text("%.*s", (int)line - 1, (const char *)bytes);
    const char *wrong = read_line(record, words);
    if (!wrong)
        wrong = read_payload(record, newline + 1, n - line, &size);
    if (!wrong)
        wrong = check_crc(record, whole_line, line, newline + 1, size);
    *length = wrong ? 0 : line + size;
    return wrong;
}

const char *second_read(struct stream *stream, const void *bytes, size_t n, enum second second)
{
    const unsigned char *from = bytes;
    uint64_t since = 0;
    *stream = (struct stream){ NULL, 0, 0 };
    for (size_t length; n > 0; n -= length, from += length) {
        struct draft *record = stream_add(stream, "");
        const char *wrong = read_record(record, from, n, &length);
        if (!wrong)
            wrong = check_record(record, since, second);
        if (wrong)
            return memory_text("record %zu: %s", stream->n, wrong);
        since = strcmp(record->kind, "end") == 0 ? 0 : since + 1;
        record->bytes = NULL; /* so that a change of columns changes it */
    }
    bool ended = stream->n && strcmp(stream->record[stream->n - 1].kind, "end") == 0;
    return ended ? NULL : "the stream has no end record at its end";
}
