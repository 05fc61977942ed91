#include "options.h"

#include <string.h>

#include "check.h"

/* What is special about an option. */
static const struct special {
    const char *program;
    char letter;
    const char *const *words; /* values that are right; NULL: the caller's option */
} specials[] = {
/* clang-format off */ /* It takes the brace for a block. */
#define WORDS(...) (const char *const[]){ __VA_ARGS__, NULL }
/* clang-format on */
    { "update", 'f', NULL },
    { "update", 'm', NULL },
    { "update", 'a', NULL },
    { "update", 'l', NULL },
    { "update", 'q', NULL },
    { "update", 'n', NULL },
    { "update", 'i', WORDS("1/1", "1/2", "2/2", "3/2", "1/") },
    { "update", 'c', WORDS("1", "2", "10", "1s") },
    { "update", 'd', WORDS("1", "8", "64", "300") },
    { "update", 'x', WORDS("none", "scale", "scale,log", "rank", "fourier:3:0.5:1", "products") },
    { "score", 'f', NULL },
    { "score", 'm', NULL },
    { "score", 'M', NULL },
    { "score", 'R', NULL },
    { "score", 'w', NULL },
    { "spool", 't', WORDS("100", "1000000") },
    { "spool", 'n', WORDS("rounds", "x", ".x", "a/b", "") },
    { "metric", 't', NULL },
    { "metric", 'W', NULL },
    { "synth", 'u', NULL },
    { "metric", 'x', WORDS("greedy", "uniform,gamma=0.5", "top,gamma=0.2,places=2", "slot,places=2",
                           "swap,gamma=1", "worth", "index,gamma=0.1", "plackett-luce",
                           "plackett-luce,temperature=1e-3", "top", "leader") },
    { "svm2bin", 'd', WORDS("0", "1", "6", "20") },
    { "feedback-join", 's', NULL },
    { "feedback-join", 'k', WORDS("1", "2", "3", "all") },
    { "feedback-mask", 'c', WORDS("perfect", "informational", "position:0.5:0.2", "trust", "mixed",
                                   "bait:0.2:0.2", "sparse:0.5:answered:0.5") },
    { "feedback-mask", 'k', WORDS("1", "2", "3", "all") },
    { "weights2bin", 'd', WORDS("1", "8", "100", "100000") },
    { "features", 'D', WORDS("1", "3", "20") },
    { "synth", 'n', WORDS("1", "3", "20") },
    { "synth", 'b', WORDS("1", "2", "9007199254740990") },
    { "synth", 'l', WORDS("1", "2", "9", "50") },
    { "synth", 'd', WORDS("1", "2", "9", "50") },
    { "synth", 'R', WORDS("0.5", "0.01", "1e-6") },
    { "synth", 'M', WORDS("0.1", "1e-6") },
    { "replay", 'n', WORDS("1", "3", "20", "60") },
    { "replay", 'b', WORDS("1", "2", "9") },
    { "replay", 'i', WORDS("1/1", "1/2", "2/2", "3/2", "0/1", "1/9007199254740992", "x/2", "1/") },
    { "explore", 'B', WORDS("0", "0.37", "0.5", "0.99") },
    { "explore", 's', WORDS("1", "7", "random", "recorded") },
    { "explore", 'T', WORDS("1", "10", "1000", "9007199254740992") },
    { "log2bin", 'g', WORDS("1=2", "click=1", "a", "a=-1") },
    { "log2bin", 'r', WORDS("run", "log", "nosuch") },
    { "log2bin", 'n', WORDS("1", "2", "10") },
    { "log2bin", 'p', WORDS("1", "3", "1000000") },
    { "judge", 't', WORDS("table", "base", "nosuch") },
    { "judge", 'e', NULL },
    { "judge", 'c', NULL },
    { "compare", 'm', WORDS("map", "ndcg@10", "ndcg@x", "p@3", "") },
    { "compare", 'n', WORDS("1", "100", "3000") },
    { "bin2txt", 'f', NULL },
    { NULL, 0, NULL },
};

