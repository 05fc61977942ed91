#include "explore/target.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/names.h"
#include "explore/placement.h"

static const char greedy[] = "greedy";

/* NULL: greedy. */
static const char *name_of(const struct target *my)
{
    return my->explorer.policy ? my->explorer.policy->name : greedy;
}

static bool takes(const struct target *my, char letter)
{
    return my->explorer.policy && strchr(my->explorer.policy->options, letter);
}

static bool is_luce(const struct target *my)
{
    return my->explorer.policy && !my->explorer.policy->place;
}

const char *target_name(size_t i)
{
    if (i == 0)
        return greedy;
    for (const struct policy *policy = policies; policy->name; policy++)
        if (!policy->unplaced && --i == 0)
            return policy->name;
    return NULL;
}

/* ---- as words ---- */

enum { TARGET_ROOM = 64 };

/* Copies the next word, which ends at a comma. Returns what follows the comma, or NULL after the
 * last word, or where it does not fit: it ends in ? then. */
static const char *split_word(const char *text, char word[TARGET_ROOM])
{
    size_t n = strcspn(text, ","), kept = n < TARGET_ROOM ? n : TARGET_ROOM - 1;
    memcpy(word, text, kept);
    word[kept] = '\0';
    if (kept < n)
        word[kept - 1] = '?';
    return text[n] ? text + n + 1 : NULL;
}

/* Sets the policy of that name. */
static int set_target(struct target *my, const char *word, struct fault *fault)
{
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    my->explorer.policy = NULL;
    for (const struct policy *policy = policies; policy->name; policy++)
        if (strcmp(policy->name, word) == 0)
            my->explorer.policy = policy;
    if (my->explorer.policy && my->explorer.policy->unplaced)
        return fault_usage(fault, "-x %s cannot be computed: %s", word,
                           my->explorer.policy->unplaced);
    if (my->explorer.policy || strcmp(word, greedy) == 0)
        return 0;
    for (size_t i = 0; target_name(i); i++)
        names_offer(&names, word, target_name(i));
    return fault_usage(fault, "-x: no policy %s: %s", fault_quote(quoted, word, strlen(word)),
                       names_advice(&names));
}

/* The settings: a letter of explore, its name and its values. */
static const struct {
    char letter;
    const char *name, *range;
} settings[] = {
    { 'g', "gamma", "a number from 0 to 1" },
    { 'k', "places", "a whole number, 1 or more" },
    { 'H', "temperature", "a number above 0" },
};
enum { SETTINGS_KNOWN = sizeof settings / sizeof *settings };

/* Is the text a value of the setting? */
static bool set_value(struct explorer *explorer, char letter, const char *text)
{
    double number;
    if (letter == 'k')
        return record_number(text, ROUND_DOCS, &explorer->places) && explorer->places > 0;
    if (!decimal_double(text, &number))
        return false;
    if (letter == 'H') {
        explorer->temperature = number;
        return number > 0;
    }
    explorer->gamma = number;
    explorer->rated = true;
    return number >= 0 && number <= 1;
}

/* Sets what a word says: name=value. */
static int set_word(struct target *my, char *word, struct fault *fault)
{
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    char *value = strchr(word, '=');
    if (value)
        *value++ = '\0';
    for (size_t i = 0; i < SETTINGS_KNOWN; i++) {
        if (!takes(my, settings[i].letter))
            continue;
        names_offer(&names, word, settings[i].name);
        if (strcmp(word, settings[i].name) != 0)
            continue;
        if (value && set_value(&my->explorer, settings[i].letter, value))
            return 0;
        return fault_usage(fault, "-x %s: %s wants %s, not %s", name_of(my), word,
                           settings[i].range, fault_quote(quoted, value ? value : "",
                                                          value ? strlen(value) : 0));
    }
    return fault_usage(fault, "-x %s has no setting %s: %s", name_of(my),
                       fault_quote(quoted, word, strlen(word)),
                       names.bytes ? names_advice(&names) : "it has none");
}

