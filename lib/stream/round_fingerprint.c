#include "stream/round_fingerprint.h"

#include "math/fingerprint.h"

int round_fingerprint(struct round *round, const struct matrix *x, struct buffer *scratch,
                      struct fault *fault)
{
    if (x->kind == MATRIX_UNIT || round->fingerprint || record_column(round->record, ROUND_NAMES))
        return 0;
    uint64_t *hash = round_new(round, ROUND_FINGERPRINT, fault);
    return hash ? fingerprint_rows(x, scratch, hash, fault) : -1;
}
