#include "loss/slam.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "loss/dcg.h"
#include "loss/long_order.h"

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
static bool sort(struct list *list, size_t m, const double *s, const double *R, double *scratch,
                 struct long_work *work)
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
 * visited from the lowest; `rival` is the highest-scoring document of a lower grade. The first
 * document of each grade is the one of it that scores most. */
static double hinges(const struct list *list, double *g)
{
    const double *s = list->s, *v = list->v;
    double loss = 0;
    uint32_t rival = 0;
    for (size_t from, to = list->m; to > 0; to = from) {
        from = grade_from(list, to);
        for (size_t a = from; a < to && to < list->m; a++) {
            uint32_t i = list->graded[a];
            double hinge = 1 + s[rival] - s[i];
            if (v[a] == 0 || hinge <= 0)
                continue;
            loss += v[a] * hinge;
            g[rival] += v[a];
            g[i] -= v[a];
        }
        if (to == list->m || s[list->graded[from]] >= s[rival])
            rival = list->graded[from];
    }
    return loss;
}

double slam_ndcg(size_t m, const double *s, const double *R,
                 const struct surrogate_options *options, double *scratch)
{
    struct list list;
    size_t k = options->cutoff < m ? options->cutoff : m;
    if (!sort(&list, m, s, R, scratch, options->work))
        return NAN;
    double most = dcg_sum(k, list.sorted);
    if (isinf(most))
        return NAN;
    if (ranked_right(&list, k, most))
        return 0;
    for (size_t a = 0; a < m; a++)
        list.v[a] = a < k ? dcg_gain(list.sorted[a]) * dcg_discount(a) / most : 0;
    return hinges(&list, scratch);
}

double slam_ap(size_t m, const double *s, const double *R, const struct surrogate_options *options,
               double *scratch)
{
    struct list list;
    double *relevant = scratch + 6 * m, sum = 0, n = 0;
    for (size_t i = 0; i < m; i++)
        relevant[i] = R[i] > 0;
    if (!sort(&list, m, s, relevant, scratch, options->work))
        return NAN;
    for (size_t i = 0; i < m; i++)
        if (list.ranked[i] > 0)
            sum += ++n / (double)(i + 1);
    if (n == 0 || sum / n >= right)
        return 0;
    for (size_t a = 0; a < m; a++)
        list.v[a] = (double)a < n ? 1 / n : 0;
    return hinges(&list, scratch);
}

double slam_minimax(size_t m, const double *s, const double *R,
                    const struct surrogate_options *options, double *scratch)
{
    struct list list;
    uint32_t best_i = 0, best_j = 0, rival = 0;
    bool found = false;
    if (!sort(&list, m, s, R, scratch, options->work))
        return NAN;
    double ideal = dcg_sum(m, list.sorted), most = 0;
    if (isinf(ideal))
        return NAN;
    if (ranked_right(&list, m, ideal))
        return 0;
    for (size_t from, to = m; to > 0; to = from) {
        from = grade_from(&list, to);
        for (size_t a = from; a < to && to < m; a++) {
            uint32_t i = list.graded[a];
            double over = s[rival] - s[i];
            if (!found || over > most || (over == most && i < best_i)) {
                best_i = i;
                best_j = rival;
                most = over;
                found = true;
            }
        }
        uint32_t first = list.graded[from];
        if (to == m || s[first] > s[rival] || (s[first] == s[rival] && first < rival))
            rival = first;
    }
    scratch[best_i] = -1;
    scratch[best_j] = 1;
    return 1 + most; /* above 0, since some pair is in the wrong order */
}
