#include "measure/judge.h"

#include <stdbool.h>

#include "loss/dcg.h"
#include "loss/surrogate.h"
#include "math/order.h"
#include "math/real.h"

/* Up to so many of the highest labels are found by counting, if all are whole and below GRADES. */
enum { COUNTED = 64, GRADES = 8 };

/* Discounts are computed once for each position, not for each round. */
int judge_places(struct judge *judge, size_t m, struct fault *fault)
{
    double *discount = buffer_for(&judge->buffer[0], m, sizeof *discount, fault);
    if (!discount) return -1;
    for (size_t i = judge->discounts; i < m; i++)
        discount[i] = judge->conventions.letor_discount ? dcg_letor_discount(i) : dcg_discount(i);
    if (m > judge->discounts)
        judge->discounts = m;
    judge->discount = discount;
    judge->docs = m;
    return 0;
}

/* Counts the documents of each grade. False where a label is no whole number below GRADES. */
static bool count_grades(size_t m, const double *label, size_t count[GRADES])
{
    for (size_t g = 0; g < GRADES; g++)
        count[g] = 0;
    for (size_t i = 0; i < m; i++) {
        if (!(label[i] < GRADES) || label[i] != (double)(unsigned)label[i])
            return false;
        count[(unsigned)label[i]]++;
    }
    return true;
}

/* The first k of the labels, highest first: label i is as many grades as more than i documents
 * have, that or a higher one. */
static void take_grades(size_t count[GRADES], size_t k, double *sorted)
{
    for (size_t g = GRADES - 1; g > 0; g--)
        count[g - 1] += count[g];
    for (size_t i = 0; i < k; i++) {
        unsigned grade = 0;
        for (size_t g = 1; g < GRADES; g++)
            grade += count[g] > i;
        sorted[i] = grade;
    }
}

/* Sorts the labels, highest first, as far as they are needed. */
static int sort_labels(struct judge *judge, const double *label, struct fault *fault)
{
    size_t m = judge->docs;
    size_t count[GRADES];
    double *sorted = buffer_for(&judge->buffer[1], m, sizeof *sorted, fault);
    uint32_t *order = buffer_for(&judge->buffer[2], 2 * m, sizeof *order, fault);
    if (!sorted || !order) return -1;
    judge->sorted = sorted;
    if (judge->top > 0 && judge->top <= COUNTED && judge->top < m &&
        count_grades(m, label, count)) {
        take_grades(count, judge->top, sorted);
        return 0;
    }
    order_by_score(m, label, order, order + m);
    for (size_t i = 0; i < m; i++)
        sorted[i] = label[order[i]];
    return 0;
}

int judge_round(struct judge *judge, size_t m, const uint32_t *order, const float *label,
                const double *score, struct fault *fault)
{
    double *by_doc = buffer_for(&judge->buffer[3], 2 * m, sizeof *by_doc, fault);
    double *scratch = buffer_for(&judge->buffer[4], SURROGATE_SCRATCH * m, sizeof *scratch,
                                fault);
    if (!by_doc || !scratch || judge_places(judge, m, fault) < 0) return -1;
    double *ranked = by_doc + m;
    for (size_t i = 0; i < m; i++)
        by_doc[i] = label[i];
    for (size_t i = 0; order && i < m; i++)
        ranked[i] = by_doc[order[i]];
    judge->label = by_doc;
    judge->ranked = order ? ranked : NULL;
    judge->score = score;
    judge->scratch = scratch;
    return sort_labels(judge, by_doc, fault);
}

void judge_close(struct judge *judge)
{
    for (size_t i = 0; i < sizeof judge->buffer / sizeof *judge->buffer; i++)
        buffer_free(&judge->buffer[i]);
}
