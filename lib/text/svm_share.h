/* svm_share: a share of a file of SVM-light text, by its bytes, cut where queries begin. */
#ifndef RANKPIPE_SVM_SHARE_H
#define RANKPIPE_SVM_SHARE_H

#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"

struct svm_share {
    uint64_t number, shares; /* the caller's: which one, from 1, of how many, at most 2^32 - 1 */
    uint64_t from, to;       /* its bytes */
};

/* Finds the share in a regular file. Each byte is in one share; shares that follow each other meet,
 * and all but the first begin with the first line of a query, or are empty. The border after byte b
 * is the first line with a qid, among those that begin at b or later, that has another qid than the
 * line with a qid before it there. 0 or a fault. O(bytes of two queries at each end). */
int svm_share_find(struct svm_share *share, const char *file, struct watch *watch,
                   struct fault *fault);

#endif
