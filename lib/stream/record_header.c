#include "stream/record_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/unaligned.h"
#include "base/names.h"
#include "base/text.h"
#include "kernels/crc32c.h"

/* ---- the key crc= ---- */

static const char hexadecimal[] = "0123456789abcdef";

void checksum_print(char digits[CHECKSUM_DIGITS], uint32_t crc)
{
    for (size_t i = CHECKSUM_DIGITS; i-- > 0; crc >>= 4)
        digits[i] = hexadecimal[crc & 15];
}

/* It has no branches, for no one can foretell whether a digit is a letter. */
bool checksum_parse(const char digits[CHECKSUM_DIGITS], uint32_t *crc)
{
    char again[CHECKSUM_DIGITS];
    *crc = 0;
    for (size_t i = 0; i < CHECKSUM_DIGITS; i++)
        *crc = *crc << 4 | (((unsigned)digits[i] & 15) + ((unsigned)digits[i] >> 6 & 1) * 9);
    checksum_print(again, *crc);
    return memcmp(again, digits, CHECKSUM_DIGITS) == 0;
}

/* That of n bytes which begin with a header line. */
static uint32_t from_line(const char *line, size_t n)
{
    enum { AFTER = CHECKSUM_AT + CHECKSUM_DIGITS };
    char start[AFTER];
    memcpy(start, line, CHECKSUM_AT);
    memset(start + CHECKSUM_AT, '0', CHECKSUM_DIGITS);
    return crc32c(crc32c(0, start, AFTER), line + AFTER, n - AFTER);
}

/* Adds values that are made now, or whose bytes are swapped, a piece at a time. */
static uint32_t add_made(uint32_t crc, const struct column *column)
{
    uint64_t piece[512];
    size_t n;
    for (uint64_t from = 0; (n = column_piece(column, from, piece, sizeof piece)) > 0; from += n)
        crc = crc32c(crc, piece, n * column_width(column->type));
    if (column->source)
        column->source->again(column->source);
    return crc;
}

/* The CRC of a record that is to be written, with its line of n bytes, whose columns are in memory
 * or made now. */
static uint32_t from_columns(const struct record *record, const char *line, size_t n)
{
    uint32_t crc = from_line(line, n);
    for (size_t c = 0; c < record->columns; c++) {
        const struct column *column = &record->column[c];
        crc = column->source || LITTLE_SWAPS
                  ? add_made(crc, column)
                  : crc32c(crc, column->data, column_bytes(column));
    }
    return crc;
}

int checksum_check(const struct record *record, const void *stored, size_t n, struct fault *fault)
{
    if (record->has_crc != CRC_KEPT)
        return 0;
    uint32_t crc = from_line(stored, n + (size_t)record->bytes);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    crc = record->crc; /* a fuzzer does not guess it, and is to find what is wrong after it */
#endif
    if (crc == record->crc)
        return 0;
    return fault_data(fault, "damaged: its bytes have crc=%08" PRIx32 ", not %08" PRIx32
                      ": read another copy, or what salvage keeps of it", crc, record->crc);
}

