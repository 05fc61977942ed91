#include "measure/drawn.h"

#include "math/order.h"
#include "math/rng.h"

static bool by_another_policy(const struct round *round)
{
    return round->top > 0 || round->swap > 0 || round->logit || (round->greedy && !round->explored);
}

int drawn_scores(const struct round *round, uint64_t seed, const char *name,
                 struct buffer *buffer, const double **score, struct fault *fault)
{
    size_t m = round->docs;
    struct rng rng = rng_at(seed, RNG_DRAWN, round->t);
    *score = round->score;
    if (by_another_policy(round))
        return fault_data(fault, "%.40s needs orders drawn by explore -p uniform", name);
    if (!round->greedy || !round->order)
        return 0;
    double *drawn = buffer_for(buffer, 3 * m, sizeof *drawn, fault);
    if (!drawn) return -1;
    double *unit = drawn + m;
    uint32_t *order = (uint32_t *)(unit + m);
    for (size_t i = 0; i < m; i++)
        unit[i] = rng_unit(&rng);
    order_by_score(m, unit, order, order + m);
    for (size_t a = 0; a < m; a++)
        drawn[round->order[a]] = unit[order[a]];
    *score = drawn;
    return 0;
}
