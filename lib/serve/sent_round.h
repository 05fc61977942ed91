/* sent_round: a request that is a record of a stream (rankpipe(5)). */
#ifndef RANKPIPE_SENT_ROUND_H
#define RANKPIPE_SENT_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/round.h"
#include "text/svm.h"

/* Does a header line begin here, in n bytes? */
bool sent_round_begins(const char *bytes, size_t n);

/* The bytes of a record, by its header line of n bytes with its LF; SIZE_MAX where they are more
 * than that. 0: the line does not say. It is checked no further. */
size_t sent_round_bytes(const char *line, size_t n);

/* The same line is that of an end record: 1, and *rounds is its count; 0 where it is of another
 * kind; or a data fault. `record` is overwritten. */
int sent_round_end(struct record *record, const char *line, size_t n, uint64_t *rounds,
                   struct fault *fault);

/* Makes round t of a record of n bytes, which must outlive it. It may hold what text can say: t,
 * which is ignored, qid, request, docs, dim, labels, names of all documents, base and features,
 * within the limits of the options. All of it is checked, features too: O(n). 0 or a data fault. */
int sent_round_read(struct round *round, const char *bytes, size_t n, uint64_t t,
                    const struct svm_options *options, struct fault *fault);

#endif
