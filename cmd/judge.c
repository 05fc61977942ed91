/* judge: from a log of clicks to judgements: examination of positions, relevance of documents. */
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/names.h"
#include "explore/examination.h"
#include "io/lines.h"
#include "math/real.h"
#include "relevance/estimate.h"
#include "relevance/pool.h"
#include "run/filter.h"
#include "say.h"
#include "stream/round.h"
#include "text/print.h"

static const double LOG_SCALE = 1000; /* of -l */

struct judge {
    struct host *host;
    bool bare;   /* -0 */
    bool counts; /* -c */
    bool logs;   /* -l */
    const char *given, *table; /* paths of -t and -e; NULL: none */
    char *const *files; /* of counts; none: rounds have the log */
    struct examination examination;
    struct pool pool;
    struct estimate estimate;
    struct buffer names;
    uint64_t rounds;
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "with files of counts: judge without features (default: standard input has "
                       "the candidates)", OPTION_FLAG(judge, bare) },
    { 'c', NULL, NULL, "print the counts of the log, and do not judge (default: judge)",
      OPTION_FLAG(judge, counts) },
    { 'e', "table", NULL, "file to write with the examination of each position (default: none)",
      OPTION_TEXT(judge, table) },
    { 'l', NULL, NULL, "write ln(1 + 1000 relevance), for listnet (default: the relevance)",
      OPTION_FLAG(judge, logs) },
    { 't', "table", NULL, "file with the examination of each position (default: estimate it)",
      OPTION_TEXT(judge, given) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct judge *my = self;
    my->host = host;
    int letter = options_read(options);
    const bool *given = options->given;
    my->files = options_operands(options);
    if (letter < 0)
        return letter;
    if (my->counts && (given['t'] || given['e'] || given['l']))
        return fault_usage(options->fault, "-c only counts: it goes with none of -e, -l, -t");
    if (my->bare && !*my->files)
        return fault_usage(options->fault, "-0 needs files of counts, which judge -c writes");
    for (char *const *file = my->files; *file && !my->bare && !my->counts; file++)
        if (strcmp(*file, "-") == 0)
            return fault_usage(options->fault, "counts come from files: standard input has the "
                               "candidates (-0 does without them)");
    if (*my->files && (my->bare || my->counts))
        host->kind = WHOLE;
    return 0;
}

/* ---- the counts of a log as text ----
 *
 * The first line names the columns: qid, doc, position, impressions, clicks, after, after-clicks,
 * values. Tabs are between them. Each other line has the counts of one pair at one position, those
 * of -c sorted by qid, doc and position. The qid is as in a header line, with %XX. A line without
 * values, as counts of before had them, has as many as clicks. */

enum { QID, DOC, POSITION, IMPRESSIONS, CLICKS, AFTER, AFTER_CLICKS, VALUES, FIELDS };
enum { NUMBER = 64 }; /* bytes of a number, more than any needs */
static const char old_head[] = "qid\tdoc\tposition\timpressions\tclicks\tafter\tafter-clicks";
static const char head[] = "qid\tdoc\tposition\timpressions\tclicks\tafter\tafter-clicks\tvalues";

static void print_count(struct print *print, double count)
{
    print_byte(print, '\t');
    print_double(print, count);
}

