#include "feature/scales.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"

/* Welford's sums (Technometrics 4, 1962) of the values that are stored: so a large mean does not
 * cancel a small deviation. */
struct scales_stored {
    uint64_t n;
    double mean, squares; /* of deviations from the mean */
    double least, largest;
};

void scales_close(struct scales *scales)
{
    buffer_free(&scales->features);
}

/* One more than the last feature that is stored. */
static size_t width_of(const struct matrix *x)
{
    size_t width = x->kind == MATRIX_DENSE ? x->dim : 0;
    for (size_t e = 0; x->kind == MATRIX_SPARSE && e < matrix_entries(x); e++) {
        size_t feature = unaligned_u4(x->idx + 4 * e);
        width = feature < width ? width : feature + 1;
    }
    return width;
}

static int reach(struct scales *scales, size_t width, struct fault *fault)
{
    if (width <= scales->width)
        return 0;
    if (width > SCALES_FEATURES)
        return fault_data(fault, "the round has %zu features, but a summary keeps the ranges of at "
                          "most %zu", width, SCALES_FEATURES);
    struct scales_stored *stored = buffer_for(&scales->features, width, sizeof *stored, fault);
    if (!stored) return -1;
    memset(stored + scales->width, 0, (width - scales->width) * sizeof *stored);
    scales->width = width;
    return 0;
}

static void add_value(struct scales *scales, size_t feature, double value)
{
    struct scales_stored *stored = (struct scales_stored *)scales->features.at + feature;
    if (!isfinite(value)) {
        scales->not_finite++;
        return;
    }
    if (!stored->n || value < stored->least)
        stored->least = value;
    if (!stored->n || value > stored->largest)
        stored->largest = value;
    double apart = value - stored->mean;
    stored->mean += apart / (double)++stored->n;
    stored->squares += apart * (value - stored->mean);
}

int scales_add(struct scales *scales, const struct matrix *x, struct fault *fault)
{
    size_t entries = matrix_entries(x);
    if (reach(scales, width_of(x), fault) < 0) return -1;
    scales->docs += x->docs;
    scales->dim = x->dim > scales->dim ? x->dim : scales->dim;
    for (size_t i = 0; x->kind == MATRIX_DENSE && i < x->docs; i++)
        for (size_t j = 0; j < x->dim; j++)
            add_value(scales, j, (double)unaligned_f4(x->x + 4 * (i * x->dim + j)));
    for (size_t e = 0; x->kind == MATRIX_SPARSE && e < entries; e++)
        add_value(scales, unaligned_u4(x->idx + 4 * e), (double)unaligned_f4(x->val + 4 * e));
    return 0;
}

struct scale scales_of(const struct scales *scales, size_t feature)
{
    struct scale scale = { .mean = 0 };
    if (feature >= scales->width)
        return scale;
    struct scales_stored stored = ((const struct scales_stored *)scales->features.at)[feature];
    double all = (double)scales->docs, n = (double)stored.n, share = all > 0 ? n / all : 0;
    double squares = stored.squares + stored.mean * stored.mean * n * (1 - share); /* with zeros */
    scale = (struct scale){ share * stored.mean, all > 0 ? sqrt(squares / all) : 0, stored.least,
                            stored.largest };
    if (stored.n < scales->docs && scale.least > 0)
        scale.least = 0;
    if (stored.n < scales->docs && scale.largest < 0)
        scale.largest = 0;
    return scale;
}
