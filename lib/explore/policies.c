#include "explore/policies.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explore/bounded.h"
#include "explore/interleave.h"
#include "explore/propensity.h"
#include "math/order.h"
#include "math/real.h"

/* ---- by worth: who is shown for what an answer is worth, given what it costs the list ---- */

/* Places with a discount: D_k = 1 / log2(k + 1) for k = 1 to 10, then 0. */
enum { WORTH_PLACES = 10 };

/* What a place must gain: more than rounding makes. */
static const double least_gain = 1e-12;

/* A list whose first k documents are judged; D[WORTH_PLACES] is 0. */
struct list {
    size_t docs, k;
    const double *score, *worth;
    double D[WORTH_PLACES + 1];
    uint32_t *order;
};

static double discount_at(const struct list *list, size_t place)
{
    return list->D[place < WORTH_PLACES ? place : WORTH_PLACES];
}

/* The place from k on of the document that gains most if it takes the place `slot`, the one there
 * goes to place k, and those between move down; 0: none gains. */
static size_t find_best(const struct list *list, size_t slot)
{
    const double *s = list->score, *worth = list->worth;
    uint32_t out = list->order[slot];
    double given = s[out] * (list->D[slot] - list->D[list->k]), most = least_gain;
    double shift = 0; /* what those between lose */
    size_t best = 0;
    for (size_t r = list->k; r < list->docs; r++) {
        uint32_t i = list->order[r];
        double here = discount_at(list, r);
        double gain = s[i] * (list->D[slot] - here) - given - shift + worth[i] - worth[out];
        if (gain > most && worth[i] > 0) {
            most = gain;
            best = r;
        }
        shift += s[i] * (here - discount_at(list, r + 1));
    }
    return best;
}

static void sort_top(const struct list *list)
{
    uint32_t *order = list->order;
    for (size_t a = 1; a < list->k; a++) {
        uint32_t i = order[a];
        size_t to = a;
        for (; to > 0 && list->score[order[to - 1]] < list->score[i]; to--)
            order[to] = order[to - 1];
        order[to] = i;
    }
}

/* order[docs], which is by score, highest first, becomes the order to show, where users judge the
 * first k documents. Each of places k, k - 1, ... 1 goes to the document below place k for which
 * worth less loss is greatest, if it is above that of the place's document, which goes to place
 * k + 1, and its own worth above 0. The loss is that of the sum of D times score. At last the first
 * k are in the order of their scores. A k above 10 counts as 10. O(k docs). */
static void raise_by_worth(size_t docs, const double *score, const double *worth, size_t k,
                           uint32_t *order)
{
    struct list list = { .docs = docs, .k = k < WORTH_PLACES ? k : WORTH_PLACES, .score = score,
                         .worth = worth, .order = order };
    for (size_t a = 0; a < WORTH_PLACES; a++)
        list.D[a] = 1 / real_log2((double)a + 2);
    if (list.k >= docs)
        return;
    for (size_t slot = list.k; slot-- > 0;) {
        size_t best = find_best(&list, slot);
        if (best == 0)
            break;
        uint32_t up = order[best];
        memmove(order + list.k + 1, order + list.k, (best - list.k) * sizeof *order);
        order[list.k] = order[slot];
        order[slot] = up;
    }
    sort_top(&list);
}

/* ---- the greedy orders ---- */

/* The documents by these numbers, highest first; ties in the order of base, or by the draws for
 * that purpose. */
static int rank_for(struct explorer *my, const struct round *round, const double *number,
                    enum rng_purpose purpose, uint32_t *order, struct fault *fault)
{
    const struct ties ties = { my->seed, my->line_order };
    uint32_t *scratch = buffer_for(&my->scratch, round->docs, sizeof *scratch, fault);
    if (!order || !scratch) return -1;
    ties_rank(&ties, purpose, round->t, round->docs, number, round->base, order, scratch);
    return 0;
}

/* By scores. Two rankings of a round break ties alike: where documents tie in both, the rankings
 * agree, and where all scores are equal, so are the rankings. */
static int rank(struct explorer *my, const struct round *round, const double *score,
                uint32_t *order, struct fault *fault)
{
    return rank_for(my, round, score, RNG_TIES, order, fault);
}