static int print_counts(const struct impressions *impressions, struct writer *out,
                        struct fault *fault)
{
    struct print print;
    char values[NUMBER];
    const struct impressions_cell *cell = impressions->cell.at;
    const struct impressions_pair *pair = impressions->pair.at;
    print_start(&print, out, fault);
    print_word(&print, head);
    print_byte(&print, '\n');
    for (size_t i = 0; i < impressions->cells && print.failed == 0; i++) {
        const struct impressions_counts *counts = &cell[i].counts;
        print_word(&print, impressions_qid(impressions, pair[cell[i].pair].query));
        print_byte(&print, '\t');
        print_word(&print, impressions_name(impressions, cell[i].pair));
        print_byte(&print, '\t');
        print_whole(&print, cell[i].position);
        print_count(&print, counts->n);
        print_count(&print, counts->clicks);
        print_count(&print, counts->after);
        print_count(&print, counts->after_clicks);
        if (counts->lack > 0) { /* the sum of values, to the millionth */
            snprintf(values, sizeof values, "\t%.6f",
                     counts->clicks - counts->lack / IMPRESSIONS_WHOLE);
            print_word(&print, values);
        } else {
            print_count(&print, counts->clicks);
        }
        print_byte(&print, '\n');
    }
    return print_end(&print);
}

struct field {
    const char *at;
    size_t n;
};

/* A fault that quotes a field. Returns -1. */
#define wrong(field, ...) lines_wrong(lines, (field).at, (field).n, fault, __VA_ARGS__)

/* A field as a number from 0, whole or not. 0 or a fault. */
static int field_number(struct lines *lines, const struct field *field, bool whole, double *value,
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
    return wrong(*field, "not a %snumber of at least 0", whole ? "whole " : "");
}

/* The counts of a line, which must be possible. 0 or a fault. */
static int field_counts(struct lines *lines, const struct field *field, size_t fields,
                        struct impressions_counts *counts, struct fault *fault)
{
    *counts = (struct impressions_counts){ 0 };
    if (field_number(lines, &field[IMPRESSIONS], true, &counts->n, fault) < 0 ||
        field_number(lines, &field[CLICKS], true, &counts->clicks, fault) < 0)
        return -1;
    if (!(counts->n >= 1))
        return wrong(field[IMPRESSIONS], "no impressions: a line has at least 1");
    if (field_number(lines, &field[AFTER], true, &counts->after, fault) < 0 ||
        field_number(lines, &field[AFTER_CLICKS], true, &counts->after_clicks, fault) < 0)
        return -1;
    double first = counts->clicks - counts->after_clicks, values = counts->clicks;
    if (counts->after > counts->n || counts->after_clicks > counts->after || first < 0 ||
        first > counts->n - counts->after)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "more clicks than impressions, "
                           "or more after a click than there are: count this share again");
    if (fields > VALUES && field_number(lines, &field[VALUES], false, &values, fault) < 0)
        return -1;
    if (values > counts->clicks)
        return wrong(field[VALUES], "more than its clicks, whose values are at most 1");
    counts->lack = impressions_lack(counts->clicks - values);
    return 0;
}

/* Counts the current line. 0 or a fault. */
static int count_line(struct impressions *impressions, struct lines *lines, struct fault *fault)
{
    char qid[ROUND_QID + 1];
    struct field field[FIELDS];
    struct impressions_counts counts;
    double position;
    size_t fields = 0;
    const char *at = lines->text, *end = at + lines->bytes;
    for (; at <= end; fields++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        tab = tab ? tab : end;
        if (fields < FIELDS)
            field[fields] = (struct field){ at, (size_t)(tab - at) };
        at = tab + 1;
    }
    if (fields != VALUES && fields != FIELDS)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "%zu fields, not %d or %d",
                           fields, VALUES, FIELDS);

    bool plain = field[QID].n > 0 && field[QID].n <= ROUND_QID && field[DOC].n > 0;
    for (size_t i = 0; i < field[QID].n; i++)
        plain = plain && field[QID].at[i] > ' ' && field[QID].at[i] < 127;
    if (!plain)
        return wrong(field[QID], "not a qid as header lines have it");
    for (size_t i = 0; i < field[DOC].n; i++)
        plain = plain && (unsigned char)field[DOC].at[i] > ' ' && field[DOC].at[i] != 127;
    if (!plain)
        return wrong(field[DOC], "not a document's name, which is one word");
    if (field_number(lines, &field[POSITION], true, &position, fault) < 0 ||
        field_counts(lines, field, fields, &counts, fault) < 0)
        return -1;
    if (!(position >= 1) || position > IMPRESSIONS_POSITIONS)
        return wrong(field[POSITION], "not a position, a whole number from 1 to %d",
                     IMPRESSIONS_POSITIONS);

    memcpy(qid, field[QID].at, field[QID].n);
    qid[field[QID].n] = '\0';
    uint32_t query = impressions_query(impressions, qid, fault);
    if (query == IMPRESSIONS_FAULT) return -1;
    uint32_t pair = impressions_pair(impressions, query, field[DOC].at, field[DOC].n, fault);
    if (pair == IMPRESSIONS_FAULT) return -1;
    return impressions_add(impressions, pair, (uint32_t)position, &counts, fault);
}

