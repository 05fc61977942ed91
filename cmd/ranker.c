#include "ranker.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/lines.h"
#include "learn/scoring.h"
#include "math/ties.h"
#include "measure/judge.h"
#include "measure/measure.h"
#include "say.h"
#include "stream/model_file.h"
#include "stream/round_names.h"
#include "stream/round_store.h"
#include "text/trec_run.h"

struct ranker {
    struct host *host;
    const char *file;
    enum { MODEL, RUN, SCORES } kind;
    struct scoring scoring;
    struct trec_run run;
    struct lines lines;  /* of scores */
    uint64_t unjudged;   /* documents of the run that the rounds do not have */
    struct judge judge;
    struct measure measure;
    struct ties ties;
    struct buffer index, name, score, label, order, room;
    size_t docs; /* of the round at hand, with those that only the run has */
};

static const char *const MODEL_BEGINS = "rankpipe/1 model ";
static const char *const STREAM_BEGINS = "rankpipe/1 ";

int ranker_check_measure(const char *measure, struct fault *fault)
{
    struct measure parsed;
    if (!measure_is_known(measure))
        return fault_usage(fault, "-l judges by measures of one round such as ndcg@10, map or "
                           "err@5, not '%.40s'", measure);
    return measure_parse(&parsed, measure, fault);
}

/* ---- what the file has ---- */

static int load_model(struct ranker *my)
{
    struct fault *fault = my->host->fault;
    struct mapped mapped;
    struct model model;
    int got = model_file_load(my->file, my->host->watch, &mapped, &model, fault);
    if (got == 0)
        (void)fault_other(fault, "%s: no such file", my->file);
    int result = got > 0 ? scoring_take_file(&my->scoring, &mapped, &model, fault) : -1;
    if (got > 0 && result < 0)
        fault_place(fault, "model %s: ", my->file);
    mapped_close(&mapped);
    return result;
}

static size_t count_words(const char *line)
{
    size_t n = 0;
    for (const char *p = text_skip_blanks(line); *p; p = text_skip_word(p))
        n++;
    return n;
}

/* Finds out by the first line what the file is, and reads all but scores. */
static int open_ranker(struct ranker *my, char *const files[2])
{
    struct fault *fault = my->host->fault;
    struct lines *lines = &my->lines;
    lines_open(lines, files, my->host->watch);
    enum lines_got got = lines_next_any(lines, fault);
    if (got == LINES_END)
        return fault_data(fault, "%s: empty: neither a model, nor a TREC run, nor scores",
                          my->file);
    if (got == LINES_FAULT)
        return -1;
    if (strncmp(lines->text, MODEL_BEGINS, strlen(MODEL_BEGINS)) == 0) {
        my->kind = MODEL;
        return load_model(my);
    }
    if (strncmp(lines->text, STREAM_BEGINS, strlen(STREAM_BEGINS)) == 0)
        return fault_data(fault, "%s: a stream of rounds, not a model, a TREC run or scores: "
                          "bin2txt -f run makes a run of what explore shows", my->file);
    size_t words = count_words(lines->text);
    my->kind = words == 1 ? SCORES : RUN;
    if (words != 1 && words != TREC_RUN_FIELDS)
        return lines_wrong(lines, lines->text, lines->bytes, fault, "neither a model, nor a line "
                           "of a TREC run (qid Q0 document rank score tag), nor one score");
    lines_again(lines);
    return my->kind == RUN ? trec_run_read(&my->run, lines, fault) : 0;
}

static void close_ranker(struct ranker *my)
{
    lines_close(&my->lines);
    trec_run_close(&my->run);
    scoring_close(&my->scoring);
    judge_close(&my->judge);
    buffer_free(&my->index);
    buffer_free(&my->name);
    buffer_free(&my->score);
    buffer_free(&my->label);
    buffer_free(&my->order);
    buffer_free(&my->room);
}

/* ---- the scores of a round, of my->docs documents ---- */

static const double *score_by_model(struct ranker *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    struct matrix came, x;
    double *index = NULL, *s;
    if (round_matrix(round, &came, fault) < 0 ||
        scoring_make(&my->scoring, round, &came, &x, fault) < 0 ||
        scoring_fingerprint(&my->scoring, round, &came, fault) < 0 ||
        !(s = buffer_for(&my->score, round->docs, sizeof *s, fault)) ||
        (scoring_has_index(&my->scoring) &&
         !(index = buffer_for(&my->index, round->docs, sizeof *index, fault))) ||
        scoring_round(&my->scoring, &x, round, s, index, fault) < 0)
        return NULL;
    return s;
}

static const double *score_by_lines(struct ranker *my, const struct round *round)
{
    struct fault *fault = my->host->fault;
    double *s = buffer_for(&my->score, round->docs, sizeof *s, fault);
    for (size_t i = 0; s && i < round->docs; i++) {
        enum lines_got got = lines_next(&my->lines, fault);
        if (got == LINES_END)
            fault_data(fault, "%s: %" PRIu64 " scores, but the labels have more documents",
                       my->file, my->lines.number);
        if (got != LINES_LINE)
            return NULL;
        if (count_words(my->lines.text) != 1 || !text_real(my->lines.text, &s[i])) {
            lines_wrong(&my->lines, my->lines.text, my->lines.bytes, fault, "not a finite score");
            return NULL;
        }
    }
    return s;
}

