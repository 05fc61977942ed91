/* second: a second reader of streams, written from rankpipe(5) alone. It uses nothing of lib/. */
#ifndef RANKPIPE_STRUCTURED_SECOND_H
#define RANKPIPE_STRUCTURED_SECOND_H

#include "draft.h"

/* Reads a whole stream into `stream`, whose arrays are copies, end records included. NULL; or what
 * is wrong, with its place. `features`: features are checked too, which programs that do not use
 * them pass on as they came. */
const char *second_read(struct stream *stream, const void *bytes, size_t n, bool features);

#endif