/* Adds the counts of a file, whose lines may have any order. 0 or a fault. */
static int read_counts(struct impressions *impressions, char *file, struct watch *watch,
                       struct fault *fault)
{
    struct lines lines;
    int got, result = 0;
    char *const files[] = { file, NULL };
    lines_open(&lines, files, watch);
    while (result == 0 && (got = lines_next(&lines, fault)) != 0) {
        if (got < 0)
            result = -1;
        else if (lines.number > 1)
            result = count_line(impressions, &lines, fault);
        else if (strcmp(lines.text, head) != 0 && strcmp(lines.text, old_head) != 0)
            result = lines_wrong(&lines, lines.text, lines.bytes, fault, "not the first line of "
                                 "counts, which judge -c writes: count this share again");
    }
    if (result == 0 && lines.number == 0)
        result = fault_data(fault, "%s: empty, without even the first line of counts: count this "
                            "share again", file);
    lines_close(&lines);
    return result;
}

/* ---- the log ---- */

static int open_judge(void *self)
{
    struct judge *my = self;
    struct host *host = my->host;
    struct fault *fault = host->fault;
    if (!my->counts && !host->to && isatty(STDOUT_FILENO))
        return fault_usage(fault, "standard output is a terminal, and rounds are binary: send them "
                           "to a file or a program (bin2txt -f qrels prints judgements)");
    if (my->given && examination_read(&my->examination, my->given, host->watch, fault) < 0)
        return -1;
    for (char *const *file = my->files; *file; file++)
        if (read_counts(&my->pool.impressions, *file, host->watch, fault) < 0)
            return -1;
    return 0;
}

/* A round of the log; or with counts, of the candidates. */
static enum outcome each(void *self, struct round *round)
{
    struct judge *my = self;
    struct fault *fault = my->host->fault;
    const bool log = !*my->files;
    if (my->host->kind == WHOLE)
        return DONE;
    if (log && !round->seen)
        return fault_data(fault, "needs seen, the clicks: log2bin, feedback-mask -c and "
                          "feedback-join write it");
    int taken = pool_take(&my->pool, round, !log, fault);
    my->rounds++;
    if (taken < 0 || (taken > 0 && log && pool_count(&my->pool, round, fault) < 0)) return FAIL;
    return PASS;
}

/* ---- the outcome ---- */

/* The names of a query's documents. NULL and a fault: no memory. */
static const char *list_names(struct judge *my, const struct pool_query *query, size_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < query->docs; i++) {
        const char *name = impressions_name(&my->pool.impressions, query->pair[i]);
        size_t n = strlen(name) + 1;
        char *to = buffer_for(&my->names, *bytes + n, 1, my->host->fault);
        if (!to)
            return NULL;
        memcpy(to + *bytes, name, n);
        *bytes += n;
    }
    return my->names.at;
}

