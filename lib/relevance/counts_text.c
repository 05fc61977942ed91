#include "relevance/counts_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "io/lines.h"
#include "stream/record.h"
#include "stream/round_fields.h"
#include "text/print.h"

enum {
    QID, DOC, POSITION, IMPRESSIONS, CLICKS, OLDER, AFTER = OLDER, AFTER_CLICKS, VALUES, FIELDS
};
enum { NUMBER = 64 }; /* bytes of a number, more than any needs */
static const char older_head[] = "qid\tdoc\tposition\timpressions\tclicks";
static const char old_head[] = "qid\tdoc\tposition\timpressions\tclicks\tafter\tafter-clicks";
static const char head[] = "qid\tdoc\tposition\timpressions\tclicks\tafter\tafter-clicks\tvalues";

static void print_count(struct print *print, double count)
{
    print_byte(print, '\t');
    print_double(print, count);
}

/* The sum of values, to the millionth. */
static void print_values(struct print *print, const struct impressions_counts *counts)
{
    char text[NUMBER];
    snprintf(text, sizeof text, "\t%.6f", counts->clicks - counts->lack / IMPRESSIONS_WHOLE);
    if (counts->lack > 0)
        print_word(print, text);
    else
        print_count(print, counts->clicks);
}

int counts_print(const struct impressions *impressions, struct writer *out, struct fault *fault)
{
    struct print print;
    const struct impressions_cell *cell = impressions->cell.at;
    const struct impressions_pair *pair = impressions->pair.at;
    print_start(&print, out, fault);
    print_word(&print, impressions->older ? older_head : head);
    print_byte(&print, '\n');
    for (size_t i = 0; i < impressions->cells && print.failed == 0; i++) {
        print_word(&print, impressions_qid(impressions, pair[cell[i].pair].query));
        print_byte(&print, '\t');
        print_word(&print, impressions_name(impressions, cell[i].pair));
        print_byte(&print, '\t');
        print_whole(&print, cell[i].position);
        print_count(&print, cell[i].counts.n);
        print_count(&print, cell[i].counts.clicks);
        if (!impressions->older) {
            print_count(&print, cell[i].counts.after);
            print_count(&print, cell[i].counts.after_clicks);
            print_values(&print, &cell[i].counts);
        }
        print_byte(&print, '\n');
    }
    return print_end(&print);
}

/* ---- reading ---- */

struct field {
    const char *at;
    size_t n;
};

/* A field as a number from 0, whole or not. 0 or a fault. */
static int read_number(struct lines *lines, const struct field *field, bool whole, double *value,
                       struct fault *fault)
{
    char text[NUMBER] = "";
    uint64_t number;
    if (field->n < NUMBER)
        memcpy(text, field->at, field->n);
    if (whole && record_number(text, RECORD_MOST, &number)) {
        *value = (double)number;
        return 0;
    }
    if (!whole && decimal_double(text, value) && *value >= 0 && *value <= 1e30)
        return 0;
    return lines_wrong(lines, field->at, field->n, fault, "not a %snumber of at least 0",
                       whole ? "whole " : "");
}

/* Is the qid one that a header may have, and the name a word? */
static int check_words(struct lines *lines, const struct field *field, struct fault *fault)
{
    bool plain = field[QID].n > 0 && field[QID].n <= ROUND_QID && field[DOC].n > 0;
    for (size_t i = 0; i < field[QID].n; i++)
        plain = plain && field[QID].at[i] > ' ' && field[QID].at[i] < 127;
    if (!plain)
        return lines_wrong(lines, field[QID].at, field[QID].n, fault, "not a qid as header lines "
                           "have it");
    for (size_t i = 0; i < field[DOC].n; i++)
        plain = plain && (unsigned char)field[DOC].at[i] > ' ' && field[DOC].at[i] != 127;
    return plain ? 0 : lines_wrong(lines, field[DOC].at, field[DOC].n, fault, "not a document's "
                                   "name, which is one word");
}

