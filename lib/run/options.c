#include "run/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/record.h"

void options_start(struct options *options, int argc, char **argv, struct fault *fault)
{
    *options = (struct options){ .argc = argc, .argv = argv, .at = 1, .rest = "", .fault = fault };
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

int options_next(struct options *o, const char *letters)
{
    if (*o->rest == '\0' && !next_argument(o))
        return OPTIONS_END;
    o->letter = *o->rest++;
    if (o->letter == 'h')
        return OPTIONS_HELP;
    if (o->letter == 'V')
        return OPTIONS_VERSION;
    const char *found = o->letter == ':' ? NULL : strchr(letters, o->letter);
    if (!found) {
        char quoted[FAULT_QUOTE];
        const char *argument = o->argv[o->at - 1];
        return fault_usage(o->fault, "no option %s",
                           fault_quote(quoted, argument, strlen(argument)));
    }
    if (found[1] != ':')
        return o->letter;
    o->value = *o->rest ? o->rest : o->at < o->argc ? o->argv[o->at++] : NULL;
    o->rest = "";
    if (!o->value)
        return fault_usage(o->fault, "-%c wants a value behind it", o->letter);
    return o->letter;
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

/* A finite decimal number and nothing else. */
static bool read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && strspn(text, "0123456789.eE+-") == strlen(text) && !*end && isfinite(*value);
}

int options_positive(const struct options *o, double *value)
{
    return read_real(o->value, value) && *value > 0 ? 0 : wrong(o, "a number above 0");
}

int options_fraction(const struct options *o, double *value)
{
    return read_real(o->value, value) && *value >= 0 && *value <= 1
               ? 0
               : wrong(o, "a number from 0 to 1");
}

int options_word(const struct options *o, const char *const *words)
{
    char what[200];
    size_t used = 0;
    for (int i = 0; words[i]; i++)
        if (strcmp(o->value, words[i]) == 0)
            return i;
    for (int i = 0; words[i] && used < sizeof what; i++)
        used += (size_t)snprintf(what + used, sizeof what - used, "%s%s",
                                 i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    return wrong(o, what);
}
