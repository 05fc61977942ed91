/*
 * Blocks of rounds against plain counting and boundaries worked out by hand, the draws against
 * another program's and against what equally likely means, and the noise against its bounds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "explore/round_blocks.h"

enum { DRAWS = 240000, MOST = 64 };

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TWO53 ((uint64_t)1 << 53)
#define TWO52 ((uint64_t)1 << 52)
#define TWO51 ((uint64_t)1 << 51)

static unsigned long wrong;

static void tell(int right, const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "blocks: %s (%llu, %llu, %llu)\n", what, (unsigned long long)a,
                (unsigned long long)b, (unsigned long long)c);
}

/* ---- where blocks begin and end ---- */

static void check_block(uint64_t T, uint64_t K, uint64_t t, struct block want)
{
    struct block got = blocks_find(T, K, t);
    tell(got.number == want.number, "number of the block", T, K, t);
    tell(got.first == want.first, "first round of the block", T, K, t);
    tell(got.rounds == want.rounds, "rounds of the block", T, K, t);
}

/* Counts up from the definition: round t is in block i if ceil(iT/K) < t <= ceil((i+1)T/K). */
static unsigned long check_small(void)
{
    unsigned long rounds = 0;
    for (uint64_t T = 1; T <= 60; T++)
        for (uint64_t K = 1; K <= T; K++) {
            uint64_t t = 1, each = (T + K - 1) / K;
            for (uint64_t i = 0; i < K + 3; i++) {
                uint64_t last = i < K ? ((i + 1) * T + K - 1) / K : t + each - 1, first = t;
                for (; t <= last; t++, rounds++)
                    check_block(T, K, t, (struct block){ i, first, last - first + 1 });
            }
        }
    return rounds;
}

static void check_huge(void)
{
    const uint64_t T = TWO53 - 1, K = ((uint64_t)1 << 26) + 1, third = 3002399751580331;
    /* ceil(2^53/3), ceil(2^54/3) */
    check_block(TWO53, 3, third, (struct block){ 0, 1, third });
    check_block(TWO53, 3, third + 1, (struct block){ 1, third + 1, third });
    check_block(TWO53, 3, 2 * third, (struct block){ 1, third + 1, third });
    check_block(TWO53, 3, 2 * third + 1, (struct block){ 2, 2 * third + 1, third - 1 });
    check_block(TWO53, 3, TWO53, (struct block){ 2, 2 * third + 1, third - 1 });
    check_block(TWO53, TWO53, TWO53 - 1, (struct block){ TWO53 - 2, TWO53 - 1, 1 });
    check_block(TWO53, 1, TWO53 - 1, (struct block){ 0, 1, TWO53 });
    /* ceil(iT/(T-1)) = i + 1: the first block has two rounds, all others one. */
    check_block(T, T - 1, 1, (struct block){ 0, 1, 2 });
    check_block(T, T - 1, 2, (struct block){ 0, 1, 2 });
    check_block(T, T - 1, 3, (struct block){ 1, 3, 1 });
    check_block(T, T - 1, T, (struct block){ T - 2, T, 1 });
    /* ceil(i 2^53 / (2^52 + 1)) = 2i - floor(2i / (2^52 + 1)): two rounds, except for block 2^51
     * and for the last. */
    check_block(TWO53, TWO52 + 1, TWO52, (struct block){ TWO51 - 1, TWO52 - 1, 2 });
    check_block(TWO53, TWO52 + 1, TWO52 + 1, (struct block){ TWO51, TWO52 + 1, 1 });
    check_block(TWO53, TWO52 + 1, TWO52 + 2, (struct block){ TWO51 + 1, TWO52 + 2, 2 });
    check_block(TWO53, TWO52 + 1, TWO53, (struct block){ TWO52, TWO53, 1 });
    /* By a program with numbers of any length, these and the one after T. */
    check_block(T, K, 134217728, (struct block){ 1, 134217728, 134217726 });
    check_block(T, K, 268435453, (struct block){ 1, 134217728, 134217726 });
    check_block(T, K, T, (struct block){ K - 1, 9007199120523266, 134217726 });
    check_block(1000000, 7, TWO53 - 1, (struct block){ 63050016483, 9007199254728409, 142858 });
}

