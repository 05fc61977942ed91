#include "stream/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = { "round", "model", "end" };
static const char *const type_names[] = { "u1", "u4", "f4", "f8" };
static const size_t type_widths[] = { 1, 4, 4, 8 };

size_t column_width(enum column_type type)
{
    return type_widths[type];
}

const char *column_type_name(enum column_type type)
{
    return type_names[type];
}

size_t column_bytes(const struct column *column)
{
    return (size_t)column->count * type_widths[column->type];
}

void record_start(struct record *record, enum record_kind kind)
{
    record->kind = kind;
    record->rounds = record->bytes = 0;
    record->spliced = NULL;
    record->mapped = false;
    record->keys = record->columns = record->used = 0;
}

bool record_number(const char *text, uint64_t most, uint64_t *value)
{
    uint64_t n = 0;
    if (*text == '\0' || (*text == '0' && text[1] != '\0'))
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        n = 10 * n + (uint64_t)(*text - '0');
        if (n > most)
            return false;
    }
    *value = n;
    return true;
}

static bool is_name(const char *name)
{
    if (*name < 'a' || *name > 'z')
        return false;
    for (; *name; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') || *name == '-' ||
              *name == '_'))
            return false;
    return true;
}

/* Cuts `text` at the first `mark`; the rest, or NULL where there is none. */
static char *cut(char *text, char mark)
{
    char *at = strchr(text, mark);
    if (at)
        *at++ = '\0';
    return at;
}

static int wrong(struct fault *fault, const char *what, const char *text)
{
    char quoted[FAULT_QUOTE];
    return fault_data(fault, "header line: %s: %s", what, fault_quote(quoted, text, strlen(text)));
}

/* Does the line begin as SVM-light text does: a label or none, then qid: or a feature? */
static bool looks_like_svm(const char *line)
{
    const char *next = line + strspn(line, "0123456789.+-?eE");
    if (next > line && *next == ' ')
        next++;
    return name_begins(next, "qid:") ||
           (next > line && next[strspn(next, "0123456789")] == ':');
}

/* The words before the first key: what a stranger's bytes are told by. */
static int parse_kind(struct record *record, size_t n, char **rest, struct fault *fault)
{
    char quoted[FAULT_QUOTE], *line = record->text;
    static const char magic[] = "rankpipe/";
    uint64_t version;
    if (!name_begins(line, magic)) {
        if (looks_like_svm(line))
            return fault_data(fault, "this looks like SVM-light text: pipe it through svm2bin");
        return fault_data(fault, "not a rankpipe stream: it begins %s",
                          fault_quote(quoted, line, n));
    }
    char *number = line + sizeof magic - 1, *kind = cut(number, ' ');
    if (!record_number(number, RECORD_MOST, &version))
        return wrong(fault, "not a rankpipe stream: it begins", line);
    if (version != 1)
        return fault_data(fault, "version %" PRIu64 ", this program reads 1", version);
    if (!kind)
        return wrong(fault, "no kind of record behind", line);
    *rest = cut(kind, ' ');
    for (size_t k = 0; k < sizeof kind_names / sizeof *kind_names; k++) {
        if (name_is(kind, kind_names[k])) {
            record->kind = (enum record_kind)k;
            return 0;
        }
    }
    return wrong(fault, "no kind of record (round, model, end)", kind);
}

static int parse_column(struct record *record, char *text, struct fault *fault)
{
    struct column *column = &record->column[record->columns];
    char *colon = strchr(text, ':'), *bracket = colon ? strchr(colon, '[') : NULL;
    if (!bracket || text[strlen(text) - 1] != ']')
        return wrong(fault, "a column is name:type[count], not", text);
    text[strlen(text) - 1] = '\0';
    char *type = cut(text, ':'), *count = cut(type, '[');
    if (!is_name(text))
        return wrong(fault, "no name for a column", text);
    if (record_column(record, text))
        return wrong(fault, "column twice", text);
    size_t k = 0;
    while (k < 4 && !name_is(type, type_names[k]))
        k++;
    if (k == 4)
        return wrong(fault, "no type of a column (u1, u4, f4, f8)", type);
    if (!record_number(count, RECORD_MOST, &column->count))
        return wrong(fault, "no count of a column", count);
    column->name = text;
    column->type = (enum column_type)k;
    column->data = NULL;
    record->bytes += column->count * type_widths[k]; /* 2^56 each, and a line holds 178 such */
    record->columns++;
    return 0;
}

static int parse_columns(struct record *record, char *text, struct fault *fault)
{
    while (text) {
        char *next = cut(text, ',');
        if (record->columns == RECORD_COLUMNS)
            return fault_data(fault, "header line: more than %d columns", RECORD_COLUMNS);
        if (parse_column(record, text, fault) < 0)
            return -1;
        text = next;
    }
    return 0;
}

