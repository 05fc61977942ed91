/* svm_names: can the documents of a query be known by their names? */
#ifndef RANKPIPE_SVM_NAMES_H
#define RANKPIPE_SVM_NAMES_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/siphash.h"

/* Of n names, each ended by NUL: 1 where none is empty and no two are equal, else 0; or a fault
 * (memory). `scratch` is space that may be used again. O(bytes) on average, whatever the names:
 * their hashes begin with `start`, whose key nobody who chooses them may
 * know. */
int svm_names_differ(const char *names, size_t n, const struct siphash *start,
                     struct buffer *scratch, struct fault *fault);

#endif
