/* log_form: rounds with feedback as a log of clicks, which log2bin reads. */
#ifndef RANKPIPE_LOG_FORM_H
#define RANKPIPE_LOG_FORM_H

#include "base/fault.h"
#include "stream/round.h"
#include "text/forms.h"

/* Prints a line for each document that has feedback: its request (t where the round has none), qid,
 * name (or number), position, click, time, propensity, score and label, "-" where the round does
 * not say. The first line names these columns. 0, or a fault where the round has no qid or
 * feedback, or a tab or line feed is in a name. */
int log_form(struct printer *printer, const struct round *round, struct fault *fault);

/* Prints the first line if no round came. 0 or a fault. */
int log_form_end(struct printer *printer, struct fault *fault);

#endif