/* K is the whole number nearest to x = (T^2/m)^(1/3), the upper one of two: exactly where
 * (2K-1)^3 <= (2x)^3 < (2K+1)^3. */
static void check_count(void)
{
    for (uint64_t m = 1; m <= 40; m++)
        for (uint64_t T = m; T <= 1500; T++) {
            uint64_t K = blocks_count(T, m, 1), low = 2 * K - 1, high = 2 * K + 1;
            tell(low * low * low * m <= 8 * T * T || K == 1, "K too large", T, m, K);
            tell(8 * T * T < high * high * high * m || K == T, "K too small", T, m, K);
        }
    tell(blocks_count(10000, 10, 10) == 215, "K of the paper's game", 10000, 10, 215);
    tell(blocks_count(1000, 1000, 1000) == 1, "K where a block must be all", 1000, 1000, 1);
    tell(blocks_count(1999, 1000, 1000) == 1, "K where two would not do", 1999, 1000, 1);
    tell(blocks_count(2000, 1000, 1000) == 2, "K where two just do", 2000, 1000, 2);
    tell(blocks_count(1, 100, 1) == 1, "K is never 0", 1, 100, 1);
    tell(blocks_groups(10, 1) == 10 && blocks_groups(10, 3) == 4 && blocks_groups(9, 3) == 3,
         "groups", 10, 3, 4);
    tell(blocks_groups(10, 10) == 1 && blocks_groups(10, 4294967295) == 1, "one group", 10, 10, 1);
}

static void check_plan(void)
{
    static const struct {
        uint64_t T, K;
        size_t m;
        uint64_t k, got; /* 0: refused */
    } plan[] = {
        { 100, 0, 10, 1, 10 },       { 100, 10, 10, 1, 10 },    { 100, 11, 10, 1, 0 },
        { 9, 0, 10, 1, 0 },          { 10, 0, 10, 1, 1 },       { 5, 0, 10, 2, 1 },
        { 4, 0, 10, 2, 0 },          { 1, 0, 10, 10, 1 },       { TWO53, 0, 2, 1, 0 },
        { TWO53, 2097152, 2, 1, 0 }, { TWO53, 2097153, 2, 1, 2097153 },
    };
    for (size_t i = 0; i < COUNT(plan); i++) {
        struct blocks blocks = { .T = 0 };
        struct fault fault = { FAULT_NONE, "" };
        uint64_t want = plan[i].got;
        if (plan[i].T == TWO53 && plan[i].K == 0)
            want = blocks_count(TWO53, 2, 2);
        int result = blocks_plan(&blocks, plan[i].T, plan[i].K, plan[i].m, plan[i].k, 1, &fault);
        tell(result == (want ? 0 : -1) && blocks.K == want, "plan", i, blocks.K, want);
        tell((fault.kind == FAULT_DATA) == !want, "fault of the plan", i, 0, 0);
        blocks_close(&blocks);
    }
}

/* ---- who explores ---- */

static struct turn turn_at(struct blocks *blocks, uint64_t t)
{
    struct fault fault = { FAULT_NONE, "" };
    struct turn turn = { 0, false, 0 };
    tell(blocks_turn(blocks, t, &turn, &fault) == 0, "blocks_turn fails", t, 0, 0);
    return turn;
}

/* The offsets of a block's exploring rounds, by group; each group must have exactly one. */
static void offsets_of(struct blocks *blocks, struct block block, uint64_t *offset)
{
    unsigned times[MOST] = { 0 };
    for (uint64_t o = 0; o < block.rounds; o++) {
        struct turn turn = turn_at(blocks, block.first + o);
        tell(turn.block == block.number, "block of the turn", block.first + o, turn.block,
             block.number);
        if (!turn.explores)
            continue;
        tell(turn.group < blocks->groups, "no such group", block.first + o, turn.group, 0);
        times[turn.group % MOST]++;
        offset[turn.group % MOST] = o;
    }
    for (size_t group = 0; group < blocks->groups; group++)
        tell(times[group] == 1, "not one round for a group", block.number, group, times[group]);
}

static void plan_blocks(struct blocks *blocks, uint64_t T, uint64_t K, size_t g, uint64_t seed)
{
    struct fault fault = { FAULT_NONE, "" };
    memset(blocks, 0, sizeof *blocks);
    tell(blocks_plan(blocks, T, K, g, 1, seed, &fault) == 0, "blocks_plan fails", T, K, g);
}

