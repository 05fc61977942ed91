#include "measure/tally.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rng.h"

/* What may stand before a measure's name. */
static const struct {
    const char *text, *word;
    enum tally_kind kind;
    enum estimator estimator; /* of TALLY_OFFLINE */
} prefixes[] = {
    { "regret:", "regret:MEASURE", TALLY_REGRET, 0 },
    { "ips:", "ips:MEASURE", TALLY_OFFLINE, OFFLINE_IPS },
    { "snips:", "snips:MEASURE", TALLY_OFFLINE, OFFLINE_SNIPS },
    { "dr:", "dr:MEASURE", TALLY_OFFLINE, OFFLINE_DR },
    { "drawn:", "drawn:LOSS", TALLY_MEASURE, 0 },
    { "rival", "rival", TALLY_RIVAL, 0 },
    { "regret:loss:", "regret:LOSS", TALLY_MEASURE, 0 }, /* not of the first row */
    { "regret:drawn:", "regret:drawn:LOSS", TALLY_MEASURE, 0 },
};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

const char *tally_word(size_t i)
{
    size_t measures = 0;
    while (measures < i && measure_word(measures))
        measures++;
    const char *word = measure_word(i);
    return word ? word : i - measures < PREFIXES ? prefixes[i - measures].word : NULL;
}

enum { STEM = 16 };

/* What of a measure's word is its name: ndcg of ndcg@10, loss of loss:kl. */
static void set_stem(char stem[STEM], const char *word)
{
    snprintf(stem, STEM, "%.*s", (int)strcspn(word, "[@:"), word);
}

/* One that may have been meant: its stem, or NULL. */
static const char *nearest(const char *name, char stems[][STEM], size_t most)
{
    struct names names = { 0 };
    char stem[STEM];
    set_stem(stem, name);
    for (size_t i = 0; i < most && tally_word(i); i++) {
        set_stem(stems[i], tally_word(i));
        names_offer(&names, stem, stems[i]);
    }
    return names.nearest;
}

static int no_measure(const char *name, struct fault *fault)
{
    char stems[64][STEM];
    struct names names = { 0 };
    const char *near = nearest(name, stems, sizeof stems / sizeof *stems);
    size_t length = strcspn(name, "@:");
    if (near && (strlen(near) != length || strncmp(near, name, length) != 0))
        return fault_usage(fault, "no measure '%.40s': did you mean %s%.40s?", name, near,
                           name + length);
    measure_add_names(&names);
    for (size_t i = 0; i < PREFIXES; i++)
        names_add(&names, "%s", prefixes[i].word);
    return fault_usage(fault, "no measure '%.40s': choose from %s", name, names.text);
}

int tally_parse(struct tally *tally, const char *name, bool clicks, struct fault *fault)
{
    size_t i = PREFIXES;
    for (size_t j = 0; j < PREFIXES; j++)
        i = name_begins(name, prefixes[j].text) ? j : i; /* the last one is the longest */
    memset(tally, 0, sizeof *tally);
    tally->name = name;
    tally->kind = i < PREFIXES ? prefixes[i].kind : TALLY_MEASURE;
    const char *measure = i < PREFIXES ? name + strlen(prefixes[i].text) : name;
    if (tally->kind == TALLY_RIVAL)
        return *measure ? no_measure(name, fault) : 0;
    if (tally->kind == TALLY_REGRET)
        return regret_parse(&tally->regret, measure, fault);
    if (tally->kind == TALLY_OFFLINE) {
        int result = offline_parse(&tally->offline, measure, prefixes[i].estimator, fault);
        tally->offline.clicks = clicks;
        return result;
    }
    if (i < PREFIXES) { /* a loss: charged by the scores drawn, or less that of other weights */
        tally->against = name_begins(name, "regret:");
        name += tally->against ? strlen("regret:") : 0;
        tally->drawn = name_begins(name, "drawn:");
        const char *loss = name + (tally->drawn ? strlen("drawn:") : 0);
        if (!name_begins(loss, "loss:"))
            return fault_usage(fault, "drawn: wants a loss, as in drawn:loss:squared, not %.40s",
                               loss);
        return measure_parse(&tally->measure, loss, fault);
    }
    return measure_is_known(name) ? measure_parse(&tally->measure, name, fault)
                                  : no_measure(name, fault);
}

void tally_close(struct tally *tally)
{
    regret_close(&tally->regret);
    offline_end(&tally->offline);
}

static bool is_ratio(const struct tally *tally)
{
    return tally->kind == TALLY_OFFLINE && tally->offline.estimator == OFFLINE_SNIPS;
}

int tally_check_raw(const struct tally *tally, struct fault *fault)
{
    if (!is_ratio(tally))
        return 0;
    return fault_usage(fault, "-r prints sums, but %.40s is a ratio of means: use ips:%.40s",
                       tally->name, tally->offline.measure.name);
}

