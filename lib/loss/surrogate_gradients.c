#include "loss/surrogate_gradients.h"

#include <math.h>
#include <string.h>

#include "loss/dcg.h"
#include "math/order.h"
#include "math/real.h"

static bool goes_on(void *work, size_t steps)
{
    return long_work_goes_on(work, steps);
}

/* As order_by_score, but counts its steps as `work`, which may be NULL, and may be stopped: false,
 * and order[m] holds documents, some of them twice. */
static bool long_order(struct long_work *work, size_t m, const double *score, uint32_t *order,
                       uint32_t *scratch)
{
    return order_in_pieces(m, score, order, scratch, goes_on, work);
}

/* ---- squared and kl ---- */

/* |s - R|^2 */
static void squared_gradient(const struct exposure *exposure, const double *s,
                             const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options, (void)scratch;
    for (size_t j = 0; j < exposure->docs; j++)
        g[j] = 2 * s[j];
    for (size_t a = 0; a < exposure->places; a++)
        g[exposure->doc[a]] -= 2 * (exposure->relevance[a] / propensity_one(exposure, a));
}

static double squared_loss(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    double sum = 0;
    (void)options, (void)scratch;
    for (size_t j = 0; j < m; j++)
        sum += (s[j] - R[j]) * (s[j] - R[j]);
    return sum;
}

/* Kullback-Leibler divergence of the unnormalised exp(R) and exp(s) */
static void kl_gradient(const struct exposure *exposure, const double *s,
                        const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options, (void)scratch;
    memset(g, 0, exposure->docs * sizeof *g);
    for (size_t a = 0; a < exposure->places; a++) {
        uint32_t j = exposure->doc[a];
        g[j] = (real_exp(s[j]) - real_exp(exposure->relevance[a])) / propensity_one(exposure, a);
    }
}

static double kl_loss(size_t m, const double *s, const double *R,
                      const struct surrogate_options *options, double *scratch)
{
    double sum = 0;
    (void)options, (void)scratch;
    for (size_t j = 0; j < m; j++)
        sum += real_exp(R[j]) * (R[j] - 1 - s[j]) + real_exp(s[j]);
    return sum;
}

/* ---- smoothdcg ---- */

enum { STEPS = 8 }; /* of the work, for one document at one place */

/* h[m] of the place that document d has; returns the mean gain under it. */
static double choose(size_t m, const double *s, const double *gain, double epsilon, size_t d,
                     double *h)
{
    double sum = 0, mean = 0;
    for (size_t i = 0; i < m; i++) {
        double away = (s[i] - s[d]) / epsilon;
        h[i] = real_exp(-(away * away));
        sum += h[i];
    }
    for (size_t i = 0; i < m; i++) {
        h[i] /= sum;
        mean += gain[i] * h[i];
    }
    return mean;
}

/* Subtracts discount times the gradient of that mean from g[m]. */
static void descend(size_t m, const double *s, const double *gain, double epsilon, size_t d,
                    double discount, double mean, const double *h, double *g)
{
    for (size_t i = 0; i < m; i++) {
        if (h[i] == 0)
            continue;
        double rise = 2 * ((s[i] - s[d]) / epsilon) / epsilon * h[i] * (gain[i] - mean) * discount;
        g[i] += rise;
        g[d] -= rise;
    }
}

/* The places of SmoothDCG@k below the first one (Chapelle & Wu 2010): the sum over the places
 * j = 2 .. cutoff of
 *   D(j) sum_i G_i h_ij,  h_ij = exp(-((s_i - s_d)/epsilon)^2) / the same summed over i,
 * where d is the document at place j by score, ties in document order; 0 if the cutoff is
 * SIZE_MAX. Subtracts its gradient with respect to s from g[m], unless g is NULL. It is linear in
 * gain[m], so an unbiased estimate of the gains gives an unbiased one of the gradient. `scratch`
 * has room for 2 m. O(m (cutoff + log m)). */
static double smooth_below(size_t m, const double *s, const double *gain, double epsilon,
                           size_t cutoff, double *g, double *scratch, struct long_work *work)
{
    double *h = scratch, sum = 0;
    uint32_t *order = (uint32_t *)(scratch + m);
    if (cutoff == SIZE_MAX || !long_order(work, m, s, order, order + m))
        return 0;
    for (size_t j = 1; j < m && j < cutoff && long_work_goes_on(work, STEPS * m); j++) {
        double mean = choose(m, s, gain, epsilon, order[j], h), discount = dcg_discount(j);
        sum += discount * mean;
        if (g)
            descend(m, s, gain, epsilon, order[j], discount, mean, h, g);
    }
    return sum;
}

