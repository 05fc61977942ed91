/* metric: how good the rankings shown have been so far. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/scoring.h"
#include "learners/learners.h"
#include "measure/tally.h"
#include "run/filter.h"
#include "say.h"

struct metric {
    struct host *host;
    const char *file; /* the table's; NULL: standard output */
    const char *theta; /* the table of examination; NULL: feedback is labels */
    struct examination examination;
    const char *weights;     /* -W: a model, against which losses are regretted; NULL: none */
    struct scoring scoring;  /* by it */
    struct buffer against;   /* its scores */
    uint64_t every;   /* rounds between rows; 0: 1, 2, 5, 10, 20, 50 ... */
    bool raw;         /* sums and counts */
    bool by_round, ir_measures; /* -q and -i: a line for each round */
    size_t discount, gain, nothing; /* words of -D, -G and -z */
    uint64_t grade;
    struct evidence evidence;
    struct long_work work; /* of one measure of a long list */
    struct tally *tally;
    size_t measures;
    bool estimates; /* is one of them an estimate? */
    bool regrets;   /* of losses, against the weights of -W? */
    int fd;
    struct writer writer, *table;
    uint64_t rounds, due, printed, t;
};

static const char *discount_word(size_t i)
{
    static const char *const words[] = { "log", "letor", NULL };
    return words[i];
}

static const char *gain_word(size_t i)
{
    static const char *const words[] = { "exp", "lin", NULL };
    return words[i];
}

static const char *nothing_word(size_t i)
{
    static const char *const words[] = { "0", "1", "skip", NULL };
    return words[i];
}

