/* synth: made-up rounds, of the papers' data sets and games. */
#include <inttypes.h>

#include "base/names.h"
#include "feature/game.h"
#include "run/filter.h"

struct synth {
    struct host *host;
    const struct game_rules *rules;
    struct game_settings settings;
    uint64_t first, last, seed;
    struct game game;
};

static const struct option options_known[] = {
    { 'L', "grade", NULL, "separable, linear: top grade of the labels, 1 to 1000 (default 4)" },
    { 'M', "margin", NULL, "separable: least distance between grades along the hidden ranker, "
                           "1e-6 to 1e6 (default 0.1)" },
    { 'R', "share", NULL, "rare: share of relevant documents, 1e-6 to 0.5 (default 0.001)" },
    { 'S', "deviation", NULL, "standard deviation of noise or features, 1e-6 to 1e6 (default: "
                              "separable 0.25, linear 0.5, rare 0.5, known-item 0.25, "
                              "noisy-binary 0.3)" },
    { 'b', "first", NULL, "number of the first round, a whole number from 1 (default 1)" },
    { 'd', "dim", NULL, "number of features, 1 to 65536 (default: separable 20, linear 10, rare "
                        "10, known-item 5)" },
    { 'l', "documents", NULL, "documents in each round, 1 to 65536 (default: separable 20, linear "
                              "10, rare 100, known-item 1000, noisy-binary 10)" },
    { 'n', "last", NULL, "number of the last round, a whole number from 1 (default 1000)" },
    { 'q', NULL, NULL, "hopeless-ndcg, hopeless-auc, hopeless-map: draw by the second of the "
                       "game's two laws (default: the first)" },
    { 's', "seed", NULL, "seed of all that is drawn, a whole number, 0 or more (default 1)" },
    { 0 },
};

static const char *game_word(size_t i)
{
    return games[i].name;
}

static const struct option operand_known = { 0, "game", game_word, "what to draw" };

static int parse_setting(struct synth *my, const struct options *options)
{
    const struct game_option *known = game_options;
    while (known->letter != options->letter)
        known++;
    double *value = &my->settings.value[known - game_options];
    my->settings.set[known - game_options] = true;
    if (known->whole) {
        uint64_t whole;
        if (options_whole(options, (uint64_t)known->least, (uint64_t)known->most, &whole) < 0)
            return -1;
        *value = (double)whole;
        return 0;
    }
    if (options_positive(options, value) < 0)
        return -1;
    if (*value < known->least || *value > known->most)
        return fault_usage(options->fault, "-%c wants a number from %g to %g, not '%.40s'",
                           known->letter, known->least, known->most, options->value);
    return 0;
}

static int parse_option(struct synth *my, const struct options *options)
{
    switch (options->letter) {
    case 'b':
        return options_whole(options, 1, RECORD_MOST - 1, &my->first);
    case 'n':
        return options_whole(options, 1, RECORD_MOST - 1, &my->last);
    case 'q':
        my->settings.set[GAME_OTHER] = true;
        my->settings.value[GAME_OTHER] = 1;
        return 0;
    case 's':
        return options_whole(options, 0, RECORD_MOST, &my->seed);
    default:
        return parse_setting(my, options);
    }
}

static int parse_game(struct synth *my, const struct options *options)
{
    char *const *operands = options_operands(options);
    if (!operands[0])
        return options_missing(options, "game", game_word);
    if (operands[1])
        return fault_usage(options->fault, "one game at a time, but '%.40s' follows '%.40s'",
                           operands[1], operands[0]);
    int found = options_find(options, "game", operands[0], game_word);
    my->rules = found < 0 ? NULL : &games[found];
    return found < 0 ? -1 : 0;
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct synth *my = self;
    int letter;
    my->host = host;
    my->first = my->seed = 1;
    my->last = 1000;
    while ((letter = options_next(options)) > 0)
        if (parse_option(my, options) < 0)
            return -1;
    if (letter < 0 || parse_game(my, options) < 0)
        return letter < 0 ? letter : -1;
    if (my->first > my->last)
        return fault_usage(options->fault, "-b %" PRIu64 " is larger than -n %" PRIu64, my->first,
                           my->last);
    return 0;
}

static enum kind kind(const void *self)
{
    (void)self;
    return SOURCE;
}

static int open_game(void *self)
{
    struct synth *my = self;
    return game_start(&my->game, my->rules, &my->settings, my->seed, my->host->fault);
}

static uint64_t rounds(const void *self)
{
    const struct synth *my = self;
    return my->last - my->first + 1;
}

static enum outcome each(void *self, struct round *round)
{
    struct synth *my = self;
    if (my->first > my->last)
        return DONE;
    return game_round(&my->game, my->first++, round, my->host->fault) < 0 ? FAIL : PASS;
}

static int close_synth(void *self, enum ended ended)
{
    (void)ended;
    game_close(&((struct synth *)self)->game);
    return 0;
}

const struct filter synth = {
    .name = "synth",
    .usage = "[-q] [-L grade] [-M margin] [-R share] [-S deviation] [-b first] [-d dim] "
             "[-l documents] [-n last] [-s seed] game",
    .line = "generates rounds: the data sets and games of the papers",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct synth),
    .parse = parse,
    .kind = kind,
    .open = open_game,
    .rounds = rounds,
    .each = each,
    .close = close_synth,
};
