/* svm_skip: leaves out a query that has an error, and goes on with the next one. */
#ifndef RANKPIPE_SVM_SKIP_H
#define RANKPIPE_SVM_SKIP_H

#include "text/svm.h"

/* After svm_next failed with FAULT_DATA: skips the rest of that query, so that svm_next goes on
 * with the next one. Where blank lines end queries, that is up to one. Else the lines that follow
 * are skipped if they have no qid, or that of the line at fault. Not for text with group sizes.
 * 0, or another fault: the text cannot be read any further. */
int svm_skip(struct svm *svm, struct fault *fault);

#endif