static const struct option options_known[] = {
    { 'D', "discount", discount_word, "ndcg, dcg: discount of position 1, 2, ... (default log)",
      OPTION_WORD(metric, discount) },
    { 'E', "epsilon", NULL, "loss:smoothdcg: smoothing, a number above 0 (default 0.01)",
      OPTION_POSITIVE(metric, evidence.measured.conventions.epsilon) },
    { 'G', "gain", gain_word, "ndcg, dcg: gain of a label r, 2^r - 1 or r (default exp)",
      OPTION_WORD(metric, gain) },
    { 'L', "grade", NULL, "err: top grade of the labels, 1 to 1000 (default 4)",
      OPTION_WHOLE(metric, grade, 1, 1000) },
    { 'W', "model", NULL, "regret:loss:S, regret:drawn:loss:S: file of the weights that they are "
                          "against", OPTION_TEXT(metric, weights) },
    { 'e', "rounds", NULL, "rounds from one row to the next, 1 or more (default: rows after 1, 2, "
                           "5, 10, 20, 50, ... rounds)",
      OPTION_WHOLE(metric, every, 1, RECORD_MOST) },
    { 'i', NULL, NULL, "print each round as ir_measures does: qid, measure and value (default: "
                       "means)", OPTION_FLAG(metric, ir_measures) },
    { 'o', NULL, NULL, "ips, snips, dr: equal scores rank in line order (default: in random order)",
      OPTION_FLAG(metric, evidence.ties.in_line_order) },
    { 'p', "file", NULL, "file with the table of examination: ips, snips and dr are of clicks "
                         "(default: of labels)", OPTION_TEXT(metric, theta) },
    { 'q', NULL, NULL, "print each round: t, qid, values and client, for compare (default: means)",
      OPTION_FLAG(metric, by_round) },
    { 'r', NULL, NULL, "print sums and counts (default: means)", OPTION_FLAG(metric, raw) },
    { 't', "file", NULL, "file for the table; rounds go on to standard output (default: none)",
      OPTION_TEXT(metric, file) },
    { 'x', "policy", target_name, "ips, snips, dr: policy to be judged, with what it takes, as in "
                                  "top,gamma=0.1,places=3 (default greedy)", OPTION_OWN },
    { 'z', "value", nothing_word, "value of a measure where it is undefined (default 0)",
      OPTION_WORD(metric, nothing) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct metric *my = self;
    struct conventions *conventions = &my->evidence.measured.conventions;
    my->host = host;
    my->fd = -1;
    my->grade = 4;
    conventions->epsilon = 0.01;
    my->evidence.ties.seed = 1;
    int letter;
    while ((letter = options_next(options)) > 0)
        if (letter == 'x' && target_parse(&my->evidence.logged.target, options->value,
                                          options->fault) < 0)
            return -1;
    if (letter < 0)
        return letter;
    conventions->letor_discount = my->discount == 1;
    conventions->linear_gain = my->gain == 1;
    conventions->top_grade = (unsigned)my->grade;
    my->evidence.nothing = my->nothing == 1;
    my->evidence.skip = my->nothing == 2;
    if (my->by_round + my->ir_measures + (my->raw || my->every) > 1)
        return fault_usage(options->fault, "-q and -i print every round: they go with none of -e "
                           "and -r, nor with each other");
    if (my->file)
        host->kind = FILTER;
    if (!*options_operands(options))
        return fault_usage(options->fault, "no measure named: give one, such as ndcg@10");

    char *const *names = options_operands(options);
    struct fault *fault = options->fault;
    size_t n = 0;
    while (names[n])
        n++;
    my->tally = calloc(n, sizeof *my->tally);
    if (!my->tally)
        return fault_no_room(fault, n * sizeof *my->tally);
    for (; my->measures < n; my->measures++) {
        struct tally *tally = &my->tally[my->measures];
        if (tally_parse(tally, names[my->measures], my->theta, fault) < 0 ||
            (my->raw && tally_check_raw(tally, fault) < 0) ||
            ((my->by_round || my->ir_measures) &&
             tally_check_rounds(tally, my->ir_measures, fault) < 0))
            return -1;
        my->estimates = my->estimates || tally->kind == TALLY_OFFLINE;
        my->regrets = my->regrets || tally->against;
        my->host->features = my->host->features || tally_needs_features(tally);
        size_t top = tally_top(tally);
        if (top > my->evidence.measured.top)
            my->evidence.measured.top = top;
    }

    if (my->regrets != (my->weights != NULL))
        return fault_usage(options->fault, my->weights ? "-W needs a regret of a loss, such as "
                                                         "regret:loss:kl"
                                                       : "a regret of a loss needs -W model, the "
                                                         "weights that it is against");
    host->features = host->features || my->weights;

    for (const char *of = "px"; *of; of++)
        if (options->given[(unsigned char)*of] && !my->estimates)
            return fault_usage(options->fault, "-%c needs an estimate, such as snips:dcg@10", *of);
    return target_check(&my->evidence.logged.target, options->fault);
}

/* Says what changed of what the losses of perceptrons are, once. */
static void report_phi(const struct metric *my)
{
    for (size_t i = 0; i < my->measures; i++) {
        const struct measure *measure = &my->tally[i].measure;
        if (!measure->surrogate || measure->step || measure->surrogate->gradient)
            continue;
        warn(my->host, "metric", "%s is the surrogate phi; the loss that update steps along, which "
             "it was up to 0.4.0, is step:%s", my->tally[i].name, strstr(measure->name, ":") + 1);
        return;
    }
}

static int open_metric(void *self)
{
    struct metric *my = self;
    struct fault *fault = my->host->fault;
    my->due = my->every ? my->every : 1;
    my->table = my->host->out;
    my->work.watch = my->host->watch;
    my->evidence.measured.work = &my->work;
    if (my->theta && examination_read(&my->examination, my->theta, my->host->watch, fault) < 0)
        return -1;
    my->evidence.logged.examination = my->theta ? &my->examination : NULL;
    my->scoring.learners = learners;
    if (my->weights && scoring_open(&my->scoring, my->weights, my->host->watch, fault) < 0)
        return -1;
    report_phi(my);
    if (!my->file)
        return 0;
    my->fd = watch_open(my->host->watch, my->file, O_WRONLY | O_CREAT | O_TRUNC, 0666, fault);
    if (my->fd < 0)
        return fault_system(fault, "cannot write %s", my->file);
    my->table = &my->writer;
    return writer_open(&my->writer, my->fd, my->file, NULL, fault);
}

/* The round at hand, and before the first one the names of columns. */
static int print_round(struct metric *my, const struct round *round)
{
    struct fault *fault = my->host->fault;
    if (my->ir_measures)
        return tally_print_ir_measures(my->tally, my->measures, round, my->table, fault);
    if (my->rounds == 1 &&
        tally_print_round_head(my->tally, my->measures, my->table, fault) < 0)
        return -1;
    return tally_print_round(my->tally, my->measures, round, my->table, fault);
}

static int print_row(struct metric *my)
{
    struct fault *fault = my->host->fault;
    if (my->printed == 0 &&
        tally_print_head(my->tally, my->measures, my->raw, my->table, fault) < 0)
        return -1;
    my->printed = my->rounds;
    if (tally_print_row(my->tally, my->measures, my->t, my->raw, my->table, fault) < 0) return -1;
    return my->file ? writer_flush(my->table, fault) : 0;
}

/* Rows at 1, 2, 5, 10, 20, 50 ... rounds, or at every so many. */
static uint64_t next_due(const struct metric *my)
{
    uint64_t ten = 1;
    if (my->every)
        return my->due + my->every;
    while (my->due / ten >= 10)
        ten *= 10;
    return my->due / ten == 2 ? 5 * ten : 2 * my->due;
}

/* A round that one measure cannot take counts for none: the last row covers those before. */
static enum outcome each(void *self, struct round *round)
{
    struct metric *my = self;
    struct fault *fault = my->host->fault;
    if (my->weights) {
        double *to = buffer_for(&my->against, round->docs, sizeof *to, fault);
        if (!to) return FAIL;
        if (round->rival)
            return fault_data(fault, "-W wants rounds without the column rival");
        if (scoring_round(&my->scoring, round, ROUND_RIVAL, NULL, fault) < 0) return FAIL;
        memcpy(to, round->rival, round->docs * sizeof *to);
        round_drop(round, ROUND_RIVAL);
        my->evidence.against = to;
    }
    if (tally_evidence(&my->evidence, round, my->tally, my->measures, fault) < 0) return FAIL;
    for (size_t i = 0; i < my->measures; i++)
        if (tally_look(&my->tally[i], &my->evidence, fault) < 0) return FAIL;
    for (size_t i = 0; i < my->measures; i++)
        tally_add(&my->tally[i]);
    my->t = round->t;
    my->rounds++;
    if (my->by_round || my->ir_measures)
        return print_round(my, round) < 0 ? FAIL : PASS;
    if (my->rounds == my->due) {
        my->due = next_due(my);
        if (print_row(my) < 0) return FAIL;
    }
    return PASS;
}

/* The first one's, which is what one reads first in a row. */
static void tell_measure(const void *self, char *words, size_t room)
{
    const struct metric *my = self;
    const struct tally *tally = &my->tally[0];
    if (tally->count)
        snprintf(words, room, "%.30s %.4f", tally->name, tally_mean(tally));
}

static int close_metric(void *self, enum ended ended)
{
    struct metric *my = self;
    struct fault *fault = my->host->fault;
    int result = 0;
    if (ended == CLEAN && my->rounds == 0)
        result = fault_other(fault, "<stdin>: no rounds");
    else if (my->rounds > my->printed && !my->by_round && !my->ir_measures)
        result = print_row(my);
    if (my->fd >= 0 && writer_flush(&my->writer, fault) < 0)
        result = -1;
    if (my->fd >= 0 && watch_close(my->fd) < 0)
        result = fault_system(fault, "cannot write %s", my->file);
    writer_close(&my->writer);
    if (ended == CLEAN && my->estimates) {
        struct fault line = { FAULT_NONE, "" };
        for (unsigned said = 0; offline_notice(&my->evidence.logged, said, &line); said++) {
            warn(my->host, "metric", "%s", line.text);
            line = (struct fault){ FAULT_NONE, "" };
        }
        for (size_t i = 0; i < my->measures; i++)
            for (unsigned said = 0; tally_doubt(my->tally, i, said, &line); said++) {
                warn(my->host, "metric", "%s", line.text);
                line = (struct fault){ FAULT_NONE, "" };
            }
    }
    examination_close(&my->examination);
    scoring_close(&my->scoring);
    buffer_free(&my->against);
    tally_evidence_close(&my->evidence);
    for (size_t i = 0; my->tally && i < my->measures; i++)
        tally_close(&my->tally[i]);
    free(my->tally);
    return result;
}

const struct filter metric = {
    .name = "metric",
    .usage = "[-ioqr] [-D discount] [-E epsilon] [-G gain] [-L grade] [-W model] [-e rounds] "
             "[-p file] [-t file] [-x policy] [-z value] measure ...",
    .line = "measures the rankings shown so far",
    .options = options_known,
    .operand = { .value = "measure", .words = tally_word, .text = "what to print" },
    .size = sizeof(struct metric),
    .no_features = true,
    .kind = SINK,
    .parse = parse,
    .open = open_metric,
    .measure = tell_measure,
    .each = each,
    .close = close_metric,
};
