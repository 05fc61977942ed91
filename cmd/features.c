/* features: other features in the place of a round's: scaled, ranks, logarithms, or several of
 * these one after the other. */
#include <stdio.h>
#include <string.h>

#include "feature/steps.h"
#include "run/filter.h"
#include "stream/round.h"

struct features {
    struct host *host;
    struct steps steps;
    struct buffer scratch;
    char made[ROUND_MADE + 1]; /* what the features of the round at hand are made by */
};

static const struct option options_known[] = { { 0 } };

static int parse(void *self, struct options *options, struct host *host)
{
    struct features *my = self;
    int letter = options_next(options);
    my->host = host;
    if (letter < 0)
        return letter;
    char *const *operands = options_operands(options);
    if (!operands[0])
        return options_missing(options, "step", steps_name);
    if (operands[1])
        return fault_usage(options->fault, "'%.40s' follows '%.40s': join steps by commas",
                           operands[1], operands[0]);
    return steps_parse(&my->steps, operands[0], options->fault);
}

static int open_steps(void *self)
{
    struct features *my = self;
    return steps_open(&my->steps, my->host->watch, my->host->fault);
}

static enum outcome each(void *self, struct round *round)
{
    struct features *my = self;
    struct fault *fault = my->host->fault;
    struct matrix x, y;
    if (round_matrix(round, &x, fault) < 0) return FAIL;
    if (x.kind == MATRIX_UNIT)
        return fault_data(fault, "the round has no features (dim=0)");
    if (steps_follow(&my->steps, round->made, fault) < 0) return FAIL;
    if (steps_see_list(&my->steps) && round_fingerprint(round, &x, &my->scratch, fault) < 0)
        return FAIL;
    if (steps_apply(&my->steps, &x, round->base, &y, fault) < 0 ||
        round_new_features(round, &y, fault) < 0)
        return FAIL;

    int n = snprintf(my->made, sizeof my->made, "%s%s%s", round->made ? round->made : "",
                     round->made ? STEPS_SEPARATOR : "", my->steps.words);
    if (n > ROUND_MADE)
        return fault_data(fault, "made= would have %d bytes: at most %d are allowed", n,
                          ROUND_MADE);
    return round_set_text(round, KEY_MADE, my->made, fault) < 0 ? FAIL : PASS;
}

static int close_features(void *self, enum ended ended)
{
    struct features *my = self;
    (void)ended;
    steps_close(&my->steps);
    buffer_free(&my->scratch);
    return 0;
}

const struct filter features = {
    .name = "features",
    .usage = "step",
    .line = "changes features: scale, rank, standard, range, log, base",
    .options = options_known,
    .operand = { .value = "step", .words = steps_name,
                 .text = "how to change the features; several steps are joined by commas" },
    .size = sizeof(struct features),
    .kind = FILTER,
    .parse = parse,
    .open = open_steps,
    .each = each,
    .close = close_features,
};
