#include "text/value_table.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "io/lines.h"

enum { FIELDS = 3, NUMBER = 64 }; /* of a line without a head; bytes of a number */

struct word {
    const char *at;
    size_t n;
};

struct reading {
    struct query_values *values;
    size_t ranker;
    char *measure;
    size_t words, column; /* of the head, and which of them is the measure; 0: there is no head */
    uint64_t found;       /* values of the measure */
};

static bool is(struct word word, const char *text)
{
    return word.n == strlen(text) && memcmp(word.at, text, word.n) == 0;
}

/* Word i of the line, from 0; of 0 bytes where it has no more. */
static struct word word_at(const struct lines *lines, size_t i)
{
    const char *p = text_skip_blanks(lines->text);
    while (i-- > 0)
        p = text_skip_word(p);
    return (struct word){ p, text_word_bytes(p) };
}

static size_t count_words(const struct lines *lines)
{
    size_t n = 0;
    for (const char *p = text_skip_blanks(lines->text); *p; p = text_skip_word(p))
        n++;
    return n;
}

static int name_measure(struct reading *my, struct lines *lines, struct word word,
                        struct fault *fault)
{
    if (word.n == 0 || word.n >= VALUE_TABLE_MEASURE)
        return lines_wrong(lines, word.at, word.n, fault, "not the name of a measure");
    memcpy(my->measure, word.at, word.n);
    my->measure[word.n] = '\0';
    return 0;
}

static int read_head(struct reading *my, struct lines *lines, struct fault *fault)
{
    my->words = count_words(lines);
    my->column = 2;
    if (!*my->measure && name_measure(my, lines, word_at(lines, 2), fault) < 0) return -1;
    while (my->column < my->words && !is(word_at(lines, my->column), my->measure))
        my->column++;
    return my->column < my->words ? 0 : lines_wrong(lines, lines->text, lines->bytes, fault,
                                                    "no column %s: choose one with -m",
                                                    my->measure);
}

static int add_value(struct reading *my, struct lines *lines, struct word qid, struct word value,
                     struct fault *fault)
{
    char text[NUMBER] = "";
    double number;
    my->found++;
    if (is(value, "nan"))
        return 0;
    if (value.n < NUMBER)
        memcpy(text, value.at, value.n);
    if (!text_real(text, &number))
        return lines_wrong(lines, value.at, value.n, fault, "not a finite number");
    return query_values_add(my->values, my->ranker, qid.at, qid.n, number, fault);
}

/* A line "qid MEASURE value" or "MEASURE qid value". */
static int read_triple(struct reading *my, struct lines *lines, struct fault *fault)
{
    struct word first = word_at(lines, 0), second = word_at(lines, 1);
    if (count_words(lines) != FIELDS)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "not a line of metric -q, nor "
                           "'qid measure value': score -m, explore and metric -q make values of "
                           "a model");
    if (!*my->measure && name_measure(my, lines, second, fault) < 0) return -1;
    bool turned = is(first, my->measure) && !is(second, my->measure);
    struct word qid = turned ? second : first, measure = turned ? first : second;
    if (!is(measure, my->measure) || is(qid, "all"))
        return 0;
    return add_value(my, lines, qid, word_at(lines, 2), fault);
}

static int read_row(struct reading *my, struct lines *lines, struct fault *fault)
{
    if (is(word_at(lines, 0), "t") && is(word_at(lines, 1), "qid"))
        return read_head(my, lines, fault);
    if (my->words == 0)
        return *text_skip_blanks(lines->text) ? read_triple(my, lines, fault) : 0;
    if (count_words(lines) != my->words)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "%zu fields, but the head has "
                           "%zu", count_words(lines), my->words);
    struct word qid = word_at(lines, 1);
    return add_value(my, lines, is(qid, "-") ? word_at(lines, 0) : qid,
                     word_at(lines, my->column), fault);
}

int value_table_read(struct query_values *values, size_t ranker, const char *file,
                     char measure[VALUE_TABLE_MEASURE], struct watch *watch, struct fault *fault)
{
    char *const files[] = { (char *)file, NULL };
    struct reading my = { values, ranker, measure, 0, 0, 0 };
    struct lines lines;
    int got;
    lines_open(&lines, files, watch);
    while ((got = lines_next(&lines, fault)) > 0)
        if (read_row(&my, &lines, fault) < 0)
            break;
    lines_close(&lines);
    if (got == 0 && my.found == 0)
        return fault_data(fault, "%s: no value of %s: metric -q prints a table of values", file,
                          *measure ? measure : "a measure");
    return got == 0 ? 0 : -1;
}