/* minus the smooth DCG@cutoff: its first place here, the places below it by smooth_below */
static void smoothdcg_gradient(const struct exposure *exposure, const double *s,
                               const struct surrogate_options *options, double *g, double *scratch)
{
    double *p = scratch, *gain = scratch + exposure->docs, sum = 0;
    softmax(exposure->docs, s, options->epsilon, p);
    memset(g, 0, exposure->docs * sizeof *g);
    memset(gain, 0, exposure->docs * sizeof *gain);
    for (size_t a = 0; a < exposure->places; a++) {
        uint32_t j = exposure->doc[a];
        gain[j] = dcg_gain(exposure->relevance[a]) / propensity_one(exposure, a);
        double c = gain[j] * (p[j] / options->epsilon);
        g[j] = -c;
        sum += c;
    }
    for (size_t j = 0; j < exposure->docs; j++)
        g[j] += sum * p[j];
    smooth_below(exposure->docs, s, gain, options->epsilon, options->cutoff, g,
                 gain + exposure->docs, options->work);
}

static double smoothdcg_loss(size_t m, const double *s, const double *R,
                             const struct surrogate_options *options, double *scratch)
{
    double sum = 0, *gain = scratch + m;
    softmax(m, s, options->epsilon, scratch);
    for (size_t j = 0; j < m; j++) {
        gain[j] = dcg_gain(R[j]);
        sum += gain[j] * scratch[j];
    }
    return -sum -
           smooth_below(m, s, gain, options->epsilon, options->cutoff, NULL, gain + m,
                        options->work);
}

/* ---- ranksvm ---- */

/* Documents in the order of their scores, highest first: document d is at place at[d], and its
 * hinge with a better one is above 0 where that is at place reach[d] or below. */
struct hinges {
    size_t m;
    uint32_t *at, *reach;
    uint32_t *graded;   /* graded[m]: places of `doc` by relevance, highest first */
    uint32_t *tree;     /* tree[m + 1]: sums over places, a Fenwick tree          */
};

static void enter_place(const struct hinges *my, uint32_t place)
{
    for (size_t node = (size_t)place + 1; node <= my->m; node += node & -node)
        my->tree[node]++;
}

/* How many were entered at places below `place`. */
static uint32_t entered_above(const struct hinges *my, size_t place)
{
    uint32_t n = 0;
    for (size_t node = place; node > 0; node -= node & -node)
        n += my->tree[node];
    return n;
}

static void find_places(const struct hinges *my, const double *s, uint32_t *by_score,
                        uint32_t *scratch)
{
    size_t better = 0;
    order_by_score(my->m, s, by_score, scratch);
    for (size_t p = 0; p < my->m; p++) {
        uint32_t d = by_score[p];
        while (better < my->m && s[by_score[better]] >= 1 + s[d])
            better++;
        my->at[d] = (uint32_t)p;
        my->reach[d] = (uint32_t)better;
    }
}

/* How often each document is the worse one: grade after grade, from the highest. */
static void count_worse(const struct hinges *my, const uint32_t *doc, const double *relevance,
                        double *g)
{
    memset(my->tree, 0, (my->m + 1) * sizeof *my->tree);
    for (size_t from = 0, to = 0; from < my->m; from = to) {
        for (; to < my->m && relevance[my->graded[to]] == relevance[my->graded[from]]; to++) {
            uint32_t d = doc[my->graded[to]];
            g[d] = (double)from - (double)entered_above(my, my->reach[d]);
        }
        for (size_t a = from; a < to; a++)
            enter_place(my, my->at[doc[my->graded[a]]]);
    }
}

/* The same of the better ones, from the lowest grade. A reach of m reaches nobody. */
static void count_better(const struct hinges *my, const uint32_t *doc, const double *relevance,
                         double *g)
{
    memset(my->tree, 0, (my->m + 1) * sizeof *my->tree);
    for (size_t from, to = my->m; to > 0; to = from) {
        for (from = to; from > 0 && relevance[my->graded[from - 1]] ==
                                        relevance[my->graded[to - 1]]; from--) {
            uint32_t d = doc[my->graded[from - 1]];
            g[d] -= (double)entered_above(my, (size_t)my->at[d] + 1);
        }
        for (size_t a = from; a < to; a++)
            if (my->reach[doc[my->graded[a]]] < my->m)
                enter_place(my, my->reach[doc[my->graded[a]]]);
    }
}

