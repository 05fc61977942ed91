#include "text/click_log.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/decimal.h"
#include "stream/record.h"

static const char *const column_names[CLICK_COLUMNS] = { "request", "qid", "doc", "position",
                                                         "click", "time", "propensity", "score",
                                                         "label", "client" };
enum { NUMBER = 64 }; /* bytes of a number, more than any needs */

const char *click_column_name(enum click_column column)
{
    return column_names[column];
}

void click_log_open(struct click_log *log, char *const *files, const struct click_action *actions,
                    size_t n, struct watch *watch)
{
    memset(log, 0, sizeof *log);
    log->line.actions = actions;
    log->line.n = n;
    lines_open(&log->line.lines, files, watch);
}

void click_log_close(struct click_log *log)
{
    lines_close(&log->line.lines);
    buffer_free(&log->line.unknown);
    buffer_free(&log->shown);
    buffer_free(&log->names);
    buffer_free(&log->listed);
    buffer_free(&log->own);
    name_table_close(&log->before);
    hash_table_close(&log->documents);
}

/* ---- the first line of a file ---- */

/* Remembers the name of a column that is not used. 0 or a fault (memory). */
static int note_unknown(struct click_line *line, const char *name, size_t n, struct fault *fault)
{
    char *text = buffer_for(&line->unknown, line->unknown_bytes + n + 3, 1, fault);
    if (!text) return -1;
    if (line->unknowns++ > 0)
        line->unknown_bytes += (size_t)sprintf(text + line->unknown_bytes, ", ");
    memcpy(text + line->unknown_bytes, name, n);
    line->unknown_bytes += n;
    text[line->unknown_bytes] = '\0';
    return 0;
}

static int name_column(struct click_line *line, const char *name, size_t n, bool first,
                       struct fault *fault)
{
    enum click_column c = 0;
    while (c < CLICK_COLUMNS &&
           (strlen(column_names[c]) != n || memcmp(name, column_names[c], n) != 0))
        c++;
    if (c == CLICK_COLUMNS)
        return first ? note_unknown(line, name, n, fault) : 0;
    if (line->at[c] != SIZE_MAX)
        return lines_wrong(&line->lines, name, n, fault, "a column that comes twice");
    line->at[c] = line->fields;
    return 0;
}

/* Are all columns there that a log needs? 0 or a fault. */
static int check_columns(struct click_line *line, struct fault *fault)
{
    struct names missing = { .bytes = 0 };
    size_t lacks = 0;
    const size_t *at = line->at, due = line->alone ? CLICK_ALONE : CLICK_REQUIRED;
    for (size_t c = 0; c < due; c++)
        if (at[c] == SIZE_MAX) {
            names_add(&missing, "%s", column_names[c]);
            lacks++;
        }
    if (lacks == due)
        return lines_wrong(&line->lines, line->lines.text, line->lines.bytes, fault, "the first "
                           "line must name the columns, with tabs between them: request, qid, "
                           "doc%s", line->alone ? "" : ", position, click");
    bool clicks = at[CLICK_REQUEST] != SIZE_MAX && at[CLICK_QID] != SIZE_MAX &&
                  at[CLICK_DOC] != SIZE_MAX;
    return lacks == 0 ? 0 : lines_wrong(&line->lines, line->lines.text, line->lines.bytes, fault,
                                        "no column %s among those that the first line names; %s",
                                        missing.text, clicks ? "if these are clicks alone, give "
                                        "-r RUN, the lists that were shown"
                                        : "rename one there, as sed '1s/query/qid/' does");
}

/* 0, or a fault where commas part the columns. */
static int check_tabs(struct click_line *line, struct fault *fault)
{
    const char *text = line->lines.text;
    if (line->fields > 1 || !strchr(text, ','))
        return 0;
    return lines_wrong(&line->lines, text, line->lines.bytes, fault, "columns parted by commas; "
                       "put tabs there, as tr , '\\t' does where no field has a comma");
}