static int parse_key(struct record *record, char *name, struct fault *fault)
{
    char *value = cut(name, '=');
    if (!value)
        return wrong(fault, "neither key=value nor the last word", name);
    if (!is_name(name))
        return wrong(fault, "no name for a key", name);
    if (*value == '\0')
        return wrong(fault, "a key without a value", name);
    if (record_key(record, name))
        return wrong(fault, "key twice", name);
    record->key[record->keys++] = (struct key){ name, value };
    return 0;
}

/* Keys, then cols= where there are columns, then bytes=, which ends the line. */
static int parse_words(struct record *record, char *word, struct fault *fault)
{
    uint64_t said;
    bool columns = false;
    while (word && !name_begins(word, "bytes=")) {
        char *next = cut(word, ' ');
        if (columns)
            return wrong(fault, "only bytes= stands after cols=, not", word);
        columns = name_begins(word, "cols=");
        if ((columns ? parse_columns(record, word + 5, fault) : parse_key(record, word, fault)) < 0)
            return -1;
        word = next;
    }
    if (!word)
        return fault_data(fault, "header line: no bytes= at its end");
    if (!record_number(word + 6, RECORD_MOST, &said))
        return wrong(fault, "no number of bytes that ends the line", word + 6);
    if (said != record->bytes)
        return fault_data(fault,
                          "header line: bytes=%" PRIu64 ", but its columns make %" PRIu64 " bytes",
                          said, record->bytes);
    return 0;
}

int record_parse(struct record *record, const char *line, size_t n, struct fault *fault)
{
    char *rest = NULL;
    size_t kept = n < RECORD_LINE ? n : RECORD_LINE - 1;
    record_start(record, RECORD_ROUND);
    memcpy(record->text, line, kept);
    record->text[kept] = '\0';
    record->used = kept + 1;
    if (parse_kind(record, kept, &rest, fault) < 0)
        return -1;
    if (kept < n)
        return fault_data(fault, "header line: longer than %d bytes", RECORD_LINE);
    unsigned odd = 0;
    for (size_t i = 0; i < n; i++)
        odd |= line[i] < ' ' || line[i] > '~';
    for (size_t i = 0; odd && i < n; i++)
        if (line[i] < ' ' || line[i] > '~')
            return fault_data(fault, "header line: byte %zu is \\x%02x, not printable ASCII", i + 1,
                              (unsigned char)line[i]);
    if (parse_words(record, rest, fault) < 0)
        return -1;
    if (record->kind == RECORD_END &&
        (record->keys != 1 || record->columns || !name_is(record->key[0].name, "rounds") ||
         !record_number(record->key[0].value, RECORD_MOST, &record->rounds)))
        return fault_data(fault, "header line: an end record is 'rankpipe/1 end rounds=n bytes=0'");
    return 0;
}

struct header {
    enum record_kind kind;
    uint64_t rounds, bytes;
    size_t keys, columns;
    struct key *key;       /* key[keys]       */
    struct column *column; /* column[columns] */
};

/* Copies a word to *at, which moves behind it. */
static const char *keep_word(char **at, const char *word)
{
    size_t n = strlen(word) + 1;
    char *copy = memcpy(*at, word, n);
    *at += n;
    return copy;
}

struct header *record_keep(const struct record *record, struct fault *fault)
{
    size_t front = sizeof(struct header) + record->columns * sizeof(struct column) +
                   record->keys * sizeof(struct key), words = 0;
    for (size_t k = 0; k < record->keys; k++)
        words += strlen(record->key[k].name) + strlen(record->key[k].value) + 2;
    for (size_t c = 0; c < record->columns; c++)
        words += strlen(record->column[c].name) + 1;
    struct header *header = malloc(front + words);
    if (!header) {
        fault_memory(fault, front + words);
        return NULL;
    }
    *header = (struct header){ record->kind, record->rounds, record->bytes, record->keys,
                               record->columns, NULL, (struct column *)(header + 1) };
    header->key = (struct key *)(header->column + record->columns);
    char *at = (char *)header + front;
    for (size_t k = 0; k < record->keys; k++) {
        header->key[k].name = keep_word(&at, record->key[k].name);
        header->key[k].value = keep_word(&at, record->key[k].value);
    }
    for (size_t c = 0; c < record->columns; c++) {
        header->column[c] = record->column[c];
        header->column[c].name = keep_word(&at, record->column[c].name);
        header->column[c].data = NULL;
    }
    return header;
}

void record_take(struct record *record, const struct header *header)
{
    record_start(record, header->kind);
    record->rounds = header->rounds;
    record->bytes = header->bytes;
    record->keys = header->keys;
    record->columns = header->columns;
    memcpy(record->key, header->key, header->keys * sizeof *header->key);
    memcpy(record->column, header->column, header->columns * sizeof *header->column);
}

void record_bind(struct record *record, const void *payload, size_t bytes)
{
    const unsigned char *at = payload;
    for (size_t c = 0; c < record->columns; c++) {
        size_t n = column_bytes(&record->column[c]);
        bool there = n <= bytes;
        record->column[c].data = there ? at : NULL;
        bytes -= there ? n : bytes;
        at += there ? n : 0;
    }
}

