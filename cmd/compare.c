/* compare: do rankers differ, by their values of a measure for the same queries or in the same
 * traffic? By tests for one look (clusters.h, paired.h), or for any number of looks (sequence.h).
 * */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clusters.h"
#include "measure/paired.h"
#include "measure/sequence.h"
#include "measure/tally.h"
#include "measure/value_table.h"
#include "run/filter.h"
#include "say.h"

enum { COLUMNS = 9, CELL = 40, PERMUTATIONS = 1000000000 };
enum verdict { NO_VERDICT, BETTER, WORSE, NOT_YET };

struct ranker_result {
    char *name; /* of its row */
    struct clusters_sums sums; /* its differences from the base; or of the only one */
    struct paired paired;
    double holm, lines;
};

struct compare {
    struct host *host;
    bool common, once, looks, tabs; /* -c, -e, -S and -t */
    size_t unit;        /* word of -u */
    const char *wanted; /* of -m; "": not given */
    uint64_t permutations, seed;
    char *const *files;
    struct value_table values;
    struct ranker_result *result; /* of each file */
    struct buffer at, base, scratch[2], p;
    size_t clusters; /* that are compared */
    bool several;    /* has one of them several lines? */
    double share;    /* -w: of the clients, those of the first file */
    bool split;      /* are they counted? */
    size_t alone[2], both; /* clients that are in one file only, and in both */
    double off;      /* the first file's share from -w, in standard errors */
    size_t base_lines; /* of -S: those of the first file, and what they make */
    struct sequence sequence;
    struct sequence_look look;
};

static const char *unit_word(size_t i)
{
    static const char *const words[] = { "qid", "client", "t", NULL };
    return words[i];
}

