/* blocks: how a fixed list of items is shown: some rounds of each block explore, the others rank
 * by a perturbed leader (Chaudhuri & Tewari 2015, Algorithm 1 and Lemma 8; with k places for one,
 * as in section 2.6 of the long version of their paper of 2016). */
#ifndef RANKPIPE_BLOCKS_H
#define RANKPIPE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/rng.h"

struct block { /* rounds first .. first + rounds - 1 */
    uint64_t number, first, rounds;
};

/* The block of round t, where T rounds are in K blocks: block i, from 0, is the rounds from
 * ceil(iT/K) + 1 to ceil((i+1)T/K), and behind T each block has ceil(T/K) rounds. Exact; t, T and K
 * from 1 to 2^53, K at most T. */
struct block blocks_find(uint64_t T, uint64_t K, uint64_t t);

/* Groups of k items, the last one perhaps of fewer: ceil(m/k). */
uint64_t blocks_groups(size_t m, uint64_t k);

/* K where none is asked for: m^(-1/3) T^(2/3), rounded, but at most so many blocks that each has a
 * round for each of g groups, and at least 1. */
uint64_t blocks_count(uint64_t T, size_t m, uint64_t g);

struct blocks { /* all zero at first */
    uint64_t T, K, k, seed;
    size_t groups;
    struct block drawn; /* the block whose exploring rounds are in `cells`; no rounds: none */
    struct buffer cells;
    size_t mask;
};

/* T rounds of m items in K blocks (0: by default), k items a group. 0, or a fault where a block
 * could not have a round for each group, or would have more than 2^32 - 1 rounds. */
int blocks_plan(struct blocks *blocks, uint64_t T, uint64_t K, size_t m, uint64_t k, uint64_t seed,
                struct fault *fault);
void blocks_close(struct blocks *blocks);

/* What round t is for. */
struct turn {
    uint64_t block;
    bool explores;
    uint32_t group; /* on top, if it explores */
};

/* In each block each group has one round, all ordered draws of those rounds equally likely: they
 * depend on (seed, the block's number) alone. O(groups) in a block's first round, then O(1).
 * 0 or a fault (memory). */
int blocks_turn(struct blocks *blocks, uint64_t t, struct turn *turn, struct fault *fault);

/* The order of m items with group `group` of k on top, as it is; the rest behind it, in random
 * order. */
void blocks_order(size_t m, uint64_t k, uint32_t group, struct rng *rng, uint32_t *order);

/* The width of the noise: 1 / (sqrt(m steps) (2^grade - 1)), steps being K, or T where every round
 * tells all. Its reciprocal is finite up to grade 900. */
double blocks_epsilon(size_t m, uint64_t steps, unsigned grade);

/* perturbed[i] = score[i] + p_i, the p_i uniform on [0, 1/epsilon). They may be one array. */
void blocks_perturb(size_t m, const double *score, double epsilon, struct rng *rng,
                    double *perturbed);

#endif
