/* explore: the order to show: mostly by score, sometimes at random. */
#include <math.h>
#include <string.h>

#include "explore/blocks.h"
#include "explore/interleave.h"
#include "explore/policy.h"
#include "math/order.h"
#include "math/real.h"
#include "math/rng.h"
#include "run/filter.h"

enum policy { UNIFORM, TOP, SWAP, LUCE, DRAFT, BLOCKS, LEADER };
enum { TOP_GRADE = 100 };

struct explore {
    struct host *host;
    enum policy policy;
    bool given[128]; /* options, by their letters */
    double gamma, temperature, epsilon;
    double power; /* with which gamma or temperature falls; 0: they stay */
    uint64_t horizon, count, places, grade, seed;
    size_t docs; /* of a fixed list; 0: no round yet */
    struct blocks blocks;
    struct buffer scratch, by_score, numbers;
};

static const char *const policies[] = { "uniform", "top", "swap", "plackett-luce", "team-draft",
                                        "blocks", "leader", NULL };

static const char *policy_word(size_t i)
{
    return policies[i];
}

static const struct option options_known[] = {
    { 'E', "epsilon", NULL, "blocks, leader: the noise is below 1/epsilon, a number above 0 "
                            "(default: derived from -L, items and rounds or blocks)" },
    { 'F', "power", NULL, "gamma or temperature falls with round t as t^-power, above 0 (default: "
                          "constant)" },
    { 'H', "temperature", NULL, "plackett-luce: what scores are divided by, a number above 0 "
                                "(default 1)" },
    { 'K', "blocks", NULL, "blocks: number of blocks, 1 or more (default: "
                           "items^(-1/3) horizon^(2/3), rounded)" },
    { 'L', "grade", NULL, "blocks, leader: top grade of the labels, 1 to 100 (default 1)" },
    { 'T', "horizon", NULL, "number of rounds of the run, 1 or more; uniform, top, swap: gamma is "
                            "horizon^(-1/3)" },
    { 'g', "gamma", NULL, "uniform, top, swap: share of rounds that explore, 0 to 1 (default 0)" },
    { 'k', "places", NULL, "blocks: items that get feedback; top, swap: positions left to chance; "
                           "1 or more (default 1)" },
    { 'p', "policy", policy_word, "how to explore (default uniform)" },
    { 's', "seed", NULL, "seed of what is drawn, a whole number, 0 or more (default 1)" },
    { 0 },
};

static int parse_option(struct explore *my, const struct options *options)
{
    int word;
    switch (options->letter) {
    case 'E':
        return options_positive(options, &my->epsilon);
    case 'F':
        return options_positive(options, &my->power);
    case 'H':
        return options_positive(options, &my->temperature);
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
        word = options_word(options);
        my->policy = word < 0 ? UNIFORM : (enum policy)word;
        return word;
    }
}

/* Options that say the same or need each other, and what a policy cannot do without. */
static int check_needs(const struct explore *my, struct fault *fault)
{
    const char *policy = policies[my->policy];
    if (my->given['g'] && my->given['T'])
        return fault_usage(fault, "-g and -T both say gamma: give one of them");
    if (my->given['E'] && my->given['L'])
        return fault_usage(fault, "-E and -L both say epsilon: give one of them");
    if (my->given['F'] && my->policy != LUCE && !my->given['g'])
        return fault_usage(fault, "-F says how fast gamma falls: -g says from where");
    if (my->given['E'] && isinf(1 / my->epsilon))
        return fault_usage(fault, "-E %g is too small: 1/epsilon overflows", my->epsilon);
    if (my->policy == BLOCKS && !my->given['T'])
        return fault_usage(fault, "-p blocks needs -T, the number of rounds that the blocks part");
    if (my->policy == LEADER && !my->given['T'] && !my->given['E'])
        return fault_usage(fault, "-p leader needs -T, the number of rounds, or -E, epsilon");
    if ((my->policy == TOP || my->policy == SWAP) && !my->given['g'] && !my->given['T'])
        return fault_usage(fault, "-p %s needs -g, gamma, or -T, the number of rounds", policy);
    return 0;
}

