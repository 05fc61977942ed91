#include "loss/pairs.h"

#include <math.h>

#include "math/order.h"

enum { BLOCK = 16 };

static void shuffle(struct pair *pairs, size_t n, struct rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, (uint32_t)i);
        struct pair last = pairs[i - 1];
        pairs[i - 1] = pairs[j];
        pairs[j] = last;
    }
}

/* ---- in document order ---- */

/* The first block from `block` on whose lowest relevance is below R; `blocks` where none is. */
static size_t next_block(const struct pairs *pairs, size_t block, double R)
{
    size_t node = pairs->blocks + block;
    while (!(pairs->least[node] < R)) {
        while (node & 1) /* a right child, or the root */
            node >>= 1;
        if (node == 0)
            return pairs->blocks;
        node++;
    }
    while (node < pairs->blocks)
        node = 2 * node + !(pairs->least[2 * node] < R);
    return node - pairs->blocks;
}

/* The first place from `place` on whose relevance is below R; past the last one where none is. */
static size_t next_below(const struct pairs *pairs, size_t place, double R)
{
    const double *relevance = pairs->feedback->relevance;
    size_t m = pairs->feedback->docs;
    while (place < m) {
        if (place % BLOCK == 0)
            place = next_block(pairs, place / BLOCK, R) * BLOCK;
        for (size_t end = place + BLOCK - place % BLOCK; place < end && place < m; place++)
            if (relevance[place] < R)
                return place;
    }
    return m;
}

static bool next_in_order(struct pairs *pairs, struct pair *pair)
{
    const struct feedback *feedback = pairs->feedback;
    for (; pairs->better < feedback->docs; pairs->better++, pairs->worse = 0) {
        size_t a = pairs->better, b = next_below(pairs, pairs->worse, feedback->relevance[a]);
        if (b < feedback->docs) {
            *pair = (struct pair){ feedback->doc[a], feedback->doc[b] };
            pairs->worse = b + 1;
            return true;
        }
    }
    return false;
}

/* ---- all pairs ---- */

/* The lowest relevance of each block, and above them, up to least[1], of two nodes each. */
static void fill_tree(const struct pairs *pairs, double *least)
{
    const struct feedback *feedback = pairs->feedback;
    for (size_t node = pairs->blocks; node < 2 * pairs->blocks; node++)
        least[node] = INFINITY;
    for (size_t a = 0; a < feedback->docs; a++) {
        double *of_block = &least[pairs->blocks + a / BLOCK];
        *of_block = feedback->relevance[a] < *of_block ? feedback->relevance[a] : *of_block;
    }
    for (size_t node = pairs->blocks; node-- > 1;)
        least[node] = least[2 * node] < least[2 * node + 1] ? least[2 * node]
                                                            : least[2 * node + 1];
}

/* Counts the pairs: each document is better than all those of lower grades. */
static void count(struct pairs *pairs, uint32_t *order)
{
    const struct feedback *feedback = pairs->feedback;
    size_t m = feedback->docs;
    pairs->n = 0;
    order_by_score(m, feedback->relevance, order, order + m);
    for (size_t from = 0, to = 0; from < m; from = to) {
        while (to < m && feedback->relevance[order[to]] == feedback->relevance[order[from]])
            to++;
        pairs->n += (to - from) * (m - to);
    }
}

/* Counts the pairs and makes the tree, in a buffer with room for `more` bytes after it. Returns the
 * end of the tree, or NULL and a fault. */
static void *prepare(struct pairs *pairs, struct buffer *buffer, size_t more, struct fault *fault)
{
    size_t m = pairs->feedback->docs;
    pairs->blocks = 1;
    while (pairs->blocks < m / BLOCK + 1)
        pairs->blocks *= 2;
    size_t tree = 2 * pairs->blocks * sizeof(double);
    if (more > SIZE_MAX - tree) {
        fault_no_room(fault, more);
        return NULL;
    }
    double *least = buffer_for(buffer, tree + more, 1, fault);
    if (!least)
        return NULL;
    fill_tree(pairs, least);
    pairs->least = least;
    return least + 2 * pairs->blocks;
}

static int draw(struct pairs *pairs, struct rng *rng, struct buffer *buffer, struct fault *fault)
{
    size_t n = pairs->n;
    struct pair *drawn = prepare(pairs, buffer, n * sizeof *drawn, fault);
    if (!drawn)
        return -1;
    for (size_t i = 0; i < n; i++)
        (void)next_in_order(pairs, &drawn[i]);
    shuffle(drawn, n, rng);
    pairs->drawn = drawn;
    return 0;
}

int pairs_start(struct pairs *pairs, const struct feedback *feedback, struct rng *rng,
                struct buffer *buffer, struct fault *fault)
{
    *pairs = (struct pairs){ .feedback = feedback };
    uint32_t *order = buffer_for(buffer, feedback->docs, 2 * sizeof *order, fault);
    if (!order)
        return -1;
    count(pairs, order);
    if (rng)
        return draw(pairs, rng, buffer, fault);
    return prepare(pairs, buffer, 0, fault) ? 0 : -1;
}

bool pairs_next(struct pairs *pairs, struct pair *pair)
{
    if (!pairs->drawn)
        return next_in_order(pairs, pair);
    if (pairs->next == pairs->n)
        return false;
    *pair = pairs->drawn[pairs->next++];
    return true;
}
