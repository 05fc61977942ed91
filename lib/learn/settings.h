/* settings: the settings of learners. Each has a name, which is its key in the model file, because
 * resuming with other settings would be another algorithm; and an option letter, which is older. */
#ifndef RANKPIPE_SETTINGS_H
#define RANKPIPE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "model/model.h"

enum setting_number {
    SETTING_AGE,
    SETTING_PAIRS,
    SETTING_TRADEOFF,
    SETTING_DELTA,
    SETTING_EPSILON,
    SETTING_FALL,
    SETTING_GAIN,
    SETTING_PRIOR, /* a path; in models the word 1 */
    SETTING_CLICKS,
    SETTING_TOP_GRADE,
    SETTING_MARGIN,
    SETTING_MEMBERS,
    SETTING_CLIENTS,
    SETTING_RHO,
    SETTING_EXPLORATION_WIDTH,
    SETTING_HORIZON, /* sets eta, and is not saved */
    SETTING_RADIUS,
    SETTING_STRENGTH,
    SETTING_ETA,
    SETTING_CUTOFF,
    SETTING_IN_ORDER,
    SETTING_PLAIN,
    SETTING_SEED,
    SETTING_EXAMINATION, /* a path; in models the word 1 */
    SETTINGS
};

#define SETTING_STRENGTH_USUAL 1000.0 /* of a prior whose strength is not set */

struct setting {
    char letter;
    const char *name;
    const char *what; /* for -h and messages */
    enum setting_type { TYPE_POSITIVE, TYPE_REAL, TYPE_WHOLE, TYPE_WORD, TYPE_FLAG,
                        TYPE_PATH } type;
    double least, most;       /* of a whole or a real number                              */
    const char *const *words; /* ended by NULL; the value is the place of one, from 1      */
    const char *unset;        /* for -h: what a learner does without it and without preset */
};
extern const struct setting settings_known[SETTINGS];

enum gain { GAIN_EXP = 1, GAIN_LIN, GAIN_NDCG, GAIN_AUC }; /* the words of SETTING_GAIN */

enum { SETTING_PATH = 1024, SETTING_PATHS = 2 };

struct settings {
    bool set[SETTINGS];
    double value[SETTINGS];
    char path[SETTING_PATHS][SETTING_PATH]; /* for settings_path */
};

/* The path of a setting of that type, where the command line gives it; else "". */
const char *settings_path(const struct settings *settings, enum setting_number i);

/* setting_range writes what values a setting may have, as "a number above 0". setting_print writes
 * a value in as few digits as give it back. Both return `text`. */
enum { SETTING_TEXT = 80 };
const char *setting_range(const struct setting *setting, char text[SETTING_TEXT]);
const char *setting_print(const struct setting *setting, double value, char text[SETTING_TEXT]);

/* Sets a setting to the value of a text. A flag, whose text is NULL, becomes 1. Returns 0, or a
 * usage fault if the setting has a value already or cannot have this one: the fault names it
 * `called`. */
int settings_set(struct settings *settings, enum setting_number i, const char *called,
                 const char *text, struct fault *fault);

/* Puts the settings that are set into a model, each with all its digits. */
int settings_save(const struct settings *settings, struct model *model, struct fault *fault);

/* Reads the settings of a model. A value that its setting does not allow is a fault. */
int settings_load(struct settings *settings, const struct model *model, struct fault *fault);

/* Takes over from a model what a run that resumes it need not give: that it began at a prior, and
 * how strong that was, that its answers are clicks, or that it has a table of examination, and
 * bounds on what it keeps. Only bounds may differ from the model's, and clicks may begin later. */
void settings_adopt(struct settings *settings, const struct model *model);

/* Returns 0 if the model's settings are these, to the last bit; else a fault that names both and
 * says what to do. */
int settings_compare(const struct settings *settings, const struct model *model,
                     struct fault *fault);

/* Returns 0 if these can be the settings of another share of one run: all except a prior are the
 * same, and only one share has a prior, which would count twice. Else returns a fault that names
 * both. */
int settings_match(const struct settings *settings, const struct settings *share,
                   struct fault *fault);

#endif
