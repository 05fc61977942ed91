/* svm_number: a label or a value in SVM-light text. */
#ifndef RANKPIPE_SVM_NUMBER_H
#define RANKPIPE_SVM_NUMBER_H

#include "base/decimal.h"
#include "base/fault.h"
#include "io/lines.h"

/* The same as svm_number, for any decimal number. */
const char *svm_number_slowly(struct lines *lines, const char *token, const char *p,
                              const char *what, float *value, struct fault *fault);

/* Reads a finite float at p, in the word of the current line that begins at `token`. Returns where
 * it ends, or NULL and a fault that calls it `what`. */
static inline const char *svm_number(struct lines *lines, const char *token, const char *p,
                                     const char *what, float *value, struct fault *fault)
{
    const char *end = decimal_float(p, value);
    return end ? end : svm_number_slowly(lines, token, p, what, value, fault);
}

#endif