/* The current line is the first of a file. 0 or a fault, with which the log ends. */
static int read_head(struct click_line *line, struct fault *fault)
{
    bool first = line->fields == 0;
    const char *at = line->lines.text, *end = at + line->lines.bytes;
    for (size_t c = 0; c < CLICK_COLUMNS; c++)
        line->at[c] = SIZE_MAX;
    int result = 0;
    for (line->fields = 0; result == 0 && at <= end; line->fields++) {
        size_t n = strcspn(at, "\t");
        result = name_column(line, at, n, first, fault);
        at += n + 1;
    }
    if (result == 0 && check_tabs(line, fault) == 0 && check_columns(line, fault) == 0)
        return 0;
    if (fault->kind == FAULT_DATA)
        fault->kind = FAULT_CUT; /* no line after it can be read */
    return -1;
}

/* ---- fields ---- */

/* Finds the fields of the current line. 0 or a fault. */
static int split(struct click_line *line, struct fault *fault)
{
    size_t fields = 0;
    const char *at = line->lines.text, *end = at + line->lines.bytes;
    for (size_t c = 0; c < CLICK_COLUMNS; c++)
        line->field[c] = NULL, line->bytes[c] = 0;
    for (; at <= end; fields++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        if (!tab)
            tab = end;
        for (size_t c = 0; c < CLICK_COLUMNS; c++)
            if (line->at[c] == fields) {
                line->field[c] = at;
                line->bytes[c] = (size_t)(tab - at);
            }
        at = tab + 1;
    }
    if (fields == line->fields)
        return 0;
    return lines_wrong(&line->lines, line->lines.text, line->lines.bytes, fault, "%zu field%s, but "
                       "the first line names %zu columns", fields, fields == 1 ? "" : "s",
                       line->fields);
}

/* Does the line say nothing of a column that it need not have? */
static bool is_not_said(const struct click_line *line, enum click_column c)
{
    return line->bytes[c] == 0 || (line->bytes[c] == 1 && line->field[c][0] == '-');
}

/* A data fault: "the click is not WHAT: 'x'". Returns -1. */
static int wrong_field(struct click_line *line, enum click_column c, const char *what,
                       struct fault *fault)
{
    return lines_wrong(&line->lines, line->field[c], line->bytes[c], fault, "the %s is not %s",
                       column_names[c], what);
}

/* Copies a field that is short, as a number is. False: it is long. */
static bool copy_number(const struct click_line *line, enum click_column c, char text[NUMBER])
{
    if (line->bytes[c] >= NUMBER)
        return false;
    memcpy(text, line->field[c], line->bytes[c]);
    text[line->bytes[c]] = '\0';
    return true;
}

/* A column that may be missing: NaN then, else a number from least to most. 0 or a fault. */
static int read_real(struct click_line *line, enum click_column c, double least, double most,
                     const char *what, double *value, struct fault *fault)
{
    char text[NUMBER];
    *value = NAN;
    if (is_not_said(line, c))
        return 0;
    if (copy_number(line, c, text) && decimal_double(text, value) && *value >= least &&
        *value <= most)
        return 0;
    return wrong_field(line, c, what, fault);
}

static int read_time(struct click_line *line, struct click_shown *shown, struct fault *fault)
{
    char text[NUMBER];
    shown->timed = !is_not_said(line, CLICK_TIME);
    if (!shown->timed || (copy_number(line, CLICK_TIME, text) &&
                          record_number(text, RECORD_MOST - 1, &shown->time)))
        return 0;
    return wrong_field(line, CLICK_TIME, "a whole number of milliseconds since 1970, as date -d "
                                         "TIME +%s000 prints it", fault);
}

/* An action with a value, or a number. */
static int read_click(struct click_line *line, float *click, struct fault *fault)
{
    char text[NUMBER];
    double value;
    size_t n = line->bytes[CLICK_CLICK];
    for (size_t i = 0; i < line->n; i++)
        if (line->actions[i].bytes == n &&
            memcmp(line->actions[i].name, line->field[CLICK_CLICK], n) == 0) {
            *click = line->actions[i].value;
            return 0;
        }
    if (!copy_number(line, CLICK_CLICK, text) || !decimal_double(text, &value) || value < 0 ||
        value > 1)
        return wrong_field(line, CLICK_CLICK, "a number from 0 to 1; -g gives a word its value",
                           fault);
    *click = (float)value;
    return 0;
}