/* The k documents with the largest indices on top, in that order, and the others by score. */
static int rank_by_index(struct explorer *my, const struct round *round, uint32_t *order,
                         struct fault *fault)
{
    size_t m = round->docs, a = my->k < m ? (size_t)my->k : m;
    uint32_t *by_score = buffer_for(&my->rest, m, sizeof *by_score + 1, fault);
    if (!by_score ||
        rank_for(my, round, round->index, RNG_INDEX_TIES, order, fault) < 0 ||
        rank(my, round, round->score, by_score, fault) < 0)
        return -1;
    unsigned char *on_top = (unsigned char *)(by_score + m);
    memset(on_top, 0, m);
    for (size_t i = 0; i < a; i++)
        on_top[order[i]] = 1;
    for (size_t i = 0; i < m; i++)
        if (!on_top[by_score[i]])
            order[a++] = by_score[i];
    return 0;
}

/* By score, but with the documents on top whose judgements are worth it. */
static int rank_by_worth(struct explorer *my, const struct round *round, uint32_t *order,
                         struct fault *fault)
{
    if (rank(my, round, round->score, order, fault) < 0) return -1;
    raise_by_worth(round->docs, round->score, round->worth, (size_t)my->k, order);
    return 0;
}

/* Brings an order of the round within the bound, if there is one. */
static int bound(struct explorer *my, const struct round *round, uint32_t *order,
                 struct fault *fault)
{
    if (!my->bounds)
        return 0;
    void *room = buffer_for(&my->scratch, round->docs, BOUNDED_ROOM, fault);
    if (!room) return -1;
    bool differs = memcmp(order, round->base, round->docs * sizeof *order) != 0;
    bounded_order(&my->bounded, round->docs, round->base, round->held, order, room);
    my->all_held = my->all_held || (differs && !round->held);
    return 0;
}

/* The greedy order of a round, within the bound: found here and nowhere else. `order` is NULL after
 * a fault. */
static int rank_greedily(struct explorer *my, const struct round *round, uint32_t *order,
                         struct fault *fault)
{
    if ((my->now->rank ? my->now->rank(my, round, order, fault)
                       : rank(my, round, round->score, order, fault)) < 0)
        return -1;
    return bound(my, round, order, fault);
}

/* A rate, as it is in round t. */
static double fallen(const struct explorer *my, double rate, uint64_t t)
{
    return my->power > 0 ? rate * propensity_fall(t, my->power) : rate;
}

static int check_score(const struct explorer *my, const struct round *round, struct fault *fault)
{
    (void)my;
    return round->score ? 0 : fault_data(fault, "needs score: put score before explore");
}

static int check_index(const struct explorer *my, const struct round *round, struct fault *fault)
{
    if (!round->index)
        return fault_data(fault, "needs the column index, which score adds for some learners: with "
                          "the others, use -p uniform or -p top");
    return check_score(my, round, fault);
}

static int check_worth(const struct explorer *my, const struct round *round, struct fault *fault)
{
    if (!round->worth)
        return fault_data(fault, "needs worth, which score adds for the learner memory: without "
                          "it, use -p uniform or -p top");
    return check_score(my, round, fault);
}

/* ---- greedy, but with probability gamma explored: worth, index, uniform, top and swap ---- */

static int check_uniform(const struct explorer *my, const struct round *round, struct fault *fault)
{
    if (round->score || fallen(my, my->rate, round->t) >= 1)
        return 0;
    return fault_data(fault, "needs score: put score before explore (only -g 1 needs no score)");
}

/* Any documents in the first places, all ordered choices equally likely, and the rest in greedy
 * order after them. */
static int draw_top(struct explorer *my, struct round *round, uint64_t places, struct rng *rng,
                    struct fault *fault)
{
    size_t m = round->docs;
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    unsigned char *mark = buffer_for(&my->orders, m, 1, fault);
    if (!order || !mark ||
        (round->score &&
         rank_greedily(my, round, round_new(round, ROUND_GREEDY, fault), fault) < 0))
        return -1;
    propensity_draw_top(m, places, round->greedy, rng, order, mark);
    return 0;
}

