/* present: the features of a round that are not 0 in all of its documents, so that work can depend
 * on these and not on how many features there are. */
#ifndef RANKPIPE_PRESENT_H
#define RANKPIPE_PRESENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

struct present { /* all zero at first */
    size_t n;
    const uint32_t *feature; /* feature[n]: in the order in which the documents have them */
    const uint32_t *place;   /* of each feature in the list, from 1; 0: it is 0 in all    */
    struct buffer list, places;
};

/* Lists the features of x below `reach`. 0 or a fault (memory). O(entries of x), and O(reach) where
 * it grows. */
int present_find(struct present *present, const struct matrix *x, size_t reach,
                 struct fault *fault);

void present_close(struct present *present);

#endif
