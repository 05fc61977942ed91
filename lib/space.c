#include "space.h"

#include <stdint.h>
#include <stdlib.h>

void *space_for(struct space *space, size_t count, size_t width, struct fault *fault)
{
    if (count > SIZE_MAX / width) {
        fault_memory(fault, SIZE_MAX);
        return NULL;
    }
    size_t want = count * width, half = space->bytes / 2;
    if (space->at && want <= space->bytes)
        return space->at;
    if (space->bytes <= SIZE_MAX - half && space->bytes + half > want)
        want = space->bytes + half; /* so that growing by one costs a copy only now and then */
    if (want < 64)
        want = 64;
    void *at = realloc(space->at, want);
    if (!at) {
        fault_memory(fault, want);
        return NULL;
    }
    space->at = at;
    space->bytes = want;
    return at;
}

void space_free(struct space *space)
{
    free(space->at);
    space->at = NULL;
    space->bytes = 0;
}
