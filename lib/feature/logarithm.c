#include "feature/logarithm.h"

#include "math/real.h"

/* With u = 1 + |v| as rounded, ln u is multiplied by |v| / (u - 1): so small values keep their
 * digits (Goldberg, Computing Surveys 23, 1991, theorem 4). */
static float logarithm(float value)
{
    double size = value < 0 ? -(double)value : (double)value, u = 1 + size;
    double log = u > 1 ? real_log(u) * (size / (u - 1)) : size;
    return (float)(value < 0 ? -log : log);
}

int logarithm_rows(const struct rows *in, size_t dim, struct rows *out, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    if (rows_finite(in, "is", fault) < 0 || rows_start(out, dim, in->entries, fault) < 0)
        return -1;
    for (size_t i = 0; i < in->docs; i++) {
        if (rows_document(out, ptr[i + 1] - ptr[i], fault) < 0)
            return -1;
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, idx[e], logarithm(val[e]));
    }
    return 0;
}