static const struct special *find_special(const char *program, char letter)
{
    const struct special *row = specials;
    while (row->program && (strcmp(row->program, program) != 0 || row->letter != letter))
        row++;
    return row;
}

static size_t count_rows(const struct option *table)
{
    size_t n = 0;
    while (table && table[n].letter)
        n++;
    return n;
}

static const char *draw_option_word(struct dice *draw, option_words *words)
{
    size_t n = 0;
    while (words(n))
        n++;
    return words(draw_below(draw, n));
}

/* A value of an option that takes a number: whole, but for the letters of real numbers. */
static const char *draw_value(struct dice *draw, char letter, bool real, size_t odd)
{
    static const char *const edges[] = {
        "0", "-0", "-1", "1e-320", "1e-300", "1e300", "1e308", "1e309", "1e-400", "nan", "inf",
        "0.99999999999999999", "1.0000000000000002", "1e-5", "0x1p3", "", "1e", "1,5", "30s", NULL,
    };
    static const char *const plain[] = { "1", "2", "3", "4", "10", NULL };
    static const char *const shares[] = { "0.5", "0.1", "1", "0.01", "0.9", NULL };
    if (odd && draw_one_in(draw, odd))
        return draw_below(draw, 2) ? draw_word(draw, edges) : draw_whole(draw, 1);
    return draw_word(draw, real && strchr("gEFHCDMSUReHMnSRz", letter) ? shares : plain);
}

/* A number that is not refused would cost time or memory by itself, so only small or wrong ones. */
static const char *draw_special(struct dice *draw, const struct special *special, size_t odd)
{
    static const char *const wrong[] = { "0", "-1", "x", "", "1e400", "nan", "99999999999999999999",
                                         "1.5", NULL };
    return draw_word(draw, odd && draw_one_in(draw, odd) ? wrong : special->words);
}

static void add_option(struct dice *draw, struct command *command, const struct filter *program,
                       const struct option *option, size_t odd)
{
    const struct special *special = find_special(program->name, option->letter);
    const char *value = NULL;
    if (special->program && !special->words)
        return;
    if (option->value && special->words)
        value = draw_special(draw, special, odd);
    else if (option->value && option->words && !(odd && draw_one_in(draw, odd)))
        value = draw_option_word(draw, option->words);
    else if (option->value)
        value = draw_value(draw, option->letter, program != &metric && program != &synth, odd);
    bool seconds = strcmp(program->name, "svm2bin") == 0 && option->letter == 't';
    command->timed = command->timed || seconds || (value && strcmp(value, "random") == 0) ||
                     (value && strcmp(value, "1s") == 0);
    command_word(command, memory_text("-%c", option->letter));
    if (value)
        command_word(command, value);
}

void options_draw(struct dice *draw, struct command *command, const struct filter *program,
                  size_t odd)
{
    size_t rows = count_rows(program->options);
    static const size_t counts[] = { 0, 0, 1, 1, 1, 2, 2, 3 };
    for (size_t n = rows ? counts[draw_below(draw, 8)] : 0; n > 0; n--)
        add_option(draw, command, program, &program->options[draw_below(draw, rows)], odd);
    if (odd && draw_one_in(draw, 60))
        command_word(command, draw_below(draw, 2) ? "-?" : "--x");
}

/* A value of a setting, which must not cost much by itself; "" for a flag. */
static const char *draw_setting(struct dice *draw, enum setting_number i, size_t odd)
{
    const struct special size = { "update", 'N', WORDS("1", "2", "7", "20") };
    const struct special grade = { "update", 'L', WORDS("1", "4", "10") };
    const struct special cutoff = { "update", 'k', WORDS("1", "2", "4", "300") };
    const struct setting *setting = &settings_known[i];
    size_t n = 0;
    while (setting->words && setting->words[n])
        n++;
    if (i == SETTING_MEMBERS || i == SETTING_TOP_GRADE)
        return draw_special(draw, i == SETTING_MEMBERS ? &size : &grade, odd);
    if (i == SETTING_CUTOFF)
        return draw_special(draw, &cutoff, odd);
    if (setting->words && !(odd && draw_one_in(draw, odd)))
        return setting->words[draw_below(draw, n)];
    return setting->type == TYPE_FLAG ? "" : draw_value(draw, setting->letter, true, odd);
}