/* Writes the round of the q-th query. 0 or a fault. */
static int write_query(struct judge *my, size_t q, struct round *round)
{
    struct fault *fault = my->host->fault;
    const struct pool *pool = &my->pool;
    uint32_t number = pool->order[q];
    const struct pool_query *query = (const struct pool_query *)pool->query.at + number;
    const double *relevance = my->estimate.users.marginal.mean + pool->evidence.query[q];
    size_t bytes;
    const char *names = query->nameless ? NULL : list_names(my, query, &bytes);
    float *label;
    if ((!names && !query->nameless) ||
        round_start(round, q + 1, impressions_qid(&pool->impressions, number), query->docs,
                    pool->bare ? 0 : query->x.dim, fault) < 0 ||
        !(label = round_new(round, ROUND_LABEL, fault)) ||
        (names && record_put(round->record, ROUND_NAMES, COLUMN_U1, bytes, names, fault) < 0) ||
        (!pool->bare && round_new_features(round, &query->x, fault) < 0) ||
        (pool->made[0] && round_set_text(round, KEY_MADE, pool->made, fault) < 0))
        return -1;
    for (size_t i = 0; i < query->docs; i++)
        if (!(relevance[i] <= FLT_MAX))
            return fault_other(fault, "document %zu of qid %s has the relevance %g: its clicks are "
                               "too large", i, round->qid, relevance[i]);
    for (size_t i = 0; i < query->docs; i++)
        label[i] = (float)(my->logs ? real_log(1 + LOG_SCALE * relevance[i]) : relevance[i]);
    record_want_crc(round->record);
    return writer_record(my->host->out, round->record, fault);
}

static int write_rounds(struct judge *my)
{
    struct fault *fault = my->host->fault;
    struct round round;
    struct record *record = malloc(sizeof *record);
    int result = 0;
    if (!record)
        return fault_no_room(fault, sizeof *record);
    round_open(&round, record);
    for (size_t q = 0; q < my->pool.evidence.queries && result == 0; q++)
        result = write_query(my, q, &round);
    if (result == 0)
        result = writer_end(my->host->out, my->pool.evidence.queries, fault);
    round_close(&round);
    free(record);
    return result;
}

static int write_table(struct judge *my)
{
    struct fault *fault = my->host->fault;
    struct writer writer;
    int fd = watch_open(my->host->watch, my->table, O_WRONLY | O_CREAT | O_TRUNC, 0666, fault);
    if (fd < 0)
        return fault_system(fault, "cannot write %s", my->table);
    int result = writer_open(&writer, fd, my->table, NULL, fault);
    if (result == 0 &&
        (estimate_print(&my->estimate, &my->pool.evidence, &writer, fault) < 0 ||
         writer_flush(&writer, fault) < 0))
        result = -1;
    if (watch_close(fd) < 0)
        result = fault_system(fault, "cannot write %s", my->table);
    writer_close(&writer);
    return result;
}

/* Says which users the log has, and why. */
static void report_users(const struct judge *my)
{
    const struct estimate *estimate = &my->estimate;
    const struct stopping *stopping = &estimate->stopping;
    const char *which = estimate->users.stop ? "stop" : "do not stop";
    double log_kappa = real_log(stopping->kappa);
    if (estimate->reason == BY_REQUESTS) {
        warn(my->host, "judge", "users are taken to stop at clicks: the log has no requests "
             "without a click, so it does not show whether they do");
        return;
    }
    struct names why = { .bytes = 0 };
    if (estimate->reason == BY_HELD_OUT)
        names_add(&why, "; on %zu queries left out, not stopping is ahead by %.1f, error %.1f",
                  estimate->held_out.queries, estimate->reading.by, estimate->reading.error);
    if (estimate->reason == BY_FEW)
        names_add(&why, "; there are too few queries to compare");
    warn(my->host, "judge", "users %s at clicks: a click above multiplies the chance of a click by "
         "%.3g (ln %.3f, error %.3f)%s", which, stopping->kappa, log_kappa, stopping->error,
         why.text);
}

