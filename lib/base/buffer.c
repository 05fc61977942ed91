#include "base/buffer.h"

#include <stdlib.h>

void *buffer_grow(struct buffer *buffer, size_t count, size_t width, struct fault *fault)
{
    if (count > SIZE_MAX / width) {
        fault_no_room(fault, SIZE_MAX);
        return NULL;
    }
    size_t want = count * width, half = buffer->bytes / 2;
    if (buffer->bytes <= SIZE_MAX - half && buffer->bytes + half > want)
        want = buffer->bytes + half; /* so that growing by one costs a copy only now and then */
    if (want < 64)
        want = 64;
    void *at = realloc(buffer->at, want);
    if (!at) {
        fault_no_room(fault, want);
        return NULL;
    }
    buffer->at = at;
    buffer->bytes = want;
    return at;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->at);
    buffer->at = NULL;
    buffer->bytes = 0;
}
