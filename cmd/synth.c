/* synth: made-up rounds, of the papers' data sets and games. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/names.h"
#include "feature/game.h"
#include "learn/learner.h"
#include "model/model_file.h"
#include "run/filter.h"

struct synth {
    struct host *host;
    const struct game_rules *rules;
    struct game_settings settings;
    uint64_t first, last, seed;
    const char *ranker; /* -u: file for the hidden ranker; NULL: none */
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
    { 's', "seed", NULL, "seed of all that is drawn, a whole number, 0 or more (default 1)",
      OPTION_WHOLE(synth, seed, 0, RECORD_MOST) },
    { 'u', "model", NULL, "separable, linear, rare, known-item: file for the weights of the hidden "
                          "ranker (default: none)", OPTION_TEXT(synth, ranker) },
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
    uint64_t whole = 0;
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

/* The hidden ranker, as weights2bin would write it. */
static int save_ranker(struct synth *my)
{
    struct fault *fault = my->host->fault;
    struct model_file file = { .lock_fd = -1 };
    struct model *model = calloc(1, sizeof *model);
    int result = model ? model_file_open(&file, my->ranker, fault)
                       : fault_no_room(fault, sizeof *model);
    if (result == 0 && !my->game.u)
        result = fault_usage(fault, "-u: %s has no hidden ranker", my->rules->name);
    if (result == 0 && (model_start(model, LEARNER_FIXED, 0, my->game.dim, fault) < 0 ||
                        model_put_weights(model, my->game.u, fault) < 0))
        result = -1;
    if (result == 0) {
        record_want_crc(&model->record);
        result = model_file_save(&file, model, fault);
    }
    model_file_close(&file);
    free(model);
    return result;
}

static int open_game(void *self)
{
    struct synth *my = self;
    if (game_start(&my->game, my->rules, &my->settings, my->seed, my->host->fault) < 0) return -1;
    return my->ranker ? save_ranker(my) : 0;
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
    .usage = "[-L grade] [-M margin] [-R share] [-S deviation] [-b first] [-d dim] "
             "[-l documents] [-n last] [-s seed] [-u model] game",
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
