/* erased: what rounds name that is to be erased: requests, queries or documents. */
#ifndef RANKPIPE_ERASED_H
#define RANKPIPE_ERASED_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/name_table.h"
#include "stream/record.h"
#include "stream/round.h"

enum erased_kind { ERASED_REQUESTS, ERASED_QUERIES, ERASED_DOCUMENTS };

struct erased { /* all zero at first, but kind */
    enum erased_kind kind;
    struct name_table names;
};

/* Adds what a round names: its request, its qid, or the names of its documents. 0; or a fault: it
 * has none. */
int erased_add(struct erased *erased, const struct round *round, struct fault *fault);

/* Has the record one of them? */
bool erased_has(const struct erased *erased, const struct record *record);

void erased_close(struct erased *erased);

#endif