static const char *const kinds[] = {
    [RECORD_ROUND] = "round", [RECORD_MODEL] = "model", [RECORD_PATCH] = "patch",
    [RECORD_END] = "end"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- parsing ---- */

/* Where the name ends that begins here; `text` itself where none does. */
static char *name_end(char *text)
{
    if (*text < 'a' || *text > 'z')
        return text;
    while ((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9') || *text == '-' ||
           *text == '_')
        text++;
    return text;
}

static bool is_name(char *text)
{
    char *end = name_end(text);
    return end > text && *end == '\0';
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

/* Does the line begin as SVM-light text does: perhaps a label, then qid: or a feature? */
static bool looks_like_svm(const char *line)
{
    const char *next = line + strspn(line, "0123456789.+-?eE");
    if (next > line && *next == ' ')
        next++;
    return name_begins(next, "qid:") ||
           (next > line && next[strspn(next, "0123456789")] == ':');
}

static int wrong_kind(const char *kind, struct fault *fault)
{
    struct names names = { 0 };
    char what[sizeof names.text + 40];
    for (unsigned k = 0; k < KINDS; k++)
        names_add(&names, "%s", kinds[k]);
    snprintf(what, sizeof what, "not a kind of record (%s)", names.text);
    return wrong(fault, what, kind);
}

/* The words before the first key, by which anything but a stream is recognised. *rest becomes the
 * line after them, or NULL. */
static int parse_kind(struct record *record, size_t n, char **rest, struct fault *fault)
{
    char quoted[FAULT_QUOTE], *line = record->text;
    static const char magic[] = "rankpipe/";
    uint64_t version;
    if (!name_begins(line, magic)) {
        if (looks_like_svm(line))
            return fault_data(fault, "this looks like SVM-light text: pipe it through svm2bin");
        const char *known = text_not(line, n);
        return known ? fault_data(fault, "not a rankpipe stream: %s", known)
                     : fault_data(fault, "not a rankpipe stream: it begins with %s",
                                  fault_quote(quoted, line, n));
    }
    char *number = line + sizeof magic - 1, *kind = cut(number, ' ');
    if (!record_number(number, RECORD_MOST, &version))
        return wrong(fault, "not a rankpipe stream: it begins with", line);
    if (version != 1)
        return fault_data(fault, "the stream has version %" PRIu64 ", but this program reads "
                          "version 1", version);
    if (!kind)
        return wrong(fault, "no kind of record after", line);
    *rest = cut(kind, ' ');
    unsigned k = 0;
    while (k < KINDS && !name_is(kind, kinds[k]))
        k++;
    record->kind = (enum record_kind)k;
    return k < KINDS ? 0 : wrong_kind(kind, fault);
}

/* Columns, between commas. *rest becomes what follows them and a blank, or NULL. */
static int parse_columns(struct record *record, char *text, char **rest, struct fault *fault)
{
    char end = ',';
    for (; end == ','; text = *rest) {
        if (record->columns == RECORD_COLUMNS)
            return fault_data(fault, "header line: more than %d columns", RECORD_COLUMNS);
        struct column *column = &record->column[record->columns];
        char *colon = name_end(text);
        const char *at = NULL;
        *column = (struct column){ .name = text };
        if (colon > text && *colon == ':' && column_type_find(colon + 1, &column->type) &&
            colon[3] == '[')
            at = record_digits(colon + 4, RECORD_MOST, &column->count);
        if (!at || *at != ']' || (at[1] != ',' && at[1] != ' ' && at[1] != '\0')) {
            enum column_type known; /* of a column, name:type[count], what is wrong? */
            text[strcspn(text, " ,")] = '\0';
            char *first = strchr(text, ':'), *bracket = first ? strchr(first, '[') : NULL;
            if (!bracket || text[strlen(text) - 1] != ']')
                return wrong(fault, "a column must be name:type[count], not", text);
            text[strlen(text) - 1] = '\0';
            char *type = cut(text, ':'), *count = cut(type, '[');
            if (!is_name(text))
                return wrong(fault, "not a valid name of a column", text);
            if (record_column(record, text))
                return wrong(fault, "a column comes twice", text);
            if (!column_type_find(type, &known) || !name_is(type, column_type_name(known))) {
                struct names names = { 0 };
                char what[sizeof names.text + 40];
                for (unsigned k = 0; k < COLUMN_TYPES; k++)
                    names_add(&names, "%s", column_type_name((enum column_type)k));
                snprintf(what, sizeof what, "not a column type (%s)", names.text);
                return wrong(fault, what, type);
            }
            return wrong(fault, "not a valid count of values", count);
        }
        *colon = '\0';
        if (record_column(record, text))
            return wrong(fault, "a column comes twice", text);
        /* At most 2^56 bytes each, and a line has room for 178 such columns. */
        record->bytes += column->count * column_width(column->type);
        record->columns++;
        end = at[1];
        *rest = end ? text + (at + 2 - text) : NULL;
    }
    return 0;
}

/* A table of the keys is made only where there are more than a round has. */
enum { FEW = 32 };

static const void *name_of(const void *record, uint64_t entry, size_t *n)
{
    const char *name = ((const struct record *)record)->key[entry - 1].name;
    *n = strlen(name);
    return name;
}

/* crc= where it may stand, as the first key: returns the words after it. Others are refused when
 * their turn comes. */
static char *read_crc(struct record *record, char *words)
{
    static const char crc[] = "crc=";
    enum { DIGITS_AT = sizeof crc - 1, ALL = DIGITS_AT + CHECKSUM_DIGITS };
    const char *end = record->text + record->used - 1;
    if (!words || end - words < ALL || !name_begins(words, crc) ||
        (words[ALL] != ' ' && words[ALL] != '\0') ||
        !checksum_parse(words + DIGITS_AT, &record->crc))
        return words;
    record->has_crc = CRC_KEPT;
    return words[ALL] ? words + ALL + 1 : NULL;
}

/* *rest becomes what follows the key and a blank, or NULL. */
static int parse_key(struct record *record, struct hash_table *known, char *name, char **rest,
                     struct fault *fault)
{
    char *equals = name_end(name), *value = equals + 1, *end = value;
    if (equals == name || *equals != '=' || *value == ' ' || *value == '\0') {
        (void)cut(name, ' ');
        if (!cut(name, '='))
            return wrong(fault, "neither key=value nor bytes=", name);
        return wrong(fault, is_name(name) ? "a key without a value" : "not a valid name of a key",
                     name);
    }
    while (*end != ' ' && *end != '\0')
        end++;
    *rest = *end ? end + 1 : NULL;
    *equals = *end = '\0';
    if (name_is(name, "crc")) {
        if (record->keys > 0 || record->has_crc != CRC_NONE)
            return fault_data(fault, "header line: crc= must be the first key, and appear only "
                              "once");
        return wrong(fault, "crc= must be eight digits 0-9a-f, not", value);
    }

    const bool many = record->keys >= FEW;
    if (many ? hash_table_find(known, record, name, strlen(name)) > 0
             : record_key(record, name) != NULL)
        return wrong(fault, "a key comes twice", name);
    record->key[record->keys++] = (struct key){ .name = name, .value = value };
    for (size_t k = known->used; many && k < record->keys; k++)
        if (hash_table_add(known, record, k + 1, fault) < 0) return -1;
    return 0;
}

/* Keys, then cols= where there are columns, then bytes=, which ends the line. */
static int parse_words(struct record *record, char *word, struct hash_table *known,
                       struct fault *fault)
{
    uint64_t said;
    bool columns = false;
    while (word && !name_begins(word, "bytes=")) {
        if (columns) {
            (void)cut(word, ' ');
            return wrong(fault, "only bytes= may follow cols=, not", word);
        }
        columns = name_begins(word, "cols=");
        if ((columns ? parse_columns(record, word + 5, &word, fault)
                     : parse_key(record, known, word, &word, fault)) < 0)
            return -1;
    }
    if (!word)
        return fault_data(fault, "header line: bytes= is missing at its end");
    if (!record_number(word + 6, RECORD_MOST, &said))
        return wrong(fault, "bytes= must be a whole number that ends the line, not", word + 6);
    if (said != record->bytes)
        return fault_data(fault,
                          "header line: bytes=%" PRIu64 ", but its columns have %" PRIu64 " bytes",
                          said, record->bytes);
    return 0;
}

/* Readers ignore keys of a model, or of a patch, that they do not know. What a damaged crc= turns
 * into must not be taken for one, so the first key is known. Readers of rounds refuse every such
 * key. */
static int check_model(const struct record *record, struct fault *fault)
{
    const char *name = record->keys ? record->key[0].name : "learner";
    if (name_is(name, "learner") || !record_key(record, "learner"))
        return 0; /* where it is missing, model_header reports that */
    return fault_data(fault, "header line: the first key of a model must be crc= or learner=, not "
                      "%.40s=", name);
}

static int check_end(struct record *record, struct fault *fault)
{
    if (record->has_crc == CRC_NONE && record->keys == 1 && record->columns == 0 &&
        name_is(record->key[0].name, "rounds") &&
        record_number(record->key[0].value, RECORD_MOST, &record->rounds))
        return 0;
    return fault_data(fault, "header line: an end record must be 'rankpipe/1 end rounds=n "
                      "bytes=0'");
}

int header_parse(struct record *record, const char *line, size_t n, struct fault *fault)
{
    char *rest = NULL;
    size_t used = n < RECORD_LINE ? n : RECORD_LINE - 1;
    record_start(record, RECORD_ROUND);
    memcpy(record->text, line, used);
    record->text[used] = '\0';
    record->used = used + 1;
    if (parse_kind(record, used, &rest, fault) < 0) return -1;
    if (used < n)
        return fault_data(fault, "header line: longer than %d bytes", RECORD_LINE);

    unsigned odd = 0;
    for (size_t i = 0; i < n; i++)
        odd |= line[i] < ' ' || line[i] > '~';
    for (size_t i = 0; odd && i < n; i++)
        if (line[i] < ' ' || line[i] > '~')
            return fault_data(fault, "header line: byte %zu is \\x%02x, not printable ASCII", i + 1,
                              (unsigned char)line[i]);

    struct hash_table known = { .key = name_of };
    int parsed = parse_words(record, read_crc(record, rest), &known, fault);
    hash_table_close(&known);
    if (parsed < 0) return -1;
    if (record->kind == RECORD_END)
        return check_end(record, fault);
    return record->kind == RECORD_ROUND ? 0 : check_model(record, fault);
}

/* ---- printing ---- */

/* Appends a text, but nothing past the end of the line, which is one byte too long then. Names are
 * so short that calls of strlen and memcpy would take longer. */
static inline void add(char *line, size_t *at, const char *text)
{
    size_t i = *at;
    while (*text && i <= RECORD_LINE)
        line[i++] = *text++;
    *at = i;
}

static void add_number(char *line, size_t *at, uint64_t value)
{
    char digits[TEXT_DIGITS];
    add(line, at, text_from_number(digits, value));
}

static void add_key(char *line, size_t *at, const char *name)
{
    add(line, at, " ");
    add(line, at, name);
    add(line, at, "=");
}

int header_print_open(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                      struct fault *fault)
{
    uint64_t bytes = 0;
    size_t at = 0;
    add(line, &at, "rankpipe/1 ");
    add(line, &at, kinds[record->kind]);
    if (record->kind == RECORD_END) {
        add_key(line, &at, "rounds");
        add_number(line, &at, record->rounds);
    }
    if (record->has_crc != CRC_NONE) {
        add_key(line, &at, "crc");
        add(line, &at, "00000000"); /* as it counts in the checksum */
    }
    for (size_t k = 0; record->kind != RECORD_END && k < record->keys; k++) {
        add_key(line, &at, record->key[k].name);
        add(line, &at, record->key[k].value);
    }
    for (size_t c = 0; c < record->columns; c++) {
        const struct column *column = &record->column[c];
        add(line, &at, c ? "," : " cols=");
        add(line, &at, column->name);
        add(line, &at, ":");
        add(line, &at, column_type_name(column->type));
        add(line, &at, "[");
        add_number(line, &at, column->count);
        add(line, &at, "]");
        bytes += column->count * column_width(column->type);
    }
    add_key(line, &at, "bytes");
    add_number(line, &at, bytes);
    add(line, &at, "\n");
    if (at > RECORD_LINE)
        return fault_data(fault, "its header line would be longer than %d bytes", RECORD_LINE);
    if (record->has_crc == CRC_KEPT)
        checksum_print(line + CHECKSUM_AT, record->crc);
    *n = at;
    return 0;
}

int header_print(const struct record *record, char line[RECORD_LINE + 1], size_t *n,
                 struct fault *fault)
{
    if (header_print_open(record, line, n, fault) < 0) return -1;
    if (record->has_crc == CRC_WANTED)
        checksum_print(line + CHECKSUM_AT, from_columns(record, line, *n));
    return 0;
}
