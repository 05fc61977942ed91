#include "learn/large.h"

#include <math.h>

#include "base/unaligned.h"
#include "math/matrix.h"

static const float most = 100;

/* Features are counted from 1, as in SVM-light text. */
static bool report(const struct round *round, size_t doc, size_t feature, float value,
                   struct fault *line)
{
    char name[ROUND_NAME];
    (void)fault_other(line, "%s: feature %zu of document %zu is %g, and raw features as large as "
                      "this ruin most learners: add -x scale, or -x none to accept them",
                      round_name(round, name), feature + 1, doc, (double)value);
    return true;
}

bool large_features(const struct round *round, struct fault *line)
{
    struct matrix x;
    if (round->made || round_matrix(round, &x, line) < 0)
        return false;
    const unsigned char *val = x.kind == MATRIX_DENSE ? x.x : x.val;
    for (size_t i = 0, e = 0; x.kind != MATRIX_UNIT && i < x.docs; i++) {
        size_t end = x.kind == MATRIX_DENSE ? (i + 1) * x.dim : unaligned_u4(x.ptr + 4 * (i + 1));
        for (size_t from = e; e < end; e++) {
            float value = unaligned_f4(val + 4 * e);
            size_t j = x.kind == MATRIX_DENSE ? e - from : unaligned_u4(x.idx + 4 * e);
            if (fabsf(value) > most)
                return report(round, i, j, value, line);
        }
    }
    return false;
}