static int draw_swap(struct explorer *my, struct round *round, struct rng *rng,
                     struct fault *fault)
{
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    if (!order || rank_greedily(my, round, round_new(round, ROUND_GREEDY, fault), fault) < 0)
        return -1;
    memcpy(order, round->greedy, round->docs * sizeof *order);
    propensity_draw_swap(round->docs, (size_t)my->k, rng, order);
    return 0;
}

/* Gives the round gamma and k, unless there is no exploration at all. */
static int set_rate(struct explorer *my, struct round *round, double gamma, struct fault *fault)
{
    if (my->rate <= 0)
        return 0;
    if (round_set_gamma(round, gamma, fault) < 0) return -1;
    return my->now->key ? round_set(round, my->now->key, my->k, fault) : 0;
}

/* In a list of no more than `places` documents there is none below to swap with. */
static int show_mostly(struct explorer *my, struct round *round, struct rng *rng,
                       struct fault *fault)
{
    double gamma = fallen(my, my->rate, round->t);
    bool explores = rng_unit(rng) < gamma, swaps = my->now->key == KEY_SWAP;
    if (set_rate(my, round, gamma, fault) < 0) return -1;
    if (!explores || (swaps && my->k >= round->docs))
        return rank_greedily(my, round, round_new(round, ROUND_ORDER, fault), fault);
    return swaps ? draw_swap(my, round, rng, fault)
                 : draw_top(my, round, my->now->key ? my->k : round->docs, rng, fault);
}

/* ---- slot ---- */

/* May the documents of an order from place k on move down by one? Within a bound, the one at place
 * k must not be held, nor one that has a deadline. */
static bool may_draw(const struct explorer *my, const struct round *round, const uint32_t *order)
{
    size_t k = (size_t)my->k;
    for (size_t a = k - 1; my->bounds && a < round->docs; a++) {
        unsigned held = round->held ? round->held[order[a]] : 1;
        if (held >= 2 || (held && (a + 1 == k || a < BOUNDED_PLACES)))
            return false;
    }
    return true;
}

/* Where the bound leaves nothing to chance the round says so, by a gamma of 0. */
static int show_slot(struct explorer *my, struct round *round, struct rng *rng, struct fault *fault)
{
    size_t m = round->docs;
    double gamma = fallen(my, my->rate, round->t);
    bool explores = rng_unit(rng) < gamma && my->k < m;
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    if (rank_greedily(my, round, order, fault) < 0) return -1;
    bool open = my->k >= m || may_draw(my, round, order);
    if (set_rate(my, round, open ? gamma : 0, fault) < 0) return -1;
    if (!explores || !open)
        return 0;
    uint32_t *greedy = round_new(round, ROUND_GREEDY, fault);
    if (!greedy) return -1;
    memcpy(greedy, order, m * sizeof *order);
    propensity_draw_slot(m, (size_t)my->k, rng, order);
    return 0;
}

/* ---- plackett-luce ---- */

/* A score of 0 is a logit of 0 at any temperature, also at one that has fallen to 0. */
static int find_logits(const struct explorer *my, const struct round *round, double *logit,
                       struct fault *fault)
{
    double temperature = fallen(my, my->temperature, round->t);
    for (size_t i = 0; i < round->docs; i++) {
        logit[i] = round->score[i] == 0 ? 0 : round->score[i] / temperature;
        if (!isfinite(logit[i]))
            return fault_data(fault, "score %zu is %g, too large for temperature %g: use a larger "
                              "-H%s", i, round->score[i], temperature,
                              my->power > 0 ? ", or a smaller -F" : "");
    }
    return 0;
}

/* Within a bound, the order is not the one drawn, so the round does not say by what it was. */
static int show_luce(struct explorer *my, struct round *round, struct rng *rng, struct fault *fault)
{
    size_t m = round->docs;
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    uint32_t *greedy = buffer_for(&my->orders, m, 3 * sizeof *greedy, fault);
    double *keys = buffer_for(&my->numbers, m, 4 * sizeof *keys, fault);
    double *logit = my->bounds ? keys + 3 * m : round_new(round, ROUND_LOGIT, fault);
    if (!order || !greedy || !keys || !logit || find_logits(my, round, logit, fault) < 0 ||
        rank_greedily(my, round, greedy, fault) < 0)
        return -1;
    propensity_draw_luce(m, logit, rng, order, keys, greedy + m);
    if (bound(my, round, order, fault) < 0) return -1;
    if (memcmp(order, greedy, m * sizeof *order) == 0)
        return 0;
    uint32_t *column = round_new(round, ROUND_GREEDY, fault);
    if (column)
        memcpy(column, greedy, m * sizeof *column);
    return column ? 0 : -1;
}

