#include "fourier.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "normal.h"
#include "real.h"
#include "vectors.h"

static const double PI = 0x1.921fb54442d18p+1;

void fourier_close(struct fourier *fourier)
{
    space_free(&fourier->omega);
    space_free(&fourier->shift);
    space_free(&fourier->turns);
}

int fourier_start(struct fourier *fourier, size_t number, double gamma, uint64_t seed,
                  struct fault *fault)
{
    struct rng rng = rng_at(seed, RNG_FOURIER, 0);
    double *shift = space_for(&fourier->shift, number, sizeof *shift, fault);
    if (!shift || !space_for(&fourier->turns, number, sizeof(double), fault))
        return -1;
    for (size_t i = 0; i < number; i++)
        shift[i] = rng_unit(&rng);
    fourier->number = number;
    fourier->seed = seed;
    fourier->scale = sqrt(gamma / 2) / PI; /* sqrt(2 gamma) / (2 pi) */
    return 0;
}

/* The features that came reach so far. Feature j's frequencies are drawn by (seed, j + 1), one
 * after the other, so that the first are the same whatever their number. */
static int draw_frequencies(struct fourier *fourier, size_t width, struct fault *fault)
{
    size_t number = fourier->number;
    if (width <= fourier->width)
        return 0;
    if (width > FOURIER_MOST / number)
        return fault_data(fault, "%zu new features of features up to number %zu want more than "
                          "%" PRIu64 " frequencies: give less with -D", number, width,
                          FOURIER_MOST);
    double *omega = space_for(&fourier->omega, width * number, sizeof *omega, fault);
    if (!omega)
        return -1;
    for (; fourier->width < width; fourier->width++) {
        struct normals normals = {
            .rng = rng_at(fourier->seed, RNG_FOURIER, fourier->width + 1)
        };
        for (size_t i = 0; i < number; i++)
            omega[fourier->width * number + i] = fourier->scale * normal_draw(&normals);
    }
    return 0;
}

VECTORS_INLINE void add_feature(double *restrict turns, const double *restrict omega, double x,
                                size_t n)
{
    for (size_t i = 0; i < n; i++)
        turns[i] += x * omega[i];
}

VECTORS_WIDE static void add_feature_wide(double *restrict turns, const double *restrict omega,
                                          double x, size_t n)
{
    add_feature(turns, omega, x, n);
}

/* The arguments of the cosines, in turns, of a document with k features. */
static const double *find_turns(struct fourier *fourier, const uint32_t *idx, const float *val,
                                size_t k)
{
    double *turns = fourier->turns.at;
    size_t number = fourier->number;
    memcpy(turns, fourier->shift.at, number * sizeof *turns);
    for (size_t e = 0; e < k; e++) {
        const double *omega = (const double *)fourier->omega.at + idx[e] * number;
        if (vectors_wide())
            add_feature_wide(turns, omega, (double)val[e], number);
        else
            add_feature(turns, omega, (double)val[e], number);
    }
    return turns;
}

/* One more than the largest index there is. */
static size_t reach(const struct rows *rows)
{
    const uint32_t *idx = rows->idx.at;
    size_t most = 0;
    for (size_t e = 0; e < rows->entries; e++)
        most = idx[e] >= most ? (size_t)idx[e] + 1 : most;
    return most;
}

int fourier_rows(struct fourier *fourier, const struct rows *in, size_t *dim, struct rows *out,
                 struct fault *fault)
{
    size_t number = fourier->number;
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    double high = sqrt(2 / (double)number);
    uint64_t all = (uint64_t)in->docs * number + in->entries;
    if (rows_start(out, (uint64_t)*dim + number, all, fault) < 0 ||
        draw_frequencies(fourier, reach(in), fault) < 0)
        return -1;
    for (size_t i = 0; i < in->docs; i++) {
        size_t k = ptr[i + 1] - ptr[i];
        if (rows_document(out, number + k, fault) < 0)
            return -1;
        const double *turns = find_turns(fourier, idx + ptr[i], val + ptr[i], k);
        for (size_t f = 0; f < number; f++)
            rows_feature(out, (uint32_t)f, (float)(high * real_cos_turns(turns[f])));
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, (uint32_t)(number + idx[e]), val[e]);
    }
    *dim += number;
    return 0;
}
