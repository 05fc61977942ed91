#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/names.h"
#include "run/filter.h"
#include "stream/record.h"

void options_start(struct options *options, int argc, char **argv, const struct option *table,
                   void *state, struct fault *fault)
{
    *options = (struct options){ .argc = argc, .argv = argv, .table = table, .at = 1, .rest = "",
                                 .state = state, .fault = fault };
}

/* Takes up the next argument: is it one of options? */
static bool next_argument(struct options *o)
{
    const char *argument = o->at < o->argc ? o->argv[o->at] : NULL;
    if (!argument || argument[0] != '-' || argument[1] == '\0')
        return false;
    o->at++;
    if (strcmp(argument, "--") == 0)
        return false;
    o->rest = strcmp(argument, "--help") == 0      ? "h"
              : strcmp(argument, "--version") == 0 ? "V"
                                                   : argument + 1;
    return true;
}

/* The row of a letter, or NULL. */
static const struct option *find_row(const struct option *row, char letter)
{
    while (row && row->letter && row->letter != letter)
        row++;
    return row && row->letter ? row : NULL;
}

char *const *options_operands(const struct options *o)
{
    return o->argv + o->at;
}

int options_no_operands(const struct options *o)
{
    char quoted[FAULT_QUOTE];
    if (o->at >= o->argc)
        return 0;
    return fault_usage(o->fault, "takes no operand, but was given %s",
                       fault_quote(quoted, o->argv[o->at], strlen(o->argv[o->at])));
}

static int wrong(const struct options *o, const char *what)
{
    char quoted[FAULT_QUOTE];
    return fault_usage(o->fault, "-%c wants %s, not %s", o->letter, what,
                       fault_quote(quoted, o->value, strlen(o->value)));
}

int options_whole(const struct options *o, uint64_t least, uint64_t most, uint64_t *value)
{
    char what[100];
    if (record_number(o->value, most, value) && *value >= least)
        return 0;
    snprintf(what, sizeof what, "a whole number from %" PRIu64 " to %" PRIu64, least, most);
    return wrong(o, what);
}

static int read_real(const struct options *o, double most, double *value)
{
    char what[60];
    if (decimal_double(o->value, value) && *value >= 0 && *value <= most)
        return 0;
    snprintf(what, sizeof what, "a number from 0 to %.0f", most);
    return wrong(o, what);
}

int options_positive(const struct options *o, double *value)
{
    return decimal_double(o->value, value) && *value > 0 ? 0 : wrong(o, "a number above 0");
}

/* The index of a word, or -1. */
static int find_word(const char *word, option_words *words)
{
    for (int i = 0; words((size_t)i); i++)
        if (strcmp(word, words((size_t)i)) == 0)
            return i;
    return -1;
}

int options_share(const struct options *options, uint64_t *share, uint64_t *shares)
{
    char text[24];
    const char *slash = strchr(options->value, '/');
    size_t n = slash ? (size_t)(slash - options->value) : sizeof text;
    if (n < sizeof text) {
        memcpy(text, options->value, n);
        text[n] = '\0';
        if (record_number(slash + 1, UINT32_MAX, shares) &&
            record_number(text, *shares, share) && *share > 0)
            return 0;
    }
    return fault_usage(options->fault, "-%c wants i/n, as in 1/4 for the first of 4 shares, not "
                       "'%.40s'", options->letter, options->value);
}

/* The index of the word at hand among those of its option. */
static int read_word(const struct options *o, size_t *index)
{
    option_words *words = o->option->words;
    struct names names = { 0 };
    char what[sizeof o->fault->text] = "", quoted[FAULT_QUOTE];
    size_t used = 0;
    int found = find_word(o->value, words);
    for (size_t i = 0; found < 0 && words(i) && used < sizeof what; i++) {
        names_offer(&names, o->value, words(i));
        used += (size_t)snprintf(what + used, sizeof what - used, "%s%s",
                                 i == 0 ? "" : words(i + 1) ? ", " : " or ", words(i));
    }
    if (names.nearest)
        return fault_usage(o->fault, "-%c takes no %s: did you mean %s?", o->letter,
                           fault_quote(quoted, o->value, strlen(o->value)), names.nearest);
    if (found < 0)
        return wrong(o, what);
    *index = (size_t)found;
    return 0;
}

