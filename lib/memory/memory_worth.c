#include "memory/memory_worth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/vectors.h"
#include "base/unaligned.h"
#include "loss/dcg.h"
#include "math/matrix.h"

/* Places that count, and the means that their thresholds come from: one may be a document's own. */
enum { PLACES = 10, TOPS = PLACES + 1 };

/* What an answer's value counts for each round learnt, the part of a standard deviation in the
 * bonus, and the rho n from which a mean is certain. */
static const double persistence = 0.75, optimism = 0.6, certain = 200;

/* A rate of clicks, for its standard deviation. */
static const double rate_least = 0.01, rate_most = 0.99;

/* ---- gain ---- */

/* The standard deviation of a pair's mean. */
static double deviation(const struct memory_estimate *estimate, double mean, double n)
{
    double rho = estimate->rho;
    if (!estimate->clicks)
        return estimate->sb / sqrt(1 + rho * n);
    double r = mean < rate_least ? rate_least : mean > rate_most ? rate_most : mean;
    return sqrt(r * (1 - r) * (rho / (1 + rho * (n + 1))));
}

/* Values with probabilities: those of h, each times p, and up to two more. */
struct belief {
    double p, value[2], chance[2];
};

static struct belief belief_of(const struct memory_rule *rule, const struct memory_prospect *h,
                               const struct memory_known *known, double mu)
{
    if (memory_is_judged(known)) {
        double sd = deviation(&rule->estimate, mu, known->n);
        return (struct belief){ 0, { mu - sd, mu + sd }, { 0.5, 0.5 } };
    }
    bool low = mu < h->a;
    double p = low ? (mu - h->lo) / (h->a - h->lo)
                   : h->hi > h->a ? (h->hi - mu) / (h->hi - h->a) : 1;
    p = p < 0 ? 0 : p;
    return (struct belief){ p, { low ? h->lo : h->hi, 0 }, { 1 - p, 0 } };
}

/* D_k - D_(k+1) of place k from 0, and E max(X - t, 0) of a draw X of h and t = top[k]. Beyond the
 * documents there is nothing to exceed. */
struct thresholds {
    double top[TOPS + 1], excess[TOPS + 1], drop[PLACES];
};

static struct thresholds thresholds_of(const struct memory_prospect *h, size_t tops,
                                       const double *top)
{
    struct thresholds t;
    for (size_t k = 0; k <= TOPS; k++) {
        t.top[k] = k < tops ? top[k] : HUGE_VAL;
        double sum = 0;
        for (size_t l = 0; k < tops && l < h->atoms; l++)
            sum += h->value[l] > top[k] ? h->count[l] * (h->value[l] - top[k]) : 0;
        t.excess[k] = k < tops ? sum / h->first : 0;
    }
    for (size_t k = 0; k < PLACES; k++)
        t.drop[k] = dcg_discount(k) - (k + 1 < PLACES ? dcg_discount(k + 1) : 0);
    return t;
}

/* max(x - t, 0) */
static inline double above(double x, double t)
{
    double d = x - t;
    return d > 0 ? d : 0;
}

/* The k-th greatest mean of the others is the k-th of all, or from mu on the next one. */
static double gain(const struct thresholds *t, const struct belief *belief, double mu)
{
    double of[TOPS + 1], sum = 0;
    for (size_t k = 0; k <= TOPS; k++) {
        double low = above(belief->value[0], t->top[k]), high = above(belief->value[1], t->top[k]);
        double own = above(mu, t->top[k]);
        of[k] = belief->p * t->excess[k] + belief->chance[0] * low + belief->chance[1] * high - own;
    }
    for (size_t k = 0; k < PLACES; k++)
        sum += t->drop[k] * of[k + !(t->top[k] > mu)];
    return sum;
}

/* ---- novelty ---- */

/* What makes N of the documents of a round: what all of them have of it, which are the constant and
 * the means; part[n], those of the features or of their deviations; and after these the n numbers
 * from which they deviate. */
struct novelty {
    double shared;
    const double *part;
};

