/*
 * Exact unbiasedness: what each learner makes of the first k relevances, summed over all m! orders
 * with their probabilities, is the gradient that it would have of every label. No sampling.
 *
 * The learner is given what update gives it: a round with its order, what was seen of it, the
 * greedy order where the order is another, and gamma; or the logits. How likely each order is under
 * each policy is said here, order by order, and from nothing of lib/explore/policy. The scores are
 * its weights (document i is the i-th unit vector), and the estimate is read off the step it takes.
 * The gradient is had twice more: from a formula of this file's own, and from differences of the
 * loss. The greedy order may be any, whatever the scores. So all of this holds given how ties were
 * broken, and for policy index, which is TOP with another greedy order.
 *
 * unbiased [STRIDE]: of the greedy orders with a gamma, for each learner, scores, relevances and
 * number of places, each STRIDE-th; it is to be prime to the number of gammas.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/feedback.h"
#include "explore/propensity.h"
#include "learn/learner.h"
#include "learners/learners.h"
#include "loss/surrogate_gradients.h"

enum { DOCS = 5, ORDERS = 120 };

static const long double EXACT = 1e-12L;
static const long double DIFFERENCES = 1e-8L;

/* A power of two, and a step so long that its rounding against the weight it starts from is
 * nothing: the estimate is read off to the last bit, the smallest too. */
static const double ETA = 0x1p980;

static const double GAMMA[] = { 0.001, 0.003, 0.01, 0.1, 0.3, 0.5, 0.9, 1 };

/* The first m of each: ties, differences that are just 1 (ranksvm's hinge bends there), near and
 * far apart. */
static const double SCORE[][DOCS] = {
    { 0, 0, 0, 0, 0 },
    { 0.5, -0.25, 1.25, 0.125, -1 },
    { 1, 0, 2, 1, 0.5 },
    { 0.01, 0.02, -0.005, 0.015, 0 },
    { -2.5, 3, 0.75, 2.5, -0.5 },
    { 0.3, 0.29, 0.31, 0.7, 0.295 },
};

static const float RELEVANCE[][DOCS] = {
    { 0, 1, 0, 0, 1 },
    { 1, 0, 0, 0, 0 },
    { 1, 1, 1, 1, 1 },
    { 0, 0, 0, 0, 0 },
    { 2, 0, 4, 1, 2 },
    { 3, 3, 0, 4, 1 },
    { 0.25f, 1.7f, 0, 0.3f, 3.14159f },
};

/* What Plackett's and Luce's orders are drawn by; the last two are for the probabilities alone. */
static const double LOGIT[][DOCS] = {
    { 0, 0, 0, 0, 0 },
    { 0.5, -0.25, 1.25, 0.125, -1 },
    { -5, 6, 1.5, 5, -1 },
    { 3, -5, 0, 7, -2 },
    { -340, 340, -342, -341, -340.5 },
    { 0, -40, 0, -80, 1e-9 },
};

