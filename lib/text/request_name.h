/* request_name: the name that a client gives its request, in a line "request: ID" before the
 * documents. */
#ifndef RANKPIPE_REQUEST_NAME_H
#define RANKPIPE_REQUEST_NAME_H

#include <stdbool.h>

#include "base/fault.h"
#include "io/lines.h"
#include "text/qid_word.h"

/* Is the text at p such a line? */
bool request_name_is(const char *p);

/* Reads the name from there, in the current line, and encodes it as a header line has it. 0 or a
 * fault. */
int request_name_read(struct lines *lines, const char *p, char name[QID_BYTES + 1],
                      struct fault *fault);

#endif
