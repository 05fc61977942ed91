/* buffer: memory for an array that grows with the data and is used again. */
#ifndef RANKPIPE_BUFFER_H
#define RANKPIPE_BUFFER_H

#include <stddef.h>

#include "base/fault.h"

struct buffer { /* all zero at first */
    void *at;
    size_t bytes;
};

/* Returns memory for `count` elements of `width` bytes each, which may have moved, with the old
 * contents at its front. It is the buffer's until the next call. NULL with a fault where there is
 * no memory or the size overflows; then the buffer is unchanged. */
void *buffer_for(struct buffer *buffer, size_t count, size_t width, struct fault *fault);

void buffer_free(struct buffer *buffer);

#endif
