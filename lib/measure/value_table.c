#include "measure/value_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "io/lines.h"

enum { FIELDS = 3, NUMBER = 64 }; /* of a line without a head; bytes of a number */

/* ---- clusters ---- */

struct sorted {
    const char *name;
    double sum;
    size_t cluster;
};

const struct cluster *value_table_cells(const struct value_table *values, size_t cluster)
{
    return (const struct cluster *)values->cell.at + cluster * values->rankers;
}

/* The number, from 0, of the cluster with a name, or of a new one for NULL. 0 or a fault. */
static int find_cluster(struct value_table *values, const char *name, size_t n, size_t *cluster,
                        struct fault *fault)
{
    const size_t rankers = values->rankers;
    uint64_t number;
    values->names.numbered = true;
    int fresh = name_table_number(&values->names, name, n, &number, fault);
    if (fresh < 0) return -1;
    values->clusters = (size_t)values->names.names;
    struct cluster *cell = buffer_for(&values->cell, values->clusters * rankers, sizeof *cell,
                                      fault);
    if (!cell) return -1;
    *cluster = (size_t)number - 1;
    if (fresh > 0)
        memset(cell + *cluster * rankers, 0, rankers * sizeof *cell);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct sorted *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    if (order != 0)
        return order;
    return one->sum != two->sum ? (one->sum > two->sum) - (one->sum < two->sum)
                                : (one->cluster > two->cluster) - (one->cluster < two->cluster);
}

int value_table_sort(struct value_table *values, struct fault *fault)
{
    struct sorted *sorted = buffer_for(&values->order, values->clusters + 1, sizeof *sorted, fault);
    if (!sorted) return -1;
    const char *name = NULL;
    for (size_t i = 0; i < values->clusters; i++) {
        name = name_table_next(&values->names, name);
        sorted[i] = (struct sorted){ name, value_table_cells(values, i)->part[0], i };
    }
    qsort(sorted, values->clusters, sizeof *sorted, by_name);
    return 0;
}

size_t value_table_nth(const struct value_table *values, size_t i)
{
    return ((const struct sorted *)values->order.at)[i].cluster;
}

const char *value_table_name(const struct value_table *values, size_t i)
{
    return ((const struct sorted *)values->order.at)[i].name;
}

void value_table_close(struct value_table *values)
{
    name_table_close(&values->names);
    buffer_free(&values->cell);
    buffer_free(&values->line);
    buffer_free(&values->order);
}

/* ---- lines ---- */

struct word {
    const char *at;
    size_t n;
};

