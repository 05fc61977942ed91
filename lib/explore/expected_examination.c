#include "explore/expected_examination.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "explore/propensity.h"

/* One round, with m documents, K places seen, and T = top or swap, 0: neither. */
struct drawn {
    size_t m, K, T;
    double gamma;
    const double *theta;
    double *chance; /* chance[T + 1], to work in */
};

/* The sum of theta over positions from..until - 1, from 0. */
static double sum(const struct drawn *d, size_t from, size_t until)
{
    double sum = 0;
    for (size_t k = from; k < until && k < d->K; k++)
        sum += d->theta[k];
    return sum;
}

static double theta_of(const struct drawn *d, size_t k)
{
    return k < d->K ? d->theta[k] : 0;
}

/* R of a document that g others precede in the greedy order. chance[x] is P(X = x), after each of T
 * draws without replacement. */
static double shifted(const struct drawn *d, size_t g)
{
    double mean = 0;
    for (size_t x = 0; x <= d->T; x++)
        d->chance[x] = x == 0;
    for (size_t i = 0; i < d->T; i++)
        for (size_t x = i + 2; x-- > 0;) {
            double left = (double)(d->m - 1 - i);
            double more = x > 0 && g >= x - 1 ? d->chance[x - 1] * (double)(g - (x - 1)) / left : 0;
            double same = x <= i ? d->chance[x] * (1 - ((double)g - (double)x) / left) : 0;
            d->chance[x] = more + same;
        }
    for (size_t x = 0; x <= d->T && x <= g; x++)
        mean += d->chance[x] * theta_of(d, d->T + g - x);
    return mean;
}

/* Of a round that explores: gamma alone, and with top. */
static double by_top(const struct drawn *d, size_t g)
{
    double m = (double)d->m;
    if (d->T == 0 || d->T >= d->K || d->T >= d->m)
        return sum(d, 0, d->K) / m;
    return sum(d, 0, d->T) / m + (1 - (double)d->T / m) * shifted(d, g);
}

/* Of a round that swaps. */
static double by_swap(const struct drawn *d, size_t g)
{
    double T = (double)d->T, below = (double)d->m - T;
    if (d->T >= d->m)
        return theta_of(d, g);
    return g < d->T ? (1 - 1 / T) * theta_of(d, g) + sum(d, d->T, d->K) / (T * below)
                    : (1 - 1 / below) * theta_of(d, g) + sum(d, 0, d->T) / (T * below);
}

/* place[docs]: the positions of the greedy order, from 0. */
static int find_by_gamma(const struct round *round, struct drawn *d, struct buffer *room,
                         double *pi, struct fault *fault)
{
    const uint32_t *greedy = round->greedy ? round->greedy : round->order;
    bool swaps = round->swap > 0;
    uint64_t T = swaps ? round->swap : round->top;
    d->T = T < d->m ? (size_t)T : d->m;
    size_t few = !swaps && d->T < d->K ? d->T + 1 : 1;
    d->chance = buffer_for(room, few * sizeof(double) + d->m * sizeof(uint32_t), 1, fault);
    if (!d->chance) return -1;
    uint32_t *place = (uint32_t *)(d->chance + few);
    for (size_t g = 0; g < d->m; g++)
        place[greedy[g]] = (uint32_t)g;
    for (size_t a = 0; a < d->K; a++) {
        size_t g = place[round->order[a]];
        double explored = swaps ? by_swap(d, g) : by_top(d, g);
        pi[a] = (1 - d->gamma) * theta_of(d, g) + d->gamma * explored;
    }
    return 0;
}

/* Plackett-Luce, of which the first two places are known. */
static int find_by_logit(const struct round *round, const struct drawn *d, struct buffer *room,
                         double *pi, struct fault *fault)
{
    struct luce one, two = { { 0 }, 0 };
    double *weight = buffer_for(room, d->m, sizeof *weight, fault);
    if (!weight) return -1;
    if (d->K > LUCE_PLACES)
        return fault_data(fault, "seen covers %zu places, but after explore -p plackett-luce "
                          "examination is known for at most %d: use feedback-mask -k %d, or "
                          "explore -g", d->K, LUCE_PLACES, LUCE_PLACES);
    if (d->K == LUCE_PLACES)
        propensity_luce(d->m, round->logit, 2, round->order, weight, &two);
    for (size_t a = 0; a < d->K; a++) {
        propensity_luce(d->m, round->logit, 1, &round->order[a], weight, &one);
        pi[a] = one.one[0] * d->theta[0];
        if (d->K == LUCE_PLACES && two.one[a] > one.one[0])
            pi[a] += (two.one[a] - one.one[0]) * d->theta[1];
    }
    return 0;
}

/* After explore -p swap: is there a document that cannot be seen? */
static int check_swap(const struct round *round, struct fault *fault)
{
    size_t K = round->places, m = round->docs;
    uint64_t T = round->swap;
    if (T >= m || (K >= T && !(T == 1 && K == 1 && round->gamma >= 1)))
        return 0;
    return fault_data(fault, "with swap=%" PRIu64 " and gamma=%g, documents of the greedy order "
                      "are never seen at the first %zu places: use feedback-mask -k %" PRIu64 " or "
                      "more, and explore -g below 1", T, round->gamma, K, T);
}

static int check(const struct round *round, const char *name, struct fault *fault)
{
    if (round->in_block || round->team)
        return fault_data(fault, "explore -p %s drew the order, and %s does not know with what "
                          "probabilities: use explore -g", round->team ? "team-draft" : "blocks",
                          name);
    if (round->swap)
        return check_swap(round, fault);
    if (round->explored || round->logit || round->propensity)
        return 0;
    return fault_data(fault, "%s needs to know how the order was drawn (gamma=, logit or "
                      "propensity): a log of clicks alone estimates no other ranking; "
                      "rankpipe-logs(7) says how to give it propensities", name);
}

/* Reciprocals must be finite. */
static int check_pi(const struct round *round, const double *pi, struct fault *fault)
{
    for (size_t a = 0; a < round->places; a++)
        if (!(pi[a] >= DBL_MIN))
            return fault_data(fault, "document %" PRIu32 " at position %zu has expected "
                              "examination %g: it was shown where it could not be",
                              round->order[a], a + 1, pi[a]);
    return 0;
}

int expected_examination(const struct round *round, const struct examination *examination,
                         const char *name, struct buffer *room, double *pi, enum support *support,
                         struct fault *fault)
{
    struct drawn d = { .m = round->docs, .K = round->places, .gamma = round->gamma,
                       .theta = examination->theta };
    if (examination_covers(examination, d.K, fault) < 0 || check(round, name, fault) < 0) return -1;
    if (round->propensity) {
        memcpy(pi, round->propensity, d.K * sizeof *pi);
        *support = SUPPORT_UNKNOWN;
        return 0;
    }
    bool chance = round->logit || (d.gamma > 0 && (!round->swap || round->swap < d.m));
    *support = chance ? SUPPORT_ALL : SUPPORT_SHOWN;
    if ((round->logit ? find_by_logit(round, &d, room, pi, fault)
                      : find_by_gamma(round, &d, room, pi, fault)) < 0)
        return -1;
    return check_pi(round, pi, fault);
}