static const struct option options_known[] = {
    { 'S', NULL, NULL, "print a confidence sequence, which may be looked at every day, and a "
                       "verdict (default: tests for one look)", OPTION_FLAG(compare, looks) },
    { 'c', NULL, NULL, "compare the queries or clients that all files have (default: other queries "
                       "are an error, other clients count)", OPTION_FLAG(compare, common) },
    { 'e', NULL, NULL, "count each query or client once, by the mean of its lines (default: each "
                       "line once)", OPTION_FLAG(compare, once) },
    { 'm', "measure", NULL, "measure to compare (default: the first of the first table)",
      OPTION_TEXT(compare, wanted) },
    { 'n', "permutations", NULL, "choices of signs to draw, 1 to 1000000000 (default 100000)",
      OPTION_WHOLE(compare, permutations, 1, PERMUTATIONS) },
    { 's', "seed", NULL, "seed of the signs, a whole number, 0 or more (default 1)",
      OPTION_WHOLE(compare, seed, 0, RECORD_MOST) },
    { 't', NULL, NULL, "print full numbers, separated by tabs (default: a table for people)",
      OPTION_FLAG(compare, tabs) },
    { 'u', "unit", unit_word, "column whose lines of one value depend on each other (default qid)",
      OPTION_WORD(compare, unit) },
    { 'w', "share", NULL, "with -u client: the first file's share of the clients, as it was meant, "
                          "from 0 to 1 (default 0.5)", OPTION_REAL(compare, share, 1) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct compare *my = self;
    my->host = host;
    my->permutations = 100000;
    my->seed = 1;
    my->share = 0.5;
    my->wanted = "";
    int letter = options_read(options);
    if (letter < 0)
        return letter;
    my->files = options_operands(options);
    if (!*my->files)
        return fault_usage(options->fault, "no file named: give the table of a base, and others");
    while (my->files[my->values.rankers])
        my->values.rankers++;
    if (my->looks && my->values.rankers > 2)
        return fault_usage(options->fault, "-S takes one or two files: of several comparisons one "
                           "would be decided by chance");
    if (my->looks && my->once)
        return fault_usage(options->fault, "-S counts each line: it does not go with -e");
    my->split = my->unit == VALUE_CLIENT && my->values.rankers == 2 && !my->common;
    if (options->given['w'] && !(my->split && my->share > 0 && my->share < 1))
        return fault_usage(options->fault, "-w wants a share between 0 and 1, two files and -u "
                           "client, and no -c");
    if (strlen(my->wanted) >= sizeof my->values.measure)
        return fault_usage(options->fault, "no measure has a name as long as %.40s...",
                           my->wanted);
    strcpy(my->values.measure, my->wanted);
    my->values.unit = (enum value_unit)my->unit;
    my->values.keeps_lines = my->looks;
    return 0;
}

/* ---- values ---- */

/* The ranker, from 0, that has no line of the cluster; `rankers` if all have one. */
static size_t find_lack(const struct compare *my, const struct cluster *cells)
{
    size_t ranker = 0;
    while (ranker < my->values.rankers && cells[ranker].lines > 0)
        ranker++;
    return ranker;
}

static bool is_compared(const struct compare *my, const struct cluster *cells)
{
    return !my->common || find_lack(my, cells) == my->values.rankers;
}

/* Counts the clusters to compare; a query that a file lacks is refused without -c. Counts the
 * clients of each of two files, which chance should have split as -w says. */
static int check_clusters(struct compare *my)
{
    const struct value_table *values = &my->values;
    size_t first = values->clusters, lacks = 0;
    for (size_t i = 0; i < values->clusters; i++) {
        const struct cluster *cells = value_table_cells(values, value_table_nth(values, i));
        const size_t lack = find_lack(my, cells);
        if (lack < values->rankers && lacks++ == 0)
            first = i;
        if (my->split && *value_table_name(values, i))
            *(lack < values->rankers ? &my->alone[!lack] : &my->both) += 1;
        my->clusters += is_compared(my, cells);
        for (size_t ranker = 0; ranker < values->rankers && is_compared(my, cells); ranker++)
            my->several = my->several || (cells[ranker].lines > 1 && !my->once);
    }
    if (lacks > 0 && !my->common && values->unit == VALUE_QUERY) {
        const char *name = value_table_name(&my->values, first);
        const struct cluster *cells = value_table_cells(&my->values,
                                                        value_table_nth(&my->values, first));
        char quoted[FAULT_QUOTE];
        size_t has = 0;
        while (cells[has].lines == 0)
            has++;
        return fault_other(my->host->fault, "%s: no value of query %s, which %s has; %zu of %zu "
                           "queries are not in all files: -c compares the others",
                           my->files[find_lack(my, cells)], fault_quote(quoted, name, strlen(name)),
                           my->files[has], lacks, my->values.clusters);
    }
    if (my->clusters == 0)
        return fault_other(my->host->fault, "no %s has a value in %s",
                           values->unit == VALUE_CLIENT ? "client" : "query",
                           values->rankers > 1 ? "all files" : my->files[0]);
    const double n = (double)(my->alone[0] + my->alone[1]), meant = n * my->share;
    my->off = n > 0 ? ((double)my->alone[0] - meant) / sqrt(meant * (1 - my->share)) : 0;
    return 0;
}

/* Is the split no chance, at one look or at many, so that the files are not of one traffic? */
static bool is_uneven(const struct compare *my)
{
    return fabs(my->off) > (my->looks ? 4.5 : 3.5);
}

/* The clusters of a ranker, in the order of their names. */
static int gather(const struct compare *my, size_t ranker, struct buffer *buffer)
{
    struct cluster *at = buffer_for(buffer, my->clusters, sizeof *at, my->host->fault);
    if (!at) return -1;
    for (size_t i = 0, n = 0; i < my->values.clusters; i++) {
        const size_t cluster = value_table_nth(&my->values, i);
        const struct cluster *cells = value_table_cells(&my->values, cluster);
        if (!is_compared(my, cells))
            continue;
        at[n] = cells[ranker];
        for (size_t part = 0; my->once && at[n].lines > 0 && part < CLUSTER_PARTS; part++)
            at[n].part[part] /= at[n].lines;
        at[n].lines = my->once ? at[n].lines > 0 : at[n].lines;
        n++;
    }
    return 0;
}

/* Tests a ranker against the base, or the only one against 0. */
static int test_ranker(struct compare *my, size_t ranker)
{
    const bool alone = my->values.rankers == 1;
    struct ranker_result *result = &my->result[ranker];
    struct fault *fault = my->host->fault;
    if (gather(my, ranker, &my->at) < 0 || (!alone && gather(my, 0, &my->base) < 0)) return -1;
    const struct clusters clusters = { alone ? NULL : my->base.at, my->at.at, my->clusters,
                                       value_table_is_ratio(&my->values) };
    for (size_t i = 0; i < my->clusters; i++)
        result->lines += clusters.at[i].lines;
    clusters_sum(&clusters, &result->sums);
    if (!my->looks && clusters_test(&clusters, &result->sums, my->permutations, my->seed,
                                    my->scratch, &result->paired, fault) < 0)
        return -1;

    if (value_table_is_ratio(&my->values) && isnan(result->sums.at))
        return fault_other(fault, "%s: %s is not known: no document with a weight was seen",
                           my->files[ranker], my->values.measure);
    if (!isfinite(result->sums.at + result->sums.mean) || isinf(result->sums.error) ||
        isinf(result->paired.low))
        return fault_other(fault, "%s: its values or differences are too large: the sum of their "
                           "squares overflows", my->files[ranker]);

    if (is_uneven(my)) {
        result->paired.low = result->paired.p = result->paired.p_t = result->paired.high = NAN;
    } else if (!my->looks && (alone || ranker > 0)) { /* where is it worth less than it seems? */
        if (!result->sums.single && result->sums.largest > CLUSTER_LARGE)
            warn(my->host, "compare", "%s: one %s has %.0f of 100 lines: the interval needs many "
                 "of about the same size", my->files[ranker],
                 my->values.unit == VALUE_CLIENT ? "client" : "query",
                 100 * result->sums.largest);
        else if (result->sums.single && paired_skewed(&result->paired))
            warn(my->host, "compare", "%s: a few of %zu %s are far from the others (skewness "
                 "%+.1f): the interval and p(t) may be too sure, see compare(1)", my->files[ranker],
                 result->sums.clusters, my->values.rankers > 1 ? "differences" : "values",
                 result->paired.skew);
    }
    return 0;
}

/* ---- the confidence sequence ---- */

/* Are they wins and losses, each of its own? The caller says so, and not the data. */
static bool is_exact(const struct compare *my)
{
    return my->values.rankers == 1 && my->values.unit == VALUE_LINE &&
           strcmp(my->values.measure, "rival") == 0;
}

static int count_wins(struct compare *my)
{
    const struct value_line *line = my->values.line.at;
    double count[3] = { 0 }; /* losses, ties and wins */
    for (size_t i = 0; i < my->values.lines; i++) {
        const double won = line[i].part[0];
        if (won != -1 && won != 0 && won != 1)
            return fault_other(my->host->fault, "%s: value %zu of rival is %.15g, but a round is "
                               "won (1), lost (-1) or neither (0)", my->files[0], i + 1, won);
        count[(int)won + 1]++;
    }
    sequence_wins(count[2], count[0], &my->look);
    return 0;
}

/* The lines of both tables in the order of t, those of one t together. */
static int add_lines(struct compare *my)
{
    const struct value_line *line = my->values.line.at;
    const size_t end[] = { my->base_lines, my->values.lines };
    size_t next[] = { 0, my->base_lines };
    my->sequence.tables = my->values.rankers;
    my->sequence.wait = tally_is_estimate(my->values.measure) ? SEQUENCE_FIRST_ESTIMATES
                                                              : SEQUENCE_FIRST;
    my->sequence.ratio = value_table_is_ratio(&my->values);
    while (next[0] < end[0] || next[1] < end[1]) {
        double t = INFINITY;
        for (size_t i = 0; i < 2; i++)
            if (next[i] < end[i] && line[next[i]].t < t)
                t = line[next[i]].t;
        for (size_t i = 0; i < 2; i++) {
            if (next[i] >= end[i] || line[next[i]].t > t)
                continue;
            const struct value_line *one = &line[next[i]++];
            if (is_compared(my, value_table_cells(&my->values, one->cluster)) &&
                sequence_add(&my->sequence, i, one->cluster, one->part, my->host->fault) < 0)
                return -1;
        }
        sequence_settle(&my->sequence);
    }
    sequence_look(&my->sequence, &my->look);
    return 0;
}

static int take_look(struct compare *my)
{
    if (!my->looks)
        return 0;
    int taken = is_exact(my) ? count_wins(my) : add_lines(my);
    if (is_uneven(my))
        my->look.low = my->look.high = my->look.times = NAN;
    return taken;
}

/* Estimates of one ranker have none. */
static enum verdict judge_look(const struct compare *my)
{
    const bool less = tally_less_is_better(my->values.measure);
    if (is_uneven(my) || (my->values.rankers == 1 && strcmp(my->values.measure, "rival") != 0))
        return NO_VERDICT;
    return my->look.low > 0    ? (less ? WORSE : BETTER)
           : my->look.high < 0 ? (less ? BETTER : WORSE) : NOT_YET;
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

/* How many clusters are better, worse and the same. */
static void order_counts(const struct compare *my, size_t ranker, size_t count[3])
{
    const struct paired *paired = &my->result[ranker].paired;
    const bool less = tally_less_is_better(my->values.measure);
    count[0] = less ? paired->below : paired->above;
    count[1] = less ? paired->above : paired->below;
    count[2] = paired->same;
}

/* The cells of a ranker's row after its name; "" for none. */
static void fill_row(const struct compare *my, size_t ranker, char cell[COLUMNS][CELL])
{
    const struct ranker_result *result = &my->result[ranker];
    const struct paired *paired = &result->paired;
    const bool alone = my->values.rankers == 1;
    size_t count[3];
    memset(cell, 0, COLUMNS * sizeof *cell);
    snprintf(cell[0], CELL, "%.4f", my->looks && alone ? my->look.mean : result->sums.at);
    if (ranker == 0 && !alone)
        return;
    if (!alone)
        snprintf(cell[1], CELL, "%+.4f", my->looks ? my->look.mean : paired->mean);

    double low = my->looks ? my->look.low : paired->low;
    if (isnan(low))
        strcpy(cell[2], "-");
    else
        snprintf(cell[2], CELL, "%+.4f %+.4f", low, my->looks ? my->look.high : paired->high);

    if (my->looks)
        return;
    print_p(cell[3], paired->p);
    print_p(cell[4], paired->p_t);
    print_p(cell[5], alone ? paired->p_signs : result->holm);
    order_counts(my, ranker, count);
    for (size_t i = 0; i < 3; i++) {
        if (isnan(paired->p))
            strcpy(cell[6 + i], "-");
        else
            snprintf(cell[6 + i], CELL, "%zu", count[i]);
    }
}

/* What was counted: "3 queries", or "1002 and 998 lines of 57 clients"; and of what. */
static int print_first_line(struct compare *my)
{
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    char words[3 * CELL];
    static const char *const units[] = { "queries", "clients", "lines" };
    const size_t n = my->values.rankers;
    double least = my->result[0].lines, most = least;
    for (size_t i = 1; i < n; i++) {
        least = my->result[i].lines < least ? my->result[i].lines : least;
        most = my->result[i].lines > most ? my->result[i].lines : most;
    }
    if (!my->several)
        snprintf(words, sizeof words, "%zu %s", my->clusters, units[my->unit]);
    else if (least == most)
        snprintf(words, sizeof words, "%.0f lines of %zu %s", most, my->clusters, units[my->unit]);
    else
        snprintf(words, sizeof words, "%.0f %s %.0f lines of %zu %s",
                 n > 2 ? least : my->result[0].lines, n > 2 ? "to" : "and",
                 n > 2 ? most : my->result[1].lines, my->clusters, units[my->unit]);

    if (!my->looks)
        return writer_text(out, fault, "%s, %s, %" PRIu64 " permutations, seed %" PRIu64 "\n",
                           words, my->values.measure, my->permutations, my->seed);
    if (is_exact(my))
        return writer_text(out, fault, "%s, %s, wins and losses\n", words, my->values.measure);
    return my->sequence.first > 0
               ? writer_text(out, fault, "%s, %s, begun after line %" PRIu64 "\n", words,
                             my->values.measure, my->sequence.first)
               : writer_text(out, fault, "%s, %s\n", words, my->values.measure);
}

/* Columns as wide as their widest cell. */
static int print_table(struct compare *my)
{
    const bool alone = my->values.rankers == 1;
    const char *const heads[2][COLUMNS] = {
        { "mean", alone ? "" : "diff", "95% interval", "p", "p(t)", alone ? "p(sign)" : "Holm",
          "better", "worse", "same" },
        { "mean", alone ? "" : "diff", "95% sequence", "", "", "", "", "", "" },
    };
    const char *const *head = heads[my->looks];
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    char cell[COLUMNS][CELL];
    size_t width[COLUMNS + 1] = { strlen("run") };
    for (size_t c = 0; c < COLUMNS; c++)
        width[c + 1] = strlen(head[c]);
    for (size_t i = 0; i < my->values.rankers; i++) {
        fill_row(my, i, cell);
        size_t n = strlen(my->result[i].name);
        width[0] = n > width[0] ? n : width[0];
        for (size_t c = 0; c < COLUMNS; c++)
            width[c + 1] = strlen(cell[c]) > width[c + 1] ? strlen(cell[c]) : width[c + 1];
    }
    for (size_t i = 0; i <= my->values.rankers; i++) {
        char line[COLUMNS * (CELL + 2)];
        size_t n = 0;
        if (i > 0)
            fill_row(my, i - 1, cell);
        for (size_t c = 0; c < COLUMNS; c++)
            if (width[c + 1] > 0)
                n += (size_t)snprintf(line + n, sizeof line - n, "  %-*s", (int)width[c + 1],
                                      i > 0 ? cell[c] : head[c]);
        while (n > 0 && line[n - 1] == ' ')
            line[--n] = '\0';
        const char *name = i > 0 ? my->result[i - 1].name : "run";
        if (writer_bytes(out, name, strlen(name), fault) < 0 ||
            writer_text(out, fault, "%*s%s\n", (int)(width[0] - strlen(name)), "", line) < 0)
            return -1;
    }
    return 0;
}

/* Says how clients are split between two files; with -t on standard error. */
static int print_split(struct compare *my)
{
    char line[8 * CELL];
    const double n = (double)(my->alone[0] + my->alone[1]);
    snprintf(line, sizeof line, "%sclients: %zu and %zu in one file only, %zu in both: a share of "
             "%.4f for %g, %+.1f standard errors", is_uneven(my) ? "no verdict: one side lost "
             "clients, or -w is another share: " : "", my->alone[0], my->alone[1], my->both,
             n > 0 ? (double)my->alone[0] / n : my->share, my->share, my->off);
    if (!my->tabs)
        return writer_text(my->host->out, my->host->fault, "%s\n", line);
    warn(my->host, "compare", "%s", line);
    return 0;
}

static int print_verdict(struct compare *my)
{
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    const double times = my->look.times;
    const size_t last = my->values.rankers - 1;
    const enum verdict verdict = judge_look(my);
    if (verdict == NO_VERDICT)
        return 0;
    if (verdict != NOT_YET)
        return writer_text(out, fault, verdict == BETTER ? "better\n" : "worse\n");
    if (isnan(my->look.low))
        return writer_text(out, fault, "not yet: the sequence begins after %zu %s whose sum or "
                           "difference is not 0, of which no few are far larger\n",
                           my->sequence.wait, my->values.unit == VALUE_CLIENT ? "clients"
                           : my->values.unit == VALUE_LINE ? "lines" : "queries");
    if (isinf(times))
        return writer_text(out, fault, "not yet: there is no difference so far\n");
    return writer_text(out, fault, "not yet: at this rate an even chance of a verdict at %.0f "
                       "lines%s\n", ceil(times * my->result[last].lines),
                       last > 0 ? " of the second file" : "");
}

static int print_numbers(struct compare *my, const double *number, size_t n)
{
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    for (size_t i = 0; i < n; i++)
        if ((isnan(number[i]) ? writer_text(out, fault, "\tnan") /* and never -nan */
                              : writer_text(out, fault, "\t%.15g", number[i])) < 0)
            return -1;
    return 0;
}

/* Full numbers; nan where there is none. The first row has no differences where it is the base. */
static int print_tabs(struct compare *my)
{
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    const bool alone = my->values.rankers == 1;
    if (writer_text(out, fault, "run\tqueries\tbetter\tworse\tsame\tmean\tdiff\tlow\thigh\tp\t"
                    "p(t)\tp(sign)\tHolm\tlines\n") < 0)
        return -1;
    for (size_t i = 0; i < my->values.rankers; i++) {
        const struct ranker_result *row = &my->result[i];
        const struct paired *paired = &row->paired;
        const bool base = i == 0 && !alone, counted = base || !isnan(paired->p);
        size_t count[3];
        order_counts(my, i, count);
        double number[13] = { (double)row->sums.clusters };
        for (size_t c = 0; c < 3; c++)
            number[1 + c] = counted ? (double)count[c] : NAN;
        const double rest[] = { paired->mean, paired->low, paired->high, paired->p, paired->p_t,
                                paired->p_signs, alone ? NAN : row->holm };
        number[4] = row->sums.at;
        for (size_t c = 0; c < 7; c++)
            number[5 + c] = base ? NAN : rest[c];
        number[12] = row->lines;
        if (writer_bytes(out, row->name, strlen(row->name), fault) < 0 ||
            print_numbers(my, number, 13) < 0 || writer_text(out, fault, "\n") < 0)
            return -1;
    }
    return 0;
}

/* The same of a sequence: one row. */
static int print_look(struct compare *my)
{
    static const char *const words[] = { "-", "better", "worse", "not-yet" };
    struct writer *out = my->host->out;
    struct fault *fault = my->host->fault;
    const struct ranker_result *row = &my->result[my->values.rankers - 1];
    const double number[] = { (double)row->sums.clusters, row->lines, row->sums.at, my->look.mean,
                              my->look.low, my->look.high, ceil(my->look.times * row->lines) };
    if (writer_text(out, fault, "run\tqueries\tlines\tmean\tdiff\tlow\thigh\tneeds\t"
                    "verdict\n") < 0 ||
        writer_bytes(out, row->name, strlen(row->name), fault) < 0 ||
        print_numbers(my, number, sizeof number / sizeof *number) < 0)
        return -1;
    return writer_text(out, fault, "\t%s\n", words[judge_look(my)]);
}

/* All files once, then the table. */
static enum outcome each(void *self, struct round *round)
{
    static const int statuses[] = { [BETTER] = 0, [NOT_YET] = 4, [WORSE] = 5 };
    struct compare *my = self;
    struct host *host = my->host;
    (void)round;
    my->result = calloc(my->values.rankers, sizeof *my->result);
    if (!my->result)
        return fault_no_room(host->fault, my->values.rankers * sizeof *my->result);
    for (size_t i = 0; my->files[i]; i++) {
        if (value_table_read(&my->values, i, my->files[i], host->watch, host->fault) < 0)
            return FAIL;
        my->base_lines = i == 0 ? my->values.lines : my->base_lines;
    }
    if (value_table_sort(&my->values, host->fault) < 0 || check_clusters(my) < 0 ||
        name_rows(my) < 0)
        return FAIL;
    for (size_t i = 0; i < my->values.rankers; i++)
        if (test_ranker(my, i) < 0) return FAIL;

    /* A p that does not exist counts as one of 1. */
    const size_t n = my->values.rankers - 1;
    double *p = buffer_for(&my->p, 2 * n + 1, sizeof *p, my->host->fault);
    if (!p) return FAIL;
    for (size_t i = 0; i < n; i++)
        p[i] = isnan(my->result[i + 1].paired.p) ? 1 : my->result[i + 1].paired.p;
    paired_holm(p, n, p + n);
    for (size_t i = 0; i < n; i++)
        my->result[i + 1].holm = isnan(my->result[i + 1].paired.p) ? NAN : p[n + i];

    if (take_look(my) < 0) return FAIL;
    if (my->tabs ? (my->looks ? print_look(my) : print_tabs(my)) < 0
                 : print_first_line(my) < 0 || print_table(my) < 0)
        return FAIL;
    if (my->split && print_split(my) < 0) return FAIL;
    if (my->looks && !my->tabs && print_verdict(my) < 0) return FAIL;
    host->status = my->looks ? statuses[judge_look(my)] : 0;
    return DONE;
}

static int close_compare(void *self, enum ended ended)
{
    struct compare *my = self;
    (void)ended;
    for (size_t i = 0; my->result && i < my->values.rankers; i++)
        free(my->result[i].name);
    free(my->result);
    value_table_close(&my->values);
    sequence_close(&my->sequence);
    buffer_free(&my->at);
    buffer_free(&my->base);
    buffer_free(&my->scratch[0]);
    buffer_free(&my->scratch[1]);
    buffer_free(&my->p);
    return 0;
}

const struct filter compare = {
    .name = "compare",
    .usage = "[-Scet] [-m measure] [-n permutations] [-s seed] [-u unit] [-w share] "
             "file ...",
    .line = "compares rankers, by query or by client",
    .options = options_known,
    .operand = { .value = "file", .text = "file of values, which metric -q prints; the first "
                                          "is the base" },
    .size = sizeof(struct compare),
    .kind = WHOLE,
    .parse = parse,
    .each = each,
    .close = close_compare,
};