/* A document's name is one word, without control characters. */
static int check_name(struct click_line *line, struct fault *fault)
{
    const char *name = line->field[CLICK_DOC];
    bool word = line->bytes[CLICK_DOC] > 0;
    for (size_t i = 0; i < line->bytes[CLICK_DOC]; i++)
        word = word && (unsigned char)name[i] > ' ' && name[i] != 127;
    if (word)
        return 0;
    return wrong_field(line, CLICK_DOC, line->bytes[CLICK_DOC] == 0 ? "a name of one word"
                       : "a name of one word; write a blank as _ here and in the candidates",
                       fault);
}

/* Finds the fields of the next line that is neither empty nor the first of its file: 1, 0 at the
 * end of the log, or a fault. After lines_again it is the same line. A data fault, of one line,
 * leaves it where it is; a log whose first line is wrong is FAULT_CUT. */
static int next_line(struct click_line *line, struct fault *fault)
{
    int got;
    line->field[CLICK_REQUEST] = NULL;
    while ((got = lines_next(&line->lines, fault)) > 0 &&
           (line->lines.number == 1 || line->lines.bytes == 0))
        if (line->lines.number == 1 && read_head(line, fault) < 0) return -1;
    return got > 0 && split(line, fault) < 0 ? -1 : got;
}

/* ---- requests ---- */

/* A document's name. */
static const char *name_of(const struct click_log *log, const struct click_shown *shown)
{
    return (const char *)log->names.at + shown->name;
}

int click_log_wrong(struct click_log *log, struct fault *fault, const char *format, ...)
{
    char what[600];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    return fault_data(fault, "%s: line %" PRIu64 ": request %.60s: %s", log->line.lines.name,
                      log->now.line, log->now.request, what);
}

/* Is the current line of the request at hand? */
static bool goes_on(const struct click_log *log)
{
    size_t n = log->line.bytes[CLICK_REQUEST];
    return log->now.line && n == log->own_bytes &&
           memcmp(log->own.at, log->line.field[CLICK_REQUEST], n) == 0;
}

/* Makes the request of the current line the one at hand, as far as its name goes. 0 or a fault
 * (memory). */
static int claim(struct click_log *log, struct fault *fault)
{
    size_t n = log->line.bytes[CLICK_REQUEST];
    char *own = buffer_for(&log->own, n + 1, 1, fault);
    log->now = (struct click_request){ .line = lines_number(&log->line.lines) };
    log->name_bytes = 0;
    if (!own) return -1;
    memcpy(own, log->line.field[CLICK_REQUEST], n);
    log->own_bytes = n;
    return 0;
}

/* Begins the request of the current line. 0 or a fault. */
static int begin(struct click_log *log, struct fault *fault)
{
    struct lines *lines = &log->line.lines;
    if (claim(log, fault) < 0) return -1;
    const char *own = log->own.at;
    size_t n = log->own_bytes;
    if (n == 0)
        return wrong_field(&log->line, CLICK_REQUEST, "a name: it is empty", fault);
    if (log->line.bytes[CLICK_QID] == 0)
        return wrong_field(&log->line, CLICK_QID, "a name: it is empty", fault);
    if (!qid_word_read(lines, own, n, 0, "request", false, log->now.request, fault) ||
        !qid_word_read(lines, log->line.field[CLICK_QID], log->line.bytes[CLICK_QID], 0, "qid",
                       log->line.coded, log->now.qid, fault))
        return -1;
    int fresh = name_table_enter(&log->before, log->now.request, strlen(log->now.request), fault);
    if (fresh == 0)
        return lines_wrong(lines, own, n, fault, "a request that comes again after another one: "
                           "sort the log by request");
    return fresh < 0 ? -1 : 0;
}

