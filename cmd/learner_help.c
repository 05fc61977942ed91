#include "learner_help.h"

#include <string.h>

#include "help.h"
#include "run/options.h"

/* The row of a setting: its name and what it takes; what it does, its range, default and letter. */
static void print_setting(FILE *to, const struct setting *setting, double preset)
{
    char name[40], text[300], range[SETTING_TEXT], value[SETTING_TEXT];
    bool flag = setting->form == FORM_FLAG;
    snprintf(name, sizeof name, "%s%s", setting->name, flag ? "" : "=value");
    snprintf(text, sizeof text, "%s%s%s (default: %s); -%c", setting->what, flag ? "" : ": ",
             flag ? "" : setting_range(setting, range),
             preset != 0 ? setting_print(setting, preset, value) : setting->unset,
             setting->letter);
    help_row(to, &(struct option){ .value = name, .text = text }, sizeof "  tradeoff=value ");
}

static void print_kind(FILE *to, const struct learner *learner)
{
    if (learner->least == SURROGATE_ALL)
        fprintf(to, "It needs feedback on all documents of a round.\n");
    else
        fprintf(to, "It needs feedback on at least %zu document%s of a round.\n", learner->least,
                learner->least == 1 ? "" : "s");
    fprintf(to, "It has at most %zu weights, unless -d says otherwise.\n",
            learner->most ? learner->most : LEARNER_MOST);
    if (learner->made)
        fprintf(to, "It makes features of raw ones by %s, unless -x says otherwise.\n",
                learner->made);
    fprintf(to, *learner->letters ? "\n" : "It has no settings.\n");
}

void learner_help(const struct learner *learner, FILE *to)
{
    fprintf(to, "usage: update -a %s%s\n\n", learner->name,
            *learner->letters ? "[,setting=value ...]" : "");
    print_kind(to, learner);
    for (size_t i = 0; i < SETTINGS; i++)
        if (strchr(learner->letters, settings_known[i].letter))
            print_setting(to, &settings_known[i], learner->preset[i]);
    fprintf(to, "\nrankpipe help learners opens the page of all learners\n");
}