enum { MILD = 4 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum how { UNIFORM, TOP, SWAP, SLOT, LUCE };

/* One case: scores, relevances, how many places are seen, and how the order is drawn. */
struct world {
    size_t m, k;
    double gamma, epsilon;
    size_t cutoff;       /* smoothdcg's; SIZE_MAX: 1 */
    const double *s;
    const float *R;
    const uint32_t *greedy;
    enum how how;
    size_t top;          /* how many first places TOP draws, and SWAP is about; the place of SLOT */
    const double *logit; /* of LUCE; gamma is 1 then                           */
};

struct tested {
    const char *name;
    double epsilon[3]; /* ended by 0 */
    size_t cutoff;
    long double (*gradient)(const struct world *at, size_t j);
    long double (*term)(const struct world *at, size_t j);
};

/* What runs the learner, and what was found. */
struct bench {
    const struct tested *tested;
    unsigned stride, met;
    struct state state;
    struct record record;
    struct round round;
    struct fault fault;
    struct buffer places; /* what feedback_exposure lends from */
    uint32_t order[ORDERS][DOCS]; /* all the orders there are of m documents */
    size_t orders;
    double logit[DOCS];
    long double expected[DOCS], gradient[DOCS];
    unsigned long cases, losses, wrong;
    long double error, difference; /* the largest, as parts of the gradient's largest term */
};

/* ---- gradients, and the largest of the terms that are added up to one ---- */

static long double squared_gradient(const struct world *at, size_t j)
{
    return 2 * ((long double)at->s[j] - at->R[j]);
}

static long double squared_term(const struct world *at, size_t j)
{
    return 2 * fmaxl(fabsl((long double)at->s[j]), at->R[j]);
}

static long double kl_gradient(const struct world *at, size_t j)
{
    return expl(at->s[j]) - expl(at->R[j]);
}

static long double kl_term(const struct world *at, size_t j)
{
    return expl(fmaxl(at->s[j], at->R[j]));
}

static long double softmax(const struct world *at, size_t j)
{
    long double sum = 0;
    for (size_t i = 0; i < at->m; i++)
        sum += expl(((long double)at->s[i] - at->s[j]) / at->epsilon);
    return 1 / sum;
}

static long double relevance_softmax(const struct world *at, size_t j)
{
    long double sum = 0;
    for (size_t i = 0; i < at->m; i++)
        sum += expl((long double)at->R[i] - at->R[j]);
    return 1 / sum;
}

/* of minus the mean of G under p: - p_j/eps sum_i p_i (G_j - G_i) */
static long double smoothdcg_gradient(const struct world *at, size_t j)
{
    long double sum = 0;
    for (size_t i = 0; i < at->m; i++)
        sum += softmax(at, i) * (exp2l(at->R[i]) - exp2l(at->R[j]));
    return sum * softmax(at, j) / at->epsilon;
}

static long double smoothdcg_term(const struct world *at, size_t j)
{
    return (exp2l(at->R[j]) - 1) * softmax(at, j) / at->epsilon;
}

/* The document at place a by score, ties in document order. */
static size_t at_place(const struct world *at, size_t a)
{
    for (size_t d = 0; d < at->m; d++) {
        size_t above = 0;
        for (size_t i = 0; i < at->m; i++)
            above += at->s[i] > at->s[d] || (at->s[i] == at->s[d] && i < d);
        if (above == a)
            return d;
    }
    return at->m;
}

/* What document i of place a is worth, h_i(a) not yet divided by its sum. */
static long double kernel(const struct world *at, size_t i, size_t d)
{
    long double away = ((long double)at->s[i] - at->s[d]) / at->epsilon;
    return expl(-away * away);
}

/* The slope by s_j of minus D(a) sum_i G_i h_i(a), by the rule of quotients. */
static long double place_slope(const struct world *at, size_t a, size_t j)
{
    size_t d = at_place(at, a);
    long double sum = 0, gains = 0, sum_slope = 0, gains_slope = 0;
    for (size_t i = 0; i < at->m; i++) {
        long double h = kernel(at, i, d), gain = exp2l(at->R[i]) - 1;
        long double slope = -2 * ((long double)at->s[i] - at->s[d]) / at->epsilon / at->epsilon *
                            ((i == j) - (int)(d == j)) * h;
        sum += h;
        gains += gain * h;
        sum_slope += slope;
        gains_slope += gain * slope;
    }
    return -(gains_slope - gains / sum * sum_slope) / sum / log2l((long double)a + 2);
}

static long double smoothdcg_cut_gradient(const struct world *at, size_t j)
{
    long double sum = smoothdcg_gradient(at, j);
    for (size_t a = 1; a < at->m && a < at->cutoff; a++)
        sum += place_slope(at, a, j);
    return sum;
}

static long double smoothdcg_cut_term(const struct world *at, size_t j)
{
    return (exp2l(at->R[j]) - 1) / at->epsilon;
}

/* Each pair in the wrong order, or too near to it, pushes one up and the other down. */
static long double ranksvm_gradient(const struct world *at, size_t j)
{
    int ups = 0, downs = 0;
    for (size_t i = 0; i < at->m; i++) {
        ups += at->R[j] > at->R[i] && at->s[j] - at->s[i] < 1;
        downs += at->R[j] < at->R[i] && at->s[i] - at->s[j] < 1;
    }
    return downs - ups;
}

static long double ranksvm_term(const struct world *at, size_t j)
{
    return ranksvm_gradient(at, j) != 0;
}

static long double listnet_gradient(const struct world *at, size_t j)
{
    return softmax(at, j) - relevance_softmax(at, j);
}

static long double listnet_term(const struct world *at, size_t j)
{
    return fmaxl(softmax(at, j), relevance_softmax(at, j));
}

/* Gains over the largest DCG: each place in turn takes the highest grade left. */
static long double squared_ndcg_gradient(const struct world *at, size_t j)
{
    bool taken[DOCS] = { false };
    long double most = 0;
    for (size_t a = 0; a < at->m; a++) {
        size_t best = at->m;
        for (size_t i = 0; i < at->m; i++)
            if (!taken[i] && (best == at->m || at->R[i] > at->R[best]))
                best = i;
        taken[best] = true;
        most += (exp2l(at->R[best]) - 1) / log2l((long double)a + 2);
    }
    return 2 * (at->s[j] - (most > 0 ? (exp2l(at->R[j]) - 1) / most : 0));
}

static long double squared_ndcg_term(const struct world *at, size_t j)
{
    return 2 * fmaxl(fabsl((long double)at->s[j]), 1);
}

static const struct tested TESTED[] = {
    { "squared", { 1, 0, 0 }, SIZE_MAX, squared_gradient, squared_term },
    { "kl", { 1, 0, 0 }, SIZE_MAX, kl_gradient, kl_term },
    { "smoothdcg", { 1, 0.1, 0.01 }, SIZE_MAX, smoothdcg_gradient, smoothdcg_term },
    { "smoothdcg", { 1, 0.1, 0 }, 3, smoothdcg_cut_gradient, smoothdcg_cut_term },
    { "ranksvm", { 1, 0, 0 }, SIZE_MAX, ranksvm_gradient, ranksvm_term },
    { "listnet", { 1, 0, 0 }, SIZE_MAX, listnet_gradient, listnet_term },
    { "squared-ndcg", { 1, 0, 0 }, SIZE_MAX, squared_ndcg_gradient, squared_ndcg_term },
};

/* Where the terms cancel, what is left of them is held to a part of the terms: there is no more
 * in a double. */
static long double scale_of(const struct bench *bench, const struct world *at)
{
    long double largest = 0, term = 0;
    for (size_t j = 0; j < at->m; j++) {
        largest = fmaxl(largest, fabsl(bench->gradient[j]));
        term = fmaxl(term, bench->tested->term(at, j));
    }
    return fmaxl(largest, term / 100);
}

/* ---- orders ---- */

static int next_order(uint32_t *order, size_t m)
{
    size_t i = m - 1, j = m - 1;
    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return 0;
    while (order[j] < order[i - 1])
        j--;
    uint32_t swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (j = m - 1; i < j; i++, j--) {
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return 1;
}

static void list_orders(struct bench *bench, size_t m)
{
    uint32_t order[DOCS];
    for (size_t i = 0; i < m; i++)
        order[i] = (uint32_t)i;
    bench->orders = 0;
    do
        memcpy(bench->order[bench->orders++], order, sizeof order);
    while (next_order(order, m));
}

/* ---- how likely they are ---- */

/* The first places are any, with (m - top)! / m! for each; the others stand as they do by score. */
static long double chance_top(const struct world *at, const uint32_t *order)
{
    size_t place[DOCS];
    long double chance = 1;
    for (size_t a = 0; a < at->m; a++)
        place[at->greedy[a]] = a;
    for (size_t a = at->top + 1; a < at->m; a++)
        if (place[order[a]] < place[order[a - 1]])
            return 0;
    for (size_t a = 0; a < at->top && a < at->m; a++)
        chance /= (long double)(at->m - a);
    return chance;
}

/* Two places differ from the greedy order, one of the first and one after them. */
static long double chance_swap(const struct world *at, const uint32_t *order)
{
    size_t above = 0, below = 0;
    for (size_t a = 0; a < at->m; a++)
        *(a < at->top ? &above : &below) += order[a] != at->greedy[a];
    return above == 1 && below == 1 ? 1.0L / (long double)(at->top * (at->m - at->top)) : 0;
}

/* The document at one place from `top` on is at `top`, and those between are one lower. */
static long double chance_slot(const struct world *at, const uint32_t *order)
{
    size_t from = 0;
    while (at->greedy[from] != order[at->top - 1])
        from++;
    for (size_t a = 0; a < at->m; a++) {
        size_t g = a + 1 < at->top || a > from ? a : a + 1 == at->top ? from : a - 1;
        if (order[a] != at->greedy[g])
            return 0;
    }
    return from + 1 < at->top ? 0 : 1.0L / (long double)(at->m - at->top + 1);
}

/* Each place in turn goes to one of those left. */
static long double chance_luce(const struct world *at, const uint32_t *order)
{
    long double chance = 1;
    for (size_t a = 0; a < at->m; a++) {
        long double left = 0;
        for (size_t b = a; b < at->m; b++)
            left += expl((long double)at->logit[order[b]] - at->logit[order[a]]);
        chance /= left;
    }
    return chance;
}

/* The probability of an order in a round that explores. */
static long double chance_of(const struct bench *bench, const struct world *at,
                             const uint32_t *order)
{
    switch (at->how) {
    case TOP:
        return chance_top(at, order);
    case SWAP:
        return chance_swap(at, order);
    case SLOT:
        return chance_slot(at, order);
    case LUCE:
        return chance_luce(at, order);
    default:
        return 1 / (long double)bench->orders;
    }
}

/* ---- what the program makes of them ---- */

static void wrong(struct bench *bench, const struct world *at, const char *what,
                  long double got, long double want)
{
    if (bench->wrong++ > 10)
        return;
    fprintf(stderr, "%s: m=%zu k=%zu how=%d top=%zu gamma=%g epsilon=%g: %s is %.20Lg, not "
            "%.20Lg\n  s =", bench->tested->name, at->m, at->k, (int)at->how, at->top, at->gamma,
            at->epsilon, what, got, want);
    for (size_t j = 0; j < at->m; j++)
        fprintf(stderr, " %g", at->s[j]);
    fprintf(stderr, ", R =");
    for (size_t j = 0; j < at->m; j++)
        fprintf(stderr, " %g", (double)at->R[j]);
    fprintf(stderr, ", greedy =");
    for (size_t j = 0; j < at->m; j++)
        fprintf(stderr, " %u", (unsigned)at->greedy[j]);
    fprintf(stderr, "\n");
}

static void stop(const struct bench *bench, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", bench->tested->name, what, bench->fault.text);
    exit(1);
}

/* A round as it comes to update; greedy NULL: the order is the greedy one, or the only one. */
static void show(struct bench *bench, const struct world *at, uint32_t *order,
                 uint32_t *greedy, float *seen)
{
    struct round *round = &bench->round;
    if (round_start(round, 1, NULL, at->m, 0, &bench->fault) < 0)
        stop(bench, "round_start");
    round->explored = at->how != LUCE;
    round->gamma = at->how != LUCE ? at->gamma : 0;
    round->top = at->how == TOP ? at->top : 0;
    round->swap = at->how == SWAP ? at->top : 0;
    round->slot = at->how == SLOT ? at->top : 0;
    memcpy(bench->logit, at->how == LUCE ? at->logit : at->s, sizeof bench->logit);
    round->logit = at->how == LUCE ? bench->logit : NULL;
    round->order = order;
    round->greedy = greedy;
    round->seen = seen;
    round->places = at->k;
    for (size_t a = 0; a < at->k; a++)
        seen[a] = at->R[order[a]];
}

/* The learner's z for the round at hand, from the step it takes. */
static void step(struct bench *bench, const struct world *at, long double *z)
{
    struct state *state = &bench->state;
    if (learner_reach(state, DOCS, &bench->fault) < 0)
        stop(bench, "learner_reach");
    state->dim = at->m;
    memcpy(state->w, at->s, at->m * sizeof *at->s);
    if (learner_learn(state, &bench->round, &bench->fault) < 0)
        stop(bench, "learner_learn");
    for (size_t j = 0; j < at->m; j++)
        z[j] = ((long double)at->s[j] - state->w[j]) / ETA;
}

/* With probability 1 - gamma the greedy order, else one that is drawn. */
static void expect(struct bench *bench, const struct world *at, int tell_greedy)
{
    uint32_t order[DOCS], greedy[DOCS];
    float seen[DOCS];
    long double z[DOCS], chance, all = 0;
    memcpy(greedy, at->greedy, sizeof greedy);
    memcpy(order, at->greedy, sizeof order);
    show(bench, at, order, NULL, seen);
    step(bench, at, z);
    for (size_t j = 0; j < at->m; j++)
        bench->expected[j] = (1 - (long double)at->gamma) * z[j];
    for (size_t o = 0; o < bench->orders; o++) {
        memcpy(order, bench->order[o], sizeof order);
        all += chance = chance_of(bench, at, order);
        if (chance == 0)
            continue;
        show(bench, at, order, tell_greedy ? greedy : NULL, seen);
        step(bench, at, z);
        for (size_t j = 0; j < at->m; j++)
            bench->expected[j] += at->gamma * chance * z[j];
    }
    if (!(fabsl(all - 1) < 1e-15L))
        wrong(bench, at, "the sum of all orders' probabilities", all, 1);
}

static void compare(struct bench *bench, const struct world *at, const char *what)
{
    long double scale = scale_of(bench, at);
    bench->cases++;
    for (size_t j = 0; j < at->m; j++) {
        long double error = fabsl(bench->expected[j] - bench->gradient[j]);
        if (!(error <= EXACT * scale))
            wrong(bench, at, what, bench->expected[j], bench->gradient[j]);
        if (error > bench->error * scale)
            bench->error = error / scale;
    }
}

/* ---- one after the other ---- */

/* Two orders' worth of differences: the error is of the fourth power of the distance. */
static long double difference(const struct surrogate *surrogate, const struct world *at, size_t j)
{
    static const int away[] = { 1, -1, 2, -2 }, weight[] = { 8, -8, -1, 1 };
    const struct surrogate_options options = { at->epsilon, at->cutoff, false, NULL };
    double scratch[SURROGATE_SCRATCH * DOCS], s[DOCS], R[DOCS];
    double h = ldexp(1, ilogb(at->epsilon) - 10);
    long double sum = 0;
    for (size_t i = 0; i < at->m; i++)
        R[i] = at->R[i];
    memcpy(s, at->s, sizeof s);
    for (size_t i = 0; i < COUNT(away); i++) {
        s[j] = at->s[j] + away[i] * h;
        sum += weight[i] * (long double)surrogate->loss(at->m, s, R, &options, scratch);
    }
    return sum / 12 / h;
}

/* Does ranksvm's loss bend near here? */
static int bends(const struct world *at)
{
    for (size_t i = 0; i < at->m; i++)
        for (size_t j = 0; j < at->m; j++)
            if (fabs(1 + at->s[j] - at->s[i]) < 0.01)
                return 1;
    return 0;
}

/* Do scores tie? The loss of smoothdcg's later places bends there. */
static int ties(const struct world *at)
{
    for (size_t i = 0; i < at->m; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(at->s[j] - at->s[i]) < 0.02)
                return 1;
    return 0;
}

static void check_loss(struct bench *bench, const struct world *at)
{
    const struct surrogate *surrogate = surrogate_find(bench->tested->name);
    long double scale = scale_of(bench, at);
    if (!surrogate)
        stop(bench, "no surrogate of that name");
    if (surrogate->gradient == surrogate_find("ranksvm")->gradient && bends(at))
        return;
    if (at->cutoff != SIZE_MAX && ties(at))
        return;
    bench->losses++;
    for (size_t j = 0; j < at->m; j++) {
        long double d = difference(surrogate, at, j), error = fabsl(d - bench->gradient[j]);
        if (!(error <= DIFFERENCES * scale))
            wrong(bench, at, "a difference of the loss", d, bench->gradient[j]);
        if (error > bench->difference * scale)
            bench->difference = error / scale;
    }
}

/* Every label, never masked: the gradient itself. */
static void check_labels(struct bench *bench, const struct world *at)
{
    float label[DOCS];
    memcpy(label, at->R, sizeof label);
    if (round_start(&bench->round, 1, NULL, at->m, 0, &bench->fault) < 0)
        stop(bench, "round_start");
    bench->round.label = label;
    step(bench, at, bench->expected);
    compare(bench, at, "the gradient of all labels");
}

/* Is it the turn of what is met now? */
static int is_due(struct bench *bench)
{
    return bench->met++ % bench->stride == 0;
}

static void check_estimates(struct bench *bench, struct world *at)
{
    size_t every = at->m < 4 ? 1 : at->m == 4 ? 5 : 23;
    for (size_t o = 0; o < bench->orders; o += every) {
        at->greedy = bench->order[o];
        for (size_t g = 0; g < COUNT(GAMMA); g++) {
            if (!is_due(bench))
                continue;
            at->gamma = GAMMA[g];
            expect(bench, at, 1);
            compare(bench, at, "the expected estimate");
            if (at->gamma == 1) { /* explore -g 1 without scores knows no greedy order */
                expect(bench, at, 0);
                compare(bench, at, "the expected estimate, without the column greedy");
            }
        }
    }
}

/* Is every document in what SWAP draws seen with some probability, and every pair, if need be? */
static int all_are_seen(const struct world *at, size_t least)
{
    int pairs = at->m == at->top + 1 && !(at->top == 2 && at->gamma == 1);
    return !(at->top == 1 && at->gamma == 1) && (least < 2 || pairs);
}

static void check_first_places(struct bench *bench, struct world *at)
{
    size_t every = at->m < 4 ? 1 : at->m == 4 ? 5 : 23, least = bench->state.learner->least;
    for (size_t o = 0; o < bench->orders; o += every) {
        at->greedy = bench->order[o];
        for (size_t g = 0; g < COUNT(GAMMA); g++) {
            if (!is_due(bench))
                continue;
            at->gamma = GAMMA[g];
            at->how = TOP;
            for (at->top = at->k; at->top < at->m; at->top++) {
                expect(bench, at, 1);
                compare(bench, at, "the expected estimate, by the first places");
            }
            at->how = SWAP;
            at->top = at->k;
            if (all_are_seen(at, least)) {
                expect(bench, at, 1);
                compare(bench, at, "the expected estimate, by a swap");
            }
            at->how = SLOT;
            for (at->top = 1; least < 2 && at->top <= at->k; at->top++) {
                expect(bench, at, 1);
                compare(bench, at, "the expected estimate, by a slot");
            }
        }
    }
    at->how = UNIFORM;
}

static void check_luce(struct bench *bench, struct world *at)
{
    at->how = LUCE;
    at->gamma = 1;
    at->greedy = bench->order[0];
    for (size_t l = 0; l < MILD; l++) {
        at->logit = LOGIT[l];
        expect(bench, at, 1);
        compare(bench, at, "the expected estimate, by Plackett and Luce");
    }
    at->how = UNIFORM;
}

static void check_places(struct bench *bench, struct world *at)
{
    size_t least = bench->state.learner->least;
    at->k = at->m;
    at->greedy = bench->order[0];
    for (size_t j = 0; j < at->m; j++)
        bench->gradient[j] = bench->tested->gradient(at, j);
    check_loss(bench, at);
    check_labels(bench, at);
    for (at->k = least < at->m ? least : at->m; at->k <= at->m; at->k++) {
        check_estimates(bench, at);
        if (at->k < at->m)
            check_first_places(bench, at);
        if (at->k < at->m && at->k <= 2)
            check_luce(bench, at);
    }
}

static void check_learner(struct bench *bench, double epsilon)
{
    struct settings settings = { .set = { false } };
    struct world at = { .epsilon = epsilon, .cutoff = bench->tested->cutoff };
    const struct learner *learner = learner_find(bench->tested->name);
    settings.set[SETTING_ETA] = true;
    settings.value[SETTING_ETA] = ETA;
    settings.set[SETTING_EPSILON] = bench->tested->epsilon[1] > 0;
    settings.value[SETTING_EPSILON] = epsilon;
    settings.set[SETTING_CUTOFF] = at.cutoff != SIZE_MAX;
    settings.value[SETTING_CUTOFF] = (double)at.cutoff;
    if (!learner || learner_start(&bench->state, learner, &settings, DOCS, &bench->fault) < 0)
        stop(bench, "learner_start");
    for (at.m = 1; at.m <= DOCS; at.m++) {
        list_orders(bench, at.m);
        for (size_t i = 0; i < COUNT(SCORE); i++) {
            for (size_t r = 0; r < COUNT(RELEVANCE); r++) {
                at.s = SCORE[i];
                at.R = RELEVANCE[r];
                check_places(bench, &at);
            }
        }
    }
}

/* ---- the probabilities themselves ---- */

/* Adds to one[i] and two[i][j] where i, and i and j, are among the first k of an order. */
static void count_order(const struct world *at, const uint32_t *order,
                        long double probability, long double *one, long double two[DOCS][DOCS])
{
    for (size_t a = 0; a < at->k; a++) {
        one[order[a]] += probability;
        for (size_t b = 0; b < at->k; b++)
            two[order[a]][order[b]] += probability;
    }
}

static void same_probability(struct bench *bench, const struct world *at,
                             const char *what, double got, long double want)
{
    long double error = want < DBL_MIN && got <= DBL_MIN ? 0 : fabsl(got - want) / want;
    if (!(error <= EXACT))
        wrong(bench, at, what, got, want);
    if (error > bench->error)
        bench->error = error;
    bench->cases++;
}

static void check_policy_of(struct bench *bench, const struct world *at)
{
    long double one[DOCS] = { 0 }, two[DOCS][DOCS] = { { 0 } };
    uint32_t order[DOCS], greedy[DOCS];
    float seen[DOCS];
    struct exposure exposure;
    memcpy(greedy, at->greedy, sizeof greedy);
    count_order(at, greedy, 1 - (long double)at->gamma, one, two);
    for (size_t o = 0; o < bench->orders; o++)
        count_order(at, bench->order[o], at->gamma * chance_of(bench, at, bench->order[o]), one,
                    two);
    for (size_t o = 0; o < bench->orders; o++) {
        if (chance_of(bench, at, bench->order[o]) == 0)
            continue;
        memcpy(order, bench->order[o], sizeof order);
        show(bench, at, order, greedy, seen);
        if (feedback_exposure(&exposure, &bench->round, "nobody", 1, &bench->places,
                              &bench->fault) < 0)
            stop(bench, "heard_places");
        for (size_t a = 0; a < at->k; a++) {
            same_probability(bench, at, "pi_j", propensity_one(&exposure, a), one[order[a]]);
            for (size_t b = 0; b < at->k; b++)
                if (a != b)
                    same_probability(bench, at, "pi_ij", propensity_two(&exposure, a, b),
                                     two[order[a]][order[b]]);
        }
    }
}

static void check_policy_first(struct bench *bench, struct world *at)
{
    at->how = TOP;
    for (at->top = at->k; at->top <= at->m; at->top++)
        check_policy_of(bench, at);
    at->how = SWAP;
    at->top = at->k;
    if (all_are_seen(at, 1))
        check_policy_of(bench, at);
    at->how = UNIFORM;
}

static void check_policy_luce(struct bench *bench)
{
    struct world at = { .epsilon = 1, .gamma = 1, .s = SCORE[0], .R = RELEVANCE[0], .how = LUCE };
    for (at.m = 2; at.m <= DOCS; at.m++) {
        list_orders(bench, at.m);
        for (size_t l = 0; l < COUNT(LOGIT); l++) {
            at.greedy = bench->order[0];
            at.logit = LOGIT[l];
            for (at.k = 1; at.k <= 2; at.k++)
                check_policy_of(bench, &at);
        }
    }
}

static void check_policy(struct bench *bench)
{
    struct world at = { .epsilon = 1, .s = SCORE[0], .R = RELEVANCE[0] };
    for (at.m = 1; at.m <= DOCS; at.m++) {
        list_orders(bench, at.m);
        for (at.k = 1; at.k <= at.m; at.k++) {
            for (size_t o = 0; o < bench->orders; o++) {
                at.greedy = bench->order[o];
                for (size_t g = 0; g < COUNT(GAMMA); g++) {
                    if (!is_due(bench))
                        continue;
                    at.gamma = GAMMA[g];
                    check_policy_of(bench, &at);
                    if (at.k < at.m && o % 17 == 0)
                        check_policy_first(bench, &at);
                }
            }
        }
    }
}

static int finish(struct bench *bench)
{
    printf("%s: %lu cases, largest error %.1Le", bench->tested->name, bench->cases, bench->error);
    if (bench->losses)
        printf("; %lu losses, %.1Le", bench->losses, bench->difference);
    printf("\n");
    if (bench->wrong)
        fprintf(stderr, "%s: %lu wrong\n", bench->tested->name, bench->wrong);
    learner_close(&bench->state);
    buffer_free(&bench->places);
    round_close(&bench->round);
    int failed = bench->wrong != 0;
    free(bench);
    return failed;
}

static struct bench *start(const struct tested *tested, unsigned stride)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench) {
        perror("unbiased");
        exit(1);
    }
    bench->tested = tested;
    bench->stride = stride;
    round_open(&bench->round, &bench->record);
    return bench;
}

int main(int argc, char **argv)
{
    unsigned stride = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    static const struct tested policy = { "policy", { 0 }, SIZE_MAX, NULL, NULL };
    int failed = 0;
    for (size_t i = 0; i < COUNT(TESTED); i++) {
        struct bench *bench = start(&TESTED[i], stride);
        for (size_t e = 0; e < 3 && TESTED[i].epsilon[e] > 0; e++)
            check_learner(bench, TESTED[i].epsilon[e]);
        failed += finish(bench);
    }
    struct bench *bench = start(&policy, stride);
    check_policy(bench);
    check_policy_luce(bench);
    failed += finish(bench);
    return failed ? 1 : 0;
}
