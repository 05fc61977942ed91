#include "loss/pairs.h"

static void shuffle(struct pair *pairs, size_t n, struct rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, (uint32_t)i);
        struct pair last = pairs[i - 1];
        pairs[i - 1] = pairs[j];
        pairs[j] = last;
    }
}

static bool next_in_order(struct pairs *pairs, struct pair *pair)
{
    const struct feedback *feedback = pairs->feedback;
    for (; pairs->better < feedback->docs; pairs->better++, pairs->worse = 0) {
        while (pairs->worse < feedback->docs) {
            size_t a = pairs->better, b = pairs->worse++;
            if (feedback->relevance[b] < feedback->relevance[a]) {
                *pair = (struct pair){ feedback->doc[a], feedback->doc[b] };
                return true;
            }
        }
    }
    return false;
}

int pairs_start(struct pairs *pairs, const struct feedback *feedback, struct rng *rng,
                struct buffer *buffer, struct fault *fault)
{
    const struct pairs first = { .feedback = feedback };
    struct pair pair;
    *pairs = first;
    if (!rng)
        return 0;
    size_t n = 0;
    while (next_in_order(pairs, &pair))
        n++;
    struct pair *drawn = buffer_for(buffer, n, sizeof *drawn, fault);
    if (!drawn)
        return -1;
    *pairs = first;
    for (size_t i = 0; i < n; i++)
        (void)next_in_order(pairs, &drawn[i]);
    shuffle(drawn, n, rng);
    pairs->drawn = drawn;
    pairs->n = n;
    return 0;
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
