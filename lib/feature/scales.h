/* scales: what the values of each feature are over a stream of rounds: mean, deviation, least and
 * largest. A value that a document does not store is 0, and counts. */
#ifndef RANKPIPE_SCALES_H
#define RANKPIPE_SCALES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

#define SCALES_FEATURES ((size_t)1 << 24) /* most features that are kept */

struct scales { /* all zero at first */
    uint64_t docs, not_finite; /* documents; values that are not, and count nowhere */
    size_t dim;                /* of the widest round                               */
    size_t width;              /* one more than the last feature that was stored    */
    struct buffer features;    /* struct scales_stored[width]                       */
};

/* Adds the documents of a round. 0, or a fault without a place: features reach further than
 * SCALES_FEATURES. O(features stored). Memory is 40 bytes for each feature up to the last. */
int scales_add(struct scales *scales, const struct matrix *x, struct fault *fault);

/* Of a feature, below dim. The deviation is that of all documents (divided by their number). All
 * are 0 of a feature that no document stores. */
struct scale {
    double mean, deviation, least, largest;
};
struct scale scales_of(const struct scales *scales, size_t feature);

void scales_close(struct scales *scales);

#endif