/* ---- subset ---- */

/* The round says by its scores how likely each document was. */
static int show_subset(struct explorer *my, struct round *round, struct rng *rng,
                       struct fault *fault)
{
    size_t m = round->docs;
    if (my->k >= m)
        return fault_data(fault, "docs=%zu, but -p subset draws %" PRIu64 " of more documents: use "
                          "a smaller -k", m, my->k);
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    uint32_t *greedy = buffer_for(&my->orders, m, sizeof *greedy + 1, fault);
    double *q = buffer_for(&my->numbers, m, sizeof *q, fault);
    if (!order || !greedy || !q || rank_greedily(my, round, greedy, fault) < 0) return -1;
    propensity_subset(m, round->score, greedy, (size_t)my->k, q);
    propensity_draw_subset(m, (size_t)my->k, q, greedy, rng, order, (unsigned char *)(greedy + m));
    return round_set(round, KEY_SUBSET, my->k, fault);
}

/* ---- team-draft and probabilistic ---- */

static int check_rival(const struct explorer *my, const struct round *round, struct fault *fault)
{
    if (check_score(my, round, fault) < 0) return -1;
    if (round->rival || round->base)
        return 0;
    return fault_data(fault, "-p %s interleaves two rankings, and needs the column rival or base "
                      "for the second: use score -R rival, or score -f ring and update -a dbgd, or "
                      "svm2bin -e", my->now->name);
}

/* Without a column rival, the rival is the order of base, which is within any bound. */
static int rank_rival(struct explorer *my, const struct round *round, uint32_t *order,
                      struct fault *fault)
{
    if (!round->rival) {
        memcpy(order, round->base, round->docs * sizeof *order);
        return 0;
    }
    if (rank(my, round, round->rival, order, fault) < 0) return -1;
    return bound(my, round, order, fault);
}

static int show_draft(struct explorer *my, struct round *round, struct rng *rng,
                      struct fault *fault)
{
    size_t m = round->docs;
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    unsigned char *team = round_new(round, ROUND_TEAM, fault);
    uint32_t *greedy = buffer_for(&my->orders, m, 2 * sizeof *greedy + 1, fault);
    if (!order || !team || !greedy || rank_greedily(my, round, greedy, fault) < 0 ||
        rank_rival(my, round, greedy + m, fault) < 0)
        return -1;
    interleave_draft(m, greedy, greedy + m, rng, order, team, (unsigned char *)(greedy + 2 * m));
    return 0;
}

static int show_probabilistic(struct explorer *my, struct round *round, struct rng *rng,
                              struct fault *fault)
{
    size_t m = round->docs;
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    unsigned char *team = round_new(round, ROUND_TEAM, fault);
    uint32_t *greedy = buffer_for(&my->orders, m, 7 * sizeof *greedy, fault);
    double *numbers = buffer_for(&my->numbers, m, 4 * sizeof *numbers, fault);
    if (!order || !team || !greedy || !numbers || rank_greedily(my, round, greedy, fault) < 0 ||
        rank_rival(my, round, greedy + m, fault) < 0)
        return -1;
    interleave_draw(m, greedy, greedy + m, rng, order, team, numbers, greedy + 2 * m);
    return 0;
}

/* ---- of a fixed list of items: blocks and leader ---- */

static int check_list(const struct explorer *my, const struct round *round, struct fault *fault)
{
    const char *name = my->now->name;
    if (check_score(my, round, fault) < 0) return -1;
    if (round->dim > 0)
        return fault_data(fault, "dim=%zu, but -p %s needs a fixed list of items without features "
                          "(dim=0)", round->dim, name);
    if (my->docs && my->docs != round->docs)
        return fault_data(fault, "docs=%zu, but docs=%zu in the rounds before: -p %s needs the "
                          "same list of items in each round", round->docs, my->docs, name);
    return 0;
}