/* Names the positions that no document's move says anything of, as ranges. */
static void report_alone(const struct judge *my)
{
    struct names places = { .bytes = 0 };
    size_t K = my->pool.evidence.positions, to;
    for (size_t k = 0; k < K; k = to) {
        for (to = k; to < K && estimate_is_alone(&my->estimate, to);)
            to++;
        if (to - k > 1)
            names_add(&places, "%zu to %zu", k + 1, to);
        else if (to > k)
            names_add(&places, "%zu", k + 1);
        to += to == k;
    }
    if (places.bytes)
        warn(my->host, "judge", "position %s: hardly a document was shown there and elsewhere: %s",
             places.text, my->estimate.users.stop
             ? "taken as examined down to the first click"
             : "the examination is known by the features alone");
}

/* What the user should know before anyone uses the judgements. */
static void report(const struct judge *my)
{
    static const char *const verdicts[] = { "what judge learnt does not predict",
        "cannot tell whether what judge learnt predicts", "what judge learnt predicts" };
    const struct estimate *estimate = &my->estimate;
    if (my->pool.lost)
        warn(my->host, "judge", "left out %zu of %zu counted documents, which are not among the "
             "candidates", my->pool.lost, my->pool.impressions.pairs);
    report_users(my);
    report_alone(my);
    if (estimate->checked)
        warn(my->host, "judge", "gain %.4f, error %.4f: %s clicks on other queries: %s (a click, "
             "over the order that users saw, on %zu queries left out)", estimate->gain.by,
             estimate->gain.error, verdicts[estimate->foretells + 1],
             estimate->foretells < 0 ? "keep the old ranker"
             : "compare it with the old one before it is used", estimate->held_out.queries);
}

static int judge_all(struct judge *my)
{
    struct fault *fault = my->host->fault;
    struct estimate *estimate = &my->estimate;
    const struct evidence *evidence = &my->pool.evidence;
    if (*my->files && !my->bare && !my->pool.any && my->pool.impressions.queries > 0)
        return fault_other(fault, "none of the %zu queries with counts, such as %.60s, is among "
                           "the candidates, such as %.60s: both must have the same qids (-0 judges "
                           "without candidates)", my->pool.impressions.queries,
                           impressions_qid(&my->pool.impressions, 0), my->pool.unknown);
    if (pool_finish(&my->pool, fault) < 0) return -1;
    estimate->given = my->given ? my->examination.theta : NULL;
    if (my->given && evidence->positions > my->examination.places)
        return fault_other(fault, "the log has %zu positions, and the table %s has %zu: add lines "
                           "to the table", evidence->positions, my->given, my->examination.places);
    if (estimate_make(estimate, evidence, my->host->watch, fault) < 0) return -1;
    if ((my->table && write_table(my) < 0) || write_rounds(my) < 0) return -1;
    report(my);
    return 0;
}

static int end_judge(void *self)
{
    struct judge *my = self;
    struct fault *fault = my->host->fault;
    if (my->host->kind != WHOLE && my->rounds == 0)
        return fault_other(fault, "<stdin>: no rounds");
    if (!my->counts)
        return judge_all(my);
    if (impressions_sort(&my->pool.impressions, fault) < 0) return -1;
    return print_counts(&my->pool.impressions, my->host->out, fault);
}

static int close_judge(void *self, enum ended ended)
{
    struct judge *my = self;
    (void)ended;
    examination_close(&my->examination);
    estimate_close(&my->estimate);
    pool_close(&my->pool);
    buffer_free(&my->names);
    return 0;
}

const struct filter judge = {
    .name = "judge",
    .usage = "[-0cl] [-e table] [-t table] [file ...]",
    .line = "judges documents by a log of clicks",
    .options = options_known,
    .operand = { .value = "file",
                 .text = "file of counts, which judge -c wrote (default: standard input has the "
                         "log)" },
    .size = sizeof(struct judge),
    .kind = SINK,
    .parse = parse,
    .open = open_judge,
    .each = each,
    .end = end_judge,
    .close = close_judge,
};