int tally_check_rounds(const struct tally *tally, bool plain, struct fault *fault)
{
    if (tally->kind == TALLY_REGRET)
        return fault_usage(fault, "%.40s is a regret of all rounds together, and has no value for "
                           "each of them", tally->name);
    if (is_ratio(tally) && plain)
        return fault_usage(fault, "%.40s is a ratio of means, and has no value for each round: use "
                           "-q, which prints three, or ips:%.40s", tally->name,
                           tally->offline.measure.name);
    return 0;
}

bool tally_is_estimate(const char *name)
{
    for (size_t i = 0; i < PREFIXES; i++)
        if (prefixes[i].kind == TALLY_OFFLINE && name_begins(name, prefixes[i].text))
            return true;
    return false;
}

bool tally_less_is_better(const char *name)
{
    static const char *const less[] = { "pairloss", "sumloss", "loss:", "step:", "drawn:",
                                         "regret:" };
    if (tally_is_estimate(name))
        return tally_less_is_better(strchr(name, ':') + 1);
    for (size_t i = 0; i < sizeof less / sizeof *less; i++)
        if (strncmp(name, less[i], strlen(less[i])) == 0)
            return true;
    return false;
}

size_t tally_top(const struct tally *tally)
{
    return tally->kind == TALLY_MEASURE  ? measure_top(&tally->measure)
           : tally->kind == TALLY_REGRET ? measure_top(&tally->regret.measure) : 1;
}

bool tally_needs_features(const struct tally *tally)
{
    return tally->kind == TALLY_OFFLINE && tally->offline.estimator == OFFLINE_DR;
}

static int check_labels(const struct round *round, bool order, struct fault *fault)
{
    if (!round->label && round->seen)
        return fault_data(fault, "needs label: put metric before feedback-mask");
    if (!round->label)
        return fault_data(fault, "needs label: this query has no labels");
    if (order && !round->order)
        return fault_data(fault, "needs order: put explore before metric (without -g it shows "
                          "the documents by score)");
    return 0;
}

/* The scores that the policy uniform draws in rounds that explore (Chaudhuri & Tewari 2016,
 * Algorithm 1): *score is the round's own where it did not explore; else numbers, each uniform on
 * [0, 1], drawn by (seed, round number), so that sorting them gives the order shown. They lie in
 * `buffer` or in the round. A data fault where another policy than uniform explored. `name` is the
 * measure that asks. O(m log m). */
static int draw_scores(const struct round *round, uint64_t seed, const char *name,
                       struct buffer *buffer, const double **score, struct fault *fault)
{
    size_t m = round->docs;
    struct rng rng = rng_at(seed, RNG_DRAWN, round->t);
    *score = round->score;
    if (round->top > 0 || round->swap > 0 || round->slot > 0 || round->subset > 0 || round->logit ||
        (round->greedy && !round->explored))
        return fault_data(fault, "%.40s needs orders drawn by explore -p uniform", name);
    if (!round->greedy || !round->order)
        return 0;
    double *drawn = buffer_for(buffer, 3 * m, sizeof *drawn, fault);
    if (!drawn) return -1;
    double *unit = drawn + m;
    uint32_t *order = (uint32_t *)(unit + m);
    for (size_t i = 0; i < m; i++)
        unit[i] = rng_unit(&rng);
    order_by_score(m, unit, order, order + m);
    for (size_t a = 0; a < m; a++)
        drawn[round->order[a]] = unit[order[a]];
    *score = drawn;
    return 0;
}