/* The counts of a line, which must be possible. Older ones have values of clicks, not whole. */
static int read_counts(struct lines *lines, const struct field *field, size_t fields,
                       struct impressions_counts *counts, struct fault *fault)
{
    bool older = fields == OLDER;
    *counts = (struct impressions_counts){ 0 };
    if (read_number(lines, &field[IMPRESSIONS], true, &counts->n, fault) < 0 ||
        read_number(lines, &field[CLICKS], !older, &counts->clicks, fault) < 0)
        return -1;
    if (!(counts->n >= 1))
        return lines_wrong(lines, field[IMPRESSIONS].at, field[IMPRESSIONS].n, fault, "no "
                           "impressions: a line has at least 1");
    if (older)
        return 0;
    if (read_number(lines, &field[AFTER], true, &counts->after, fault) < 0 ||
        read_number(lines, &field[AFTER_CLICKS], true, &counts->after_clicks, fault) < 0)
        return -1;
    double first = counts->clicks - counts->after_clicks;
    if (counts->after > counts->n || counts->after_clicks > counts->after || first < 0 ||
        first > counts->n - counts->after)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "more clicks than impressions, "
                           "or more after a click than there are: count this share again");
    double values = counts->clicks;
    if (fields > VALUES && read_number(lines, &field[VALUES], false, &values, fault) < 0) return -1;
    if (values > counts->clicks)
        return lines_wrong(lines, field[VALUES].at, field[VALUES].n, fault, "more than its clicks, "
                           "whose values are at most 1");
    counts->lack = impressions_lack(counts->clicks - values);
    return 0;
}

/* Counts the current line. 0 or a fault. */
static int read_line(struct impressions *impressions, struct lines *lines, struct fault *fault)
{
    char qid[ROUND_QID + 1];
    struct field field[FIELDS];
    struct impressions_counts counts;
    double position;
    size_t fields = 0, due = impressions->older ? OLDER : VALUES;
    const char *at = lines->text, *end = at + lines->bytes;
    for (; at <= end; fields++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        tab = tab ? tab : end;
        if (fields < FIELDS)
            field[fields] = (struct field){ at, (size_t)(tab - at) };
        at = tab + 1;
    }
    if (fields != due && (impressions->older || fields != FIELDS))
        return lines_wrong(lines, lines->text, lines->bytes, fault, "%zu fields, not %zu%s", fields,
                           due, impressions->older ? "" : " or 8");
    if (check_words(lines, field, fault) < 0 ||
        read_number(lines, &field[POSITION], true, &position, fault) < 0 ||
        read_counts(lines, field, fields, &counts, fault) < 0)
        return -1;
    if (!(position >= 1) || position > IMPRESSIONS_POSITIONS)
        return lines_wrong(lines, field[POSITION].at, field[POSITION].n, fault, "not a position, a "
                           "whole number from 1 to %d", IMPRESSIONS_POSITIONS);
    memcpy(qid, field[QID].at, field[QID].n);
    qid[field[QID].n] = '\0';
    uint32_t query = impressions_query(impressions, qid, fault), pair;
    if (query == IMPRESSIONS_FAULT ||
        (pair = impressions_pair(impressions, query, field[DOC].at, field[DOC].n, fault)) ==
            IMPRESSIONS_FAULT)
        return -1;
    return impressions_add(impressions, pair, (uint32_t)position, &counts, fault);
}

/* The first line of a file, which says whether its counts are older ones; those of `files` before
 * it are the same. 0 or a fault. */
static int read_head(struct impressions *impressions, struct lines *lines, bool any,
                     struct fault *fault)
{
    bool older = strcmp(lines->text, older_head) == 0;
    if (!older && strcmp(lines->text, head) != 0 && strcmp(lines->text, old_head) != 0)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "not the first line of counts, "
                           "which judge -c writes");
    if (any && older != impressions->older)
        return fault_data(fault, "%s: counts %s the columns after and after-clicks, and those of "
                          "the file before it %s: count all shares by one version", lines->name,
                          older ? "without" : "with", older ? "have them" : "lack them");
    impressions->older = older;
    return 0;
}

/* Reads one file; `any`: there was one before it. 0 or a fault. */
static int read_file(struct impressions *impressions, char *file, bool any, struct watch *watch,
                     struct fault *fault)
{
    struct lines lines;
    int got;
    char *const files[] = { file, NULL };
    int result = 0;
    lines_open(&lines, files, watch);
    while (result == 0 && (got = lines_next(&lines, fault)) != 0) {
        if (got < 0)
            result = -1;
        else if (lines.number > 1)
            result = read_line(impressions, &lines, fault);
        else
            result = read_head(impressions, &lines, any, fault);
    }
    if (result == 0 && lines.number == 0)
        result = fault_data(fault, "%s: empty, without even the first line of counts: count this "
                            "share again", file);
    lines_close(&lines);
    return result;
}

int counts_read(struct impressions *impressions, char *const *files, struct watch *watch,
                struct fault *fault)
{
    for (char *const *file = files; *file; file++)
        if (read_file(impressions, *file, file != files, watch, fault) < 0) return -1;
    return 0;
}