static int start_novelty(const struct memory_rule *rule, struct memory_space *space,
                         struct novelty *novelty, struct fault *fault)
{
    double sum = rule->constant ? 1 / (rule->lambda + rule->counted[0]) : 0;
    double *parts = buffer_for(&space->parts, space->n, 2 * sizeof *parts, fault);
    const double *counted = rule->counted + rule->constant;
    const size_t rows = rule->plain ? 1 : 2; /* of a feature */
    for (size_t j = 0; parts && j < space->n; j++) {
        if (space->feature && j + MATRIX_AHEAD < space->n)
            __builtin_prefetch(&counted[rows * space->feature[j + MATRIX_AHEAD]]);
        size_t row = rows * (space->feature ? space->feature[j] : j);
        parts[j] = 1 / (rule->lambda + counted[row]);
        parts[space->n + j] = rule->plain ? 0 : space->mean[j];
        if (!rule->plain)
            sum += space->mean[j] * space->mean[j] * (1 / (rule->lambda + counted[row + 1]));
    }
    *novelty = (struct novelty){ sum, parts };
    return parts ? 0 : -1;
}

/* Adds the squares of n features, each times its part, to the lanes. */
static inline void add_squares(const unsigned char *x, const double *mean, const double *part,
                               size_t n, double *restrict lane)
{
    for (size_t l = 0; l < n; l++) {
        double z = (double)unaligned_f4(x + l * sizeof(float)) - mean[l];
        lane[l] += z * z * part[l];
    }
}

/* N of document i; -1 after a fault. */
static double novelty_of(struct memory_space *space, const struct novelty *novelty, size_t i,
                         struct fault *fault)
{
    double lane[LANES] = { 0 };
    size_t n = space->n, j = 0;
    const double *part = novelty->part, *mean = novelty->part + n;
    struct nearness_rows row = memory_space_rows(space, i, 1, fault);
    if (!row.x) return -1;
    for (; j + LANES <= n; j += LANES)
        add_squares(row.x + j * sizeof(float), mean + j, part + j, LANES, lane);
    add_squares(row.x + j * sizeof(float), mean + j, part + j, n - j, lane);
    return novelty->shared + sum_lanes(lane);
}

/* ---- a round ---- */

/* The greatest of mean[m], falling: how many. Each takes its place without a branch that
 * depends on the place. */
static size_t find_top(const double *mean, size_t m, double top[TOPS])
{
    for (size_t k = 0; k < TOPS; k++)
        top[k] = -HUGE_VAL;
    for (size_t i = 0; i < m; i++) {
        double next = mean[i];
        if (!(next > top[TOPS - 1]))
            continue;
        for (size_t k = 0; k < TOPS; k++) {
            double here = top[k];
            top[k] = next > here ? next : here;
            next = next > here ? here : next;
        }
    }
    return m < TOPS ? m : TOPS;
}

/* Until h has two values. */
static int apply_novelty(const struct memory_rule *rule, struct memory_space *space,
                         const struct memory_known *known, double equal, double *mean,
                         double *worth, struct fault *fault)
{
    struct novelty novelty;
    if (start_novelty(rule, space, &novelty, fault) < 0) return -1;
    for (size_t i = 0; i < space->x->docs; i++) {
        mean[i] = equal;
        worth[i] = novelty_of(space, &novelty, i, fault);
        if (worth[i] < 0) return -1;
        worth[i] *= memory_count_of(rule->rho, known[i].n, 1);
    }
    return 0;
}

/* The mean of a document, of which the neighbours say A and B. */
static double mean_of(const struct memory_rule *rule, const struct memory_prospect *prospect,
                      double learnt, const struct memory_known *known, double A, double B)
{
    const struct memory_entry entry = { .n = known->n, .sum = known->sum };
    double rho = rule->estimate.rho;
    if (memory_is_judged(known))
        return memory_mean(&rule->estimate, known->expected, &entry);
    double mu = known->expected + rho * A / (rho * (1 + B) + 1);
    mu = learnt > 0 ? memory_hold(prospect, mu) : mu;
    return rule->estimate.clicks ? (mu + rho * known->sum) / (1 + rho * known->n) : mu;
}

