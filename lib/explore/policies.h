/* policies: the table of the policies by which explore orders the documents of a round. */
#ifndef RANKPIPE_POLICIES_H
#define RANKPIPE_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "explore/bounded.h"
#include "explore/placement.h"
#include "explore/round_blocks.h"
#include "math/rng.h"
#include "stream/round.h"

struct policy;

/* A policy with its settings, and what it keeps from round to round. The caller sets the first
 * part; the rest is all zero at first. */
struct explorer {
    const struct policy *policy; /* NULL: the default, by each round's columns       */
    bool rated;         /* gamma is given; else it is the policy's                   */
    double gamma;       /* exploration rate of round 1, from 0 to 1                  */
    double temperature; /* of plackett-luce in round 1, above 0                      */
    double power;       /* gamma and temperature fall as t^-power; 0: they stay      */
    double share;       /* of rounds with a rival that are interleaved; 0: none      */
    double own_share;   /* of rounds with a base, which is interleaved with it       */
    uint64_t places;    /* k: places that the policy explores, or items in a group; 0: those of
                         * the policy, and for worth as many as users judge by judged= */
    uint64_t horizon, blocks_asked; /* rounds; blocks in them, 0: by default         */
    uint64_t top_grade; /* L: labels are at most this, which sets the noise       */
    uint64_t seed;
    bool records;    /* each round records its seed, as key seed=                      */
    bool repeats;    /* each round is drawn by the seed that it records                */
    bool line_order; /* ties are in line order, not at random                          */
    bool redraws;    /* a round may have an order, which another replaces              */
    bool bounds;     /* orders stay within `bounded` of the column base                */
    struct bounded bounded;

    const struct policy *now; /* of the round at hand                 */
    uint64_t k;               /* its places                           */
    double rate;              /* its gamma, of round 1                */
    size_t docs;              /* of a fixed list; 0: no round yet */
    bool all_held; /* a round that was bounded, in another order than base, had no column held */
    struct blocks blocks;
    struct buffer scratch, orders, numbers, rest;
};

struct policy {
    const char *name;
    const char *options; /* letters of the options it takes, besides those that all take     */
    const char *needs;   /* letters of which one must be given; "": none                     */
    const char *missing; /* these options in words, for the message that asks for them       */
    bool one_seed;       /* its draws span rounds, which must have one seed                  */
    enum round_key key;  /* of k in the rounds: KEY_TOP, KEY_SWAP, KEY_SLOT, KEY_SUBSET; 0: none */
    double gamma;        /* where none is given                                              */
    uint64_t places;     /* the same                                                         */

    /* Its greedy order, where it is not that by score; NULL: it is. 0 or a fault. */
    int (*rank)(struct explorer *my, const struct round *round, uint32_t *order,
                struct fault *fault);

    /* Does the round hold what the policy ranks by? 0 or a fault. */
    int (*check)(const struct explorer *my, const struct round *round, struct fault *fault);

    /* Gives a checked round its order, and the keys and columns that say how it was drawn. `rng`
     * is at the start of the round's draws. 0 or a fault. */
    int (*show)(struct explorer *my, struct round *round, struct rng *rng, struct fault *fault);

    /* Where it places documents, in a round that explores; NULL: as plackett-luce does, unless
     * `unplaced` says why nobody knows. */
    double (*place)(const struct placement *placement, size_t g);
    const char *unplaced;
};

/* The table, ended by a NULL name. Without a policy, a round that has rates= is shown by policy
 * slot, one that has the column worth by worth, one that has index by index, and any other by
 * uniform, which does not take places: index where they are given. */
enum { POLICY_SLOT, POLICY_WORTH, POLICY_INDEX, POLICY_UNIFORM, POLICY_DRAFT, POLICIES_MOST = 15 };
extern const struct policy policies[POLICIES_MOST + 1];

/* The name of policy i, from 0, or NULL after the last. */
const char *policies_name(size_t i);

/* Orders one round. What is random depends on the seed and the round's number alone. 0 or a fault,
 * without a place: the round has answers on the order that was shown, or has an order, and neither
 * `redraws` nor `repeats`. O(docs log docs). */
int policies_show(struct explorer *my, struct round *round, struct fault *fault);

/* order[docs]: the greedy order of the policy that was chosen, of which it sets k and rate; without
 * one, that by score. The round has the columns by which the policy ranks. 0 or a fault.
 * O(docs log docs). */
int policies_rank(struct explorer *my, const struct round *round, uint32_t *order,
                  struct fault *fault);

void policies_close(struct explorer *my);

#endif
