/* explore: the order to show: mostly by score, sometimes at random. */
#include <math.h>
#include <string.h>

#include "blocks.h"
#include "filter.h"
#include "order.h"
#include "real.h"
#include "rng.h"

enum policy { UNIFORM, BLOCKS, LEADER };
enum { TOP_GRADE = 100 };

struct explore {
    struct host *host;
    enum policy policy;
    bool given[128]; /* options, by their letters */
    double gamma, epsilon;
    uint64_t horizon, count, places, grade, seed;
    size_t docs; /* of a fixed list; 0: no round yet */
    struct blocks blocks;
    struct space scratch, perturbed;
};

static const char *const policies[] = { "uniform", "blocks", "leader", NULL };

static int parse_option(struct explore *my, const struct options *options)
{
    int word;
    switch (options->letter) {
    case 'E':
        return options_positive(options, &my->epsilon);
    case 'K':
        return options_whole(options, 1, RECORD_MOST, &my->count);
    case 'L':
        return options_whole(options, 1, TOP_GRADE, &my->grade);
    case 'T':
        return options_whole(options, 1, RECORD_MOST, &my->horizon);
    case 'g':
        return options_fraction(options, &my->gamma);
    case 'k':
        return options_whole(options, 1, ROUND_DOCS, &my->places);
    case 's':
        return options_whole(options, 0, RECORD_MOST, &my->seed);
    default:
        word = options_word(options, policies);
        my->policy = word < 0 ? UNIFORM : (enum policy)word;
        return word;
    }
}

/* Do the options go with the policy, and with each other? */
static int check_options(struct explore *my, struct fault *fault)
{
    static const char *const takes[] = { "Tgps", "EKLTkps", "ELTps" };
    const char *policy = policies[my->policy];
    for (const char *letter = "EKLTgk"; *letter; letter++)
        if (my->given[(unsigned char)*letter] && !strchr(takes[my->policy], *letter))
            return fault_usage(fault, "-p %s takes no -%c", policy, *letter);
    if (my->given['g'] && my->given['T'])
        return fault_usage(fault, "-g and -T both say gamma: give one of them");
    if (my->given['E'] && my->given['L'])
        return fault_usage(fault, "-E and -L both say epsilon: give one of them");
    if (my->given['E'] && isinf(1 / my->epsilon))
        return fault_usage(fault, "-E %g is too small: 1/epsilon overflows", my->epsilon);
    if (my->policy == BLOCKS && !my->given['T'])
        return fault_usage(fault, "-p blocks needs -T, the number of rounds that the blocks part");
    if (my->policy == LEADER && !my->given['T'] && !my->given['E'])
        return fault_usage(fault, "-p leader needs -T, the number of rounds, or -E, epsilon");
    return 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct explore *my = self;
    int letter;
    my->host = host;
    my->places = my->grade = my->seed = 1;
    while ((letter = options_next(options, "E:K:L:T:g:k:p:s:")) > 0) {
        if (parse_option(my, options) < 0)
            return -1;
        my->given[letter] = true;
    }
    if (letter < 0)
        return letter;
    if (check_options(my, options->fault) < 0)
        return -1;
    if (my->policy == UNIFORM && my->given['T'])
        my->gamma = 1 / real_cbrt((double)my->horizon);
    return options_no_operands(options);
}

static enum kind kind(const void *self)
{
    (void)self;
    return FILTER;
}

/* The order by score, into `order`. */
static int rank(struct explore *my, size_t m, const double *score, uint32_t *order)
{
    struct fault *fault = my->host->fault;
    uint32_t *scratch = space_for(&my->scratch, m, sizeof *scratch, fault);
    if (!order || !scratch)
        return -1;
    order_by_score(m, score, order, scratch);
    return 0;
}

