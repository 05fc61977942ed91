/* buffer: memory for an array that grows with the data and is used again. */
#ifndef RANKPIPE_BUFFER_H
#define RANKPIPE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct buffer { /* all zero at first */
    void *at;
    size_t bytes;
};

/* Returns memory for `count` elements of `width` bytes each, which may have moved, with the old
 * contents at its front. It is the buffer's until the next call. NULL with a fault where there is
 * no memory or the size overflows; then the buffer is unchanged. */
static inline void *buffer_for(struct buffer *buffer, size_t count, size_t width,
                               struct fault *fault);

void buffer_free(struct buffer *buffer);

/* For buffer_for: makes it hold more. */
void *buffer_grow(struct buffer *buffer, size_t count, size_t width, struct fault *fault);

/* Most calls find the memory there: they cost no more than the comparison. */
static inline void *buffer_for(struct buffer *buffer, size_t count, size_t width,
                               struct fault *fault)
{
    bool there = buffer->at && count <= SIZE_MAX / width && count * width <= buffer->bytes;
    return there ? buffer->at : buffer_grow(buffer, count, width, fault);
}

#endif