/* The gradient of the hinge loss of all pairs (Joachims 2002), by counting: g[m] is, for each
 * document, how often it is the worse of a pair R_i > R_j with 1 + s_j > s_i, minus how often it is
 * the better. doc[a] is the document whose relevance is relevance[a]; each document comes once.
 * Exact. O(m log m), with room for 4 m numbers in scratch. */
static void count_hinges(size_t m, const double *s, const uint32_t *doc, const double *relevance,
                         double *g, double *scratch)
{
    uint32_t *at = (uint32_t *)scratch;
    struct hinges my = { m, at, at + m, at + 2 * m, at + 3 * m };
    order_by_score(m, relevance, my.graded, my.tree);
    find_places(&my, s, at + 5 * m, at + 6 * m);
    count_worse(&my, doc, relevance, g);
    count_better(&my, doc, relevance, g);
}

enum { LOOPED = 64 }; /* hinges of more documents are counted without looking at each pair */

/* the hinge of every pair that is in the wrong order, or in the right order by less than 1 */
static void ranksvm_gradient(const struct exposure *exposure, const double *s,
                             const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options;
    if (exposure->places == exposure->docs && exposure->docs > LOOPED) {
        count_hinges(exposure->docs, s, exposure->doc, exposure->relevance, g, scratch);
        return;
    }
    memset(g, 0, exposure->docs * sizeof *g);
    size_t n = exposure->places;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            uint32_t i = exposure->doc[a], j = exposure->doc[b];
            if (exposure->relevance[a] > exposure->relevance[b] && 1 + s[j] > s[i]) {
                double weight = 1 / propensity_two(exposure, a, b);
                g[j] += weight;
                g[i] -= weight;
            }
        }
    }
}

static double ranksvm_loss(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    double sum = 0, least = INFINITY;
    (void)scratch;
    for (size_t i = 0; i < m; i++)
        least = R[i] < least ? R[i] : least;
    for (size_t i = 0; i < m && long_work_goes_on(options->work, R[i] > least ? m : 1); i++)
        for (size_t j = 0; R[i] > least && j < m; j++)
            if (R[i] > R[j] && 1 + s[j] > s[i])
                sum += 1 + s[j] - s[i];
    return sum;
}

/* ---- listnet and squared-ndcg ---- */

/* cross entropy of softmax(R) and softmax(s) */
static void listnet_gradient(const struct exposure *exposure, const double *s,
                             const struct surrogate_options *options, double *g, double *scratch)
{
    (void)options;
    softmax(exposure->places, exposure->relevance, 1, scratch);
    softmax(exposure->docs, s, 1, g);
    for (size_t a = 0; a < exposure->places; a++)
        g[exposure->doc[a]] -= scratch[a];
}

static double listnet_loss(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    double sum = 0, norm = softmax(m, s, 1, scratch);
    (void)options;
    softmax(m, R, 1, scratch + m);
    for (size_t j = 0; j < m; j++)
        sum += scratch[m + j] * (norm - s[j]);
    return sum;
}

/* target[m] = G(R) / Z, with Z the largest DCG of the list; 0 where no document is relevant.
 * `scratch` has room for 2 m. If `work` was stopped, the targets are 0. */
static void normalise(size_t m, const double *R, double *target, double *scratch,
                      struct long_work *work)
{
    uint32_t *order = (uint32_t *)(scratch + m);
    if (!long_order(work, m, R, order, order + m)) {
        memset(target, 0, m * sizeof *target);
        return;
    }
    for (size_t i = 0; i < m; i++)
        scratch[i] = R[order[i]];
    double most = dcg_sum(m, scratch);
    for (size_t i = 0; i < m; i++)
        target[i] = most > 0 ? dcg_gain(R[i]) / most : 0;
}

/* |s - G(R)/Z|^2, which is calibrated for NDCG */
static void squared_ndcg_gradient(const struct exposure *exposure, const double *s,
                                  const struct surrogate_options *options, double *g,
                                  double *scratch)
{
    size_t m = exposure->docs;
    for (size_t a = 0; a < m; a++)
        scratch[exposure->doc[a]] = exposure->relevance[a];
    normalise(m, scratch, scratch + m, scratch + 2 * m, options->work);
    for (size_t j = 0; j < m; j++)
        g[j] = 2 * (s[j] - scratch[m + j]);
}

