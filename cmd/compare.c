/* compare: do rankers differ, by their values of a measure for the same queries? */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_table.h"
#include "base/decimal.h"
#include "base/text.h"
#include "io/lines.h"
#include "measure/paired.h"
#include "measure/tally.h"
#include "run/filter.h"
#include "say.h"

/* The values of a measure of several rankers, joined by query.
 *
 * A ranker may have several values of a query, of several seeds, folds or passes: they count by
 * their mean, so that each query counts once. */

struct query_values { /* all zero at first, but `rankers`, how many there are */
    size_t rankers, queries;
    struct name_table names;
    struct buffer cell;  /* struct query_cell[queries][rankers] */
    struct buffer order; /* the queries by name, once they are sorted */
};

struct query_cell {
    double sum;
    uint64_t count;
};

struct sorted {
    const char *name;
    size_t query;
};

/* Adds a value of a query, whose name has n bytes, for a ranker from 0. 0 or a fault. O(n) on
 * average. */
static int query_values_add(struct query_values *values, size_t ranker, const char *qid, size_t n,
                            double value, struct fault *fault)
{
    const size_t rankers = values->rankers;
    uint64_t query;
    values->names.numbered = true;
    int fresh = name_table_number(&values->names, qid, n, &query, fault);
    if (fresh < 0) return -1;
    values->queries = (size_t)values->names.names;
    struct query_cell *cell = buffer_for(&values->cell, values->queries * rankers, sizeof *cell,
                                         fault);
    if (!cell) return -1;
    cell += (query - 1) * rankers;
    if (fresh > 0)
        memset(cell, 0, rankers * sizeof *cell);
    cell[ranker].sum += value;
    cell[ranker].count++;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sorted *)a)->name, ((const struct sorted *)b)->name);
}

/* Once all are added: sorts the queries by name, so that nothing depends on the order of lines.
 * 0 or a fault (memory). O(queries log queries). */
static int query_values_sort(struct query_values *values, struct fault *fault)
{
    struct sorted *sorted = buffer_for(&values->order, values->queries + 1, sizeof *sorted, fault);
    if (!sorted) return -1;
    const char *name = NULL;
    for (size_t i = 0; i < values->queries; i++) {
        name = name_table_next(&values->names, name);
        sorted[i] = (struct sorted){ name, i };
    }
    qsort(sorted, values->queries, sizeof *sorted, by_name);
    return 0;
}

/* The name of the i-th query in that order, from 0; the mean of a ranker's values of it, NaN where
 * it has none. */
static const char *query_values_name(const struct query_values *values, size_t i)
{
    return ((const struct sorted *)values->order.at)[i].name;
}

static double query_values_mean(const struct query_values *values, size_t i, size_t ranker)
{
    size_t query = ((const struct sorted *)values->order.at)[i].query;
    const struct query_cell *cell = (const struct query_cell *)values->cell.at +
                                    query * values->rankers + ranker;
    return cell->count ? cell->sum / (double)cell->count : NAN;
}

static void query_values_close(struct query_values *values)
{
    name_table_close(&values->names);
    buffer_free(&values->cell);
    buffer_free(&values->order);
}

/* Reads the values of a measure, query by query, from text.
 *
 * Two forms: what metric -q prints, a head "t qid MEASURE ..." and a line for each round; and lines
 * "qid MEASURE value" as ir_measures prints them, or "MEASURE qid value" as trec_eval does, whose
 * line for the qid all is a mean, and is skipped. Blanks and tabs separate the fields. A head may
 * come again, so that tables of several seeds can be concatenated. The qid "-" stands for none: the
 * round's t takes its place. The value nan means that there is no value. */

enum { VALUE_TABLE_MEASURE = 128 }; /* bytes of a measure's name, with its NUL */

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
    if (!decimal_double(text, &number))
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

/* Adds the values of a file, "-" being standard input, for a ranker. measure "" becomes the first
 * measure that the file has. 0, or a fault with file, line and text, also where the file has no
 * value of the measure. O(bytes) on average. */
static int value_table_read(struct query_values *values, size_t ranker, const char *file,
                            char measure[VALUE_TABLE_MEASURE], struct watch *watch,
                            struct fault *fault)
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

enum { COLUMNS = 9, CELL = 40, PERMUTATIONS = 1000000000 };

struct ranker_result {
    char *name; /* of its row */
    double mean;
    struct paired paired; /* its differences from the base */
    double holm;
};

