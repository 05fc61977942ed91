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
    struct names names = { 0 };
    for (size_t i = 0; games[i].name; i++)
        names_add(&names, "%s", games[i].name);
    if (!operands[0])
        return fault_usage(options->fault, "no game named: choose from %s", names.text);
    if (operands[1])
        return fault_usage(options->fault, "one game at a time, but '%.40s' follows '%.40s'",
                           operands[1], operands[0]);
    my->rules = game_find(operands[0]);
    return my->rules ? 0 : fault_usage(options->fault, "no game '%.40s': choose from %s",
                                       operands[0], names.text);
}

static int parse(void *self, struct options *options, struct host *host)
{
    struct synth *my = self;
    int letter;
    my->host = host;
    my->first = my->seed = 1;
    my->last = 1000;
    while ((letter = options_next(options, "L:M:S:b:d:l:n:qs:")) > 0)
        if (parse_option(my, options) < 0)
            return -1;
    if (letter < 0 || parse_game(my, options) < 0)
        return letter < 0 ? letter : -1;
    return my->first <= my->last ? 0 : fault_usage(options->fault, "-b %" PRIu64 " is behind -n %"
                                                   PRIu64, my->first, my->last);
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

static enum step step(void *self, struct round *round)
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
    .usage = "[-q] [-L grade] [-M margin] [-S deviation] [-b first] [-d dim] [-l documents] "
             "[-n last] [-s seed] game",
    .line = "makes up rounds: the papers' data sets and games",
    .size = sizeof(struct synth),
    .parse = parse,
    .kind = kind,
    .open = open_game,
    .rounds = rounds,
    .step = step,
    .close = close_synth,
};