int tally_evidence(struct evidence *evidence, const struct round *round, const struct tally *tally,
                   size_t tallies, struct fault *fault)
{
    bool labels = false, order = false, features = false;
    const char *offline = NULL;
    for (size_t i = 0; i < tallies; i++) {
        labels = labels || tally[i].kind == TALLY_MEASURE || tally[i].kind == TALLY_REGRET;
        order = order || (tally[i].kind == TALLY_REGRET ||
                          (tally[i].kind == TALLY_MEASURE &&
                           measure_needs_order(&tally[i].measure)));
        offline = tally[i].kind == TALLY_OFFLINE && !offline ? tally[i].name : offline;
        features = features || tally_needs_features(&tally[i]);
    }
    evidence->dim = round->dim;
    if (labels && (check_labels(round, order, fault) < 0 ||
                   measure_round(&evidence->measured, round->docs, round->order, round->label,
                               round->score, fault) < 0))
        return -1;
    for (size_t i = 0; i < tallies; i++)
        if (tally[i].kind == TALLY_RIVAL) {
            /* Won is 1 if more of the feedback above 0 is on documents that the rival chose, -1
             * if less, and 0 if as much (Radlinski, Kurup & Joachims 2008). */
            size_t clicks[2] = { 0, 0 };
            if (!round->team)
                return fault_data(fault, "rival needs team: show the rounds by explore -p "
                                  "team-draft");
            if (!round->seen)
                return fault_data(fault, "rival needs seen: put metric after feedback-mask or "
                                  "feedback-join");
            for (size_t a = 0; a < round->places; a++)
                clicks[round->team[a]] += round->seen[a] > 0;
            evidence->won = clicks[1] > clicks[0] ? 1 : clicks[1] < clicks[0] ? -1 : 0;
        }
    for (size_t i = 0; i < tallies; i++)
        if (tally[i].drawn && draw_scores(round, evidence->ties.seed, tally[i].name,
                                          &evidence->buffer, &evidence->drawn, fault) < 0)
            return -1;
    if (!labels && measure_places(&evidence->measured, round->docs, fault) < 0) return -1;
    if (offline &&
        offline_round(&evidence->logged, round, &evidence->ties, offline, fault) < 0)
        return -1;
    return features ? offline_features(&evidence->logged, round, fault) : 0;
}

void tally_evidence_close(struct evidence *evidence)
{
    measure_close(&evidence->measured);
    offline_close(&evidence->logged);
    buffer_free(&evidence->buffer);
}

static int look_at_measure(struct tally *tally, const struct evidence *evidence,
                           struct fault *fault)
{
    struct measured measured = evidence->measured;
    if (tally->drawn)
        measured.score = evidence->drawn;
    double other = 0;
    int defined = measure_value(&tally->measure, &measured, &tally->value, fault);
    if (defined == 0) {
        tally->value = evidence->nothing;
        tally->included = !evidence->skip;
    }
    measured.score = evidence->against;
    if (defined > 0 && tally->against)
        defined = measure_value(&tally->measure, &measured, &other, fault);
    tally->value -= other;
    return defined < 0 ? -1 : 0;
}

int tally_look(struct tally *tally, struct evidence *evidence, struct fault *fault)
{
    tally->included = true;
    switch (tally->kind) {
    case TALLY_MEASURE:
        return look_at_measure(tally, evidence, fault);
    case TALLY_REGRET:
        return regret_look(&tally->regret, &evidence->measured, evidence->dim, fault);
    case TALLY_RIVAL:
        tally->value = evidence->won;
        return 0;
    default:
        return offline_look(&tally->offline, &evidence->logged, &evidence->measured, fault);
    }
}

void tally_add(struct tally *tally)
{
    if (!tally->included)
        return;
    tally->sum += tally->value; /* of a measure or rival; else 0 */
    if (tally->kind == TALLY_REGRET)
        regret_add(&tally->regret);
    else if (tally->kind == TALLY_OFFLINE)
        offline_add(&tally->offline);
    tally->count++;
}

static double sum(const struct tally *tally)
{
    return tally->kind == TALLY_REGRET    ? regret_sum(&tally->regret)
           : tally->kind == TALLY_OFFLINE ? tally->offline.sum[OFFLINE_A] : tally->sum;
}

double tally_mean(const struct tally *tally)
{
    if (tally->count == 0)
        return NAN;
    if (tally->kind == TALLY_OFFLINE)
        return offline_value(&tally->offline);
    return sum(tally) / (double)tally->count;
}

/* They stand after all others, so that columns keep their numbers. */
static int print_late_names(const struct tally *tally, struct writer *table, struct fault *fault)
{
    return tally->kind != TALLY_OFFLINE || tally->offline.clicks
               ? 0 : writer_text(table, fault, "\t%s:low\t%s:high", tally->name, tally->name);
}

static int print_number(double value, int digits, struct writer *table, struct fault *fault)
{
    return isnan(value) ? writer_text(table, fault, "\tnan") /* and never -nan */
                        : writer_text(table, fault, "\t%.*g", digits, value);
}

static int print_mean(double mean, struct writer *table, struct fault *fault)
{
    return print_number(mean, 7, table, fault);
}

static int print_interval(const struct offline *at, struct writer *table, struct fault *fault)
{
    const double value = offline_value(at), margin = offline_margin(at);
    return print_mean(value - margin, table, fault) < 0
               ? -1 : print_mean(value + margin, table, fault);
}

static int print_values(const struct tally *tally, bool raw, struct writer *table,
                        struct fault *fault)
{
    bool offline = tally->kind == TALLY_OFFLINE;
    const struct offline *at = &tally->offline;
    if (raw && writer_text(table, fault, "\t%.17g\t%" PRIu64, sum(tally), tally->count) < 0)
        return -1;
    if (raw && offline)
        return writer_text(table, fault, "\t%.17g", at->spread[OFFLINE_A][OFFLINE_A]);
    if (!raw && print_mean(tally_mean(tally), table, fault) < 0) return -1;
    if (!raw && offline && print_mean(offline_error(at), table, fault) < 0) return -1;
    if (raw || !at->clicks)
        return 0;
    if (print_interval(at, table, fault) < 0 || print_mean(offline_rounds(at), table, fault) < 0)
        return -1;
    return print_mean(offline_unsupported(at), table, fault);
}

