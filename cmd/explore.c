/* explore: the order to show: mostly by score, sometimes at random. */
#include "filter.h"
#include "order.h"
#include "real.h"
#include "rng.h"

struct explore {
    struct host *host;
    double gamma;
    uint64_t seed;
    struct space scratch;
};

static const char *const policies[] = { "uniform", NULL };

static int parse(void *self, struct options *options, struct host *host)
{
    struct explore *my = self;
    bool rate = false, horizon = false;
    uint64_t T;
    int letter, bad = 0;
    my->host = host;
    my->seed = 1;
    while (bad == 0 && (letter = options_next(options, "T:g:p:s:")) > 0) {
        if (letter == 'g') {
            bad = options_fraction(options, &my->gamma);
            rate = true;
        } else if (letter == 'T') {
            bad = options_whole(options, 1, RECORD_MOST, &T);
            horizon = true;
            if (bad == 0)
                my->gamma = 1 / real_cbrt((double)T);
        } else if (letter == 's') {
            bad = options_whole(options, 0, RECORD_MOST, &my->seed);
        } else {
            bad = options_word(options, policies) < 0 ? -1 : 0;
        }
    }
    if (bad < 0)
        return -1;
    if (letter < 0)
        return letter;
    if (rate && horizon)
        return fault_usage(options->fault, "-g and -T both say gamma: give one of them");
    return options_no_operands(options);
}

static enum kind kind(const void *self)
{
    (void)self;
    return FILTER;
}

/* The order by score, into `order`. */
static int rank(struct explore *my, const struct round *round, uint32_t *order)
{
    struct fault *fault = my->host->fault;
    uint32_t *scratch = space_for(&my->scratch, round->docs, sizeof *scratch, fault);
    if (!order || !scratch)
        return -1;
    order_by_score(round->docs, round->score, order, scratch);
    return 0;
}

static enum step step(void *self, struct round *round)
{
    struct explore *my = self;
    struct fault *fault = my->host->fault;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    bool explored = rng_unit(&rng) < my->gamma;
    if (round->seen) {
        (void)fault_data(fault, "it has been shown and answered (seen): a new order would not be "
                         "the one the answer is about");
        return FAIL;
    }
    if (!round->score && my->gamma < 1) {
        (void)fault_data(fault, "needs score: put score before explore (only -g 1 does without)");
        return FAIL;
    }
    round_forget_choice(round);
    if (my->gamma > 0 && round_set_gamma(round, my->gamma, fault) < 0)
        return FAIL;
    uint32_t *order = round_new_order(round, fault);
    if (!order || (!explored && rank(my, round, order) < 0))
        return FAIL;
    if (explored && round->score && rank(my, round, round_new_greedy(round, fault)) < 0)
        return FAIL;
    if (explored)
        rng_permutation(&rng, order, round->docs);
    return PASS;
}

static int close_explore(void *self, enum ended ended)
{
    (void)ended;
    space_free(&((struct explore *)self)->scratch);
    return 0;
}

const struct filter explore = {
    .name = "explore",
    .usage = "[-T horizon | -g gamma] [-p policy] [-s seed]",
    .line = "adds the order to show: by score, at random now and then",
    .size = sizeof(struct explore),
    .parse = parse,
    .kind = kind,
    .step = step,
    .close = close_explore,
};
