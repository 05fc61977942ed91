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
    { 'L', "grade", NULL, "separable, linear: top grade of the labels, 1 to 1000 (default 4)",
      OPTION_OWN },
    { 'M', "margin", NULL, "separable: least distance between grades along the hidden ranker, "
                           "1e-6 to 1e6 (default 0.1)", OPTION_OWN },
    { 'R', "share", NULL, "rare: share of relevant documents, 1e-6 to 0.5 (default 0.001)",
      OPTION_OWN },
    { 'S', "deviation", NULL, "standard deviation of noise or features, 1e-6 to 1e6 (default: "
                              "separable 0.25, linear 0.5, rare 0.5, known-item 0.25, "
                              "noisy-binary 0.3)", OPTION_OWN },
    { 'b', "first", NULL, "number of the first round, a whole number from 1 (default 1)",
      OPTION_WHOLE(synth, first, 1, RECORD_MOST - 1) },
    { 'd', "dim", NULL, "number of features, 1 to 65536 (default: separable 20, linear 10, rare "
                        "10, known-item 5)", OPTION_OWN },
    { 'l', "documents", NULL, "documents in each round, 1 to 65536 (default: separable 20, linear "
                              "10, rare 100, known-item 1000, noisy-binary 10)", OPTION_OWN },
    { 'n', "last", NULL, "number of the last round, a whole number from 1 (default 1000)",
      OPTION_WHOLE(synth, last, 1, RECORD_MOST - 1) },
    { 'q', NULL, NULL, "hopeless-ndcg, hopeless-auc, hopeless-map: draw by the second of the "
                       "game's two laws (default: the first)", OPTION_OWN },
    { 's', "seed", NULL, "seed of all that is drawn, a whole number, 0 or more (default 1)",
      OPTION_WHOLE(synth, seed, 0, RECORD_MOST) },
    { 0 },
};

static const char *game_word(size_t i)
{
    return games[i].name;
}

/* The value at hand, if it is a setting of games: 0 or a usage fault. */
static int parse_setting(struct game_settings *settings, const struct options *options)
{
    size_t i = 0;
    while (i < GAME_NUMBERS && game_options[i].letter != options->letter)
        i++;
    if (i == GAME_NUMBERS)
        return 0;
    const struct game_option *known = &game_options[i];
    double *value = &settings->value[i];
    uint64_t whole = 1; /* of a flag */
    settings->set[i] = true;
    if (options->value && known->whole &&
        options_whole(options, (uint64_t)known->least, (uint64_t)known->most, &whole) < 0)
        return -1;
    *value = (double)whole;
    if (known->whole)
        return 0;
    if (options_positive(options, value) < 0) return -1;
    if (*value < known->least || *value > known->most)
        return fault_usage(options->fault, "-%c wants a number from %g to %g, not '%.40s'",
                           known->letter, known->least, known->most, options->value);
    return 0;
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
        if (parse_setting(&my->settings, options) < 0) return -1;
    if (letter < 0 || parse_game(my, options) < 0)
        return letter < 0 ? letter : -1;
    if (my->first > my->last)
        return fault_usage(options->fault, "-b %" PRIu64 " is larger than -n %" PRIu64, my->first,
                           my->last);
    return 0;
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
    return game_round(&my->game, my->first++, round, my->host->fault);
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
    .operand = { .value = "game", .words = game_word, .text = "what to draw" },
    .size = sizeof(struct synth),
    .kind = SOURCE,
    .parse = parse,
    .open = open_game,
    .rounds = rounds,
    .each = each,
    .close = close_synth,
};
