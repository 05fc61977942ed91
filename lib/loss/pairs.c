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

/* How many pairs there are. */
static size_t count(const struct feedback *feedback)
{
    size_t n = 0;
    for (size_t a = 0; a < feedback->docs; a++)
        for (size_t b = 0; b < feedback->docs; b++)
            n += feedback->relevance[b] < feedback->relevance[a];
    return n;
}

/* Lists all of them, in order, and has room for one more: which are pairs is hard to foresee, so
 * each is written, without a branch. */
static void list(const struct feedback *feedback, struct pair *pair)
{
    for (size_t a = 0; a < feedback->docs; a++)
        for (size_t b = 0; b < feedback->docs; b++) {
            *pair = (struct pair){ feedback->doc[a], feedback->doc[b] };
            pair += feedback->relevance[b] < feedback->relevance[a];
        }
}

int pairs_start(struct pairs *pairs, const struct feedback *feedback, struct rng *rng,
                struct buffer *buffer, struct fault *fault)
{
    *pairs = (struct pairs){ .feedback = feedback };
    if (!rng)
        return 0;
    pairs->n = count(feedback);
    struct pair *drawn = buffer_for(buffer, pairs->n + 1, sizeof *drawn, fault);
    if (!drawn) return -1;
    list(feedback, drawn);
    shuffle(drawn, pairs->n, rng);
    pairs->drawn = drawn;
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
