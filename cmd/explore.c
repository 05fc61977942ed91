/* explore: adds the order to show: by score, and sometimes at random. */
#include <inttypes.h>
#include <string.h>

#include "base/system.h"
#include "explore/policies.h"
#include "math/real.h"
#include "run/filter.h"
#include "say.h"

enum { TOP_GRADE = 100 };

struct explore {
    struct host *host;
    size_t policy; /* of -p */
    double bound;  /* of -B                                      */
    bool told_held; /* that rounds do not say which documents are */
    struct explorer explorer;
};

static const struct option options_known[] = {
    { 'B', "bound", NULL, "share of base's DCG@10 that a list may lose, 0 to below 1; excludes -g "
                          "and -T (default: no bound)", OPTION_REAL(explore, bound, 1) },
    { 'F', "power", NULL, "gamma or temperature falls with round t as t^-power, above 0 (default: "
                          "constant)", OPTION_POSITIVE(explore, explorer.power) },
    { 'H', "temperature", NULL, "plackett-luce: what scores are divided by, a number above 0 "
                                "(default 1)", OPTION_POSITIVE(explore, explorer.temperature) },
    { 'I', "share", NULL, "interleave score and base by team-draft in so many of the rounds with a "
                           "base, 0 to 1 (default 0); -i comes first",
      OPTION_REAL(explore, explorer.own_share, 1) },
    { 'K', "blocks", NULL, "blocks: number of blocks, 1 or more (default: "
                           "items^(-1/3) horizon^(2/3), rounded)",
      OPTION_WHOLE(explore, explorer.blocks_asked, 1, RECORD_MOST) },
    { 'L', "grade", NULL, "blocks, leader: top grade of the labels, 1 to 100 (default 1)",
      OPTION_WHOLE(explore, explorer.top_grade, 1, TOP_GRADE) },
    { 'T', "horizon", NULL, "number of rounds of the run, 1 or more; slot, worth, index, uniform, "
                            "top, swap: gamma is horizon^(-1/3)",
      OPTION_WHOLE(explore, explorer.horizon, 1, RECORD_MOST) },
    { 'f', NULL, NULL, "draw another order for rounds that have one (default: refuse them)",
      OPTION_FLAG(explore, explorer.redraws) },
    { 'g', "gamma", NULL, "slot, worth, index, uniform, top, swap: share of rounds that explore, 0 "
                          "to 1 (default 0; slot: 0.3)", OPTION_REAL(explore, explorer.gamma, 1) },
    { 'i', "share", NULL, "interleave score and rival by team-draft in so many of the rounds with "
                          "a rival, 0 to 1 (default 0)", OPTION_REAL(explore, explorer.share, 1) },
    { 'k', "places", NULL, "worth, index: positions by worth or index; blocks: items that get "
                           "feedback; top, swap: positions left to chance; slot: the one that is; "
                           "subset: documents drawn, needed; 1 or more (default 1; slot: 10; "
                           "worth: as many as users judge)",
      OPTION_WHOLE(explore, explorer.places, 1, ROUND_DOCS) },
    { 'o', NULL, NULL, "show documents with equal scores in line order (default: random order)",
      OPTION_FLAG(explore, explorer.line_order) },
    { 'p', "policy", policies_name, "how to explore (default: slot where the model learnt clicks; "
                                    "worth, or else index, where rounds have that column; else "
                                    "uniform)",
      OPTION_WORD(explore, policy) },
    { 's', "seed", NULL, "seed of what is drawn, a whole number, 0 or more; random: from the "
                         "system, recorded in each round; recorded: as each round records (default "
                         "1)", OPTION_OWN },
    { 0 },
};

static int parse_seed(struct explorer *explorer, const struct options *options)
{
    explorer->records = strcmp(options->value, "random") == 0;
    explorer->repeats = strcmp(options->value, "recorded") == 0;
    char quoted[FAULT_QUOTE];
    if (explorer->records || explorer->repeats ||
        record_number(options->value, RECORD_MOST, &explorer->seed))
        return 0;
    return fault_usage(options->fault, "-s wants a whole number from 0 to %" PRIu64 ", random or "
                       "recorded, not %s", RECORD_MOST,
                       fault_quote(quoted, options->value, strlen(options->value)));
}

/* Does the policy take all options that were given? */
static int check_taken(const struct policy *policy, const struct options *options)
{
    for (const char *letter = "FHIKLTgik"; *letter; letter++)
        if (options->given[(unsigned char)*letter] && !strchr(policy->options, *letter))
            return options->given['p']
                       ? fault_usage(options->fault, "-p %s does not take -%c", policy->name,
                                     *letter)
                       : fault_usage(options->fault, "the default policy, %s, %s, %s or %s, does "
                                     "not take -%c", policies[POLICY_SLOT].name,
                                     policies[POLICY_WORTH].name, policies[POLICY_INDEX].name,
                                     policies[POLICY_UNIFORM].name, *letter);
    return 0;
}