static void set_means(const struct memory_rule *rule, const struct memory_prospect *prospect,
                      double learnt, const struct memory_known *known,
                      const struct memory_nearness *near, size_t m, double *mean)
{
    for (size_t i = 0; i < m; i++)
        mean[i] = mean_of(rule, prospect, learnt, &known[i], near->A ? near->A[i] : 0,
                          near->B ? near->B[i] : 0);
}

/* ---- three voices ---- */

/* Clicks with which a document is established, and free; misses of an established one that move no
 * other above it; how near below it a bound one is. */
static const double many = 5, few = 3, forgiven = 2, below = 1e-9;

/* c */
static double clicks_of(const struct memory_known *known)
{
    return floor(known->sum + 0.5);
}

static bool has_few(const struct memory_known *known)
{
    double c = clicks_of(known);
    return c >= 1 && c < few;
}

/* An established document: the mean to which it is lifted; and its mean, from find_voices on the
 * least mean of those from here on. */
struct established {
    double lifted, mean;
};

static int rising(const void *a, const void *b)
{
    double x = ((const struct established *)a)->lifted, y = ((const struct established *)b)->lifted;
    return (x > y) - (x < y);
}

/* What binds the documents of a round: of each what would be known if those with few clicks had
 * none, and is there such a one; the established, lifted rising; and which are bound, and may be
 * above one of these. */
struct voices {
    struct memory_known *without;
    struct established *established;
    size_t n;
    bool *above, few;
};

static int start_voices(struct memory_space *space, size_t m, struct voices *voices,
                        struct fault *fault)
{
    size_t each = sizeof *voices->without + sizeof *voices->established + sizeof *voices->above;
    voices->without = buffer_for(&space->parts, m, each, fault);
    if (!voices->without) return -1;
    voices->established = (struct established *)(voices->without + m);
    voices->above = (bool *)(voices->established + m);
    voices->n = 0;
    voices->few = false;
    return 0;
}

/* The least mean of an established document that, lifted, is above m0; infinity where none is. */
static double least_above(const struct voices *voices, double m0)
{
    size_t from = 0, n = voices->n;
    while (from < n) {
        size_t middle = from + (n - from) / 2;
        if (voices->established[middle].lifted > m0)
            n = middle;
        else
            from = middle + 1;
    }
    return from < voices->n ? voices->established[from].mean : HUGE_VAL;
}

/* Is a document bound? Of those without few clicks it is the new ones. */
static bool is_bound(const struct voices *voices, const struct memory_known *known, size_t i)
{
    return !memory_is_judged(&voices->without[i]) && clicks_of(&known[i]) < few;
}

static struct established establish(const struct memory_rule *rule,
                                    const struct memory_known *known, double mean)
{
    double misses = known->n - known->sum;
    struct memory_known lifted = *known;
    struct memory_rule first = *rule;
    lifted.n -= misses < 0 ? 0 : misses < forgiven ? misses : forgiven;
    double now = mean_of(rule, NULL, 0, &lifted, 0, 0);
    first.estimate.rho = MEMORY_CLICKS_RHO;
    double by_first = mean_of(&first, NULL, 0, &lifted, 0, 0);
    return (struct established){ now > by_first ? now : by_first, mean };
}

/* False where no mean can change. */
static bool find_voices(const struct memory_rule *rule, const struct memory_known *known,
                        const double *mean, size_t m, struct voices *voices)
{
    bool above = false;
    for (size_t i = 0; i < m; i++) {
        voices->without[i] = known[i];
        if (clicks_of(&known[i]) >= many)
            voices->established[voices->n++] = establish(rule, &known[i], mean[i]);
        if (has_few(&known[i])) {
            voices->without[i].n = voices->without[i].sum = 0;
            voices->few = true;
        }
    }
    if (voices->n == 0)
        return false;
    qsort(voices->established, voices->n, sizeof *voices->established, rising);
    for (size_t i = voices->n - 1; i > 0; i--)
        if (voices->established[i].mean < voices->established[i - 1].mean)
            voices->established[i - 1].mean = voices->established[i].mean;
    for (size_t i = 0; i < m; i++) {
        voices->above[i] = is_bound(voices, known, i) &&
                           mean[i] >= voices->established[0].mean - 2 * below;
        above = above || voices->above[i];
    }
    return above;
}