/* Do the options go with the policy, and with each other? */
static int check_options(const struct explore *my, struct fault *fault)
{
    static const char *const takes[] = { "FTg", "FTgk", "FTgk", "FH", "", "EKLTk", "ELT" };
    const char *policy = policies[my->policy];
    for (const char *letter = "EFHKLTgk"; *letter; letter++)
        if (my->given[(unsigned char)*letter] && !strchr(takes[my->policy], *letter))
            return fault_usage(fault, my->given['p'] ? "-p %s takes no -%c"
                                                     : "the default, -p %s, takes no -%c",
                               policy, *letter);
    return check_needs(my, fault);
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct explore *my = self;
    int letter;
    my->host = host;
    my->places = my->grade = my->seed = 1;
    my->temperature = 1;
    while ((letter = options_next(options)) > 0) {
        if (parse_option(my, options) < 0)
            return -1;
        my->given[letter] = true;
    }
    if (letter < 0)
        return letter;
    if (check_options(my, options->fault) < 0)
        return -1;
    if (my->policy <= SWAP && my->given['T'])
        my->gamma = 1 / real_cbrt((double)my->horizon);
    if (my->policy == UNIFORM)
        my->places = ROUND_DOCS;
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
    uint32_t *scratch = buffer_for(&my->scratch, m, sizeof *scratch, fault);
    if (!order || !scratch)
        return -1;
    order_by_score(m, score, order, scratch);
    return 0;
}

/* A rate, as it is in round t. */
static double fallen(const struct explore *my, double rate, uint64_t t)
{
    return my->power > 0 ? rate * policy_fall(t, my->power) : rate;
}

static int tell_gamma(const struct explore *my, struct round *round, double gamma)
{
    struct fault *fault = my->host->fault;
    if (my->gamma > 0 && round_set_gamma(round, gamma, fault) < 0)
        return -1;
    if (my->gamma > 0 && my->policy == TOP)
        return round_set_top(round, my->places, fault);
    if (my->gamma > 0 && my->policy == SWAP)
        return round_set_swap(round, my->places, fault);
    return 0;
}

/* The order of a round that explores, with the greedy one beside it if there are scores. */
static int draw(struct explore *my, struct round *round, struct rng *rng)
{
    size_t m = round->docs;
    struct fault *fault = my->host->fault;
    unsigned char *mark = buffer_for(&my->by_score, m, 1, fault);
    if (!mark || (round->score && rank(my, m, round->score, round_new_greedy(round, fault)) < 0))
        return -1;
    if (my->policy == SWAP) {
        memcpy(round->order, round->greedy, m * sizeof *round->order);
        policy_draw_swap(m, (size_t)my->places, rng, round->order);
    } else {
        policy_draw_top(m, my->places, round->greedy, rng, round->order, mark);
    }
    return 0;
}

/* Mostly by score: uniform, top and swap. */
static int show_mostly(struct explore *my, struct round *round)
{
    struct fault *fault = my->host->fault;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    double gamma = fallen(my, my->gamma, round->t);
    bool explored = rng_unit(&rng) < gamma;
    if (my->policy == SWAP && my->places >= round->docs)
        explored = false; /* nobody stands below */
    if (tell_gamma(my, round, gamma) < 0)
        return -1;
    uint32_t *order = round_new_order(round, fault);
    if (!order)
        return -1;
    return explored ? draw(my, round, &rng) : rank(my, round->docs, round->score, order);
}

/* Scores that are 0 are so at any temperature, even one that has fallen to 0. */
static int find_logits(struct explore *my, const struct round *round, double *logit)
{
    double temperature = fallen(my, my->temperature, round->t);
    for (size_t i = 0; i < round->docs; i++) {
        logit[i] = round->score[i] == 0 ? 0 : round->score[i] / temperature;
        if (!isfinite(logit[i]))
            return fault_data(my->host->fault, "score %zu is %g, too large for a temperature of "
                              "%g: say a larger -H%s", i, round->score[i], temperature,
                              my->power > 0 ? ", or a smaller -F" : "");
    }
    return 0;
}

