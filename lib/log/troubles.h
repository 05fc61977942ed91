/* troubles: why a learner in service cannot use a record: each is counted in its status, and the
 * record is named, with the reason, in the file `quarantine` of the generation. */
#ifndef RANKPIPE_TROUBLES_H
#define RANKPIPE_TROUBLES_H

#include <stdint.h>

#include "base/fault.h"
#include "stream/fresh_file.h"

enum trouble {
    ANSWER_MALFORMED, ANSWER_FUTURE, ANSWER_GRADE, ANSWER_LENGTH, ANSWER_LATE, ANSWER_TWICE,
    ANSWER_ROUNDLESS, ROUND_MALFORMED, ROUND_NAMELESS, ROUND_TIMELESS, ROUND_FUTURE, ROUND_TWICE,
    ROUND_UNSHOWN, ROUND_GONE, ROUND_REFUSED, LOG_DAMAGED, TROUBLES
};

struct troubles { /* all zero at first */
    uint64_t count[TROUBLES]; /* of this run */
    uint64_t lines;
    struct fresh_file file;
};

/* As status files have it: "answer malformed". */
const char *trouble_name(enum trouble trouble);

/* Starts the file in a folder. 0 or a fault; to be closed either way. */
int troubles_open(struct troubles *troubles, const char *folder, struct fault *fault);

/* Counts a record, and writes "NAME TAB WHERE TAB REASON", the last formatted as by printf: 0 or a
 * fault. `where` has no control characters, and the reason's become '?'. */
int troubles_add(struct troubles *troubles, enum trouble trouble, const char *where,
                 struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Puts the file in its place. 0 or a fault. */
int troubles_finish(struct troubles *troubles, struct fault *fault);

void troubles_close(struct troubles *troubles);

#endif
