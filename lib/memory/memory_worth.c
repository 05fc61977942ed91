#include "memory/memory_worth.h"

#include <math.h>
#include <string.h>

#include "kernels/lanes.h"
#include "base/unaligned.h"
#include "loss/dcg.h"

/* Places that count, and the means that their thresholds come from: one may be a document's own. */
enum { PLACES = 10, TOPS = PLACES + 1 };

/* What an answer's value counts for each round learnt, the part of a standard deviation in the
 * bonus, and the rho n from which a mean is certain. */
static const double persistence = 0.75, optimism = 0.6, certain = 200;

double memory_rule_mean(const struct memory_rule *rule, const struct memory_prospect *prospect,
                        double learnt, const struct memory_known *known, double A, double B)
{
    double rho = rule->estimate.rho;
    if (memory_is_judged(known))
        return (known->expected + rho * known->sum) / (1 + rho * known->n);
    double mu = known->expected + rho * A / (rho * (1 + B) + 1);
    return learnt > 0 ? memory_hold(prospect, mu) : mu;
}

/* ---- gain ---- */

/* Values with probabilities: those of h, each times p, and up to two more. */
struct belief {
    double p;
    size_t more;
    double value[2], chance[2];
};

static struct belief belief_of(const struct memory_rule *rule, const struct memory_prospect *h,
                               const struct memory_known *known, double mu)
{
    if (memory_is_judged(known)) {
        double sd = rule->estimate.sb / sqrt(1 + rule->estimate.rho * known->n);
        return (struct belief){ 0, 2, { mu - sd, mu + sd }, { 0.5, 0.5 } };
    }
    bool low = mu < h->a;
    double p = low ? (mu - h->lo) / (h->a - h->lo)
                   : h->hi > h->a ? (h->hi - mu) / (h->hi - h->a) : 1;
    p = p < 0 ? 0 : p;
    return (struct belief){ p, 1, { low ? h->lo : h->hi }, { 1 - p } };
}

/* E max(X - t, 0) of a draw of h. */
static double excess_of_draw(const struct memory_prospect *h, double t)
{
    double sum = 0;
    for (size_t l = 0; l < h->atoms; l++)
        sum += h->value[l] > t ? h->count[l] * (h->value[l] - t) : 0;
    return sum / h->first;
}

/* D_k - D_(k+1) of place k from 0, and excess_of_draw of top[k]. */
struct thresholds {
    size_t tops;
    double top[TOPS], excess[TOPS], drop[PLACES];
};

static struct thresholds thresholds_of(const struct memory_prospect *h, size_t tops,
                                       const double *top)
{
    struct thresholds t = { .tops = tops };
    for (size_t k = 0; k < tops; k++) {
        t.top[k] = top[k];
        t.excess[k] = excess_of_draw(h, top[k]);
    }
    for (size_t k = 0; k < PLACES; k++)
        t.drop[k] = dcg_discount(k) - (k + 1 < PLACES ? dcg_discount(k + 1) : 0);
    return t;
}

/* The k-th greatest mean of the others is the k-th of all, or from mu on the next one. */
static double gain(const struct thresholds *t, const struct belief *belief, double mu)
{
    double sum = 0;
    for (size_t k = 0; k < PLACES; k++) {
        size_t of = k + (k < t->tops && !(t->top[k] > mu));
        if (of >= t->tops)
            break;
        double e = belief->p > 0 ? belief->p * t->excess[of] : 0;
        for (size_t l = 0; l < belief->more; l++)
            e += belief->value[l] > t->top[of] ? belief->chance[l] * (belief->value[l] - t->top[of])
                                               : 0;
        sum += t->drop[k] * (mu > t->top[of] ? e - (mu - t->top[of]) : e);
    }
    return sum;
}

double memory_rule_gain(const struct memory_rule *rule, const struct memory_prospect *prospect,
                        const struct memory_known *known, double mu, size_t tops,
                        const double *top)
{
    const struct thresholds t = thresholds_of(prospect, tops, top);
    const struct belief belief = belief_of(rule, prospect, known, mu);
    return rule->estimate.rho * known->n > certain ? 0 : gain(&t, &belief, mu);
}

/* ---- novelty ---- */

/* 1 / (lambda + counted) of row r. */
static double part(const struct memory_rule *rule, size_t r)
{
    return 1 / (rule->lambda + rule->counted[r + rule->constant]);
}

/* What all documents of the round have of N: the constant, and the means. */
static double shared_novelty(const struct memory_rule *rule, const struct memory_space *space)
{
    double sum = rule->constant ? 1 / (rule->lambda + rule->counted[0]) : 0;
    for (size_t j = 0; !rule->plain && j < space->n; j++)
        sum += space->mean[j] * space->mean[j] * part(rule, 2 * j + 1);
    return sum;
}