/* The client of the current line, if it says, is that of its request. 0 or a fault. */
static int add_client(struct click_log *log, struct fault *fault)
{
    char client[QID_BYTES + 1];
    struct click_line *line = &log->line;
    const char *word = line->field[CLICK_CLIENT];
    size_t n = line->bytes[CLICK_CLIENT];
    if (is_not_said(line, CLICK_CLIENT))
        return 0;
    if (!qid_word_read(&line->lines, word, n, 0, "client", false, client, fault)) return -1;
    if (strlen(client) > ROUND_CLIENT)
        return wrong_field(line, CLICK_CLIENT, "a word of at most 64 bytes in a header", fault);
    if (*log->now.client && strcmp(client, log->now.client) != 0)
        return lines_wrong(&line->lines, word, n, fault, "request %.60s has two clients",
                           log->now.request);
    strcpy(log->now.client, client);
    return 0;
}

/* Adds the document of the current line. 0 or a fault. */
static int add(struct click_log *log, struct fault *fault)
{
    char qid[QID_BYTES + 1];
    struct click_line *line = &log->line;
    size_t n = log->line.bytes[CLICK_DOC], places = log->now.places;
    struct click_shown *shown = buffer_for(&log->shown, places + 1, sizeof *shown, fault);
    char *names = buffer_for(&log->names, log->name_bytes + n + 1, 1, fault);
    if (!shown || !names) return -1;
    shown += places;
    *shown = (struct click_shown){ .name = log->name_bytes, .bytes = n };
    const char *word = line->field[CLICK_QID];
    if (!qid_word_read(&line->lines, word, line->bytes[CLICK_QID], 0, "qid", line->coded, qid,
                       fault))
        return -1;
    if (strcmp(qid, log->now.qid) != 0)
        return lines_wrong(&line->lines, word, line->bytes[CLICK_QID], fault,
                           "request %.60s has two qids", log->now.request);

    bool alone = line->alone;
    shown->click = 1;
    if (check_name(line, fault) < 0) return -1;
    if (!alone) {
        char text[NUMBER];
        uint64_t value;
        if (!copy_number(line, CLICK_POSITION, text) || !record_number(text, UINT32_MAX, &value))
            return wrong_field(line, CLICK_POSITION, "a whole number from 1 (the top)", fault);
        if (value == 0)
            return wrong_field(line, CLICK_POSITION, "a whole number from 1 (the top); of a log "
                               "that counts from 0, add 1 to each", fault);
        shown->position = (uint32_t)value;
    }
    if (((!alone || line->field[CLICK_CLICK]) && read_click(line, &shown->click, fault) < 0) ||
        read_time(line, shown, fault) < 0 ||
        read_real(line, CLICK_PROPENSITY, DBL_MIN, 1, "a number above 0, and at most 1",
                  &shown->propensity, fault) < 0 ||
        read_real(line, CLICK_SCORE, -DBL_MAX, DBL_MAX, "a finite number", &shown->score,
                  fault) < 0)
        return -1;
    if (read_real(line, CLICK_LABEL, 0, FLT_MAX, "a relevance of at least 0", &shown->label,
                  fault) < 0 ||
        add_client(log, fault) < 0)
        return -1;
    if (shown->timed && !log->now.timed) {
        log->now.timed = true;
        log->now.time = shown->time;
    }
    memcpy(names + log->name_bytes, log->line.field[CLICK_DOC], n);
    names[log->name_bytes + n] = '\0';
    log->name_bytes += n + 1;
    log->now.places++;
    return 0;
}

static int by_position(const void *a, const void *b)
{
    const struct click_shown *one = a, *two = b;
    if (one->position != two->position)
        return one->position < two->position ? -1 : 1;
    return one->name < two->name ? -1 : 1;
}

