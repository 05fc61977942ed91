#include "explore/interleave.h"

#include <string.h>

#include "explore/propensity.h"
#include "math/real.h"
#include "math/rng.h"

static const double tau = 3;

void interleave_direction(uint64_t seed, uint64_t t, size_t n, double *u)
{
    struct normals normals = { .rng = rng_at(seed, RNG_RIVAL, t) };
    sphere_draw(&normals, n, u);
}

/* A coin for every so many places, 1 or 2; at the second it is the other side's turn. */
static void take_turns(size_t m, const uint32_t *next[2], size_t places, struct rng *rng,
                       uint32_t *order, unsigned char *team, unsigned char *taken)
{
    memset(taken, 0, m);
    for (size_t a = 0; a < m; a++) {
        if (a % places == 0)
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

void interleave_draft(size_t m, const uint32_t *mine, const uint32_t *rivals, struct rng *rng,
                      uint32_t *order, unsigned char *team, unsigned char *taken)
{
    const uint32_t *next[] = { mine, rivals };
    take_turns(m, next, 2, rng, order, team, taken);
}

/* What is left of an order that was drawn from all documents is one drawn from those left. */
void interleave_draw(size_t m, const uint32_t *mine, const uint32_t *rivals, struct rng *rng,
                     uint32_t *order, unsigned char *team, double *numbers, uint32_t *scratch)
{
    const uint32_t *ranked[] = { mine, rivals }, *next[] = { scratch, scratch + m };
    for (size_t side = 0; side < 2; side++) {
        for (size_t a = 0; a < m; a++)
            numbers[ranked[side][a]] = -tau * real_log((double)a + 1);
        propensity_draw_luce(m, numbers, rng, scratch + side * m, numbers + m, scratch + 2 * m);
    }
    take_turns(m, next, 1, rng, order, team, (unsigned char *)(scratch + 4 * m));
}
