/* engines: the weights of a model as search engines take them: the plugins for learning to rank of
 * Elasticsearch and OpenSearch, Solr, and Vespa. */
#ifndef RANKPIPE_ENGINES_H
#define RANKPIPE_ENGINES_H

#include "base/fault.h"
#include "stream/record.h"
#include "text/forms.h"

/* Each prints a model's record. Its score of a document is the model's, but for a constant that is
 * the same for all documents of a round, and for rounding to single precision. printer->notice gets
 * what the user must do besides. 0, or a fault: those of linear_read, or the engine cannot make the
 * features of the model. */

/* A body for POST _ltr/_featureset/NAME/_createmodel: model/linear, with a standard normaliser for
 * each feature that constants scale. Its mean is where the feature counts least, so that no score
 * is below 0 as long as features stay in the range of the constants. Features of weight 0 are left
 * out. */
int engines_es(struct printer *printer, const struct record *record, struct fault *fault);

/* A LinearModel, for schema/model-store: all features of the model, each with its weight. */
int engines_solr(struct printer *printer, const struct record *record, struct fault *fault);

/* A rank-profile. Where the features are scaled within the query it is a global-phase expression
 * with normalize_linear. */
int engines_vespa(struct printer *printer, const struct record *record, struct fault *fault);

#endif