/* Ranks by the scores and noise; the noise depends on `steps`. */
static int show_perturbed(struct explorer *my, struct round *round, uint64_t steps,
                          struct rng *rng, struct fault *fault)
{
    size_t m = my->docs = round->docs;
    double epsilon = blocks_epsilon(m, steps, (unsigned)my->top_grade);
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    double *perturbed = buffer_for(&my->numbers, m, sizeof *perturbed, fault);
    if (!order || !perturbed) return -1;
    blocks_perturb(m, round->score, epsilon, rng, perturbed);
    return rank(my, round, perturbed, order, fault);
}

/* One group of items on top. */
static int show_group(struct explorer *my, struct round *round, uint32_t group, struct rng *rng,
                      struct fault *fault)
{
    if (round_set(round, KEY_GROUP, group, fault) < 0) return -1;
    uint32_t *order = round_new(round, ROUND_ORDER, fault);
    if (order)
        blocks_order(round->docs, my->k, group, rng, order);
    return order ? 0 : -1;
}

/* The first round says how long the list is, and by that how it is parted into blocks. */
static int show_blocks(struct explorer *my, struct round *round, struct rng *rng,
                       struct fault *fault)
{
    struct turn turn;
    if (my->docs == 0 && blocks_plan(&my->blocks, my->horizon, my->blocks_asked, round->docs,
                                     my->k, my->seed, fault) < 0)
        return -1;
    my->docs = round->docs;
    if (blocks_turn(&my->blocks, round->t, &turn, fault) < 0 ||
        round_set(round, KEY_BLOCK, turn.block, fault) < 0)
        return -1;
    return turn.explores ? show_group(my, round, turn.group, rng, fault)
                         : show_perturbed(my, round, my->blocks.K, rng, fault);
}

static int show_leader(struct explorer *my, struct round *round, struct rng *rng,
                       struct fault *fault)
{
    return show_perturbed(my, round, my->horizon, rng, fault);
}

/* ---- the table ---- */

#define RATE "-g, gamma, or -T, the number of rounds"

/* For slot: how often it draws, and the last place of a page of results. */
#define SLOT_GAMMA 0.3
#define SLOT_PAGE 10

const struct policy policies[POLICIES_MOST + 1] = {
    [POLICY_SLOT] = { "slot", "BFTgkiI", "", "", false, KEY_SLOT, SLOT_GAMMA, SLOT_PAGE, NULL,
                      check_score, show_slot, placement_slot, NULL },
    [POLICY_WORTH] = { "worth", "BFTgkiI", "", "", false, KEY_TOP, 0, 1, rank_by_worth, check_worth,
                       show_mostly, placement_top, NULL },
    [POLICY_INDEX] = { "index", "BFTgkiI", "", "", false, KEY_TOP, 0, 1, rank_by_index, check_index,
                       show_mostly, placement_top, NULL },
    [POLICY_UNIFORM] = { "uniform", "BFTgiI", "", "", false, 0, 0, 1, NULL, check_uniform,
                         show_mostly, placement_uniform, NULL },
    [POLICY_DRAFT] = { "team-draft", "B", "", "", false, 0, 0, 1, NULL, check_rival, show_draft,
                       NULL, "it shows two rankings in turn: judge each of them" },
    { "probabilistic", "", "", "", false, 0, 0, 1, NULL, check_rival, show_probabilistic, NULL,
      "it shows two rankings in turn: judge each of them" },
    { "top", "FTgkiI", "gT", RATE, false, KEY_TOP, 0, 1, NULL, check_score, show_mostly,
      placement_top, NULL },
    { "swap", "FTgkiI", "gT", RATE, false, KEY_SWAP, 0, 1, NULL, check_score, show_mostly,
      placement_swap, NULL },
    { "subset", "k", "k", "-k, the number of documents to draw for the first places", false,
      KEY_SUBSET, 0, 1, NULL, check_score, show_subset, NULL,
      "its placements depend on the scores of exp3m: use -x top" },
    { "plackett-luce", "BFHiI", "", "", false, 0, 0, 1, NULL, check_score, show_luce, NULL, NULL },
    { "blocks", "KLTk", "T", "-T, the number of rounds to divide into blocks", true, 0, 0, 1, NULL,
      check_list, show_blocks, NULL, "its orders depend on other rounds" },
    { "leader", "LT", "T", "-T, the number of rounds", false, 0, 0, 1, NULL,
      check_list, show_leader, NULL, "its noise depends on the length of the run" },
};

