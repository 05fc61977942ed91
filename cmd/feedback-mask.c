/* feedback-mask: labels become what a user says of the first k documents shown. */
#include <string.h>

#include "filter.h"

struct mask {
    struct host *host;
    uint64_t places;
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct mask *my = self;
    int letter;
    my->host = host;
    my->places = 1;
    while ((letter = options_next(options, "k:")) > 0) {
        if (strcmp(options->value, "all") == 0)
            my->places = UINT64_MAX;
        else if (options_whole(options, 1, ROUND_DOCS, &my->places) < 0)
            return -1;
    }
    return letter < 0 ? letter : options_no_operands(options);
}

static enum kind kind(const void *self)
{
    (void)self;
    return FILTER;
}

static enum step step(void *self, struct round *round)
{
    struct mask *my = self;
    struct fault *fault = my->host->fault;
    if (!round->label) {
        (void)fault_data(fault, "needs label: a round without labels, or masked before, has no "
                         "feedback to give");
        return FAIL;
    }
    if (!round->order) {
        (void)fault_data(fault, "needs order: put explore before feedback-mask");
        return FAIL;
    }
    size_t places = my->places < round->docs ? (size_t)my->places : round->docs;
    float *seen = round_new_seen(round, places, fault);
    if (!seen)
        return FAIL;
    for (size_t a = 0; a < places; a++)
        seen[a] = round->label[round->order[a]];
    round_drop_labels(round);
    return PASS;
}

const struct filter feedback_mask = {
    .name = "feedback-mask",
    .usage = "[-k places]",
    .line = "hides every label but those of the first k places shown",
    .size = sizeof(struct mask),
    .blind = true,
    .parse = parse,
    .kind = kind,
    .step = step,
};
