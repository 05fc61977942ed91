/* feedback-join: rounds that were shown earlier meet what people said of them since. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/filter.h"
#include "say.h"
#include "log/client_cap.h"
#include "log/joiner.h"
#include "stream/fresh_file.h"

struct join {
    struct host *host;
    char *const *files;
    bool warns;
    const char *late_path;
    double seconds, grade;
    struct joiner joiner;
    struct client_cap cap;
    struct fresh_file late;
    uint64_t rounds, unusable; /* so far; answers */
    struct dropped {
        uint64_t n;
        char first[ROUND_NAME];
    } never, left, beyond; /* rounds without an answer; left to a later run: from the first that may
                            * still be answered on; answered by a client that had its share */
};

static const struct option options_known[] = {
    { 'W', NULL, NULL, "warn about feedback that cannot be used, and skip it (default: an error)",
      OPTION_FLAG(join, warns) },
    { 'g', "grade", NULL, "largest relevance of an answer (default: any)",
      OPTION_POSITIVE(join, grade) },
    { 'k', "places", NULL,
      "positions in each line of feedback, 1 or more, or all (default: any "
      "number)",
      OPTION_PLACES(join, joiner.places, ROUND_DOCS) },
    { 'l', "late", NULL,
      "file to write with the answers that found no round (default: they are "
      "errors)",
      OPTION_TEXT(join, late_path) },
    { 'q', NULL, NULL, "feedback names rounds by qid (default: by number, t)", OPTION_OWN },
    { 'r', NULL, NULL, "feedback names rounds by request (default: by number, t)", OPTION_OWN },
    { 't', "seconds", NULL, "with -l: give a round up this long after its time (default: wait)",
      OPTION_REAL(join, seconds, 1000000000) },
    { 'u', "answers", NULL,
      "answers of a client for a query that count in a day, 1 or more; may be followed by :ALL, "
      "those for all queries (default: any number; ALL 10, or a hundredth of the day's)",
      OPTION_OWN },
    { 0 },
};

/* -u N[:ALL] */
static int parse_cap(struct client_cap *cap, const struct options *options)
{
    char number[24] = "", quoted[FAULT_QUOTE];
    const char *value = options->value, *colon = strchr(value, ':');
    size_t n = colon ? (size_t)(colon - value) : strlen(value);
    if (n < sizeof number) memcpy(number, value, n);
    if (record_number(number, RECORD_MOST, &cap->each) && cap->each > 0 &&
        (!colon || (record_number(colon + 1, RECORD_MOST, &cap->all) && cap->all > 0)))
        return 0;
    return fault_usage(options->fault,
                       "-u wants a whole number from 1, or two with a colon between, not %s",
                       fault_quote(quoted, value, strlen(value)));
}

/* Do the options go together, and with the operands? */
static int check(const struct join *my, const struct options *options)
{
    struct fault *fault = options->fault;
    if (!*my->files) return fault_usage(fault, "no file of answers named");
    for (char *const *file = my->files; *file; file++)
        if (strcmp(*file, "-") == 0)
            return fault_usage(fault, "answers come from files: standard input has the rounds");
    if (my->joiner.timed && !my->late_path)
        return fault_usage(fault, "-t needs -l, a file for answers that come too late");
    return 0;
}

static uint64_t milliseconds(double seconds)
{
    return (uint64_t)(seconds * 1000 + 0.5);
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct join *my = self;
    int letter;
    my->host = host;
    my->joiner.key = "t";
    while ((letter = options_next(options)) > 0) {
        if (letter == 'q' || letter == 'r') my->joiner.key = letter == 'q' ? "qid" : "request";
        if (letter == 'u' && parse_cap(&my->cap, options) < 0) return -1;
    }
    if (letter < 0) return letter;
    my->joiner.timed = options->given['t'];
    my->joiner.limit = milliseconds(my->seconds);
    my->joiner.grade = options->given['g'] ? (float)my->grade : INFINITY;
    my->files = options_operands(options);
    return check(my, options);
}

static int open_join(void *self)
{
    struct join *my = self;
    struct fault *fault = my->host->fault;
    if (joiner_open(&my->joiner, my->files, my->host->watch, fault) < 0) return -1;
    return my->late_path ? fresh_file_open(&my->late, my->late_path, fault) : 0;
}

/* After a fault of an answer that cannot be used: 0 where it was a warning. Else -1: the stream
 * ends here, and the rounds before it are valid. */
static int forgive(struct join *my)
{
    struct fault *fault = my->host->fault;
    if (fault->kind != FAULT_DATA) return -1;
    fault->kind = FAULT_CUT;
    if (!my->warns) return -1;
    if (my->unusable++ < WARNINGS) warn(my->host, "feedback-join", "%s", fault->text);
    *fault = (struct fault){ FAULT_NONE, "" };
    return 0;
}