static int bind_means(const struct memory_rule *rule, const struct memory_prospect *prospect,
                      struct memory_space *space, double learnt, const struct memory_known *known,
                      double *mean, struct fault *fault)
{
    size_t m = space->x->docs;
    struct memory_nearness near = { .A = NULL };
    struct voices voices;
    if (!rule->estimate.clicks || rule->unbound)
        return 0;
    if (start_voices(space, m, &voices, fault) < 0) return -1;
    if (!find_voices(rule, known, mean, m, &voices))
        return 0;
    if (voices.few && prospect->atoms > 1 &&
        memory_near(space, voices.without, voices.above, &near, fault) < 0)
        return -1;
    for (size_t i = 0; i < m; i++) {
        double r = mean[i], m0 = r;
        if (!voices.above[i])
            continue;
        if (voices.few)
            m0 = mean_of(rule, prospect, learnt, &voices.without[i], near.A ? near.A[i] : 0,
                         near.B ? near.B[i] : 0);
        double t = least_above(&voices, m0);
        if (r >= t - 2 * below)
            mean[i] = t - below * (1 + 1 / (1 + (r > 0 ? r : 0)));
    }
    return 0;
}

/* ---- worth ---- */

/* worth = 3/4 (u - 1) f^2 gain; of clicks with f in the place of f^2 */
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
        double again = rule->estimate.clicks ? 1 : f;
        worth[i] = persistence * learnt * f * again * gain(&t, &belief, mean[i]);
    }
}

/* worth += bonus */
static int add_bonus(const struct memory_rule *rule, struct memory_space *space,
                     const struct memory_known *known, const double *mean, double least,
                     double *worth, struct fault *fault)
{
    struct novelty novelty = { 0, NULL };
    for (size_t i = 0; i < space->x->docs; i++) {
        if (memory_is_judged(&known[i]) || mean[i] < least)
            continue;
        if (!novelty.part && start_novelty(rule, space, &novelty, fault) < 0) return -1;
        double N = novelty_of(space, &novelty, i, fault);
        if (N < 0) return -1;
        worth[i] += optimism * sqrt(N * rule->estimate.s2);
    }
    return 0;
}

/* Until h has two values, with a base. */
static int apply_base(const struct memory_rule *rule, const struct memory_prospect *prospect,
                      struct memory_space *space, const struct memory_known *known, double *mean,
                      double *worth, struct fault *fault)
{
    const struct memory_nearness none = { .A = NULL };
    set_means(rule, prospect, 0, known, &none, space->x->docs, mean);
    memset(worth, 0, space->x->docs * sizeof *worth);
    return bind_means(rule, prospect, space, 0, known, mean, fault);
}

int memory_rule_apply(const struct memory_rule *rule, struct memory_space *space, double learnt,
                      const struct memory_known *known, double *mean, double *worth,
                      struct fault *fault)
{
    const struct memory_prospect prospect = memory_prospect(rule->beliefs);
    size_t m = space->x->docs;
    struct memory_nearness near;
    if (prospect.atoms < 2 && rule->base)
        return apply_base(rule, &prospect, space, known, mean, worth, fault);
    if (prospect.atoms < 2)
        return apply_novelty(rule, space, known, prospect.a, mean, worth, fault);
    if (memory_near(space, known, NULL, &near, fault) < 0) return -1;
    set_means(rule, &prospect, learnt, known, &near, m, mean);
    if (bind_means(rule, &prospect, space, learnt, known, mean, fault) < 0)
        return -1;
    double top[TOPS];
    size_t tops = find_top(mean, m, top);
    if (learnt > 0)
        set_gains(rule, &prospect, learnt, known, mean, m, top, tops, worth);
    else
        memset(worth, 0, m * sizeof *worth);
    return add_bonus(rule, space, known, mean, top[(tops < PLACES ? tops : PLACES) - 1], worth,
                     fault);
}