static unsigned long check_each_group_once(void)
{
    static const struct {
        uint64_t T, K;
        size_t g;
    } plan[] = {
        { 60, 1, 60 }, { 60, 6, 10 }, { 61, 6, 10 }, { 1000, 37, 5 }, { 1000, 9, 50 }, { 7, 7, 1 },
        { 4096, 64, 64 }, { 100000, 3, 33 },
    };
    unsigned long blocks_seen = 0;
    for (size_t i = 0; i < COUNT(plan); i++) {
        struct blocks blocks;
        uint64_t T = plan[i].T, offset[MOST];
        plan_blocks(&blocks, T, plan[i].K, plan[i].g, 5);
        for (uint64_t t = 1; t <= T + 3 * (T / plan[i].K); blocks_seen++) {
            struct block block = blocks_find(T, plan[i].K, t);
            offsets_of(&blocks, block, offset);
            t = block.first + block.rounds;
        }
        blocks_close(&blocks);
    }
    return blocks_seen;
}

/* Rounds in any order, and from any on, give the same. */
static void check_no_memory(void)
{
    enum { T = 500, ALL = 600 };
    struct blocks blocks, fresh;
    struct turn first[ALL + 1];
    plan_blocks(&blocks, T, 23, 7, 3);
    for (uint64_t t = 1; t <= ALL; t++)
        first[t] = turn_at(&blocks, t);
    for (uint64_t n = 0; n < ALL; n++) {
        uint64_t t = n * 251 % ALL + 1; /* up and down, each once */
        struct turn again = turn_at(&blocks, t);
        plan_blocks(&fresh, T, 23, 7, 3);
        struct turn alone = turn_at(&fresh, t);
        tell(again.block == first[t].block && again.explores == first[t].explores &&
             again.group == first[t].group, "told otherwise the second time", t, 0, 0);
        tell(alone.block == first[t].block && alone.explores == first[t].explores &&
             alone.group == first[t].group, "told otherwise when first", t, 0, 0);
        blocks_close(&fresh);
    }
    blocks_close(&blocks);
}

/* Worked out by another program from rankpipe's generator: a seed means these for ever. */
static void check_pinned(void)
{
    static const struct {
        uint64_t seed, block;
        size_t L, g;
        uint64_t offset[6];
    } pinned[] = {
        { 1, 0, 10, 4, { 6, 0, 8, 7 } },
        { 1, 1, 10, 4, { 3, 8, 1, 5 } },
        { 2, 0, 10, 4, { 9, 2, 8, 3 } },
        { 1, 3, 6, 6, { 2, 0, 4, 1, 3, 5 } },
    };
    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct blocks blocks;
        uint64_t L = pinned[i].L, offset[MOST] = { 0 };
        plan_blocks(&blocks, 4 * L, 4, pinned[i].g, pinned[i].seed);
        offsets_of(&blocks, (struct block){ pinned[i].block, pinned[i].block * L + 1, L }, offset);
        for (size_t group = 0; group < pinned[i].g; group++)
            tell(offset[group] == pinned[i].offset[group], "not the pinned draw", i, group,
                 offset[group]);
        blocks_close(&blocks);
    }
}

/* Chi-square of `used` equally likely cells: its mean is used - 1, its variance twice that. Six
 * deviations above the mean come less than once in three thousand honest draws, and the seeds here
 * are fixed. */
static void check_equal(const char *what, const unsigned long *count, size_t cells, size_t used,
                        uint64_t a, uint64_t b)
{
    double mean = DRAWS / (double)used, sum = 0, freedom = (double)used - 1;
    size_t seen = 0;
    for (size_t i = 0; i < cells; i++) {
        double off = (double)count[i] - mean;
        seen += count[i] > 0;
        sum += count[i] ? off * off / mean : 0;
    }
    tell(seen == used, what, a, b, seen);
    tell(sum < freedom + 6 * sqrt(2 * freedom), what, a, b, (uint64_t)sum);
}

