/* feedback-join: rounds that were shown earlier meet what people said of them since. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/filter.h"
#include "say.h"
#include "text/feedback_log.h"
#include "text/qids.h"

struct join {
    struct host *host;
    char *const *files;
    bool by_qid, warns;
    uint64_t places; /* that an answer is to have; 0: any number */
    struct feedback_log log;
    struct qids before; /* keys of the rounds so far */
    uint64_t rounds, never;
    char first[ROUND_NAME]; /* that was never answered */
};

static const struct option options_known[] = {
    { 'W', NULL, NULL, "warn about feedback that cannot be used, and skip it (default: an error)" },
    { 'k', "places", NULL, "positions in each line of feedback, 1 or more, or all (default: any "
                           "number)" },
    { 'q', NULL, NULL, "feedback names rounds by qid (default: by number, t)" },
    { 0 },
};

static const struct option operand_known = { 0, "file", NULL, "file of feedback as text" };

static int parse(void *self, struct options *options, struct host *host)
{
    struct join *my = self;
    int letter;
    my->host = host;
    while ((letter = options_next(options)) > 0) {
        if (letter == 'W')
            my->warns = true;
        else if (letter == 'q')
            my->by_qid = true;
        else if (strcmp(options->value, "all") == 0)
            my->places = UINT64_MAX;
        else if (options_whole(options, 1, ROUND_DOCS, &my->places) < 0)
            return -1;
    }
    my->files = options_operands(options);
    if (letter == 0 && !*my->files)
        return fault_usage(options->fault, "no file of answers named");
    for (char *const *file = my->files; letter == 0 && *file; file++)
        if (strcmp(*file, "-") == 0)
            return fault_usage(options->fault, "answers come from files: standard input has the "
                               "rounds");
    return letter;
}

static enum kind kind(const void *self)
{
    (void)self;
    return FILTER;
}

static int open_join(void *self)
{
    struct join *my = self;
    return feedback_log_open(&my->log, my->files, my->by_qid, my->host->watch, my->host->fault);
}

/* After a fault of an answer that cannot be used: 0 where it was a warning. Else -1: the stream
 * ends here, and the rounds before it are valid. */
static int forgive(struct join *my)
{
    struct fault *fault = my->host->fault;
    if (fault->kind != FAULT_DATA)
        return -1;
    fault->kind = FAULT_CUT;
    if (!my->warns)
        return -1;
    warn(my->host, "feedback-join", fault->text);
    *fault = (struct fault){ FAULT_NONE, "" };
    return 0;
}

static int check_round(struct join *my, const struct round *round, const char *key)
{
    struct fault *fault = my->host->fault;
    if (!key)
        return fault_data(fault, "it has no qid, by which -q finds its answer");
    if (!round->order)
        return fault_data(fault, "needs order: it says what was shown");
    if (round->seen)
        return fault_data(fault, "it has an answer already (column seen)");
    int new = qids_enter(&my->before, key, fault);
    if (new == 0)
        return fault_data(fault, my->by_qid ? "an earlier round has its qid, so an answer could "
                                              "be for either: join by t, without -q"
                                            : "an earlier round has its number, so an answer could "
                                              "be for either: join one stream at a time");
    return new < 0 ? -1 : 0;
}

/* Has the answer as many relevances as it should? */
static int check_places(struct join *my, const struct answer *answer, const struct round *round)
{
    char name[ROUND_NAME];
    size_t n = answer->places, want = my->places < round->docs ? (size_t)my->places : round->docs;
    struct fault *fault = my->host->fault;
    if (my->places && n != want)
        return fault_data(fault, "%s: line %" PRIu64 ": %zu relevance%s, not %zu, for %s",
                          answer->file, answer->line, n, n == 1 ? "" : "s", want,
                          round_name(round, name));
    if (n > round->docs)
        return fault_data(fault, "%s: line %" PRIu64 ": %zu relevances for the %zu document%s of "
                          "%s", answer->file, answer->line, n, round->docs,
                          round->docs == 1 ? "" : "s", round_name(round, name));
    return 0;
}

/* Finds the answer of a round: 1, 0 where there is none that can be used, or a fault. */
static int find_answer(struct join *my, const struct round *round, const char *key,
                       struct answer **answer)
{
    int got;
    struct fault *fault = my->host->fault;
    *answer = NULL;
    while ((got = feedback_log_find(&my->log, key, answer, fault)) < 0)
        if (forgive(my) < 0)
            return -1;
    if (got == 0 || (*answer)->places == 0)
        return 0;
    return check_places(my, *answer, round) < 0 ? forgive(my) : 1;
}

static enum step drop(struct join *my, const struct round *round)
{
    if (my->never++ == 0)
        round_name(round, my->first);
    return DROP;
}

static enum step answer_round(struct join *my, struct round *round, const struct answer *answer)
{
    float *seen = round_new_seen(round, answer->places, my->host->fault);
    if (!seen)
        return FAIL;
    memcpy(seen, answer->seen, answer->places * sizeof *seen);
    round_drop_labels(round);
    return PASS;
}

static enum step step(void *self, struct round *round)
{
    struct join *my = self;
    struct answer *answer;
    char t[24];
    snprintf(t, sizeof t, "%" PRIu64, round->t);
    const char *key = my->by_qid ? round->qid : t;
    if (check_round(my, round, key) < 0)
        return FAIL;
    my->rounds++;
    int got = find_answer(my, round, key, &answer);
    enum step step = got > 0 ? answer_round(my, round, answer) : got < 0 ? FAIL : drop(my, round);
    free(answer);
    return step;
}

/* Reports answers without a round, and the number of rounds without an answer. */
static int end_join(void *self)
{
    struct join *my = self;
    struct fault *fault = my->host->fault;
    struct answer *answer;
    char text[400];
    int got;
    while ((got = feedback_log_rest(&my->log, &answer, fault)) != 0) {
        if (got > 0)
            (void)fault_data(fault, "%s: line %" PRIu64 ": an answer without a round: no round "
                             "has %s=%.40s", answer->file, answer->line, my->by_qid ? "qid" : "t",
                             answer->key);
        if (got > 0)
            free(answer);
        if (forgive(my) < 0)
            return -1;
    }
    if (my->never == 0)
        return 0;
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " round%s without an answer; the first "
             "is %s", my->never, my->rounds, my->rounds == 1 ? "" : "s", my->first);
    warn(my->host, "feedback-join", text);
    return 0;
}

static int close_join(void *self, enum ended ended)
{
    struct join *my = self;
    (void)ended;
    if (my->log.lines.watch)
        feedback_log_close(&my->log);
    qids_close(&my->before);
    return 0;
}

const struct filter feedback_join = {
    .name = "feedback-join",
    .usage = "[-Wq] [-k places] file ...",
    .line = "joins users' feedback with the rounds that were shown",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct join),
    .no_features = true,
    .parse = parse,
    .kind = kind,
    .open = open_join,
    .step = step,
    .end = end_join,
    .close = close_join,
};