static double squared_ndcg_loss(size_t m, const double *s, const double *R,
                                const struct surrogate_options *options, double *scratch)
{
    normalise(m, R, scratch, scratch + m, options->work);
    return squared_loss(m, s, scratch, options, scratch + m);
}

/* ---- slam: 0 if the ranking is already right ---- */

static const double right = 1 - 1e-12;

/* A list, ranked by its scores and sorted by its relevances. */
struct list {
    size_t m;
    const double *s;
    double *ranked;   /* ranked[m]: R in the order by s                        */
    double *sorted;   /* sorted[m]: R, highest first                           */
    double *v;        /* v[m]: weights of the hinges by `sorted`, not set yet  */
    uint32_t *graded; /* graded[m]: documents by R, ties by s, then by number  */
};

/* A subgradient of 0 is in scratch[m]. False if the work was stopped. */
static bool sort_list(struct list *list, size_t m, const double *s, const double *R,
                      double *scratch, struct long_work *work)
{
    *list = (struct list){ m, s, scratch + m, scratch + 2 * m, scratch + 3 * m,
                           (uint32_t *)(scratch + 4 * m) };
    uint32_t *by_score = list->graded + m, *by_grade = by_score + m, *spare = by_grade + m;
    memset(scratch, 0, m * sizeof *scratch);
    if (!long_order(work, m, s, by_score, spare))
        return false;
    for (size_t i = 0; i < m; i++)
        list->ranked[i] = R[by_score[i]];
    if (!long_order(work, m, list->ranked, by_grade, spare))
        return false;
    for (size_t i = 0; i < m; i++) {
        list->graded[i] = by_score[by_grade[i]];
        list->sorted[i] = R[list->graded[i]];
    }
    return true;
}

/* Is its NDCG@k 1, up to rounding? `most` is the largest DCG there is. */
static bool ranked_right(const struct list *list, size_t k, double most)
{
    return most == 0 || dcg_sum(k, list->ranked) / most >= right;
}

/* The first place of the documents that share the grade of place to - 1. */
static size_t grade_from(const struct list *list, size_t to)
{
    size_t from = to - 1;
    while (from > 0 && list->sorted[from - 1] == list->sorted[to - 1])
        from--;
    return from;
}

/* The loss, and the subgradient in g, which is 0 before, by the weights v. Grades are
 * visited from the lowest; `worse` is the highest-scoring document of a lower grade. The first
 * document of each grade is the one of it that scores most. */
static double sum_hinges(const struct list *list, double *g)
{
    const double *s = list->s, *v = list->v;
    double loss = 0;
    uint32_t worse = 0;
    for (size_t from, to = list->m; to > 0; to = from) {
        from = grade_from(list, to);
        for (size_t a = from; a < to && to < list->m; a++) {
            uint32_t i = list->graded[a];
            double hinge = 1 + s[worse] - s[i];
            if (v[a] == 0 || hinge <= 0)
                continue;
            loss += v[a] * hinge;
            g[worse] += v[a];
            g[i] -= v[a];
        }
        if (to == list->m || s[list->graded[from]] >= s[worse])
            worse = list->graded[from];
    }
    return loss;
}

/* f = sum_i v_i max(0, max_{R_i > R_j} 1 + s_j - s_i) unless NDCG@cutoff is 1 (equations 9, 11 and
 * 15): with the documents sorted by R, ties by s, v_i = G(R_i) D(i) / Z up to the cutoff and 0
 * beyond it, Z the largest DCG@cutoff. Of several j with the largest s_j the subgradient uses the
 * one with the higher grade, then the lower number (equation 16). */
static double slam_ndcg(size_t m, const double *s, const double *R,
                        const struct surrogate_options *options, double *scratch)
{
    struct list list;
    size_t k = options->cutoff < m ? options->cutoff : m;
    if (!sort_list(&list, m, s, R, scratch, options->work))
        return NAN;
    double most = dcg_sum(k, list.sorted);
    if (isinf(most))
        return NAN;
    if (most == 0 || (!options->phi && ranked_right(&list, k, most)))
        return 0;
    for (size_t a = 0; a < m; a++)
        list.v[a] = a < k ? dcg_gain(list.sorted[a]) * dcg_discount(a) / most : 0;
    return sum_hinges(&list, scratch);
}