static int show_luce(struct explore *my, struct round *round)
{
    size_t m = round->docs;
    struct fault *fault = my->host->fault;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    uint32_t *order = round_new_order(round, fault);
    uint32_t *greedy = buffer_for(&my->by_score, m, 3 * sizeof *greedy, fault);
    double *keys = buffer_for(&my->numbers, m, 3 * sizeof *keys, fault);
    double *logit = round_new_logit(round, fault);
    if (!order || !greedy || !keys || !logit || find_logits(my, round, logit) < 0 ||
        rank(my, m, round->score, greedy) < 0)
        return -1;
    policy_draw_luce(m, logit, &rng, order, keys, greedy + m);
    if (memcmp(order, greedy, m * sizeof *order) == 0)
        return 0;
    return rank(my, m, round->score, round_new_greedy(round, fault));
}

/* Both rankings in one list, and who chose what. */
static int show_draft(struct explore *my, struct round *round)
{
    size_t m = round->docs;
    struct fault *fault = my->host->fault;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    uint32_t *order = round_new_order(round, fault);
    unsigned char *team = round_new_team(round, fault);
    uint32_t *mine = buffer_for(&my->by_score, m, 2 * sizeof *mine + 1, fault);
    if (!order || !team || !mine || rank(my, m, round->score, mine) < 0 ||
        rank(my, m, round->rival, mine + m) < 0)
        return -1;
    interleave_draft(m, mine, mine + m, &rng, order, team, (unsigned char *)(mine + 2 * m));
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
    double *perturbed = buffer_for(&my->numbers, my->docs, sizeof *perturbed, fault);
    if (!perturbed)
        return -1;
    blocks_perturb(my->docs, round->score, my->epsilon, &rng, perturbed);
    return rank(my, my->docs, perturbed, order);
}

/* Has the round what the policy goes by? */
static int check_round(const struct explore *my, const struct round *round)
{
    struct fault *fault = my->host->fault;
    if (round->seen)
        return fault_data(fault, "it has been shown and answered (seen): a new order would not be "
                          "the one the answer is about");
    if (!round->score && (my->policy != UNIFORM || fallen(my, my->gamma, round->t) < 1))
        return fault_data(fault, "needs score: put score before explore%s",
                          my->policy == UNIFORM ? " (only -g 1 does without)" : "");
    if (my->policy == DRAFT && !round->rival)
        return fault_data(fault, "needs rival: -p team-draft shows two rankings, which score -f "
                          "ring has of update -a dbgd");
    return 0;
}

static enum step step(void *self, struct round *round)
{
    struct explore *my = self;
    if (check_round(my, round) < 0)
        return FAIL;
    round_forget_choice(round);
    int ranked = my->policy <= SWAP    ? show_mostly(my, round)
                : my->policy == LUCE  ? show_luce(my, round)
                : my->policy == DRAFT ? show_draft(my, round)
                                      : show_fixed_list(my, round);
    return ranked < 0 ? FAIL : PASS;
}

static int close_explore(void *self, enum ended ended)
{
    struct explore *my = self;
    (void)ended;
    blocks_close(&my->blocks);
    buffer_free(&my->scratch);
    buffer_free(&my->by_score);
    buffer_free(&my->numbers);
    return 0;
}

const struct filter explore = {
    .name = "explore",
    .usage = "[-E epsilon | -L grade] [-F power] [-H temperature] [-K blocks] "
             "[-T horizon | -g gamma] [-k places] [-p policy] [-s seed]",
    .line = "adds the order to show: by score, at random now and then",
    .options = options_known,
    .size = sizeof(struct explore),
    .no_features = true,
    .parse = parse,
    .kind = kind,
    .step = step,
    .close = close_explore,
};
