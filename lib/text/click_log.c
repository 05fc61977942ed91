#include "text/click_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entropy.h"
#include "text/svm_names.h"

void click_log_open(struct click_log *log, char *const *files, const struct click_action *actions,
                    size_t n, struct watch *watch)
{
    memset(log, 0, sizeof *log);
    click_line_open(&log->line, files, actions, n, watch);
    log->start = entropy_siphash();
}

void click_log_close(struct click_log *log)
{
    click_line_close(&log->line);
    buffer_free(&log->shown);
    buffer_free(&log->names);
    buffer_free(&log->listed);
    buffer_free(&log->own);
    buffer_free(&log->scratch);
    name_set_close(&log->before);
}

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

/* ---- requests ---- */

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
    if (!own)
        return -1;
    memcpy(own, log->line.field[CLICK_REQUEST], n);
    log->own_bytes = n;
    return 0;
}

/* Begins the request of the current line. 0 or a fault. */
static int begin(struct click_log *log, struct fault *fault)
{
    struct lines *lines = &log->line.lines;
    if (claim(log, fault) < 0)
        return -1;
    const char *own = log->own.at;
    size_t n = log->own_bytes;
    if (n == 0)
        return click_line_wrong(&log->line, CLICK_REQUEST, "a name: it is empty", fault);
    if (log->line.bytes[CLICK_QID] == 0)
        return click_line_wrong(&log->line, CLICK_QID, "a name: it is empty", fault);
    if (!qid_word_read(lines, own, n, 0, "request", log->now.request, fault) ||
        !qid_word_read(lines, log->line.field[CLICK_QID], log->line.bytes[CLICK_QID], 0, "qid",
                       log->now.qid, fault))
        return -1;
    enum entered entered = name_set_enter(&log->before, log->now.request, fault);
    if (entered == ENTERED_BEFORE)
        return lines_wrong(lines, own, n, fault, "a request that comes again after another one: "
                           "sort the log by request");
    return entered == ENTERED_FAULT ? -1 : 0;
}

/* Adds the document of the current line. 0 or a fault. */
static int add(struct click_log *log, struct fault *fault)
{
    char qid[QID_BYTES + 1];
    struct click_line *line = &log->line;
    size_t n = log->line.bytes[CLICK_DOC], places = log->now.places;
    struct click_shown *shown = buffer_for(&log->shown, places + 1, sizeof *shown, fault);
    char *names = buffer_for(&log->names, log->name_bytes + n + 1, 1, fault);
    if (!shown || !names)
        return -1;
    shown += places;
    *shown = (struct click_shown){ .name = log->name_bytes, .bytes = n };
    const char *word = line->field[CLICK_QID];
    if (!qid_word_read(&line->lines, word, line->bytes[CLICK_QID], 0, "qid", qid, fault))
        return -1;
    if (strcmp(qid, log->now.qid) != 0)
        return lines_wrong(&line->lines, word, line->bytes[CLICK_QID], fault,
                           "request %.60s has two qids", log->now.request);
    if (click_line_read(line, shown, fault) < 0)
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

/* Lines that repeat a document at its position become one, with the largest click. */
static int merge(struct click_log *log, struct click_shown *shown, struct fault *fault)
{
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
    return 0;
}

/* Do the positions have no gap? And does the log say of all documents what it says of one? */
static int check_places(struct click_log *log, const struct click_shown *shown,
                        struct fault *fault)
{
    size_t given[CLICK_COLUMNS] = { 0 }, n = log->now.places;
    for (size_t a = 0; a < n; a++) {
        if (shown[a].position != a + 1)
            return click_log_wrong(log, fault, "no document at position %zu: a log has each "
                                   "document that was shown, clicked or not", a + 1);
        given[CLICK_PROPENSITY] += isnan(shown[a].propensity) ? 0 : 1;
        given[CLICK_SCORE] += isnan(shown[a].score) ? 0 : 1;
        given[CLICK_LABEL] += isnan(shown[a].label) ? 0 : 1;
    }
    for (size_t c = CLICK_PROPENSITY; c < CLICK_COLUMNS; c++) {
        log->now.given[c] = given[c] == n;
        if (given[c] > 0 && given[c] < n)
            return click_log_wrong(log, fault, "%zu of %zu lines have a %s: all or none must",
                                   given[c], n, click_column_name((enum click_column)c));
    }
    return 0;
}

/* Lists the names by position. 0 or a fault. */
static int list_names(struct click_log *log, const struct click_shown *shown, struct fault *fault)
{
    struct click_request *now = &log->now;
    char *to = buffer_for(&log->listed, log->name_bytes, 1, fault);
    if (!to)
        return -1;
    for (size_t a = 0; a < now->places; a++) {
        memcpy(to, name_of(log, &shown[a]), shown[a].bytes + 1);
        to += shown[a].bytes + 1;
    }
    now->names = log->listed.at;
    now->name_bytes = (size_t)(to - now->names);
    int differ = svm_names_differ(now->names, now->places, &log->start, &log->scratch, fault);
    if (differ == 0)
        return click_log_wrong(log, fault, "a document is at two positions");
    return differ < 0 ? -1 : 0;
}

/* All lines of the request were read. */
static enum click_found end_request(struct click_log *log, struct fault *fault)
{
    struct click_shown *shown = log->shown.at;
    qsort(shown, log->now.places, sizeof *shown, by_position);
    log->now.shown = shown;
    if (merge(log, shown, fault) < 0 || check_places(log, shown, fault) < 0 ||
        list_names(log, shown, fault) < 0)
        return CLICKS_FAULT;
    return CLICKS_REQUEST;
}

/* After the fault of a line: is it the line of another request than the one at hand? */
static bool is_of_another(const struct click_log *log, const struct fault *fault)
{
    return fault->kind == FAULT_DATA && log->line.field[CLICK_REQUEST] && !goes_on(log);
}

enum click_found click_log_next(struct click_log *log, struct fault *fault)
{
    enum lines_got got = click_line_next(&log->line, fault);
    if (got == LINES_FAULT && is_of_another(log, fault))
        (void)claim(log, fault);
    if (got != LINES_LINE)
        return got == LINES_END ? CLICKS_END : CLICKS_FAULT;
    if (begin(log, fault) < 0)
        return CLICKS_FAULT;
    do
        if (add(log, fault) < 0)
            return CLICKS_FAULT;
    while ((got = click_line_next(&log->line, fault)) == LINES_LINE && goes_on(log));
    if (got == LINES_FAULT && !is_of_another(log, fault))
        return CLICKS_FAULT;
    if (got != LINES_END)
        lines_again(&log->line.lines);
    *fault = (struct fault){ FAULT_NONE, "" };
    return end_request(log, fault);
}

int click_log_skip(struct click_log *log, struct fault *fault)
{
    enum lines_got got;
    bool on;
    do {
        struct fault ignored = { FAULT_NONE, "" };
        got = click_line_next(&log->line, &ignored);
        if (got == LINES_FAULT && ignored.kind != FAULT_DATA) {
            *fault = ignored;
            return -1;
        }
        on = got == LINES_FAULT ? !is_of_another(log, &ignored) : got == LINES_LINE && goes_on(log);
    } while (on);
    if (got != LINES_END)
        lines_again(&log->line.lines);
    return 0;
}