/* N of document i; -1 after a fault. */
static double novelty(const struct memory_rule *rule, struct memory_space *space, double shared,
                      size_t i, struct fault *fault)
{
    double lane[LANES] = { 0 };
    struct nearness_rows row = memory_space_rows(space, i, 1, fault);
    if (!row.x)
        return -1;
    for (size_t j = 0; j < space->n; j++) {
        double x = unaligned_f4(row.x + j * sizeof(float));
        double z = rule->plain ? x : x - space->mean[j];
        lane[j % LANES] += z * z * part(rule, rule->plain ? j : 2 * j);
    }
    return shared + sum_lanes(lane);
}

/* ---- a round ---- */

/* The greatest of mean[m], falling: how many. */
static size_t find_top(const double *mean, size_t m, double top[TOPS])
{
    size_t n = 0;
    for (size_t i = 0; i < m; i++) {
        if (n == TOPS && !(mean[i] > top[n - 1]))
            continue;
        size_t at = n < TOPS ? n++ : n - 1;
        for (; at > 0 && top[at - 1] < mean[i]; at--)
            top[at] = top[at - 1];
        top[at] = mean[i];
    }
    return n;
}

/* Until h has two values. */
static int apply_novelty(const struct memory_rule *rule, struct memory_space *space,
                         const struct memory_known *known, double equal, double *mean,
                         double *worth, struct fault *fault)
{
    double shared = shared_novelty(rule, space);
    for (size_t i = 0; i < space->x->docs; i++) {
        mean[i] = equal;
        worth[i] = novelty(rule, space, shared, i, fault);
        if (worth[i] < 0)
            return -1;
        worth[i] *= memory_count_of(rule->rho, known[i].n, 1);
    }
    return 0;
}

/* worth = 3/4 (u - 1) f^2 gain */
static void set_gains(const struct memory_rule *rule, const struct memory_prospect *prospect,
                      double learnt, const struct memory_known *known, const double *mean, size_t m,
                      const double *top, size_t tops, double *worth)
{
    const struct thresholds t = thresholds_of(prospect, tops, top);
    double rho = rule->estimate.rho;
    for (size_t i = 0; i < m; i++) {
        worth[i] = 0;
        if (rho * known[i].n > certain)
            continue;
        double f = rho / (1 + rho * (known[i].n + 1));
        const struct belief belief = belief_of(rule, prospect, &known[i], mean[i]);
        worth[i] = persistence * learnt * f * f * gain(&t, &belief, mean[i]);
    }
}

/* worth += bonus */
static int add_bonus(const struct memory_rule *rule, struct memory_space *space,
                     const struct memory_known *known, const double *mean, double least,
                     double *worth, struct fault *fault)
{
    double shared = -1;
    for (size_t i = 0; i < space->x->docs; i++) {
        if (memory_is_judged(&known[i]) || mean[i] < least)
            continue;
        shared = shared < 0 ? shared_novelty(rule, space) : shared;
        double N = novelty(rule, space, shared, i, fault);
        if (N < 0)
            return -1;
        worth[i] += optimism * sqrt(N * rule->estimate.s2);
    }
    return 0;
}

/* The rule for the columns of the space, where these are not all features. */
static int choose_counted(const struct memory_rule *all, struct memory_space *space,
                          struct memory_rule *rule, struct fault *fault)
{
    size_t step = all->plain ? 1 : 2, first = all->constant;
    *rule = *all;
    if (!space->feature)
        return 0;
    double *counted = buffer_for(&space->counts, first + step * space->n + 1, sizeof *counted, fault);
    if (!counted)
        return -1;
    counted[0] = all->counted[0]; /* of the constant, if there is one */
    for (size_t j = 0; j < space->n; j++)
        memcpy(counted + first + step * j, all->counted + first + step * space->feature[j],
               step * sizeof *counted);
    rule->counted = counted;
    return 0;
}

int memory_rule_apply(const struct memory_rule *all, struct memory_space *space, double learnt,
                      const struct memory_known *known, double *mean, double *worth,
                      struct fault *fault)
{
    struct memory_rule here;
    const struct memory_rule *rule = &here;
    if (choose_counted(all, space, &here, fault) < 0)
        return -1;
    const struct memory_prospect prospect = memory_prospect(rule->beliefs);
    size_t m = space->x->docs;
    struct memory_nearness near;
    if (prospect.atoms < 2)
        return apply_novelty(rule, space, known, prospect.a, mean, worth, fault);
    if (memory_near(space, known, &near, fault) < 0)
        return -1;
    for (size_t i = 0; i < m; i++)
        mean[i] = memory_rule_mean(rule, &prospect, learnt, &known[i], near.A ? near.A[i] : 0,
                                   near.B ? near.B[i] : 0);
    double top[TOPS] = { 0 };
    size_t tops = find_top(mean, m, top);
    if (learnt > 0)
        set_gains(rule, &prospect, learnt, known, mean, m, top, tops, worth);
    else
        memset(worth, 0, m * sizeof *worth);
    return add_bonus(rule, space, known, mean, top[(tops < PLACES ? tops : PLACES) - 1], worth,
                     fault);
}