/* -B moves documents after the draw: may it? */
static int check_bound(const struct policy *policy, double bound, const struct options *options)
{
    const bool *given = options->given;
    struct fault *fault = options->fault;
    if (!given['B'])
        return 0;
    if (bound >= 1)
        return fault_usage(fault, "-B wants a number from 0 to below 1, not '%g': 1 would bound "
                           "nothing", bound);
    if (!strchr(policy->options, 'B'))
        return fault_usage(fault, "-p %s does not take -B, which moves documents after the draw: "
                           "learners count on the order as it was drawn", policy->name);
    bool slot = given['p'] && policy == &policies[POLICY_SLOT]; /* which draws after it */
    if (!slot && (given['g'] || given['T']))
        return fault_usage(fault, "-B and -%c exclude each other, except with -p slot: -B moves "
                           "documents after the draw, so propensities by gamma would be wrong",
                           given['g'] ? 'g' : 'T');
    return 0;
}

/* Is one of the options given that the policy cannot do without? */
static int check_needs(const struct policy *policy, const struct options *options)
{
    bool met = *policy->needs == '\0';
    for (const char *letter = policy->needs; *letter; letter++)
        met = met || options->given[(unsigned char)*letter];
    return met ? 0 : fault_usage(options->fault, "-p %s needs %s", policy->name, policy->missing);
}

/* Do the options go with each other and with the policy? */
static int check_options(const struct explore *my, const struct policy *policy,
                         const struct options *options)
{
    const struct explorer *explorer = &my->explorer;
    const bool *given = options->given;
    struct fault *fault = options->fault;
    if (check_bound(policy, my->bound, options) < 0 || check_taken(policy, options) < 0) return -1;
    if (given['g'] && given['T'])
        return fault_usage(fault, "-g and -T both set gamma: give one of them");
    if (given['F'] && strchr(policy->options, 'g') && !given['g'])
        return fault_usage(fault, "-F needs -g: -F lowers gamma from the value of -g");
    if (policy->one_seed && (explorer->records || explorer->repeats))
        return fault_usage(fault, "-p %s needs one seed for the whole run: give -s a number",
                           policy->name);
    return check_needs(policy, options);
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct explore *my = self;
    struct explorer *explorer = &my->explorer;
    int letter;
    my->host = host;
    explorer->top_grade = explorer->seed = 1;
    explorer->temperature = 1;
    while ((letter = options_next(options)) > 0)
        if (letter == 's' && parse_seed(explorer, options) < 0) return -1;
    if (letter < 0)
        return letter;
    /* Without -p: what worth and index take, which is more than uniform does. */
    const struct policy *policy = &policies[options->given['p'] ? my->policy : POLICY_WORTH];
    if (check_options(my, policy, options) < 0) return -1;
    explorer->bounds = options->given['B'];
    if (explorer->bounds)
        bounded_start(&explorer->bounded, my->bound);
    if (options->given['p'])
        explorer->policy = policy;
    explorer->rated = options->given['g'] || options->given['T'];
    if (options->given['T'] && strchr(policy->options, 'g'))
        explorer->gamma = 1 / real_cbrt((double)explorer->horizon);
    return options_no_operands(options);
}

static int open_explore(void *self)
{
    struct explore *my = self;
    return my->explorer.records ? entropy_seed(&my->explorer.seed, my->host->fault) : 0;
}

static enum outcome each(void *self, struct round *round)
{
    struct explore *my = self;
    if (policies_show(&my->explorer, round, my->host->fault) < 0)
        return FAIL;
    if (my->explorer.all_held && !my->told_held) {
        my->told_held = true;
        warn(my->host, "explore", "-B holds every document near its place in base, whatever users "
             "say: rounds have no column held, which score adds for the learner memory");
    }
    return PASS;
}

static int close_explore(void *self, enum ended ended)
{
    struct explore *my = self;
    (void)ended;
    policies_close(&my->explorer);
    return 0;
}

const struct filter explore = {
    .name = "explore",
    .usage = "[-fo] [-B bound] [-F power] [-H temperature] [-I share] [-K blocks] [-L grade] "
             "[-T horizon | -g gamma] [-i share] [-k places] [-p policy] [-s seed]",
    .line = "adds the order to show",
    .options = options_known,
    .size = sizeof(struct explore),
    .no_features = true,
    .kind = FILTER,
    .parse = parse,
    .open = open_explore,
    .each = each,
    .close = close_explore,
};