/* All L (L-1) ... ordered draws of g rounds out of L, over blocks and seeds. */
static void check_draws(size_t g, uint64_t L)
{
    static const uint64_t seeds = 40;
    unsigned long count[125] = { 0 };
    size_t draws = 1;
    for (size_t i = 0; i < g; i++)
        draws *= L - i;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct blocks blocks;
        uint64_t K = DRAWS / seeds, offset[MOST] = { 0 };
        plan_blocks(&blocks, K * L, K, g, seed);
        for (uint64_t i = 0; i < K; i++) {
            size_t cell = 0;
            offsets_of(&blocks, (struct block){ i, i * L + 1, L }, offset);
            for (size_t group = 0; group < g; group++)
                cell = cell * L + offset[group];
            count[cell % COUNT(count)]++;
        }
        blocks_close(&blocks);
    }
    check_equal("ordered draws are not equally likely", count, COUNT(count), draws, g, L);
}

/* ---- what is shown ---- */

static void check_tops(void)
{
    static const uint64_t places[] = { 1, 2, 3, 4, 9, 10, 11, 4294967295 };
    const size_t m = 10;
    for (size_t p = 0; p < COUNT(places); p++)
        for (uint64_t k = places[p], group = 0; group < blocks_groups(m, k); group++) {
            uint32_t order[11] = { [10] = 1000 };
            unsigned times[10] = { 0 };
            size_t first = group * k, top = m - first < k ? m - first : k;
            struct rng rng = rng_at(1, RNG_EXPLORE, group);
            blocks_order(m, k, (uint32_t)group, &rng, order);
            for (size_t i = 0; i < m; i++) {
                tell(i >= top || order[i] == first + i, "not the group on top", k, group, i);
                times[order[i] % m]++;
            }
            for (size_t i = 0; i < m; i++)
                tell(times[i] == 1, "no permutation", k, group, i);
            tell(order[m] == 1000, "something beyond the order", k, group, order[m]);
        }
}

/* Of five items, two on top: the other three in all six orders. */
static void check_rests(void)
{
    for (uint32_t group = 0; group < 2; group++) {
        unsigned long count[125] = { 0 };
        for (uint64_t t = 1; t <= DRAWS; t++) {
            uint32_t order[5];
            struct rng rng = rng_at(1, RNG_EXPLORE, t);
            blocks_order(5, 2, group, &rng, order);
            count[(order[2] * 25 + order[3] * 5 + order[4]) % 125]++;
        }
        check_equal("orders of the rest are not equally likely", count, 125, 6, group, 0);
    }
}

/* The noise is in [0, 1/epsilon), in each twentieth of it as often, and each item has its own. */
static void check_noise(void)
{
    const double epsilon = 0.125, score[2] = { 0, -3 };
    unsigned long count[400] = { 0 };
    for (uint64_t t = 1; t <= DRAWS; t++) {
        double perturbed[2];
        struct rng rng = rng_at(1, RNG_EXPLORE, t);
        blocks_perturb(2, score, epsilon, &rng, perturbed);
        double a = perturbed[0] / 8, b = (perturbed[1] + 3) / 8;
        tell(a >= 0 && a < 1 && b >= 0 && b < 1, "noise out of bounds", t, 0, 0);
        count[((size_t)(a * 20) * 20 + (size_t)(b * 20)) % 400]++;
    }
    check_equal("noise is not uniform", count, 400, 400, 0, 0);
    tell(blocks_epsilon(4, 25, 1) == 0.1, "epsilon", 4, 25, 1);
    tell(blocks_epsilon(4, 25, 4) == 1 / 150.0, "epsilon", 4, 25, 4);
    tell(isfinite(1 / blocks_epsilon(4294967295, TWO53, 900)), "1/epsilon is not finite", 0, 0, 0);
}

static unsigned long check_choices(void)
{
    unsigned long seen = check_each_group_once();
    check_no_memory();
    check_pinned();
    for (size_t g = 2; g <= 3; g++)
        for (uint64_t L = 4; L <= 5; L++)
            check_draws(g, L);
    check_tops();
    check_rests();
    check_noise();
    return seen;
}

int main(void)
{
    unsigned long rounds = check_small(), seen = 0;
    check_huge();
    check_count();
    check_plan();
    if (!wrong)
        seen = check_choices(); /* in blocks that are too short they might never end */
    printf("blocks: %lu rounds placed, %lu blocks drawn, %d draws of each kind\n", rounds, seen,
           DRAWS);
    if (wrong)
        fprintf(stderr, "blocks: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