/* Up to two settings of the learner, by name or by letter; the same one twice is an error. */
void options_learner(struct dice *draw, struct command *command, const struct learner *learner,
                     size_t odd)
{
    size_t n = strlen(learner->letters), rows = count_rows(update.options);
    const char *words = learner->name;
    bool given[SETTINGS] = { false };
    for (size_t left = draw_below(draw, 3); left > 0 && n > 0; left--) {
        char letter = learner->letters[draw_below(draw, n)];
        enum setting_number i = 0;
        while (settings_known[i].letter != letter)
            i++;
        if ((given[i] && !odd) || (checks.wide && i == SETTING_IN_ORDER) ||
            i == SETTING_EXAMINATION)
            continue; /* in order the number of pairs has no limit; tables are in ways */
        given[i] = true;
        bool flag = settings_known[i].type == TYPE_FLAG;
        const char *value = draw_setting(draw, i, odd);
        if (draw_below(draw, 2)) {
            words = memory_text("%s,%s%s%s", words, settings_known[i].name, flag ? "" : "=", value);
            continue;
        }
        command_word(command, memory_text("-%c", letter));
        if (!flag)
            command_word(command, value);
    }
    command_words(command, memory_text("-a %s", words));
    if (draw_one_in(draw, 4))
        add_option(draw, command, &update, &update.options[draw_below(draw, rows)], odd);
    bool bounded = false;
    for (size_t i = 0; i < command->words; i++)
        bounded = bounded || strcmp(command->word[i], "-d") == 0;
    if (!bounded) /* or a large dim, which few bytes state, would cost its square */
        command_words(command, "-d 64");
}

const char *options_measure(struct dice *draw)
{
    static const char *const cutoffs[] = { "@1", "@2", "@10", "", "@3", "@1", "@0", NULL };
    static const char *const bare[] = { "ndcg", "dcg", "err", "p", "prec", "map", "mrr", "auc",
                                        "pairloss", "sumloss", NULL };
    bool any = metric.operand.words && draw_below(draw, 2);
    const char *word = any ? draw_option_word(draw, metric.operand.words) : draw_word(draw, bare);
    const char *of = draw_word(draw, bare), *cutoff = draw_word(draw, cutoffs);
    if (strstr(word, "MEASURE")) /* "ips:MEASURE" */
        return memory_text("%.*s:%s%s", (int)(strchr(word, ':') - word), word, of, cutoff);
    if (strstr(word, "LOSS"))
        return memory_text("drawn:%s", draw_below(draw, 2) ? "squared" : "kl");
    const char *at = strchr(word, '@');
    if (!at && strlen(word) <= 4 && strcmp(word, "map") != 0 && strcmp(word, "mrr") != 0 &&
        strcmp(word, "auc") != 0)
        return memory_text("%s%s", word, cutoff);
    return at ? memory_text("%.*s%s", (int)(at - word), word, cutoff) : word;
}

const char *options_steps(struct dice *draw)
{
    const char *steps = draw_option_word(draw, features.operand.words);
    for (size_t i = draw_below(draw, 3); i > 0; i--) {
        const char *more = draw_option_word(draw, features.operand.words);
        if (strcmp(more, "products") != 0 || !strstr(steps, "o")) /* or they are too many */
            steps = memory_text("%s,%s", steps, more);
    }
    return draw_one_in(draw, 12) ? memory_text("%s:3:0.5:1", steps) : steps;
}
