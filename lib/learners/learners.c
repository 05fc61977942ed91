#include "learners/learners.h"

#include <stdbool.h>
#include <string.h>

#include "base/names.h"

#define POINTER(name) &learn_##name,
const struct learner *const learners[] = { LEARNERS(POINTER) NULL };

const struct learner *const learner_usual = &learn_memory;

const struct learner *learner_find(const char *name)
{
    return learner_named(learners, name);
}

/* ---- as words ---- */

enum { WORD_ROOM = SETTING_PATH + 100, SHORT = 100 };

/* Copies the next of the words, which end at commas. Returns what follows its comma, or NULL after
 * the last word. A word that does not fit is not valid: it ends in ? here. */
static const char *copy_word(const char *words, char word[WORD_ROOM])
{
    size_t n = strcspn(words, ","), kept = n < WORD_ROOM ? n : WORD_ROOM - 1;
    memcpy(word, words, kept);
    word[kept] = '\0';
    if (kept < n)
        word[kept - 1] = '?';
    return words[n] ? words + n + 1 : NULL;
}

/* The number of a setting that the learner takes, by its name; -1 after a fault. `pathed`: the
 * setting before it is a path, of which this may be a part; or NULL. */
static int find_setting(const struct learner *learner, const char *name,
                        const struct setting *pathed, struct fault *fault)
{
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    for (int i = 0; i < SETTINGS; i++) {
        if (!strchr(learner->letters, settings_known[i].letter))
            continue;
        if (strcmp(settings_known[i].name, name) == 0)
            return i;
        names_offer(&names, name, settings_known[i].name);
    }
    if (pathed)
        return fault_usage(fault, "%s=...,%s: a path with a comma cannot be given: make a link "
                           "to the file (ln -s), and name that", pathed->name, name);
    return fault_usage(fault, "%s has no setting %s: %s", learner->name,
                       fault_quote(quoted, name, strlen(name)),
                       names.bytes ? names_advice(&names) : "it has none");
}

const struct learner *learner_words_read(const char *words, struct settings *settings,
                                         struct fault *fault)
{
    char word[WORD_ROOM];
    const struct setting *before = NULL;
    words = copy_word(words, word);

    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    const struct learner *learner = learner_find(word);
    const char *instead = learner_instead(word);
    for (size_t i = 0; learners[i]; i++)
        names_offer(&names, word, learners[i]->name);
    if (instead)
        fault_usage(fault, "learner %s left in 0.5.0: use %s", word, instead);
    else if (strncmp(word, "exec:", 5) == 0)
        fault_usage(fault, "%s is a program of its own, and update is not: use train -a exec:, or "
                    "pipes (rankpipe-python(7))", fault_quote(quoted, word, strlen(word)));
    else if (!learner)
        fault_usage(fault, "no learner %s: %s", fault_quote(quoted, word, strlen(word)),
                    names_advice(&names));

    while (learner && words) {
        words = copy_word(words, word);

        /* A word that is no path is not valid if it is long: it ends in ? here. */
        size_t n = strcspn(word, "=");
        bool path = false;
        for (size_t i = 0; i < SETTINGS; i++)
            path = path || (settings_known[i].type == TYPE_PATH && word[n] &&
                            strncmp(word, settings_known[i].name, n) == 0);
        if (strlen(word) >= SHORT && !path)
            strcpy(word + SHORT - 2, "?");

        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        bool pathed = before && before->type == TYPE_PATH && !value;
        int i = find_setting(learner, word, pathed ? before : NULL, fault);
        if (i < 0 || settings_set(settings, (enum setting_number)i, word, value, fault) < 0)
            return NULL;
        before = &settings_known[i];
    }
    return learner;
}

int learner_words_option(char letter, const char *text, struct settings *settings,
                         struct fault *fault)
{
    const char called[] = { '-', letter, '\0' };
    size_t i = 0;
    while (settings_known[i].letter != letter)
        i++;
    return settings_set(settings, (enum setting_number)i, called, text, fault);
}
