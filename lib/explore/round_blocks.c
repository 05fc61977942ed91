#include "explore/round_blocks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "math/real.h"

struct cell { /* an exploring round, in an open-addressing table */
    uint32_t offset; /* from the block's first round            */
    uint32_t drawn;  /* its group, from 1; 0: an empty cell     */
};

/* floor(a b / c) and the remainder, although a b may need 107 bits. a, b and c are at most 2^53,
 * and the quotient is below 2^63. */
static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
    uint64_t quotient = 0, left = 0;
    for (uint64_t bit = (uint64_t)1 << 53; bit; bit >>= 1) {
        quotient *= 2; /* (the bits of a so far) b = quotient c + left */
        left *= 2;
        if (a & bit) {
            quotient += b / c;
            left += b % c;
        }
        quotient += left / c;
        left %= c;
    }
    *rest = left;
    return quotient;
}

/* ceil(iT/K) */
static uint64_t rounds_before(uint64_t T, uint64_t K, uint64_t i)
{
    uint64_t rest, whole = multiply_divide(i, T, K, &rest);
    return whole + (rest > 0);
}

struct block blocks_find(uint64_t T, uint64_t K, uint64_t t)
{
    uint64_t rest;
    if (t > T) {
        uint64_t rounds = rounds_before(T, K, 1), more = (t - T - 1) / rounds;
        return (struct block){ K + more, T + more * rounds + 1, rounds };
    }
    uint64_t number = multiply_divide(t - 1, K, T, &rest);
    uint64_t before = rounds_before(T, K, number);
    return (struct block){ number, before + 1, rounds_before(T, K, number + 1) - before };
}

uint64_t blocks_groups(size_t m, uint64_t k)
{
    return (m - 1) / k + 1;
}

uint64_t blocks_count(uint64_t T, size_t m, uint64_t g)
{
    uint64_t K = (uint64_t)(real_cbrt((double)T * (double)T / (double)m) + 0.5), most = T / g;
    if (K > most)
        K = most;
    return K ? K : 1;
}

int blocks_plan(struct blocks *blocks, uint64_t T, uint64_t K, size_t m, uint64_t k, uint64_t seed,
                struct fault *fault)
{
    uint64_t g = blocks_groups(m, k);
    if (T < g)
        return fault_data(fault, "-T %" PRIu64 " is too small: each of %" PRIu64 " groups of items "
                          "needs a round", T, g);
    if (K > T / g)
        return fault_data(fault, "-K %" PRIu64 " is too large for -T %" PRIu64 ": each block needs "
                          "a round for each of %" PRIu64 " groups of items: use at most %" PRIu64,
                          K, T, g, T / g);
    if (K == 0)
        K = blocks_count(T, m, g);
    uint64_t rounds = rounds_before(T, K, 1);
    if (rounds > UINT32_MAX)
        return fault_data(fault, "-K %" PRIu64 " is too small for -T %" PRIu64 ": a block would "
                          "have %" PRIu64 " rounds, but at most %" PRIu32 " are allowed", K, T,
                          rounds, UINT32_MAX);
    blocks->T = T;
    blocks->K = K;
    blocks->k = k;
    blocks->seed = seed;
    blocks->groups = (size_t)g;
    blocks->drawn.rounds = 0;
    return 0;
}

void blocks_close(struct blocks *blocks)
{
    buffer_free(&blocks->cells);
}

/* The cell of this offset, or the empty cell where it belongs. Offsets are uniform and at least
 * half of the cells are empty, so the low bits of an offset serve as its hash. */
static struct cell *cell_of(const struct blocks *blocks, uint32_t offset)
{
    struct cell *cells = blocks->cells.at;
    size_t at = offset & blocks->mask;
    while (cells[at].drawn && cells[at].offset != offset)
        at = (at + 1) & blocks->mask;
    return &cells[at];
}

int blocks_turn(struct blocks *blocks, uint64_t t, struct turn *turn, struct fault *fault)
{
    const struct block *drawn = &blocks->drawn;
    bool known = t >= drawn->first && t - drawn->first < drawn->rounds;
    if (!known) {
        /* The exploring rounds of the block, one for each group. One that is taken is drawn
         * again. */
        struct block block = blocks_find(blocks->T, blocks->K, t);
        size_t n = 2;
        while (n < 2 * blocks->groups)
            n *= 2;
        struct cell *cells = buffer_for(&blocks->cells, n, sizeof *cells, fault), *cell;
        if (!cells) return -1;
        memset(cells, 0, n * sizeof *cells);
        blocks->mask = n - 1;
        struct rng rng = rng_at(blocks->seed, RNG_BLOCK, block.number);
        for (size_t group = 0; group < blocks->groups; group++) {
            uint32_t offset;
            do {
                offset = rng_below(&rng, (uint32_t)block.rounds);
                cell = cell_of(blocks, offset);
            } while (cell->drawn);
            *cell = (struct cell){ offset, (uint32_t)group + 1 };
        }
        blocks->drawn = block;
    }
    uint32_t found = cell_of(blocks, (uint32_t)(t - drawn->first))->drawn;
    *turn = (struct turn){ drawn->number, found > 0, found > 0 ? found - 1 : 0 };
    return 0;
}

void blocks_order(size_t m, uint64_t k, uint32_t group, struct rng *rng, uint32_t *order)
{
    size_t first = (size_t)(group * k), on_top = m - first < k ? m - first : (size_t)k;
    for (size_t i = 0; i < on_top; i++)
        order[i] = (uint32_t)(first + i);
    uint32_t *rest = order + on_top;
    rng_permutation(rng, rest, m - on_top);
    for (size_t i = 0; i < m - on_top; i++)
        if (rest[i] >= first)
            rest[i] += (uint32_t)on_top;
}

double blocks_epsilon(size_t m, uint64_t steps, unsigned grade)
{
    return 1 / (sqrt((double)m * (double)steps) * (real_exp2(grade) - 1));
}

void blocks_perturb(size_t m, const double *score, double epsilon, struct rng *rng,
                    double *perturbed)
{
    for (size_t i = 0; i < m; i++)
        perturbed[i] = score[i] + rng_unit(rng) / epsilon;
}