/* Lists the names by position. 0 or a fault. */
static int list_names(struct click_log *log, const struct click_shown *shown, struct fault *fault)
{
    struct click_request *now = &log->now;
    char *to = buffer_for(&log->listed, log->name_bytes, 1, fault);
    if (!to) return -1;
    for (size_t a = 0; a < now->places; a++) {
        memcpy(to, name_of(log, &shown[a]), shown[a].bytes + 1);
        to += shown[a].bytes + 1;
    }
    now->names = log->listed.at;
    now->name_bytes = (size_t)(to - now->names);
    if (log->line.alone)
        return 0;
    int differ = name_table_differ(&log->documents, now->names, now->places, fault);
    if (differ == 0)
        return click_log_wrong(log, fault, "a document is at two positions");
    return differ < 0 ? -1 : 0;
}

/* After the fault of a line: is it the line of another request than the one at hand? */
static bool is_of_another(const struct click_log *log, const struct fault *fault)
{
    return fault->kind == FAULT_DATA && log->line.field[CLICK_REQUEST] && !goes_on(log);
}

int click_log_next(struct click_log *log, struct fault *fault)
{
    int got = next_line(&log->line, fault);
    if (got < 0 && is_of_another(log, fault))
        (void)claim(log, fault);
    if (got <= 0)
        return got;
    if (begin(log, fault) < 0) return -1;
    do
        if (add(log, fault) < 0) return -1;
    while ((got = next_line(&log->line, fault)) > 0 && goes_on(log));
    if (got < 0 && !is_of_another(log, fault)) return -1;
    if (got != 0)
        lines_again(&log->line.lines);
    *fault = (struct fault){ FAULT_NONE, "" };

    struct click_shown *shown = log->shown.at;
    qsort(shown, log->now.places, sizeof *shown, by_position);
    log->now.shown = shown;
    if (log->line.alone)
        return list_names(log, shown, fault) < 0 ? -1 : 1;

    /* Lines of one document at one position are one: it was clicked on as much as in any. */
    size_t left = 0;
    for (size_t i = 0; i < log->now.places; i++) {
        struct click_shown *last = left ? &shown[left - 1] : NULL;
        if (!last || last->position != shown[i].position) {
            shown[left++] = shown[i];
            continue;
        }
        const char *name = name_of(log, last), *other = name_of(log, &shown[i]);
        if (strcmp(name, other) != 0)
            return click_log_wrong(log, fault, "documents %.60s and %.60s are both at position "
                                   "%" PRIu32, name, other, last->position);
        if (shown[i].click > last->click)
            last->click = shown[i].click;
    }
    log->now.places = left;

    /* The positions have no gap, and the log says of all documents what it says of one. */
    size_t given[CLICK_COLUMNS] = { 0 }, n = log->now.places;
    for (size_t a = 0; a < n; a++) {
        if (shown[a].position != a + 1)
            return click_log_wrong(log, fault, "no document at position %zu: a log has each "
                                   "document that was shown, clicked or not (of clicks alone, -r "
                                   "makes such lists)", a + 1);
        given[CLICK_PROPENSITY] += isnan(shown[a].propensity) ? 0 : 1;
        given[CLICK_SCORE] += isnan(shown[a].score) ? 0 : 1;
        given[CLICK_LABEL] += isnan(shown[a].label) ? 0 : 1;
    }
    for (size_t c = CLICK_PROPENSITY; c <= CLICK_LABEL; c++) {
        log->now.given[c] = given[c] == n;
        if (given[c] > 0 && given[c] < n)
            return click_log_wrong(log, fault, "%zu of %zu lines have a %s: all or none must",
                                   given[c], n, click_column_name((enum click_column)c));
    }
    return list_names(log, shown, fault) < 0 ? -1 : 1;
}

int click_log_skip(struct click_log *log, struct fault *fault)
{
    int got;
    bool on;
    do {
        struct fault ignored = { FAULT_NONE, "" };
        got = next_line(&log->line, &ignored);
        if (got < 0 && ignored.kind != FAULT_DATA) {
            *fault = ignored;
            return -1;
        }
        on = got < 0 ? !is_of_another(log, &ignored) : got > 0 && goes_on(log);
    } while (on);
    if (got != 0)
        lines_again(&log->line.lines);
    return 0;
}
