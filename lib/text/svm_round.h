/* svm_round: makes a round of a query that was read as text. */
#ifndef RANKPIPE_SVM_ROUND_H
#define RANKPIPE_SVM_ROUND_H

#include "stream/round.h"
#include "text/svm.h"

/* Makes round t of the query, which `svm` returned last. The round has its labels, names and
 * features, which stay the reader's, and request= and qid= where it has them. 0, or a data fault
 * that says where the query ends. */
int svm_round(struct svm *svm, const struct svm_query *query, uint64_t t,
              struct round *round, struct fault *fault);

#endif
