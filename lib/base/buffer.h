/* buffer: memory for arrays that grow to what has come and are then used again. */
#ifndef RANKPIPE_BUFFER_H
#define RANKPIPE_BUFFER_H

#include <stddef.h>

#include "base/fault.h"

struct buffer { /* all zero at first */
    void *at;
    size_t bytes;
};

/* Room for `count` elements of `width` bytes, with what was in it still at its front. It may move,
 * and stays the space's. NULL with `fault` filled in where there is no memory: then the space
 * is as it was. */
void *buffer_for(struct buffer *buffer, size_t count, size_t width, struct fault *fault);

void buffer_free(struct buffer *buffer);

#endif