/* The same for AP (equation 10): R' = [R > 0] for R, v_i = 1/r for the r relevant documents. */
static double slam_ap(size_t m, const double *s, const double *R,
                      const struct surrogate_options *options, double *scratch)
{
    struct list list;
    double *relevant = scratch + 6 * m, sum = 0, n = 0;
    for (size_t i = 0; i < m; i++)
        relevant[i] = R[i] > 0;
    if (!sort_list(&list, m, s, relevant, scratch, options->work))
        return NAN;
    for (size_t i = 0; i < m; i++)
        if (list.ranked[i] > 0)
            sum += ++n / (double)(i + 1);
    if (n == 0 || (!options->phi && sum / n >= right))
        return 0;
    for (size_t a = 0; a < m; a++)
        list.v[a] = (double)a < n ? 1 / n : 0;
    return sum_hinges(&list, scratch);
}

/* f = max(0, max_{R_i > R_j} 1 + s_j - s_i) unless NDCG is 1 (equations 27 to 29). The subgradient
 * uses one pair: of several the one with the lower i, then the lower j. The pair depends on
 * s_j - s_i alone, so scaling all scores by a power of two gives the same pair. */
static double slam_minimax(size_t m, const double *s, const double *R,
                           const struct surrogate_options *options, double *scratch)
{
    struct list list;
    uint32_t best_i = 0, best_j = 0, worse = 0;
    bool found = false;
    if (!sort_list(&list, m, s, R, scratch, options->work))
        return NAN;
    double ideal = dcg_sum(m, list.sorted), most = 0;
    if (isinf(ideal))
        return NAN;
    if (ideal == 0 || (!options->phi && ranked_right(&list, m, ideal)))
        return 0;
    for (size_t from, to = m; to > 0; to = from) {
        from = grade_from(&list, to);
        for (size_t a = from; a < to && to < m; a++) {
            uint32_t i = list.graded[a];
            double over = s[worse] - s[i];
            if (!found || over > most || (over == most && i < best_i)) {
                best_i = i;
                best_j = worse;
                most = over;
                found = true;
            }
        }
        uint32_t first = list.graded[from];
        if (to == m || s[first] > s[worse] || (s[first] == s[worse] && first < worse))
            worse = first;
    }
    if (!found || 1 + most <= 0) /* only of phi: else some pair is in the wrong order */
        return 0;
    scratch[best_i] = -1;
    scratch[best_j] = 1;
    return 1 + most;
}

/* ---- the table ---- */

const struct surrogate surrogates[] = {
    [SURROGATE_SQUARED] = { "squared", "loss:squared", 1, false, squared_gradient, squared_loss },
    [SURROGATE_KL] = { "kl", "loss:kl", 1, false, kl_gradient, kl_loss },
    [SURROGATE_SMOOTHDCG] = { "smoothdcg", "loss:smoothdcg", 1, true, smoothdcg_gradient,
                              smoothdcg_loss },
    [SURROGATE_RANKSVM] = { "ranksvm", "loss:ranksvm", 2, false, ranksvm_gradient, ranksvm_loss },
    [SURROGATE_LISTNET] = { "listnet", "loss:listnet", SURROGATE_ALL, false, listnet_gradient,
                            listnet_loss },
    [SURROGATE_SQUARED_NDCG] = { "squared-ndcg", "loss:squared-ndcg", SURROGATE_ALL, false,
                                 squared_ndcg_gradient, squared_ndcg_loss },
    [SURROGATE_SLAM] = { "slam", "loss:slam", SURROGATE_ALL, true, NULL, slam_ndcg },
    [SURROGATE_SLAM_AP] = { "slam-ap", "loss:slam-ap", SURROGATE_ALL, false, NULL, slam_ap },
    [SURROGATE_MINIMAX] = { "minimax", "loss:minimax", SURROGATE_ALL, false, NULL, slam_minimax },
    { NULL, NULL, 0, false, NULL, NULL },
};

const char *surrogate_measure(size_t i)
{
    return i <= SURROGATE_MINIMAX ? surrogates[i].measure : NULL;
}

const struct surrogate *surrogate_find(const char *name)
{
    const struct surrogate *s = surrogates;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return s->name ? s : NULL;
}
