#include "pairs.h"

static void shuffle(struct pair *pairs, size_t n, struct rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, (uint32_t)i);
        struct pair last = pairs[i - 1];
        pairs[i - 1] = pairs[j];
        pairs[j] = last;
    }
}

struct pair *pairs_of(const struct heard *heard, struct rng *rng, size_t *n, struct space *space,
                      struct fault *fault)
{
    struct pair *pairs = space_for(space, 1, sizeof *pairs, fault);
    *n = 0;
    for (size_t a = 0; a < heard->docs; a++) {
        if (pairs) /* with room for all that this document can add */
            pairs = space_for(space, *n + heard->docs, sizeof *pairs, fault);
        for (size_t b = 0; pairs && b < heard->docs; b++)
            if (heard->relevance[a] > heard->relevance[b])
                pairs[(*n)++] = (struct pair){ heard->doc[a], heard->doc[b] };
    }
    if (pairs && *n > UINT32_MAX) {
        fault_data(fault, "%zu pairs of documents: at most %u can be put in order", *n, UINT32_MAX);
        return NULL;
    }
    if (pairs && rng)
        shuffle(pairs, *n, rng);
    return pairs;
}
