/* settings: the settings of learners. Each has an option letter, and a key in the model file,
 * because resuming with other settings would be another algorithm. */
#ifndef RANKPIPE_SETTINGS_H
#define RANKPIPE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/model.h"

enum setting_number {
    SETTING_TRADEOFF,
    SETTING_DELTA,
    SETTING_EPSILON,
    SETTING_FALL,
    SETTING_GAIN,
    SETTING_DRIFT,
    SETTING_CLICKS,
    SETTING_TOP_GRADE,
    SETTING_MARGIN,
    SETTING_MEMBERS,
    SETTING_RHO,
    SETTING_EXPLORATION_WIDTH,
    SETTING_HORIZON,
    SETTING_RADIUS,
    SETTING_ETA,
    SETTING_CUTOFF,
    SETTING_IN_ORDER,
    SETTING_PLAIN,
    SETTING_SEED,
    SETTINGS
};

struct setting {
    char letter;
    const char *key;  /* in the model file; NULL: not saved, as it only sets another one */
    const char *what; /* for messages */
    enum setting_form { FORM_POSITIVE, FORM_FROM_ZERO, FORM_WHOLE, FORM_WORD, FORM_FLAG } form;
    uint64_t least, most;     /* of a whole number; most also of a number from 0     */
    const char *const *words; /* ended by NULL; the value is the place of one, from 1 */
};
extern const struct setting settings_known[SETTINGS];

enum gain { GAIN_EXP = 1, GAIN_LIN, GAIN_NDCG, GAIN_AUC }; /* the words of SETTING_GAIN */

struct settings {
    bool set[SETTINGS];
    double value[SETTINGS];
};

/* Puts the settings that are set into a model, each with all its digits. */
int settings_save(const struct settings *settings, struct model *model, struct fault *fault);

/* Reads the settings of a model. A value that its setting does not allow is a fault. */
int settings_load(struct settings *settings, const struct model *model, struct fault *fault);

/* Are the model's settings these, to the last bit? If not, a fault that names both and says what
 * to do. */
int settings_compare(const struct settings *settings, const struct model *model,
                     struct fault *fault);

#endif