/* Puts the value at hand into the state: 0, or a usage fault. */
static int store(const struct options *o)
{
    const struct option *row = o->option;
    void *at = (char *)o->state + row->at;
    switch (row->type) {
    case OPTION_IS_OWN:
        return 0;
    case OPTION_IS_FLAG:
        *(bool *)at = true;
        return 0;
    case OPTION_IS_TEXT:
        *(const char **)at = o->value;
        return 0;
    case OPTION_IS_PLACES:
        if (strcmp(o->value, "all") != 0)
            return options_whole(o, row->least, row->most, at);
        *(uint64_t *)at = UINT64_MAX;
        return 0;
    case OPTION_IS_WHOLE:
        return options_whole(o, row->least, row->most, at);
    case OPTION_IS_REAL:
        return read_real(o, (double)row->most, at);
    case OPTION_IS_POSITIVE:
        return options_positive(o, at);
    default:
        return read_word(o, at);
    }
}

int options_next(struct options *o)
{
    if (*o->rest == '\0' && !next_argument(o))
        return OPTIONS_END;
    o->letter = *o->rest++;
    if (o->letter == 'h')
        return OPTIONS_HELP;
    if (o->letter == 'V')
        return OPTIONS_VERSION;
    o->option = find_row(o->table, o->letter);
    if (!o->option)
        o->option = find_row(o->unlisted, o->letter);
    if (!o->option) { /* a long option may be named by its value: --model is -m model */
        char quoted[FAULT_QUOTE], name[FAULT_QUOTE];
        struct names names = { 0 };
        const char *argument = o->argv[o->at - 1];
        bool is_long = argument[0] == '-' && argument[1] == '-';
        snprintf(name, sizeof name, "%.*s", is_long ? (int)strcspn(argument + 2, "=") : 0,
                 argument + 2);
        for (const struct option *row = o->table; is_long && row && row->letter; row++)
            if (row->value)
                names_offer(&names, name, row->value);
        (void)fault_quote(quoted, argument, strlen(argument));
        for (const struct option *row = o->table; names.nearest; row++)
            if (row->value && strcmp(row->value, names.nearest) == 0)
                return fault_usage(o->fault, "no option %s: did you mean -%c %s?", quoted,
                                   row->letter, row->value);
        return fault_usage(o->fault, is_long ? "no option %s: options have one letter"
                                             : "no option %s", quoted);
    }
    o->value = NULL;
    if (o->option->value) {
        o->value = *o->rest ? o->rest : o->at < o->argc ? o->argv[o->at++] : NULL;
        o->rest = "";
    }
    if (o->option->value && !o->value)
        return fault_usage(o->fault, "-%c needs a value: -%c %s", o->letter, o->letter,
                           o->option->value);
    o->given[(unsigned char)o->letter] = true;
    return store(o) < 0 ? OPTIONS_FAULT : o->letter;
}

int options_read(struct options *o)
{
    int letter;
    while ((letter = options_next(o)) > 0)
        continue;
    return letter;
}

int options_find(const struct options *o, const char *what, const char *word, option_words *words)
{
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    int found = find_word(word, words);
    if (found >= 0)
        return found;
    for (size_t i = 0; words(i); i++)
        names_offer(&names, word, words(i));
    return fault_usage(o->fault, "no %s %s: %s", what, fault_quote(quoted, word, strlen(word)),
                       names_advice(&names));
}

int options_missing(const struct options *o, const char *what, option_words *words)
{
    struct names names = { 0 };
    for (size_t i = 0; words(i); i++)
        names_add(&names, "%s", words(i));
    return fault_usage(o->fault, "no %s named: choose from %s", what, names.text);
}