struct reading {
    struct value_table *values;
    size_t ranker;
    size_t words;                 /* of the head; 0: there is none */
    size_t column[CLUSTER_PARTS]; /* which of them are the measure */
    size_t parts, client;         /* how many columns it has, and the column client; 0: none */
    uint64_t found;               /* values of the measure */
    bool turned;                  /* lines without a head are "MEASURE qid value" */
    struct name_table measures, means; /* of these lines; those with a line for the qid all */
    bool among;                   /* a line of such a one came after it */
    bool held;                    /* `mean` waits for what follows */
    double mean, at;              /* of the measure, and its line */
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

static int read_finite(struct lines *lines, struct word word, double *number, struct fault *fault)
{
    char text[NUMBER] = "";
    if (word.n < NUMBER)
        memcpy(text, word.at, word.n);
    return decimal_double(text, number)
               ? 0 : lines_wrong(lines, word.at, word.n, fault, "not a finite number");
}

/* The names of the columns of a ratio end so. */
static const char *const ends[CLUSTER_PARTS] = { ":a", ":b", ":c" };

/* Is it a name such as snips:dcg@10:a, with the end, or with any? */
static bool is_part(struct word word, const char *end)
{
    static const char ratio[] = "snips:";
    return word.n > strlen(ratio) + 2 && memcmp(word.at, ratio, strlen(ratio)) == 0 &&
           word.at[word.n - 2] == ':' && (end ? word.at[word.n - 1] == end[1]
                                              : strchr("abc", word.at[word.n - 1]) != NULL);
}

bool value_table_is_ratio(const struct value_table *values)
{
    struct word word = { values->measure, strlen(values->measure) };
    return strncmp(values->measure, "snips:", 6) == 0 && !is_part(word, NULL);
}

static int name_measure(struct reading *my, struct lines *lines, struct word word,
                        struct fault *fault)
{
    char *measure = my->values->measure;
    if (word.n == 0 || word.n >= VALUE_MEASURE)
        return lines_wrong(lines, word.at, word.n, fault, "not the name of a measure");
    memcpy(measure, word.at, word.n);
    measure[is_part(word, ends[0]) ? word.n - 2 : word.n] = '\0';
    return 0;
}

/* The column of a name, from 2, or 0. */
static size_t find_column(const struct reading *my, const struct lines *lines, const char *name)
{
    size_t i = 2;
    while (i < my->words && !is(word_at(lines, i), name))
        i++;
    return i < my->words ? i : 0;
}

/* Adds a line; `name` is that of its cluster, NULL where it is one by itself. */
static int add_line(struct reading *my, double t, struct word name, const double *part,
                    struct fault *fault)
{
    struct value_table *values = my->values;
    size_t cluster;
    if (find_cluster(values, name.at, name.n, &cluster, fault) < 0) return -1;
    if (values->unit == VALUE_LINE && value_table_cells(values, cluster)[my->ranker].lines > 0 &&
        find_cluster(values, NULL, 0, &cluster, fault) < 0)
        return -1;
    struct cluster *cell = (struct cluster *)values->cell.at + cluster * values->rankers +
                           my->ranker;
    for (size_t i = 0; i < CLUSTER_PARTS; i++)
        cell->part[i] += part[i];
    cell->lines++;
    if (!values->keeps_lines)
        return 0;

    struct value_line *line = buffer_for(&values->line, values->lines + 1, sizeof *line, fault);
    if (!line) return -1;
    line += values->lines++;
    *line = (struct value_line){ .t = t, .cluster = cluster };
    memcpy(line->part, part, sizeof line->part);
    return 0;
}

/* Adds the line of the qid all that was held: it is a query, and no mean. 0 or a fault. */
static int add_held(struct reading *my, struct fault *fault)
{
    const double part[CLUSTER_PARTS] = { my->mean };
    const bool held = my->held, line = my->values->unit == VALUE_LINE;
    my->held = false;
    return held ? add_line(my, my->at, (struct word){ line ? NULL : "all", 3 }, part, fault) : 0;
}

/* A line "qid MEASURE value" or "MEASURE qid value". */
static int read_triple(struct reading *my, struct lines *lines, struct fault *fault)
{
    struct value_table *values = my->values;
    struct word first = word_at(lines, 0), second = word_at(lines, 1), value = word_at(lines, 2);
    double part[CLUSTER_PARTS] = { 0 };
    if (count_words(lines) != FIELDS)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "not a line of metric -q, nor "
                           "'qid measure value': score -m, explore and metric -q make values of "
                           "a model");
    if (!*values->measure && name_measure(my, lines, second, fault) < 0) return -1;
    if (!my->turned && is(first, values->measure) && !is(second, values->measure)) {
        name_table_close(&my->measures);
        name_table_close(&my->means);
        my->turned = true;
    }
    struct word qid = my->turned ? second : first, measure = my->turned ? first : second;
    const bool all = is(qid, "all");
    if (name_table_enter(&my->measures, measure.at, measure.n, fault) < 0 ||
        (all && name_table_enter(&my->means, measure.at, measure.n, fault) < 0))
        return -1;
    my->among = my->among || (!all && name_table_has(&my->means, measure.at, measure.n));
    if (!is(measure, values->measure))
        return 0;
    if (values->unit == VALUE_CLIENT || value_table_is_ratio(values))
        return lines_wrong(lines, lines->text, lines->bytes, fault, "%s: a table of metric -q has "
                           "them", values->unit == VALUE_CLIENT ? "no clients"
                                                                : "not the three columns of snips");
    if (add_held(my, fault) < 0) return -1;
    my->found += !all;
    if (is(value, "nan"))
        return 0;
    my->at = (double)lines->number;
    if (read_finite(lines, value, all ? &my->mean : &part[0], fault) < 0) return -1;
    my->held = all;
    struct word name = values->unit == VALUE_LINE ? (struct word){ NULL, 0 } : qid;
    return all ? 0 : add_line(my, my->at, name, part, fault);
}