/* Adds documents that only the run has, with the label 0. 0 or a fault. */
static int add_unjudged(struct ranker *my, const struct round *round, struct trec_entry *query,
                        uint64_t mark)
{
    struct fault *fault = my->host->fault;
    for (struct trec_entry *next = trec_run_next(&my->run, query); next;
         next = trec_run_next(&my->run, next)) {
        if (next->mark == mark)
            continue;
        double *s = buffer_for(&my->score, 2 * (my->docs + 1), sizeof *s, fault);
        float *label = s ? buffer_for(&my->label, 2 * (my->docs + 1), sizeof *label, fault) : NULL;
        if (!label)
            return -1;
        if (my->docs == round->docs)
            memcpy(label, round->label, round->docs * sizeof *label);
        s[my->docs] = next->score;
        label[my->docs++] = 0;
        my->unjudged++;
    }
    return 0;
}

/* Documents that the run leaves out come after all that it has. */
static const double *score_by_run(struct ranker *my, const struct round *round, const char *qid,
                                  uint64_t mark)
{
    struct fault *fault = my->host->fault;
    char digits[TEXT_DIGITS];
    const char *const *name;
    struct trec_entry *query = trec_run_query(&my->run, qid, &my->room, fault);
    double *s = buffer_for(&my->score, round->docs, sizeof *s, fault), least = 0;
    size_t found = 0;
    if (!query || !s || round_names(round, &my->name, &name, fault) < 0)
        return NULL;
    for (const struct trec_entry *next = query; (next = trec_run_next(&my->run, next));)
        least = next->score < least ? next->score : least;
    for (size_t i = 0; i < round->docs; i++) {
        const char *document = name && name[i][0] ? name[i] : text_from_number(digits, i);
        struct trec_entry *entry = trec_run_document(&my->run, qid, document, &my->room, fault);
        s[i] = entry ? entry->score : least - 1;
        if (entry)
            entry->mark = mark;
        found += entry != NULL;
    }
    if (found == 0) {
        fault_data(fault, "%s: query %s: none of its documents is among those of the labels: does "
                   "bin2txt -f qrels print the same names?", my->file, qid);
        return NULL;
    }
    return add_unjudged(my, round, query, mark) < 0 ? NULL : my->score.at;
}

/* ---- values ---- */

/* Adds the value of a round; a query that the run leaves out has none. 0 or a fault. */
static int judge_one(struct ranker *my, struct query_values *values, size_t ranker,
                     struct round *round, uint64_t number)
{
    struct fault *fault = my->host->fault;
    char digits[TEXT_DIGITS];
    const char *qid = round->qid ? round->qid : text_from_number(digits, round->t);
    double value = 0;
    if (!round->label)
        return fault_data(fault, "needs label: this query has no labels");
    my->docs = round->docs;
    if (my->kind == RUN && !trec_run_query(&my->run, qid, &my->room, fault))
        return fault->kind == FAULT_NONE ? 0 : -1;
    const double *s = my->kind == MODEL ? score_by_model(my, round)
                      : my->kind == RUN ? score_by_run(my, round, qid, number)
                                        : score_by_lines(my, round);
    const float *label = my->docs > round->docs ? my->label.at : round->label;
    uint32_t *order = buffer_for(&my->order, 2 * my->docs, sizeof *order, fault);
    if (!s || !order)
        return -1;
    ties_rank(&my->ties, RNG_TIES, round->t, my->docs, s, order, order + my->docs);
    if (judge_round(&my->judge, my->docs, order, label, s, fault) < 0 ||
        measure_value(&my->measure, &my->judge, &value, fault) == MEASURE_FAULT)
        return -1;
    return query_values_add(values, ranker, qid, strlen(qid), value, fault);
}

static int judge_rounds(struct ranker *my, struct query_values *values, size_t ranker,
                        const struct round_store *labels, const char *file, struct round *round)
{
    struct fault *fault = my->host->fault;
    char name[ROUND_NAME];
    for (size_t i = 0; i < labels->rounds; i++) {
        if (round_store_round(labels, i, round, fault) < 0)
            return -1;
        if (round_read(round, fault) < 0 || judge_one(my, values, ranker, round, i + 1) < 0) {
            if (fault->kind == FAULT_DATA)
                fault_place(fault, "%s: %s: ", file, round_name(round, name));
            return -1;
        }
    }
    if (my->kind != SCORES)
        return 0;
    enum lines_got got = lines_next(&my->lines, fault);
    return got == LINES_LINE ? lines_wrong(&my->lines, my->lines.text, my->lines.bytes, fault,
                                           "a score after that of the last document of the labels")
                             : got;
}

int rankers_judge(struct query_values *values, char *const *files, const char *labels,
                  const char *measure, uint64_t seed, struct host *host)
{
    struct round_store store = { 0 };
    struct round round;
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(host->fault, sizeof *record);
    round_open(&round, record);
    int result = round_store_add(&store, labels, host->watch, host->fault);
    for (size_t i = 0; files[i] && result == 0; i++) {
        char *const one[] = { files[i], NULL };
        struct ranker my = { .host = host, .file = files[i], .ties.seed = seed,
                             .judge.conventions = { .top_grade = 4, .epsilon = 0.01 } };
        result = measure_parse(&my.measure, measure, host->fault);
        if (result == 0 && open_ranker(&my, one) == 0)
            result = judge_rounds(&my, values, i, &store, labels, &round);
        else
            result = -1;
        if (result == 0 && my.unjudged)
            warn(host, "compare", "%s: %" PRIu64 " documents are not among those of the labels: "
                 "they count as not relevant", files[i], my.unjudged);
        close_ranker(&my);
    }
    round_store_close(&store);
    round_close(&round);
    free(record);
    return result;
}