static enum outcome drop(struct dropped *dropped, const struct round *round)
{
    if (dropped->n++ == 0) round_name(round, dropped->first);
    return DROP;
}

static enum outcome answer_round(struct join *my, struct round *round, const struct answer *answer)
{
    uint64_t time = round->timed ? round->time : answer->time;
    int counts = client_cap_admit(&my->cap, answer->client, round->qid, time, my->host->fault);
    if (counts < 0) return FAIL;
    if (counts == 0) return drop(&my->beyond, round);
    float *seen = round_new_seen(round, answer->places, my->host->fault);
    if (!seen) return FAIL;
    memcpy(seen, answer->seen, answer->places * sizeof *seen);
    round_drop_labels(round);
    if (answer->clicks && round_set(round, KEY_CLICKS, 1, my->host->fault) < 0) return FAIL;
    if (answer->client && round_set_text(round, KEY_CLIENT, answer->client, my->host->fault) < 0)
        return FAIL;
    return PASS;
}

/* Finds the answer of a round, except one that cannot be used. */
static enum answered find_answer(struct join *my, const struct round *round, const char *key,
                                 struct answer **answer)
{
    enum answered answered;
    while ((answered = joiner_find(&my->joiner, round, key, answer, my->host->fault)) ==
           ANSWERED_FAULT) {
        if (forgive(my) < 0) return ANSWERED_FAULT;
        if (*answer) return ANSWERED_NOT;
    }
    return answered;
}

static enum outcome each(void *self, struct round *round)
{
    struct join *my = self;
    struct answer *answer = NULL;
    const char *key;
    if (joiner_key(&my->joiner, round, &key, my->host->fault) < 0) return FAIL;
    my->rounds++;
    if (my->left.n > 0) return drop(&my->left, round);
    enum answered answered = find_answer(my, round, key, &answer);
    if (answered == ANSWERED_NOT && !answer && joiner_open_round(&my->joiner, round))
        return drop(&my->left, round);
    enum outcome outcome = answered == ANSWERED       ? answer_round(my, round, answer)
                           : answered == ANSWERED_NOT ? drop(&my->never, round)
                                                      : FAIL;
    free(answer);
    return outcome;
}

/* An answer whose round did not come: kept in the file of late answers, or a fault. */
static int keep_answer(struct join *my, const struct answer *answer)
{
    struct fault *fault = my->host->fault;
    if (my->late_path) return answer_write(&my->late.writer, answer, fault);
    return fault_data(fault,
                      "%s: line %" PRIu64 ": an answer without a round: no round has "
                      "%s=%.40s",
                      answer->file, answer->line, my->joiner.key, answer->key);
}

static int keep_rest(struct join *my)
{
    struct answer *answer;
    enum answered got;
    while ((got = feedback_log_rest(&my->joiner.log, &answer, my->host->fault)) != ANSWERED_NOT) {
        int kept = got == ANSWERED ? keep_answer(my, answer) : -1;
        if (got == ANSWERED) free(answer);
        if (kept < 0 && forgive(my) < 0) return -1;
    }
    return my->late_path ? fresh_file_finish(&my->late, my->host->fault) : 0;
}

static void report(struct join *my, const struct dropped *dropped, const char *what)
{
    if (dropped->n > 0)
        warn(my->host, "feedback-join", "%" PRIu64 " of %" PRIu64 " round%s %s; the first is %s",
             dropped->n, my->rounds, my->rounds == 1 ? "" : "s", what, dropped->first);
}

/* Handles answers without a round, and reports the numbers of answers that could not be used and of
 * rounds without an answer. */
static int end_join(void *self)
{
    struct join *my = self;
    if (keep_rest(my) < 0) return -1;
    if (my->unusable > WARNINGS)
        warn(my->host, "feedback-join",
             "%" PRIu64 " answers could not be used; the first %d are "
             "above",
             my->unusable, WARNINGS);
    report(my, &my->never, "without an answer");
    report(my, &my->beyond, "answered by a client that had its share of the day");
    report(my, &my->left, "left to a later run, because answers may still come");
    return 0;
}

static int close_join(void *self, enum ended ended)
{
    struct join *my = self;
    (void)ended;
    joiner_close(&my->joiner);
    client_cap_close(&my->cap);
    fresh_file_close(&my->late);
    return 0;
}

const struct filter feedback_join = {
    .name = "feedback-join",
    .usage = "[-W] [-q | -r] [-g grade] [-k places] [-l late] [-t seconds] "
             "[-u answers] file ...",
    .line = "joins users' feedback with the rounds that were shown",
    .options = options_known,
    .operand = { .value = "file", .text = "file of feedback as text" },
    .size = sizeof(struct join),
    .no_features = true,
    .kind = FILTER,
    .parse = parse,
    .open = open_join,
    .each = each,
    .end = end_join,
    .close = close_join,
};
