/* weights_form: the weights of a model as text of other tools, which weights.h reads. */
#ifndef RANKPIPE_WEIGHTS_FORM_H
#define RANKPIPE_WEIGHTS_FORM_H

#include "base/fault.h"
#include "stream/record.h"
#include "text/forms.h"

/* Each prints the weights of a model's record, to all digits. 0 or a fault: the record is no model,
 * it has no weights, or its learner ranks by more than these. printer->notice says what made the
 * features, which the text does not. */

/* "index TAB weight", a line for each. */
int weights_tsv(struct printer *printer, const struct record *record, struct fault *fault);

/* A linear model of SVM-light's svm_learn: its header, then support vectors. */
int weights_svm_light(struct printer *printer, const struct record *record, struct fault *fault);

/* A model of RankLib's Coordinate Ascent: "index:weight" for each, in one line. */
int weights_ranklib(struct printer *printer, const struct record *record, struct fault *fault);

/* A model of sofia-ml: one line of weights, the first of which is that of a constant. */
int weights_sofia(struct printer *printer, const struct record *record, struct fault *fault);

#endif
