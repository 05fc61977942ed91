#include "feature/fourier.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "math/normal.h"
#include "math/real.h"

static const double PI = 0x1.921fb54442d18p+1;

void fourier_close(struct fourier *fourier)
{
    buffer_free(&fourier->slot);
    buffer_free(&fourier->spare);
    buffer_free(&fourier->omega);
    buffer_free(&fourier->shift);
    buffer_free(&fourier->turns);
}

int fourier_start(struct fourier *fourier, size_t number, double gamma, uint64_t seed,
                  struct fault *fault)
{
    struct rng rng = rng_at(seed, RNG_FOURIER, 0);
    double *shift = buffer_for(&fourier->shift, number, sizeof *shift, fault);
    if (!shift || !buffer_for(&fourier->turns, number, sizeof(double), fault))
        return -1;
    for (size_t i = 0; i < number; i++)
        shift[i] = rng_unit(&rng);
    fourier->number = number;
    fourier->seed = seed;
    fourier->scale = sqrt(gamma / 2) / PI; /* sqrt(2 gamma) / (2 pi) */
    return 0;
}

/* Where the frequencies of a feature are: a slot of a hash table. So memory grows with the
 * different features that came, not with their largest index. */
struct slot {
    uint32_t feature, row; /* of omega, from 1; 0: the slot is empty */
};

/* The slot of a feature, or the empty one where it goes. */
static struct slot *find(struct slot *slot, size_t slots, uint32_t feature)
{
    size_t at = (size_t)((feature * 0x9e3779b97f4a7c15u) >> 32) & (slots - 1);
    while (slot[at].row && slot[at].feature != feature)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

/* Doubles the number of slots. */
static int widen(struct fourier *fourier, struct fault *fault)
{
    size_t had = fourier->slots, slots = had ? 2 * had : 64;
    struct slot *old = buffer_for(&fourier->spare, had, sizeof *old, fault);
    if (old && had)
        memcpy(old, fourier->slot.at, had * sizeof *old);
    struct slot *slot = old ? buffer_for(&fourier->slot, slots, sizeof *slot, fault) : NULL;
    if (!slot)
        return -1;
    memset(slot, 0, slots * sizeof *slot);
    for (size_t at = 0; at < had; at++)
        if (old[at].row)
            *find(slot, slots, old[at].feature) = old[at];
    fourier->slots = slots;
    return 0;
}

/* Draws the frequencies of a feature that comes for the first time, from (seed, j + 1), one after
 * the other: with a larger D, the first ones stay the same. */
static int draw_frequencies(struct fourier *fourier, uint32_t feature, struct fault *fault)
{
    size_t number = fourier->number;
    struct normals normals = {
        .rng = rng_at(fourier->seed, RNG_FOURIER, (uint64_t)feature + 1)
    };
    if (fourier->known + 1 > FOURIER_MOST / number)
        return fault_data(fault, "%zu new features of more than %zu features need more than "
                          "%" PRIu64 " frequencies: use a smaller -D", number, fourier->known,
                          FOURIER_MOST);
    if (2 * (fourier->known + 1) > fourier->slots && widen(fourier, fault) < 0)
        return -1;
    double *omega = buffer_for(&fourier->omega, (fourier->known + 1) * number, sizeof *omega,
                               fault);
    if (!omega)
        return -1;
    for (size_t i = 0; i < number; i++)
        omega[fourier->known * number + i] = fourier->scale * normal_draw(&normals);
    *find(fourier->slot.at, fourier->slots, feature) =
        (struct slot){ feature, (uint32_t)++fourier->known };
    return 0;
}

/* Draws frequencies for all features of these rows that have none. */
static int draw_new(struct fourier *fourier, const struct rows *rows, struct fault *fault)
{
    const uint32_t *idx = rows->idx.at;
    for (size_t e = 0; e < rows->entries; e++)
        if ((!fourier->slots || !find(fourier->slot.at, fourier->slots, idx[e])->row) &&
            draw_frequencies(fourier, idx[e], fault) < 0)
            return -1;
    return 0;
}

/* Adds two features to the turns, the first one first. */
static void add_two(double *restrict turns, const double *restrict first, double x,
                    const double *restrict second, double y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        turns[i] = (turns[i] + x * first[i]) + y * second[i];
}

/* The frequencies of a feature. */
static const double *find_omega(const struct fourier *fourier, uint32_t feature)
{
    size_t row = find(fourier->slot.at, fourier->slots, feature)->row - 1;
    return (const double *)fourier->omega.at + row * fourier->number;
}

/* The arguments of the cosines, in turns, of a document with k features. */
static const double *find_turns(struct fourier *fourier, const uint32_t *idx, const float *val,
                                size_t k)
{
    double *turns = fourier->turns.at;
    size_t number = fourier->number, e = 0;
    memcpy(turns, fourier->shift.at, number * sizeof *turns);
    for (; e + 1 < k; e += 2)
        add_two(turns, find_omega(fourier, idx[e]), (double)val[e],
                find_omega(fourier, idx[e + 1]), (double)val[e + 1], number);
    if (e < k) {
        const double *omega = find_omega(fourier, idx[e]);
        for (size_t i = 0; i < number; i++)
            turns[i] += (double)val[e] * omega[i];
    }
    return turns;
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
        draw_new(fourier, in, fault) < 0)
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
