/* feedback-join: rounds that were shown earlier meet what people said of them since. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/filter.h"
#include "say.h"
#include "log/joiner.h"

struct join {
    struct host *host;
    char *const *files;
    double grade;
    struct joiner joiner;
    uint64_t rounds, never;   /* so far; those without an answer */
    char first[ROUND_NAME];   /* of these */
};

static const struct option options_known[] = {
    { 'g', "grade", NULL, "largest relevance of an answer (default: any)",
      OPTION_POSITIVE(join, grade) },
    { 'k', "places", NULL,
      "positions in each line of feedback, 1 or more, or all (default: any "
      "number)",
      OPTION_PLACES(join, joiner.places, ROUND_DOCS) },
    { 'q', NULL, NULL, "feedback names rounds by qid (default: by number, t)", OPTION_OWN },
    { 'r', NULL, NULL, "feedback names rounds by request (default: by number, t)", OPTION_OWN },
    { 0 },
};

/* Do the options go together, and with the operands? */
static int check(const struct join *my, const struct options *options)
{
    struct fault *fault = options->fault;
    if (!*my->files) return fault_usage(fault, "no file of answers named");
    for (char *const *file = my->files; *file; file++)
        if (strcmp(*file, "-") == 0)
            return fault_usage(fault, "answers come from files: standard input has the rounds");
    return 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct join *my = self;
    int letter;
    my->host = host;
    my->joiner.key = "t";
    while ((letter = options_next(options)) > 0)
        if (letter == 'q' || letter == 'r') my->joiner.key = letter == 'q' ? "qid" : "request";
    if (letter < 0) return letter;
    my->joiner.grade = options->given['g'] ? (float)my->grade : INFINITY;
    my->files = options_operands(options);
    return check(my, options);
}

static int open_join(void *self)
{
    struct join *my = self;
    return joiner_open(&my->joiner, my->files, my->host->watch, my->host->fault);
}

/* After a fault of an answer that cannot be used: the stream ends here, and the rounds before are
 * valid. */
static void cut(struct fault *fault)
{
    fault->kind = fault->kind == FAULT_DATA ? FAULT_CUT : fault->kind;
}

static enum outcome answer_round(struct join *my, struct round *round, const struct answer *answer)
{
    float *seen = round_new_seen(round, answer->places, my->host->fault);
    if (!seen) return FAIL;
    memcpy(seen, answer->seen, answer->places * sizeof *seen);
    round_drop_labels(round);
    if (answer->clicks && round_set(round, KEY_CLICKS, 1, my->host->fault) < 0) return FAIL;
    if (answer->client && round_set_text(round, KEY_CLIENT, answer->client, my->host->fault) < 0)
        return FAIL;
    return PASS;
}

static enum outcome each(void *self, struct round *round)
{
    struct join *my = self;
    struct answer *answer = NULL;
    const char *key;
    enum outcome outcome = DROP;
    if (joiner_key(&my->joiner, round, &key, my->host->fault) < 0) return FAIL;
    my->rounds++;
    enum answered answered = joiner_find(&my->joiner, round, key, &answer, my->host->fault);
    if (answered == ANSWERED) {
        outcome = answer_round(my, round, answer);
    } else if (answered == ANSWERED_FAULT) {
        cut(my->host->fault);
        outcome = FAIL;
    } else if (my->never++ == 0) {
        round_name(round, my->first);
    }
    free(answer);
    return outcome;
}

/* Reports the number of rounds without an answer; an answer without a round is a fault. */
static int end_join(void *self)
{
    struct join *my = self;
    struct answer *answer = NULL;
    struct fault *fault = my->host->fault;
    enum answered got = feedback_log_rest(&my->joiner.log, &answer, fault);
    if (got == ANSWERED)
        (void)fault_data(fault, "%s: line %" PRIu64 ": an answer without a round: no round has "
                         "%s=%.40s", answer->file, answer->line, my->joiner.key, answer->key);
    free(answer);
    cut(fault);
    if (got != ANSWERED_NOT) return -1;
    if (my->never > 0)
        warn(my->host, "feedback-join", "%" PRIu64 " of %" PRIu64 " round%s without an answer; the "
             "first is %s", my->never, my->rounds, my->rounds == 1 ? "" : "s", my->first);
    return 0;
}

static int close_join(void *self, enum ended ended)
{
    struct join *my = self;
    (void)ended;
    joiner_close(&my->joiner);
    return 0;
}

const struct filter feedback_join = {
    .name = "feedback-join",
    .usage = "[-q | -r] [-g grade] [-k places] file ...",
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