static struct word name_cluster(const struct reading *my, const struct lines *lines)
{
    struct word t = word_at(lines, 0), qid = word_at(lines, 1);
    if (my->values->unit == VALUE_QUERY)
        return is(qid, "-") ? t : qid;
    if (my->values->unit == VALUE_LINE)
        return t;
    struct word client = word_at(lines, my->client);
    return is(client, "-") ? (struct word){ NULL, 0 } : client;
}

static int read_row(struct reading *my, struct lines *lines, struct fault *fault)
{
    if (is(word_at(lines, 0), "t") && is(word_at(lines, 1), "qid")) {
        char name[VALUE_MEASURE + 2];
        my->words = count_words(lines);
        if (!*my->values->measure &&
            name_measure(my, lines, word_at(lines, 2), fault) < 0) return -1;
        bool ratio = value_table_is_ratio(my->values);
        my->parts = ratio ? CLUSTER_PARTS : 1;
        for (size_t i = 0; i < my->parts; i++) {
            snprintf(name, sizeof name, "%s%s", my->values->measure, ratio ? ends[i] : "");
            my->column[i] = find_column(my, lines, name);
            if (my->column[i] == 0)
                return lines_wrong(lines, lines->text, lines->bytes, fault,
                                   "no column %s: choose one with -m", name);
        }
        my->client = find_column(my, lines, "client");
        if (my->values->unit == VALUE_CLIENT && my->client == 0)
            return lines_wrong(lines, lines->text, lines->bytes, fault,
                               "no column client: make the table anew with metric -q");
        return 0;
    }
    if (my->words == 0)
        return *text_skip_blanks(lines->text) ? read_triple(my, lines, fault) : 0;
    if (count_words(lines) != my->words)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "%zu fields, but the head has "
                           "%zu", count_words(lines), my->words);

    double part[CLUSTER_PARTS] = { 0 }, t = 0;
    my->found++;
    for (size_t i = 0; i < my->parts; i++) {
        struct word value = word_at(lines, my->column[i]);
        if (is(value, "nan"))
            return 0;
        if (read_finite(lines, value, &part[i], fault) < 0) return -1;
    }
    if (my->values->keeps_lines && read_finite(lines, word_at(lines, 0), &t, fault) < 0) return -1;
    return add_line(my, t, name_cluster(my, lines), part, fault);
}

int value_table_read(struct value_table *values, size_t ranker, const char *file,
                     struct watch *watch, struct fault *fault)
{
    char *const files[] = { (char *)file, NULL };
    struct reading my = { .values = values, .ranker = ranker };
    struct lines lines;
    int got;
    lines_open(&lines, files, watch);
    while ((got = lines_next(&lines, fault)) > 0)
        if (read_row(&my, &lines, fault) < 0)
            break;
    lines_close(&lines);
    if (got == 0 && (my.among || my.measures.names > my.means.names))
        got = add_held(&my, fault); /* else it is the mean of all */
    name_table_close(&my.measures);
    name_table_close(&my.means);
    if (got == 0 && my.found == 0)
        return fault_data(fault, "%s: no value of %s: metric -q prints a table of values", file,
                          *values->measure ? values->measure : "a measure");
    return got == 0 ? 0 : -1;
}
