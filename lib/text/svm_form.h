/* svm_form: rounds as SVM-light text, which svm reads. */
#ifndef RANKPIPE_SVM_FORM_H
#define RANKPIPE_SVM_FORM_H

#include "base/fault.h"
#include "stream/round.h"
#include "text/forms.h"

/* Prints one round, a line for each document: label or "?", qid, features and name. svm2bin makes
 * the same columns of it again. 0 or a fault, without a place: text tells queries apart by qid
 * alone, so a round must not have the qid of the round before. With printer->map, numbers
 * stand in the place of qids. */
int svm_form(struct printer *printer, const struct round *round, struct fault *fault);

#endif
