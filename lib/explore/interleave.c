#include "explore/interleave.h"

#include <string.h>

#include "math/rng.h"

void interleave_direction(uint64_t seed, uint64_t t, size_t n, double *u)
{
    struct normals normals = { .rng = rng_at(seed, RNG_RIVAL, t) };
    sphere_draw(&normals, n, u);
}

void interleave_draft(size_t m, const uint32_t *mine, const uint32_t *rivals, struct rng *rng,
                      uint32_t *order, unsigned char *team, unsigned char *taken)
{
    const uint32_t *next[] = { mine, rivals };
    memset(taken, 0, m);
    for (size_t a = 0; a < m; a++) {
        if (a % 2 == 0)
            team[a] = rng_unit(rng) < 0.5;
        else
            team[a] = !team[a - 1];
        const uint32_t **chooses = &next[team[a]];
        while (taken[**chooses])
            ++*chooses;
        order[a] = **chooses;
        taken[order[a]] = 1;
    }
}
