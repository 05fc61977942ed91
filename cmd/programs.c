#include "programs.h"

#include <string.h>

const struct filter *const programs[] = {
    &svm2bin, &log2bin, &judge, &weights2bin, &replay, &synth, &features, &score, &explore, &metric,
    &compare, &feedback_mask, &feedback_join, &update, &add_models, &spool, &salvage, &bin2txt,
    &loop, &serve,
    NULL,
};

const struct filter *program_named(const char *name)
{
    size_t i = 0;
    while (programs[i] && strcmp(programs[i]->name, name) != 0)
        i++;
    return programs[i];
}

const struct filter *program_find(const char *name)
{
    const struct filter *found = NULL;
    size_t n = strlen(name);
    for (size_t i = 0; programs[i]; i++) {
        size_t length = strlen(programs[i]->name);
        if (length <= n && strcmp(name + n - length, programs[i]->name) == 0)
            found = programs[i];
    }
    return found;
}
