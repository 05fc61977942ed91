/* svm_border: finds where queries begin in SVM-light text with qids, without reading the rest. */
#ifndef RANKPIPE_SVM_BORDER_H
#define RANKPIPE_SVM_BORDER_H

#include <stddef.h>

/* Where text[n] is divided: a line with another qid than the last line before it that has one. */
struct svm_border {
    size_t at;  /* where this line begins; 0: the text holds no such line */
    size_t end; /* where it ends, LF included                             */
};

/* Finds a border of the text, which begins with a line: the last one if the lines of each query
 * stand together. A last line without LF is not looked at. O(log n) lines, and those after the
 * border if they have no qid. */
struct svm_border svm_border(const char *text, size_t n);

#endif
