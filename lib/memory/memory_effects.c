#include "memory/memory_effects.h"

#include <math.h>

#include "math/matrix.h"
#include "memory/memory_beliefs.h"

/* What the estimate has before the first answer: a slope of 3/4 from ten first answers. */
static const double prior_xx = 10, prior_xy = 7.5;
static const double repeated = 0.5;

struct memory_estimate memory_estimate(const struct memory *memory, double most)
{
    const double *moments = memory->moments, least = 1.0 / 11, last = most / (1 + most);
    double firsts = moments[MEMORY_FIRSTS];
    double s2 = firsts > 0 ? moments[MEMORY_SQUARES] / firsts : 0;
    double xx = moments[MEMORY_BXX] + prior_xx * s2, xy = moments[MEMORY_BXY] + prior_xy * s2;
    double beta = xx > 0 ? xy / xx : prior_xy / prior_xx;
    bool known = memory->fixed || memory->clicks;
    double rho = memory->fixed || !known ? memory->rho : memory_clicks_rho(memory->clicks);
    if (known)
        beta = rho / (1 + rho);
    else if (xx > 0)
        beta = beta < least ? least : beta > last ? last : beta;
    return (struct memory_estimate){ .rho = known ? rho : beta / (1 - beta), .s2 = s2,
                                     .sb = sqrt(beta * s2), .clicks = memory->clicks != NULL };
}

double memory_variance(double rho, double zpz, const struct memory_entry *entry)
{
    double part = 1 + rho * entry->n;
    return rho / part + (1 + rho) * zpz / (part * part);
}

/* z.v = w.x - w.M + level.M + constant: the means of w.x and level.x over the documents are w.M and
 * level.M. */
void memory_expect(const struct matrix *x, const double *level, double constant, size_t n,
                   double *s, double *t, double *spare)
{
    double sum = 0;
    if (level)
        matrix_times(x, level, 1, n, t, spare);
    for (size_t i = 0; level && i < x->docs; i++)
        sum += t[i] - s[i];
    for (size_t i = 0; i < x->docs; i++)
        s[i] += sum / (double)x->docs + constant;
}

/* Does the pair's next answer count as its second? */
static bool is_second(const struct memory *memory, double n)
{
    return memory->weighted ? n >= repeated && n < repeated + 1 : n == 1;
}

/* What an answer says about the estimate; z.v and the spread are from before v learnt it. */
static void count(const struct memory *memory, const struct memory_entry *entry, double expected,
                  double spread, struct memory_answer answer)
{
    double *moments = memory->moments, e = answer.y - expected, u = answer.u;
    if (entry->n == 0) {
        moments[MEMORY_FIRSTS] += u;
        moments[MEMORY_SQUARES] += u * (e * e / spread);
    } else if (is_second(memory, entry->n)) {
        double first = entry->sum / entry->n - expected;
        moments[MEMORY_BXX] += u * (first * first);
        moments[MEMORY_BXY] += u * (first * e);
    }
    if (entry->n >= repeated)
        moments[MEMORY_REPEATS] += u;
}

/* A pair's first answer, as beliefs of labels, or of clicks on what was examined. */
static void believe(const struct memory *memory, double score, struct memory_answer answer)
{
    bool click = answer.y > 0;
    if (!memory->weighted)
        memory_first_answer(memory->beliefs, score, answer.y, 1);
    else
        memory_first_answer(memory->beliefs, score, click,
                            memory_examined(memory->beliefs, click, answer.u));
}

/* An answer was learnt, and may have moved r, the mean of the base's prior, which was `before`. */
static int follow_spread(const struct memory *memory, struct regression *regression, double before,
                         struct fault *fault)
{
    double by = memory->kappa > 0 ? memory_spread(memory->beliefs) - before : 0;
    return by != 0 ? regression_lean(regression, memory->kappa, by, fault) : 0;
}

int memory_learn(struct memory *memory, struct regression *regression, size_t i,
                 struct memory_entry *entry, struct memory_answer answer, struct fault *fault)
{
    double rho = memory->rho, n = entry->n, expected = regression_expect(regression, i);
    double y = answer.y, c = memory_count_of(rho, n, answer.u);
    double worth = y + rho * (n * y - entry->sum);
    double r = memory->kappa > 0 ? memory_spread(memory->beliefs) : 0;
    if (regression_learn(regression, i, worth, c, fault) < 0) return -1;
    count(memory, entry, expected, regression->spread, answer);
    if (memory->beliefs && entry->n == 0)
        believe(memory, memory->score ? memory->score[i] : expected, answer);
    if (memory->counted)
        regression_add_squares(regression, c, memory->counted);
    if (follow_spread(memory, regression, r, fault) < 0) return -1;
    entry->n += answer.u;
    entry->sum += answer.u * y;
    if (!finite_numbers(MEMORY_MOMENTS, memory->moments))
        return fault_data(fault, "relevance %g is too large to be learnt from: use smaller labels",
                          y);
    return regression_check(regression, fault);
}
