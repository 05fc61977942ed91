/* round_blocks: which rounds of a block explore a fixed list of items; the other rounds follow a
 * perturbed leader (Chaudhuri & Tewari 2015, Algorithm 1 and Lemma 8; with k places instead of one,
 * section 2.6 of the long version of their paper of 2016). */
#ifndef RANKPIPE_ROUND_BLOCKS_H
#define RANKPIPE_ROUND_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "math/rng.h"

struct block { /* rounds first .. first + rounds - 1 */
    uint64_t number, first, rounds;
};

/* The block of round t, where T rounds are divided into K blocks. Block i, from 0, is the rounds
 * from ceil(iT/K) + 1 to ceil((i+1)T/K); after round T each block has ceil(T/K) rounds. Exact; t, T
 * and K are from 1 to 2^53, and K is at most T. */
struct block blocks_find(uint64_t T, uint64_t K, uint64_t t);

/* How many groups of k items m items make, the last one perhaps smaller: ceil(m/k). */
uint64_t blocks_groups(size_t m, uint64_t k);

/* The default of K: m^(-1/3) T^(2/3), rounded, but at least 1 and at most T/g, so that each block
 * has a round for each of g groups. */
uint64_t blocks_count(uint64_t T, size_t m, uint64_t g);

struct blocks { /* all zero at first */
    uint64_t T, K, k, seed;
    size_t groups;
    struct block drawn; /* the block whose exploring rounds are in `cells`; rounds 0: none yet */
    struct buffer cells;
    size_t mask;
};

/* Plans T rounds of m items in K blocks (0: the default), with k items a group. 0, or a fault if a
 * block cannot have a round for each group, or would have more than 2^32 - 1 rounds. */
int blocks_plan(struct blocks *blocks, uint64_t T, uint64_t K, size_t m, uint64_t k, uint64_t seed,
                struct fault *fault);
void blocks_close(struct blocks *blocks);

/* The role of one round. */
struct turn {
    uint64_t block;
    bool explores;
    uint32_t group; /* the group on top, if the round explores */
};

/* Finds the role of round t. In each block each group has one round, and every assignment of groups
 * to rounds is equally likely; it depends on (seed, the block's number) alone. O(groups) in a
 * block's first round, then O(1). 0 or a fault (memory). */
int blocks_turn(struct blocks *blocks, uint64_t t, struct turn *turn, struct fault *fault);

/* order[m]: group `group` of k items on top, in item order, and the other items after it in random
 * order. O(m). */
void blocks_order(size_t m, uint64_t k, uint32_t group, struct rng *rng, uint32_t *order);

/* epsilon = 1 / (sqrt(m steps) (2^grade - 1)), where `steps` is K, or T if every round has full
 * feedback. 1/epsilon, the width of the noise, is finite up to grade 900. */
double blocks_epsilon(size_t m, uint64_t steps, unsigned grade);

/* perturbed[m]: score[i] + p_i, where the p_i are independent and uniform on [0, 1/epsilon). score
 * and perturbed may be the same array. */
void blocks_perturb(size_t m, const double *score, double epsilon, struct rng *rng,
                    double *perturbed);

#endif