int tally_print_head(const struct tally *tally, size_t tallies, bool raw, struct writer *table,
                     struct fault *fault)
{
    if (writer_text(table, fault, "t") < 0) return -1;
    for (size_t i = 0; i < tallies; i++) {
        bool offline = tally[i].kind == TALLY_OFFLINE;
        const char *name = tally[i].name;
        if (raw && writer_text(table, fault, "\t%s:sum\t%s:count", name, name) < 0) return -1;
        if (!raw && writer_text(table, fault, "\t%s", name) < 0) return -1;
        if (offline && writer_text(table, fault, "\t%s:%s", name, raw ? "spread" : "se") < 0)
            return -1;
        if (!raw && tally[i].offline.clicks &&
            writer_text(table, fault, "\t%s:low\t%s:high\t%s:rounds\t%s:unsupported", name, name,
                        name, name) < 0)
            return -1;
    }
    for (size_t i = 0; i < tallies && !raw; i++)
        if (print_late_names(&tally[i], table, fault) < 0) return -1;
    return writer_text(table, fault, "\n");
}

int tally_print_row(const struct tally *tally, size_t tallies, uint64_t t, bool raw,
                    struct writer *table, struct fault *fault)
{
    if (writer_text(table, fault, "%" PRIu64, t) < 0) return -1;
    for (size_t i = 0; i < tallies; i++)
        if (print_values(&tally[i], raw, table, fault) < 0) return -1;
    for (size_t i = 0; i < tallies && !raw; i++)
        if (tally[i].kind == TALLY_OFFLINE && !tally[i].offline.clicks &&
            print_interval(&tally[i].offline, table, fault) < 0)
            return -1;
    return writer_text(table, fault, "\n");
}

bool tally_doubt(const struct tally *tally, size_t i, unsigned said, struct fault *line)
{
    if (tally[i].kind != TALLY_OFFLINE)
        return false;
    const char *name = tally[i].offline.measure.name;
    for (size_t j = 0; j < i; j++)
        if (tally[j].kind == TALLY_OFFLINE && strcmp(tally[j].offline.measure.name, name) == 0)
            return false;
    return offline_doubt(&tally[i].offline, said, line);
}

double tally_value(const struct tally *tally)
{
    if (!tally->included)
        return NAN;
    return tally->kind == TALLY_OFFLINE ? tally->offline.round[OFFLINE_A] : tally->value;
}

static int print_value(const struct tally *tally, struct writer *table, struct fault *fault)
{
    if (print_number(tally_value(tally), 15, table, fault) < 0) return -1;
    for (size_t i = OFFLINE_B; i <= OFFLINE_C && is_ratio(tally); i++)
        if (print_number(tally->offline.round[i], 15, table, fault) < 0) return -1;
    return 0;
}

int tally_print_round_head(const struct tally *tally, size_t tallies, struct writer *table,
                           struct fault *fault)
{
    int result = writer_text(table, fault, "t\tqid");
    for (size_t i = 0; i < tallies && result == 0; i++) {
        const char *name = tally[i].name;
        result = is_ratio(&tally[i])
                     ? writer_text(table, fault, "\t%s:a\t%s:b\t%s:c", name, name, name)
                     : writer_text(table, fault, "\t%s", name);
    }
    return result == 0 ? writer_text(table, fault, "\tclient\n") : -1;
}

int tally_print_round(const struct tally *tally, size_t tallies, const struct round *round,
                      struct writer *table, struct fault *fault)
{
    int result = writer_text(table, fault, "%" PRIu64 "\t%s", round->t,
                             round->qid ? round->qid : "-");
    for (size_t i = 0; i < tallies && result == 0; i++)
        result = print_value(&tally[i], table, fault);
    return result == 0 ? writer_text(table, fault, "\t%s\n", round->client ? round->client : "-")
                       : -1;
}

int tally_print_ir_measures(const struct tally *tally, size_t tallies, const struct round *round,
                            struct writer *table, struct fault *fault)
{
    const char *qid = round->qid ? round->qid : "-";
    for (size_t i = 0; i < tallies; i++)
        if (writer_text(table, fault, "%s\t%s", qid, tally[i].name) < 0 ||
            print_value(&tally[i], table, fault) < 0 || writer_text(table, fault, "\n") < 0)
            return -1;
    return 0;
}