const char *record_key(const struct record *record, const char *name)
{
    for (size_t k = 0; k < record->keys; k++)
        if (name_is(record->key[k].name, name))
            return record->key[k].value;
    return NULL;
}

int record_set(struct record *record, size_t at, const char *name, const char *value,
               struct fault *fault)
{
    size_t bytes = strlen(value) + 1;
    char *copy = record->text + record->used;
    if (bytes > sizeof record->text - record->used || record->keys == RECORD_KEYS)
        return fault_data(fault, "no room for %s= in the header line", name);
    memcpy(copy, value, bytes);
    record->used += bytes;
    for (size_t k = 0; k < record->keys; k++) {
        if (name_is(record->key[k].name, name)) {
            record->key[k].value = copy;
            return 0;
        }
    }
    memmove(&record->key[at + 1], &record->key[at], (record->keys - at) * sizeof *record->key);
    record->key[at] = (struct key){ name, copy };
    record->keys++;
    return 0;
}

enum { DIGITS = 24 };

/* The number's digits, which end where `text` does. */
static char *decimal(char text[DIGITS], uint64_t value)
{
    char *first = text + DIGITS - 1;
    *first = '\0';
    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    return first;
}

int record_set_number(struct record *record, size_t at, const char *name, uint64_t value,
                      struct fault *fault)
{
    char text[DIGITS];
    return record_set(record, at, name, decimal(text, value), fault);
}

void record_unset(struct record *record, const char *name)
{
    size_t kept = 0;
    for (size_t k = 0; k < record->keys; k++)
        if (!name_is(record->key[k].name, name))
            record->key[kept++] = record->key[k];
    record->keys = kept;
}

const struct column *record_column(const struct record *record, const char *name)
{
    for (size_t c = 0; c < record->columns; c++)
        if (name_is(record->column[c].name, name))
            return &record->column[c];
    return NULL;
}

int record_put(struct record *record, size_t at, const char *name, enum column_type type,
               uint64_t count, const void *data, struct fault *fault)
{
    struct column new = { name, type, count, data };
    for (size_t c = 0; c < record->columns; c++) {
        if (name_is(record->column[c].name, name)) {
            record->column[c] = new;
            return 0;
        }
    }
    if (record->columns == RECORD_COLUMNS)
        return fault_data(fault, "no room for a column %s in the header line", name);
    memmove(&record->column[at + 1], &record->column[at],
            (record->columns - at) * sizeof *record->column);
    record->column[at] = new;
    record->columns++;
    return 0;
}

void record_drop(struct record *record, const char *name)
{
    size_t length = strlen(name), kept = 0;
    bool family = length && name[length - 1] == '-';
    for (size_t c = 0; c < record->columns; c++) {
        const char *has = record->column[c].name;
        if (family ? !name_begins(has, name) : !name_is(has, name))
            record->column[kept++] = record->column[c];
    }
    record->columns = kept;
}

/* Appends, or moves *at past the line's end where there is no room. */
static void add(char *line, size_t *at, const char *text)
{
    size_t n = strlen(text);
    bool fits = *at <= RECORD_LINE && n <= RECORD_LINE - *at;
    if (fits)
        memcpy(line + *at, text, n);
    *at = fits ? *at + n : RECORD_LINE + 1;
}

static void add_number(char *line, size_t *at, uint64_t value)
{
    char text[DIGITS];
    add(line, at, decimal(text, value));
}

static void add_column(char *line, size_t *at, const struct column *column)
{
    add(line, at, column->name);
    add(line, at, ":");
    add(line, at, type_names[column->type]);
    add(line, at, "[");
    add_number(line, at, column->count);
    add(line, at, "]");
}

static void add_key(char *line, size_t *at, const char *name)
{
    add(line, at, " ");
    add(line, at, name);
    add(line, at, "=");
}

int record_header(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                  struct fault *fault)
{
    uint64_t bytes = 0;
    size_t at = 0;
    add(line, &at, "rankpipe/1 ");
    add(line, &at, kind_names[record->kind]);
    if (record->kind == RECORD_END) {
        add_key(line, &at, "rounds");
        add_number(line, &at, record->rounds);
    }
    for (size_t k = 0; record->kind != RECORD_END && k < record->keys; k++) {
        add_key(line, &at, record->key[k].name);
        add(line, &at, record->key[k].value);
    }
    for (size_t c = 0; c < record->columns; c++) {
        const struct column *column = &record->column[c];
        add(line, &at, c ? "," : " cols=");
        add_column(line, &at, column);
        bytes += column->count * type_widths[column->type];
    }
    add_key(line, &at, "bytes");
    add_number(line, &at, bytes);
    add(line, &at, "\n");
    if (at > RECORD_LINE)
        return fault_data(fault, "its header line would be longer than %d bytes", RECORD_LINE);
    *n = at;
    return 0;
}
