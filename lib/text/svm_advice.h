/* svm_advice: what to do about a line that is nearly SVM-light text: a command that makes it so. */
#ifndef RANKPIPE_SVM_ADVICE_H
#define RANKPIPE_SVM_ADVICE_H

#include <stddef.h>

#include "base/fault.h"
#include "io/lines.h"

struct svm_advice;

/* The advice for a line of n bytes that was refused; NULL: there is none. */
const struct svm_advice *svm_advice_find(const char *line, size_t n);

/* Adds the advice to the fault of the current line. Of missing values it says how many the file
 * has, if it can be sought in: O(its bytes, 1 GiB at most). */
void svm_advice_add(const struct svm_advice *advice, const struct lines *lines,
                    struct fault *fault);

#endif
