#include "feature/fourier.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/system.h"
#include "math/real.h"
#include "math/rng.h"

static const double PI = 0x1.921fb54442d18p+1;

void fourier_close(struct fourier *fourier)
{
    buffer_free(&fourier->slot);
    buffer_free(&fourier->omega);
    buffer_free(&fourier->shift);
    buffer_free(&fourier->turns);
}

int fourier_start(struct fourier *fourier, size_t number, double gamma, uint64_t seed,
                  struct fault *fault)
{
    struct rng rng = rng_at(seed, RNG_FOURIER, 0);
    struct siphash random = entropy_siphash();
    double *shift = buffer_for(&fourier->shift, number, sizeof *shift, fault);
    if (!shift || !buffer_for(&fourier->turns, number, sizeof(double), fault)) return -1;
    for (size_t i = 0; i < number; i++)
        shift[i] = rng_unit(&rng);
    fourier->number = number;
    fourier->seed = seed;
    fourier->factor = siphash_end(&random) | 1;
    fourier->scale = sqrt(gamma / 2) / PI; /* sqrt(2 gamma) / (2 pi) */
    return 0;
}

/* Where the frequencies of a feature are: a slot of a hash table. So memory grows with the
 * different features that came, not with their largest index. */
struct slot {
    uint32_t feature, row; /* of omega, from 1; 0: the slot is empty */
};

/* The slot of a feature, or the empty one where it goes. */
static struct slot *find_slot(const struct fourier *fourier, struct slot *slot, size_t slots,
                         uint32_t feature)
{
    size_t at = (size_t)((feature * fourier->factor) >> 32) & (slots - 1);
    while (slot[at].row && slot[at].feature != feature)
        at = (at + 1) & (slots - 1);
    return &slot[at];
}

/* Doubles the number of slots. */
static int widen(struct fourier *fourier, struct fault *fault)
{
    struct buffer wider = { 0 };
    const struct slot *old = fourier->slot.at;
    size_t slots = fourier->slots ? 2 * fourier->slots : 64;
    struct slot *slot = buffer_for(&wider, slots, sizeof *slot, fault);
    if (!slot) return -1;
    memset(slot, 0, slots * sizeof *slot);
    for (size_t at = 0; at < fourier->slots; at++)
        if (old[at].row)
            *find_slot(fourier, slot, slots, old[at].feature) = old[at];
    buffer_free(&fourier->slot);
    fourier->slot = wider;
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
    if (2 * (fourier->known + 1) > fourier->slots && widen(fourier, fault) < 0) return -1;
    double *omega = buffer_for(&fourier->omega, (fourier->known + 1) * number, sizeof *omega,
                               fault);
    if (!omega) return -1;
    for (size_t i = 0; i < number; i++)
        omega[fourier->known * number + i] = fourier->scale * normal_draw(&normals);
    *find_slot(fourier, fourier->slot.at, fourier->slots, feature) =
        (struct slot){ feature, (uint32_t)++fourier->known };
    return 0;
}

static bool is_known(const struct fourier *fourier, uint32_t feature)
{
    return fourier->slots && find_slot(fourier, fourier->slot.at, fourier->slots, feature)->row;
}

/* Forgets the frequencies of all features, which are the same when they are drawn again. */
static void forget(struct fourier *fourier)
{
    memset(fourier->slot.at, 0, fourier->slots * sizeof(struct slot));
    fourier->known = 0;
}

/* Draws frequencies for all features of these rows that have none. Where there is no room for them,
 * those of queries before go. */
static int draw_new(struct fourier *fourier, const struct rows *rows, struct fault *fault)
{
    const uint32_t *idx = rows->idx.at;
    bool alone = fourier->known == 0;
    for (size_t e = 0; e < rows->entries; e++) {
        if (is_known(fourier, idx[e]))
            continue;
        if (fourier->known + 1 <= FOURIER_MOST / fourier->number) {
            if (draw_frequencies(fourier, idx[e], fault) < 0) return -1;
            continue;
        }
        if (alone)
            return fault_data(fault, "making %zu new features from more than %zu features of one "
                              "query needs more than %" PRIu64 " frequencies: use a smaller -D",
                              fourier->number, fourier->known, FOURIER_MOST);
        forget(fourier);
        alone = true;
        e = SIZE_MAX; /* again from the first one */
    }
    return 0;
}

/* The frequencies of a feature. */
static const double *find_omega(const struct fourier *fourier, uint32_t feature)
{
    size_t row = find_slot(fourier, fourier->slot.at, fourier->slots, feature)->row - 1;
    return (const double *)fourier->omega.at + row * fourier->number;
}

/* The arguments of the cosines, in turns, of a document with k features. */
static const double *find_turns(struct fourier *fourier, const uint32_t *idx, const float *val,
                                size_t k)
{
    double *restrict turns = fourier->turns.at;
    const size_t number = fourier->number;
    memcpy(turns, fourier->shift.at, number * sizeof *turns);
    for (size_t e = 0; e < k; e++) {
        const double *restrict omega = find_omega(fourier, idx[e]);
        const double x = val[e];
        for (size_t i = 0; i < number; i++)
            turns[i] += x * omega[i];
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
        if (rows_document(out, number + k, fault) < 0) return -1;
        const double *turns = find_turns(fourier, idx + ptr[i], val + ptr[i], k);
        for (size_t f = 0; f < number; f++)
            rows_feature(out, (uint32_t)f, (float)(high * real_cos_turns(turns[f])));
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, (uint32_t)(number + idx[e]), val[e]);
    }
    *dim += number;
    return 0;
}
