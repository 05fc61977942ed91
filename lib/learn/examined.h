/* examined: the table of examination of a learner from clicks: the file that the setting names, and
 * in models the column examination. */
#ifndef RANKPIPE_EXAMINED_H
#define RANKPIPE_EXAMINED_H

#include "base/fault.h"
#include "explore/examination.h"
#include "learn/settings.h"
#include "stream/model.h"

/* For the hook `open`: reads the file, if the command line names one; a table that the model had
 * must be the same. 0 or a fault. */
int examined_open(struct examination *examination, const struct settings *settings,
                  struct watch *watch, struct fault *fault);

/* For the hooks `save` and `load`; without the setting they do nothing. 0 or a fault. */
int examined_save(const struct examination *examination, const struct settings *settings,
                  struct model *model, struct fault *fault);
int examined_load(struct examination *examination, const struct settings *settings,
                  const struct model *model, struct fault *fault);

/* May the model of a share be added to a sum: have both one table, or none? 0 or a fault. */
int examined_match(const struct examination *sum, const struct examination *share,
                   struct fault *fault);

#endif