int target_parse(struct target *my, const char *text, struct fault *fault)
{
    char word[TARGET_ROOM];
    text = split_word(text, word);
    if (set_target(my, word, fault) < 0) return -1;
    my->explorer.places = 0;
    my->explorer.rated = false;
    my->explorer.temperature = 1;
    while (text) {
        text = split_word(text, word);
        if (set_word(my, word, fault) < 0) return -1;
    }
    return 0;
}

/* Does it rank by another column than the scores? */
static bool ranks_by(const struct target *my, size_t policy)
{
    return my->explorer.policy == &policies[policy];
}

int target_check(const struct target *my, struct fault *fault)
{
    const char *name = name_of(my);
    if (takes(my, 'g') && strchr(my->explorer.policy->needs, 'g') && !my->explorer.rated)
        return fault_usage(fault, "-x %s needs gamma, as in -x %s,gamma=0.1", name, name);
    return 0;
}

/* ---- a round ---- */

static int check_columns(const struct target *my, const struct round *round, struct fault *fault)
{
    const char *name = name_of(my);
    if (!round->score)
        return fault_data(fault, "-x %s needs score: put score -m before metric", name);
    if ((ranks_by(my, POLICY_WORTH) && !round->worth) ||
        (ranks_by(my, POLICY_INDEX) && !round->index))
        return fault_data(fault, "-x %s needs the column %s, which score -m adds for some "
                          "learners: with others, use -x greedy or -x top", name, name);
    return 0;
}

/* As explore has them, by position. */
static int set_logits(struct target *my, const struct round *round, const uint32_t *order,
                      struct fault *fault)
{
    double *logit = buffer_for(&my->logits, round->docs, sizeof *logit, fault);
    if (!logit) return -1;
    for (size_t g = 0; g < round->docs; g++) {
        double score = round->score[order[g]];
        logit[g] = score == 0 ? 0 : score / my->explorer.temperature;
        if (!isfinite(logit[g]))
            return fault_data(fault, "score %" PRIu32 " is %g, too large for temperature %g: use a "
                              "larger one", order[g], score, my->explorer.temperature);
    }
    my->logit = logit;
    return 0;
}

int target_rank(struct target *my, const struct round *round, const struct ties *ties,
                uint32_t *order, struct fault *fault)
{
    if (check_columns(my, round, fault) < 0) return -1;
    my->explorer.seed = ties->seed;
    my->explorer.line_order = ties->in_line_order;
    if (policies_rank(&my->explorer, round, order, fault) < 0) return -1;
    return is_luce(my) ? set_logits(my, round, order, fault) : 0;
}

/* The mean of a greedy round and one that explores. */
static int mix_weights(struct target *my, struct placement *p, double *W, struct long_work *work,
                       struct fault *fault)
{
    double gamma = my->explorer.rate;
    uint64_t T = takes(my, 'k') ? my->explorer.k : 0;
    p->T = T < p->docs ? (size_t)T : p->docs;
    size_t few = p->T < p->places ? p->T + 1 : 1, steps = 1 + few * few;
    p->chance = buffer_for(&my->room, few, sizeof *p->chance, fault);
    if (!p->chance) return -1;
    placement_start(p);
    for (size_t g = 0; g < p->docs; g++) {
        W[g] = (1 - gamma) * (g < p->places ? p->weight[g] : 0) +
               gamma * my->explorer.policy->place(p, g);
        if (!long_work_goes_on(work, steps))
            return fault_stopped(fault);
    }
    return 0;
}

int target_weights(struct target *my, size_t docs, size_t places, const double *weight, double *W,
                   struct long_work *work, struct fault *fault)
{
    struct placement p = { .docs = docs, .places = places, .weight = weight };
    if (is_luce(my))
        return placement_luce(docs, my->logit, places, weight, W, &my->room, work, fault);
    if (my->explorer.policy && my->explorer.rate > 0)
        return mix_weights(my, &p, W, work, fault);
    memcpy(W, weight, places * sizeof *W);
    memset(W + places, 0, (docs - places) * sizeof *W);
    return 0;
}

void target_close(struct target *my)
{
    policies_close(&my->explorer);
    buffer_free(&my->logits);
    buffer_free(&my->room);
}
