/* svm_names: the names of a query's documents, from comments, and whether they all differ. */
#ifndef RANKPIPE_SVM_NAMES_H
#define RANKPIPE_SVM_NAMES_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"

/* Adds the name of a document to names of *bytes bytes, with a NUL: the word after "docid =" in its
 * comment, which begins at p, or else the first word of the comment. 0 or a fault (memory). */
int svm_names_add(struct buffer *names, size_t *bytes, const char *p, struct fault *fault);

/* Of n names, each ended by NUL: 1 where none is empty and no two are equal, else 0; or a fault
 * (memory). `scratch` is space that may be used again. O(bytes) on average, whatever the names:
 * their hashes begin with `start`, whose key nobody who chooses them may
 * know. */
int svm_names_differ(const char *names, size_t n, const struct siphash *start,
                     struct buffer *scratch, struct fault *fault);

#endif