static int show_uniform(struct explore *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    bool explored = rng_unit(&rng) < my->gamma;
    if (my->gamma > 0 && round_set_gamma(round, my->gamma, fault) < 0)
        return -1;
    uint32_t *order = round_new_order(round, fault);
    if (!order || (!explored && rank(my, round->docs, round->score, order) < 0))
        return -1;
    if (explored && round->score &&
        rank(my, round->docs, round->score, round_new_greedy(round, fault)) < 0)
        return -1;
    if (explored)
        rng_permutation(&rng, order, round->docs);
    return 0;
}

/* The list must be the same in each round; the first one tells how long it is, and all that hangs
 * on that. */
static int fix_list(struct explore *my, const struct round *round)
{
    struct fault *fault = my->host->fault;
    const char *policy = policies[my->policy];
    if (round->dim > 0)
        return fault_data(fault, "dim=%zu: -p %s is for a fixed list of items, in rounds without "
                          "features (dim=0)", round->dim, policy);
    if (my->docs && my->docs != round->docs)
        return fault_data(fault, "docs=%zu, and %zu in the rounds before: -p %s is for the same "
                          "list of items in each round", round->docs, my->docs, policy);
    if (my->docs)
        return 0;
    my->docs = round->docs;
    if (my->policy == BLOCKS && blocks_plan(&my->blocks, my->horizon, my->count, my->docs,
                                            my->places, my->seed, fault) < 0)
        return -1;
    if (!my->given['E'])
        my->epsilon = blocks_epsilon(my->docs, my->policy == BLOCKS ? my->blocks.K : my->horizon,
                                     (unsigned)my->grade);
    return 0;
}

/* A round's part in its block: what there is to tell, and in `turn` whether it explores. */
static int take_turn(struct explore *my, struct round *round, struct turn *turn)
{
    struct fault *fault = my->host->fault;
    if (blocks_turn(&my->blocks, round->t, turn, fault) < 0 ||
        round_set_block(round, turn->block, fault) < 0)
        return -1;
    return turn->explores ? round_set_group(round, turn->group, fault) : 0;
}

static int show_fixed_list(struct explore *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    struct turn turn = { .explores = false };
    if (fix_list(my, round) < 0 || (my->policy == BLOCKS && take_turn(my, round, &turn) < 0))
        return -1;
    uint32_t *order = round_new_order(round, fault);
    if (!order)
        return -1;
    if (turn.explores) {
        blocks_order(my->docs, my->places, turn.group, &rng, order);
        return 0;
    }
    double *perturbed = space_for(&my->perturbed, my->docs, sizeof *perturbed, fault);
    if (!perturbed)
        return -1;
    blocks_perturb(my->docs, round->score, my->epsilon, &rng, perturbed);
    return rank(my, my->docs, perturbed, order);
}

static enum step step(void *self, struct round *round)
{
    struct explore *my = self;
    struct fault *fault = my->host->fault;
    if (round->seen) {
        (void)fault_data(fault, "it has been shown and answered (seen): a new order would not be "
                         "the one the answer is about");
        return FAIL;
    }
    if (!round->score && my->gamma < 1) {
        (void)fault_data(fault, "needs score: put score before explore%s",
                         my->policy == UNIFORM ? " (only -g 1 does without)" : "");
        return FAIL;
    }
    round_forget_choice(round);
    int shown = my->policy == UNIFORM ? show_uniform(my, round) : show_fixed_list(my, round);
    return shown < 0 ? FAIL : PASS;
}

static int close_explore(void *self, enum ended ended)
{
    struct explore *my = self;
    (void)ended;
    blocks_close(&my->blocks);
    space_free(&my->scratch);
    space_free(&my->perturbed);
    return 0;
}

const struct filter explore = {
    .name = "explore",
    .usage = "[-E epsilon | -L grade] [-K blocks] [-T horizon | -g gamma] [-k places] "
             "[-p policy] [-s seed]",
    .line = "adds the order to show: by score, at random now and then",
    .size = sizeof(struct explore),
    .blind = true,
    .parse = parse,
    .kind = kind,
    .step = step,
    .close = close_explore,
};
