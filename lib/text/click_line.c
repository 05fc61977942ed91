#include "text/click_line.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "stream/record.h"

static const char *const column_names[CLICK_COLUMNS] = { "request", "qid", "doc", "position",
                                                         "click", "time", "propensity", "score",
                                                         "label" };
enum { NUMBER = 64 }; /* bytes of a number, more than any needs */

const char *click_column_name(enum click_column column)
{
    return column_names[column];
}

void click_line_open(struct click_line *line, char *const *files,
                     const struct click_action *actions, size_t n, struct watch *watch)
{
    memset(line, 0, sizeof *line);
    line->actions = actions;
    line->n = n;
    lines_open(&line->lines, files, watch);
}

void click_line_close(struct click_line *line)
{
    lines_close(&line->lines);
    buffer_free(&line->unknown);
}

/* ---- the first line of a file ---- */

/* Remembers the name of a column that is not used. 0 or a fault (memory). */
static int note_unknown(struct click_line *line, const char *name, size_t n, struct fault *fault)
{
    char *text = buffer_for(&line->unknown, line->unknown_bytes + n + 3, 1, fault);
    if (!text)
        return -1;
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
    for (size_t c = 0; c < CLICK_REQUIRED; c++)
        if (line->at[c] == SIZE_MAX) {
            names_add(&missing, "%s", column_names[c]);
            lacks++;
        }
    if (lacks == CLICK_REQUIRED)
        return lines_wrong(&line->lines, line->lines.text, line->lines.bytes, fault, "the first "
                           "line must name the columns, with tabs between them: request, qid, doc, "
                           "position, click");
    return lacks == 0 ? 0 : lines_wrong(&line->lines, line->lines.text, line->lines.bytes, fault,
                                        "no column %s among those that the first line names",
                                        missing.text);
}

/* The current line is the first of a file. 0 or a fault, with which the log ends. */
static int read_head(struct click_line *line, struct fault *fault)
{
    bool first = line->fields == 0;
    const char *at = line->lines.text, *end = at + line->lines.bytes;
    for (size_t c = 0; c < CLICK_COLUMNS; c++)
        line->at[c] = SIZE_MAX;
    for (line->fields = 0;; line->fields++) {
        size_t n = strcspn(at, "\t");
        if (name_column(line, at, n, first, fault) < 0)
            break;
        at += n + 1;
        if (at > end) {
            line->fields++;
            break;
        }
    }
    if (fault->kind == FAULT_NONE && check_columns(line, fault) == 0)
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
static bool is_missing(const struct click_line *line, enum click_column c)
{
    return line->bytes[c] == 0 || (line->bytes[c] == 1 && line->field[c][0] == '-');
}

int click_line_wrong(struct click_line *line, enum click_column c, const char *what,
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
    if (is_missing(line, c))
        return 0;
    if (copy_number(line, c, text) && text_real(text, value) && *value >= least && *value <= most)
        return 0;
    return click_line_wrong(line, c, what, fault);
}

static int read_time(struct click_line *line, struct click_shown *shown, struct fault *fault)
{
    char text[NUMBER];
    shown->timed = !is_missing(line, CLICK_TIME);
    if (!shown->timed || (copy_number(line, CLICK_TIME, text) &&
                          record_number(text, RECORD_MOST - 1, &shown->time)))
        return 0;
    return click_line_wrong(line, CLICK_TIME, "a whole number of milliseconds since 1970", fault);
}

static int read_position(struct click_line *line, uint32_t *position, struct fault *fault)
{
    char text[NUMBER];
    uint64_t value;
    if (!copy_number(line, CLICK_POSITION, text) || !record_number(text, UINT32_MAX, &value) ||
        value == 0)
        return click_line_wrong(line, CLICK_POSITION, "a whole number from 1 (the top)", fault);
    *position = (uint32_t)value;
    return 0;
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
    if (!copy_number(line, CLICK_CLICK, text) || !text_real(text, &value) || value < 0 ||
        value > (double)FLT_MAX)
        return click_line_wrong(line, CLICK_CLICK, "a number of at least 0; -g gives a word its "
                                "value", fault);
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
    return word ? 0 : click_line_wrong(line, CLICK_DOC, "a name of one word", fault);
}

int click_line_read(struct click_line *line, struct click_shown *shown, struct fault *fault)
{
    bool wrong = check_name(line, fault) < 0 || read_position(line, &shown->position, fault) < 0 ||
                 read_click(line, &shown->click, fault) < 0 || read_time(line, shown, fault) < 0 ||
                 read_real(line, CLICK_PROPENSITY, DBL_MIN, 1, "a number above 0, and at most 1",
                           &shown->propensity, fault) < 0 ||
                 read_real(line, CLICK_SCORE, -DBL_MAX, DBL_MAX, "a finite number", &shown->score,
                           fault) < 0 ||
                 read_real(line, CLICK_LABEL, 0, FLT_MAX, "a relevance of at least 0",
                           &shown->label, fault) < 0;
    return wrong ? -1 : 0;
}

/* ---- lines ---- */

/* Reads the next line that is neither empty nor the first of its file, and its fields. */
enum lines_got click_line_next(struct click_line *line, struct fault *fault)
{
    enum lines_got got;
    line->field[CLICK_REQUEST] = NULL;
    while ((got = lines_next(&line->lines, fault)) == LINES_LINE &&
           (line->lines.number == 1 || line->lines.bytes == 0))
        if (line->lines.number == 1 && read_head(line, fault) < 0)
            return LINES_FAULT;
    return got == LINES_LINE && split(line, fault) < 0 ? LINES_FAULT : got;
}
