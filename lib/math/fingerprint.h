/* fingerprint: 64-bit hashes of documents' features, by which a document is known that has no name.
 *
 *     hash = sum over j of v_j k(j), modulo 2^64
 *
 * v_j are the bits of feature j as a float, 0 of -0, and k(j) is a fixed hash of j. Sums have no
 * order, and a feature that is 0 adds nothing: so the order of features, zeros that are listed,
 * features past the last one that is not 0, and dense or sparse form make no difference. Floats of
 * few digits have up to 24 trailing zeros, so two given documents share a hash with a chance of
 * about 2^-40, as it seems; a query's documents alone are compared. The k(j) are not secret: anyone
 * may choose such features, as well as copy a document's; those documents are told apart
 * as equal ones are. */
#ifndef RANKPIPE_FINGERPRINT_H
#define RANKPIPE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/matrix.h"

/* hash[docs] of the documents of x, which is not MATRIX_UNIT. `scratch` is space that may be used
 * again. 0 or a fault (memory). O(features). */
int fingerprint_rows(const struct matrix *x, struct buffer *scratch, uint64_t *hash,
                     struct fault *fault);

/* place[docs], from 0: the place of each document among those before it with the same hash. Where
 * a hash is in the table depends on the secret, so that nobody can choose features that make it
 * slow. `scratch` as above. 0 or a fault (memory). O(docs) on average. */
int fingerprint_places(size_t docs, const uint64_t *hash, uint64_t secret, struct buffer *scratch,
                       uint32_t *place, struct fault *fault);

#endif
