/* explore: adds the order to show: by score, and sometimes at random. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explore/policies.h"
#include "base/entropy.h"
#include "math/real.h"
#include "run/filter.h"

enum { TOP_GRADE = 100 };

struct explore {
    struct host *host;
    bool given[128]; /* the options on the command line, by letter */
    struct explorer explorer;
};

static int parse_policy(struct explore *my, const struct options *options)
{
    int found = options_word(options);
    if (found >= 0)
        my->explorer.policy = &policies[found];
    return found;
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
    { 'T', "horizon", NULL, "number of rounds of the run, 1 or more; worth, index, uniform, top, "
                            "swap: gamma is horizon^(-1/3)" },
    { 'g', "gamma", NULL, "worth, index, uniform, top, swap: share of rounds that explore, 0 to 1 "
                          "(default 0)" },
    { 'k', "places", NULL, "worth, index: positions by worth or index; blocks: items that get "
                           "feedback; top, swap: positions left to chance; 1 or more (default "
                           "1; worth: as many as users judge)" },
    { 'o', NULL, NULL, "show documents with equal scores in line order (default: random order)" },
    { 'p', "policy", policies_name, "how to explore (default: worth, or else index, where rounds "
                                    "have that column, else uniform)" },
    { 's', "seed", NULL, "seed of what is drawn, a whole number, 0 or more; random: from the "
                         "system, recorded in each round; recorded: as each round records (default "
                         "1)" },
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

static int parse_option(struct explore *my, const struct options *options)
{
    struct explorer *explorer = &my->explorer;
    switch (options->letter) {
    case 'E':
        return options_positive(options, &explorer->epsilon);
    case 'F':
        return options_positive(options, &explorer->power);
    case 'H':
        return options_positive(options, &explorer->temperature);
    case 'K':
        return options_whole(options, 1, RECORD_MOST, &explorer->blocks_asked);
    case 'L':
        return options_whole(options, 1, TOP_GRADE, &explorer->top_grade);
    case 'T':
        return options_whole(options, 1, RECORD_MOST, &explorer->horizon);
    case 'g':
        return options_fraction(options, &explorer->gamma);
    case 'k':
        return options_whole(options, 1, ROUND_DOCS, &explorer->places);
    case 'o':
        explorer->line_order = true;
        return 0;
    case 's':
        return parse_seed(explorer, options);
    default:
        return parse_policy(my, options);
    }
}

/* Without -p: what worth and index take, which is more than uniform does. */
static const struct policy *policy_of(const struct explore *my)
{
    return my->explorer.policy ? my->explorer.policy : &policies[POLICY_WORTH];
}

static bool takes(const struct explore *my, char letter)
{
    return strchr(policy_of(my)->options, letter) != NULL;
}

/* Does the policy take all options that were given? */
static int check_taken(const struct explore *my, struct fault *fault)
{
    for (const char *letter = "EFHKLTgk"; *letter; letter++)
        if (my->given[(unsigned char)*letter] && !takes(my, *letter))
            return my->given['p']
                       ? fault_usage(fault, "-p %s does not take -%c", policy_of(my)->name, *letter)
                       : fault_usage(fault, "the default policy, %s, %s or %s, does not take "
                                     "-%c", policies[POLICY_WORTH].name,
                                     policies[POLICY_INDEX].name, policies[POLICY_UNIFORM].name,
                                     *letter);
    return 0;
}

/* Is one of the options given that the policy cannot do without? */
static int check_needs(const struct explore *my, struct fault *fault)
{
    const struct policy *policy = policy_of(my);
    bool met = *policy->needs == '\0';
    for (const char *letter = policy->needs; *letter; letter++)
        met = met || my->given[(unsigned char)*letter];
    return met ? 0 : fault_usage(fault, "-p %s needs %s", policy->name, policy->missing);
}

/* Do the options go with each other and with the policy? */
static int check_options(const struct explore *my, struct fault *fault)
{
    if (check_taken(my, fault) < 0)
        return -1;
    if (my->given['g'] && my->given['T'])
        return fault_usage(fault, "-g and -T both set gamma: give one of them");
    if (my->given['E'] && my->given['L'])
        return fault_usage(fault, "-E and -L both set epsilon: give one of them");
    if (my->given['F'] && takes(my, 'g') && !my->given['g'])
        return fault_usage(fault, "-F lets gamma fall, and needs -g to start from");
    if (my->given['E'] && isinf(1 / my->explorer.epsilon))
        return fault_usage(fault, "-E %g is too small: 1/epsilon overflows", my->explorer.epsilon);
    if (policy_of(my)->one_seed && (my->explorer.records || my->explorer.repeats))
        return fault_usage(fault, "-p %s needs one seed for the whole run: give -s a number",
                           policy_of(my)->name);
    return check_needs(my, fault);
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct explore *my = self;
    struct explorer *explorer = &my->explorer;
    int letter;
    my->host = host;
    explorer->top_grade = explorer->seed = 1;
    explorer->temperature = 1;
    while ((letter = options_next(options)) > 0) {
        if (parse_option(my, options) < 0)
            return -1;
        my->given[letter] = true;
    }
    if (letter < 0)
        return letter;
    if (check_options(my, options->fault) < 0)
        return -1;
    if (my->given['T'] && takes(my, 'g'))
        explorer->gamma = 1 / real_cbrt((double)explorer->horizon);
    return options_no_operands(options);
}

static enum kind kind(const void *self)
{
    (void)self;
    return FILTER;
}

static int open_explore(void *self)
{
    struct explore *my = self;
    return my->explorer.records ? entropy_seed(&my->explorer.seed, my->host->fault) : 0;
}

static enum outcome each(void *self, struct round *round)
{
    struct explore *my = self;
    return policies_show(&my->explorer, round, my->host->fault) < 0 ? FAIL : PASS;
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
    .usage = "[-o] [-E epsilon | -L grade] [-F power] [-H temperature] [-K blocks] "
             "[-T horizon | -g gamma] [-k places] [-p policy] [-s seed]",
    .line = "adds the order to show",
    .options = options_known,
    .size = sizeof(struct explore),
    .no_features = true,
    .parse = parse,
    .kind = kind,
    .open = open_explore,
    .each = each,
    .close = close_explore,
};