const char *policies_name(size_t i)
{
    return policies[i].name;
}

/* The policy of a round, where none was chosen. */
static const struct policy *usual(const struct explorer *my, const struct round *round)
{
    bool index = round->index || my->places > 0;
    return &policies[round->rates   ? POLICY_SLOT
                     : round->worth ? POLICY_WORTH
                     : index        ? POLICY_INDEX : POLICY_UNIFORM];
}

/* May the round get an order? Answers on one order say nothing of another. */
static int check_new(const struct explorer *my, const struct round *round, struct fault *fault)
{
    if (my->repeats && !round->seeded)
        return fault_data(fault, "the round has no seed=, which explore -s random stores");
    if (round->seen)
        return fault_data(fault, "the round already has feedback (seen) on the order that was "
                          "shown: put explore before feedback-mask; to learn from a log, leave "
                          "explore out, see rankpipe-logs(7)");
    if (round->order && !my->redraws && !my->repeats)
        return fault_data(fault, "the round already has an order: to learn from a log, leave "
                          "explore out, see rankpipe-logs(7); to draw another order, add -f");
    return 0;
}

/* Does the round say what the bound rests on? The learner whose score writes worth writes held too:
 * to repeat what was shown, it must be there. */
static int check_bound(const struct explorer *my, const struct round *round, struct fault *fault)
{
    if (!my->bounds)
        return 0;
    if (!round->base)
        return fault_data(fault, "-B needs the column base, the order of the search engine: use "
                          "svm2bin -e, log2bin -e or serve -e");
    if (my->repeats && round->worth && !round->held)
        return fault_data(fault, "-s recorded and -B need the column held, which score adds for "
                          "the learner memory: without it the order that was shown cannot be "
                          "repeated");
    return 0;
}

/* The policy of the round, its places and its rate. */
static void set_policy(struct explorer *my, const struct round *round)
{
    my->now = my->policy ? my->policy : usual(my, round);
    my->k = my->places > 0 ? my->places
            : my->now->rank == rank_by_worth && round->judged > 0 ? round->judged : my->now->places;
    my->rate = my->rated ? my->gamma : my->now->gamma;
}

int policies_rank(struct explorer *my, const struct round *round, uint32_t *order,
                  struct fault *fault)
{
    if (!my->policy)
        return rank(my, round, round->score, order, fault);
    set_policy(my, round);
    return rank_greedily(my, round, order, fault);
}

/* Is the round one of a share that is interleaved with the rival, or with base? By draws of their
 * own, so that the others are shown as without them. In a draft with base there is no rival. */
static bool is_interleaved(const struct explorer *my, struct round *round)
{
    struct rng rivals = rng_at(my->seed, RNG_INTERLEAVE, round->t);
    struct rng own = rng_at(my->seed, RNG_OWN_ORDER, round->t);
    if (round->rival && rng_unit(&rivals) < my->share)
        return true;
    if (!round->base || !(rng_unit(&own) < my->own_share))
        return false;
    if (round->rival)
        round_drop(round, ROUND_RIVAL);
    return true;
}

int policies_show(struct explorer *my, struct round *round, struct fault *fault)
{
    if (check_new(my, round, fault) < 0 || check_bound(my, round, fault) < 0) return -1;
    my->seed = my->repeats ? round->seed : my->seed;
    struct rng rng = rng_at(my->seed, RNG_EXPLORE, round->t);
    set_policy(my, round);
    if (is_interleaved(my, round))
        my->now = &policies[POLICY_DRAFT];
    if (my->now->check(my, round, fault) < 0) return -1;
    round_forget_choice(round);
    if (my->now->show(my, round, &rng, fault) < 0) return -1;
    return my->records || my->repeats ? round_set(round, KEY_SEED, my->seed, fault) : 0;
}

void policies_close(struct explorer *my)
{
    blocks_close(&my->blocks);
    buffer_free(&my->scratch);
    buffer_free(&my->orders);
    buffer_free(&my->numbers);
    buffer_free(&my->rest);
}