struct compare {
    struct host *host;
    bool common, tabs; /* -c and -t */
    const char *wanted; /* of -m; "": not given */
    uint64_t permutations, seed;
    char *const *files;
    char measure[VALUE_TABLE_MEASURE]; /* "": the first of the base's */
    struct query_values values;
    struct ranker_result *result; /* of each file */
    struct buffer difference, scratch;
    size_t queries; /* that are compared */
};

static const struct option options_known[] = {
    { 'c', NULL, NULL, "compare the queries that all files have (default: other queries are an "
                       "error)", OPTION_FLAG(compare, common) },
    { 'm', "measure", NULL, "measure to compare (default: the first of the first table)",
      OPTION_TEXT(compare, wanted) },
    { 'n', "permutations", NULL, "choices of signs to draw, 1 to 1000000000 (default 100000)",
      OPTION_WHOLE(compare, permutations, 1, PERMUTATIONS) },
    { 's', "seed", NULL, "seed of the signs, a whole number, 0 or more (default 1)",
      OPTION_WHOLE(compare, seed, 0, RECORD_MOST) },
    { 't', NULL, NULL, "print full numbers, separated by tabs (default: a table for people)",
      OPTION_FLAG(compare, tabs) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct compare *my = self;
    my->host = host;
    my->permutations = 100000;
    my->seed = 1;
    my->wanted = "";
    int letter = options_read(options);
    if (letter < 0)
        return letter;
    my->files = options_operands(options);
    if (!*my->files)
        return fault_usage(options->fault, "no file named: give the table of a base, and others");
    while (my->files[my->values.rankers])
        my->values.rankers++;
    if (strlen(my->wanted) >= sizeof my->measure)
        return fault_usage(options->fault, "no measure has a name as long as %.40s...",
                           my->wanted);
    strcpy(my->measure, my->wanted);
    return 0;
}

/* ---- values ---- */

static int read_files(struct compare *my)
{
    struct host *host = my->host;
    for (size_t i = 0; my->files[i]; i++)
        if (value_table_read(&my->values, i, my->files[i], my->measure, host->watch,
                             host->fault) < 0)
            return -1;
    return query_values_sort(&my->values, host->fault);
}

/* The ranker, from 0, that has no value of the i-th query; `rankers` if all have one. */
static size_t find_lack(const struct query_values *values, size_t i)
{
    size_t ranker = 0;
    while (ranker < values->rankers && !isnan(query_values_mean(values, i, ranker)))
        ranker++;
    return ranker;
}

/* Counts the queries to compare; others are refused without -c. */
static int check_queries(struct compare *my)
{
    const struct query_values *values = &my->values;
    const size_t rankers = values->rankers;
    char quoted[FAULT_QUOTE];
    size_t first = values->queries, has = 0;
    for (size_t i = 0; i < values->queries; i++) {
        bool all = find_lack(values, i) == rankers;
        my->queries += all;
        first = !all && first == values->queries ? i : first;
    }
    if (first < values->queries && !my->common) {
        const char *name = query_values_name(values, first);
        while (isnan(query_values_mean(values, first, has)))
            has++;
        return fault_other(my->host->fault, "%s: no value of query %s, which %s has; %zu of %zu "
                           "queries are not in all files: -c compares the others",
                           my->files[find_lack(values, first)],
                           fault_quote(quoted, name, strlen(name)), my->files[has],
                           values->queries - my->queries, values->queries);
    }
    if (my->queries == 0)
        return fault_other(my->host->fault, "no query has a value in %s",
                           rankers > 1 ? "all files" : my->files[0]);
    return 0;
}

/* The difference of two means. Means of the same values in another order may differ by rounding,
 * which is no difference. */
static double differ(double a, double b)
{
    double d = b - a;
    return fabs(d) <= 1e-12 * (fabs(a) + fabs(b)) ? 0 : d;
}

/* Tests a ranker against the base, or the only one against 0. */
static int test_ranker(struct compare *my, size_t ranker)
{
    const struct query_values *values = &my->values;
    struct ranker_result *result = &my->result[ranker];
    struct fault *fault = my->host->fault;
    double *d = buffer_for(&my->difference, my->queries, sizeof *d, fault), sum = 0;
    size_t n = 0;
    if (!d) return -1;
    for (size_t i = 0; i < values->queries; i++) {
        double value = query_values_mean(values, i, ranker);
        if (find_lack(values, i) < values->rankers)
            continue;
        d[n++] = differ(values->rankers > 1 ? query_values_mean(values, i, 0) : 0, value);
        sum += value;
    }
    result->mean = sum / (double)n;
    if (paired_test(d, n, my->permutations, my->seed, &my->scratch, &result->paired, fault) < 0)
        return -1;
    if (!isfinite(result->mean + result->paired.mean) || isinf(result->paired.low))
        return fault_other(fault, "%s: its values or differences are too large: the sum of their "
                          "squares overflows", my->files[ranker]);
    return 0;
}

static int correct(struct compare *my)
{
    const size_t n = my->values.rankers - 1;
    double *p = buffer_for(&my->difference, 2 * n + 1, sizeof *p, my->host->fault);
    if (!p) return -1;
    for (size_t i = 0; i < n; i++)
        p[i] = my->result[i + 1].paired.p;
    paired_holm(p, n, p + n);
    for (size_t i = 0; i < n; i++)
        my->result[i + 1].holm = p[n + i];
    return 0;
}

/* ---- the table ---- */

/* A file's name without folders and ending, in new memory, or as it was given if another file would
 * have the same; without blanks, which separate columns. */
static char *name_row(char *const *files, size_t which, bool whole)
{
    if (strcmp(files[which], "-") == 0)
        return strdup("<stdin>");
    const char *slash = strrchr(files[which], '/');
    const char *from = whole || !slash ? files[which] : slash + 1;
    const char *dot = strrchr(from, '.');
    size_t n = whole || !dot || dot == from ? strlen(from) : (size_t)(dot - from);
    char *name = calloc(n + 1, 1);
    for (size_t i = 0; name && i < n; i++)
        name[i] = (unsigned char)from[i] <= ' ' || from[i] == 127 ? '_' : from[i];
    return name;
}

static int name_rows(struct compare *my)
{
    const size_t n = my->values.rankers;
    bool twice = false;
    for (size_t i = 0; i < n; i++) {
        my->result[i].name = name_row(my->files, i, false);
        for (size_t j = 0; my->result[i].name && j < i; j++)
            twice = twice || strcmp(my->result[i].name, my->result[j].name) == 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (twice) {
            free(my->result[i].name);
            my->result[i].name = name_row(my->files, i, true);
        }
        if (!my->result[i].name)
            return fault_no_room(my->host->fault, strlen(my->files[i]) + 1);
    }
    return 0;
}

static void print_p(char cell[CELL], double p)
{
    if (isnan(p))
        strcpy(cell, "-");
    else
        snprintf(cell, CELL, p < 0.001 ? "%.2g" : "%.3f", p);
}

/* The cells of a ranker's row after its name; "" for none. */
static void fill_row(const struct compare *my, size_t ranker, char cell[COLUMNS][CELL])
{
    const struct ranker_result *result = &my->result[ranker];
    const struct paired *paired = &result->paired;
    const bool alone = my->values.rankers == 1, less = tally_less_is_better(my->measure);
    memset(cell, 0, COLUMNS * sizeof *cell);
    snprintf(cell[0], CELL, "%.4f", result->mean);
    if (ranker == 0 && !alone)
        return;
    if (!alone)
        snprintf(cell[1], CELL, "%+.4f", paired->mean);
    if (isnan(paired->low))
        strcpy(cell[2], "-");
    else
        snprintf(cell[2], CELL, "%+.4f %+.4f", paired->low, paired->high);
    print_p(cell[3], paired->p);
    print_p(cell[4], paired->p_t);
    print_p(cell[5], alone ? paired->p_signs : result->holm);
    snprintf(cell[6], CELL, "%zu", less ? paired->below : paired->above);
    snprintf(cell[7], CELL, "%zu", less ? paired->above : paired->below);
    snprintf(cell[8], CELL, "%zu", paired->same);
}

/* Columns as wide as their widest cell. */
static int print_table(struct compare *my)
{
    const bool alone = my->values.rankers == 1;
    const char *const heads[COLUMNS] = { "mean", alone ? "" : "diff", "95% interval", "p", "p(t)",
                                         alone ? "p(sign)" : "Holm", "better", "worse", "same" };
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    char cell[COLUMNS][CELL];
    size_t width[COLUMNS + 1] = { strlen("run") };
    for (size_t c = 0; c < COLUMNS; c++)
        width[c + 1] = strlen(heads[c]);
    for (size_t i = 0; i < my->values.rankers; i++) {
        fill_row(my, i, cell);
        size_t n = strlen(my->result[i].name);
        width[0] = n > width[0] ? n : width[0];
        for (size_t c = 0; c < COLUMNS; c++)
            width[c + 1] = strlen(cell[c]) > width[c + 1] ? strlen(cell[c]) : width[c + 1];
    }
    if (writer_text(out, fault, "%zu queries, %s, %" PRIu64 " permutations, seed %" PRIu64 "\n",
                    my->queries, my->measure, my->permutations, my->seed) < 0)
        return -1;
    for (size_t i = 0; i <= my->values.rankers; i++) {
        char line[COLUMNS * (CELL + 2)];
        size_t n = 0;
        if (i > 0)
            fill_row(my, i - 1, cell);
        for (size_t c = 0; c < COLUMNS; c++)
            if (width[c + 1] > 0)
                n += (size_t)snprintf(line + n, sizeof line - n, "  %-*s", (int)width[c + 1],
                                      i > 0 ? cell[c] : heads[c]);
        while (n > 0 && line[n - 1] == ' ')
            line[--n] = '\0';
        const char *name = i > 0 ? my->result[i - 1].name : "run";
        if (writer_bytes(out, name, strlen(name), fault) < 0 ||
            writer_text(out, fault, "%*s%s\n", (int)(width[0] - strlen(name)), "", line) < 0)
            return -1;
    }
    return 0;
}

static int print_number(struct compare *my, double value)
{
    return isnan(value) ? writer_text(my->host->out, my->host->fault, "\tnan") /* and never -nan */
                        : writer_text(my->host->out, my->host->fault, "\t%.15g", value);
}

/* Full numbers; nan where there is none. The first row has no differences where it is the base. */
static int print_tabs(struct compare *my)
{
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    const bool alone = my->values.rankers == 1, less = tally_less_is_better(my->measure);
    if (writer_text(out, fault, "run\tqueries\tbetter\tworse\tsame\tmean\tdiff\tlow\thigh\tp\t"
                    "p(t)\tp(sign)\tHolm\n") < 0)
        return -1;
    for (size_t i = 0; i < my->values.rankers; i++) {
        const struct ranker_result *row = &my->result[i];
        const struct paired *paired = &row->paired;
        const double number[] = { row->mean, paired->mean, paired->low, paired->high, paired->p,
                                  paired->p_t, paired->p_signs, alone ? NAN : row->holm };
        const bool base = i == 0 && !alone;
        if (writer_bytes(out, row->name, strlen(row->name), fault) < 0 ||
            writer_text(out, fault, "\t%zu\t%zu\t%zu\t%zu", my->queries,
                        less ? paired->below : paired->above,
                        less ? paired->above : paired->below, paired->same) < 0)
            return -1;
        for (size_t c = 0; c < sizeof number / sizeof *number; c++)
            if (print_number(my, base && c > 0 ? NAN : number[c]) < 0) return -1;
        if (writer_text(out, fault, "\n") < 0) return -1;
    }
    return 0;
}

/* All files once, then the table. */
static enum outcome each(void *self, struct round *round)
{
    struct compare *my = self;
    (void)round;
    my->result = calloc(my->values.rankers, sizeof *my->result);
    if (!my->result)
        fault_no_room(my->host->fault, my->values.rankers * sizeof *my->result);
    if (!my->result || read_files(my) < 0 || check_queries(my) < 0 || name_rows(my) < 0)
        return FAIL;
    for (size_t i = 0; i < my->values.rankers; i++)
        if (test_ranker(my, i) < 0) return FAIL;
    if (correct(my) < 0 || (my->tabs ? print_tabs(my) : print_table(my)) < 0) return FAIL;
    return DONE;
}

static int close_compare(void *self, enum ended ended)
{
    struct compare *my = self;
    (void)ended;
    for (size_t i = 0; my->result && i < my->values.rankers; i++)
        free(my->result[i].name);
    free(my->result);
    query_values_close(&my->values);
    buffer_free(&my->difference);
    buffer_free(&my->scratch);
    return 0;
}

const struct filter compare = {
    .name = "compare",
    .usage = "[-ct] [-m measure] [-n permutations] [-s seed] file ...",
    .line = "compares rankers, query by query",
    .options = options_known,
    .operand = { .value = "file", .text = "file of values, which metric -q prints; the first "
                                          "is the base" },
    .size = sizeof(struct compare),
    .kind = WHOLE,
    .parse = parse,
    .each = each,
    .close = close_compare,
};
