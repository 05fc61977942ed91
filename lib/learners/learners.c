#include "learners/learners.h"

#include <string.h>

#define POINTER(name) &learn_##name,
const struct learner *const learners[] = { LEARNERS(POINTER) NULL };

const struct learner *const learner_usual = &learn_memory;

const struct learner *learner_find(const char *name)
{
    for (size_t i = 0; learners[i]; i++)
        if (strcmp(learners[i]->name, name) == 0)
            return learners[i];
    return NULL;
}

const struct learner *learner_of_model(const char *name)
{
    static const struct learner fixed = { .name = LEARNER_FIXED, .letters = "" };
    return strcmp(name, LEARNER_FIXED) == 0 ? &fixed : learner_find(name);
}
