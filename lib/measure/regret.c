#include "measure/regret.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/order.h"

/* ---- map: the best fixed ranking of a short list over many rounds ----
 *
 * With labels of n relevant items, AP(ranking) = sum over relevant items i of (relevant items not
 * below i) / (n position(i)). Let A_ij be the sum over rounds of [i and j are relevant] / n. The
 * sum of AP over these rounds is then
 *   sum over positions p of (1/p) sum over positions q <= p of A[item at p][item at q],
 * so A says how good every fixed ranking was. No sort finds the best of them: what an item adds
 * depends on the set of items above it. So all sets are enumerated. */

/* What item i adds, at the position just after the other items of `set`, times that position. */
static double added(size_t m, const double *pair, size_t set, size_t i)
{
    double sum = 0;
    for (size_t j = 0; j < m; j++)
        if (set >> j & 1)
            sum += pair[i * m + j];
    return sum;
}

static size_t size_of(size_t set)
{
    size_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* The largest sum of AP of any fixed ranking of m items, at most REGRET_MAP_ITEMS; best[2^m] is
 * scratch: best[set] is the largest sum, at the first positions, of the rankings that have these
 * items there. O(2^m m^2): a few milliseconds for 16 items. */
static double best_map(size_t m, const double *pair, double *best)
{
    size_t sets = (size_t)1 << m;
    best[0] = 0;
    for (size_t set = 1; set < sets; set++) {
        double place = (double)size_of(set);
        best[set] = 0;
        for (size_t i = 0; i < m; i++) {
            if (!(set >> i & 1))
                continue;
            double sum = best[set ^ (size_t)1 << i] + added(m, pair, set, i) / place;
            if (sum > best[set])
                best[set] = sum;
        }
    }
    return best[sets - 1];
}

/* ---- regret ---- */

int regret_parse(struct regret *regret, const char *measure, struct fault *fault)
{
    memset(regret, 0, sizeof *regret);
    regret->linear = measure_linear_find(measure);
    if (regret->linear || strcmp(measure, "map") == 0)
        return measure_parse(&regret->measure, measure, fault);

    struct names any = { 0 }, binary = { 0 };
    const struct linear_measure *linear;
    for (size_t i = 0; (linear = measure_linear_number(i)); i++)
        measure_add_name(linear->binary ? &binary : &any, linear->name);
    return fault_usage(fault, "no measure 'regret:%.40s': regret takes %s; %s if all labels are "
                       "0 or 1; and map for lists of at most %d documents", measure, any.text,
                       binary.text, REGRET_MAP_ITEMS);
}

static int check_list(const struct regret *regret, const struct measured *measured, size_t dim,
                      struct fault *fault)
{
    const char *name = regret->measure.name;
    if (dim > 0)
        return fault_data(fault, "dim=%zu, but regret:%s needs a fixed list of items (dim=0)", dim,
                          name);
    if (regret->docs && measured->docs != regret->docs)
        return fault_data(fault, "the round has %zu documents, but the first has %zu, and "
                          "regret:%s needs a fixed list of items", measured->docs, regret->docs,
                          name);
    if (!regret->linear && measured->docs > REGRET_MAP_ITEMS)
        return fault_data(fault, "the round has %zu documents, but regret:map takes at most %d, "
                          "because it tries every ranking", measured->docs, REGRET_MAP_ITEMS);
    for (size_t i = 0; regret->linear && regret->linear->binary && i < measured->docs; i++)
        if (measured->label[i] != 0 && measured->label[i] != 1)
            return fault_data(fault, "label %zu is %g, but regret:%s needs labels 0 and 1 "
                              "(regret:sumloss takes any)", i, measured->label[i], name);
    return 0;
}

int regret_look(struct regret *regret, const struct measured *measured, size_t dim,
                struct fault *fault)
{
    double value = 0;
    if (check_list(regret, measured, dim, fault) < 0) return -1;
    if (regret->docs == 0) {
        /* Weights, and sums of 0, for as many items as the first round has documents. */
        size_t m = measured->docs, more = regret->linear ? m : m * m + ((size_t)1 << m);
        double *at = buffer_for(&regret->buffer, 3 * m + more, sizeof *at, fault);
        if (!at) return -1;
        memset(at, 0, (3 * m + more) * sizeof *at);
        for (size_t i = 0; regret->linear && i < m; i++)
            at[i] = i < regret->measure.cutoff ? regret->linear->weight(measured, i) : 0;
        regret->weight = at;
        regret->sum.gain = at + m;
        regret->round.gain = at + 2 * m;
        regret->pair = regret->linear ? NULL : at + 3 * m;
        regret->scratch = at + 3 * m + (regret->linear ? 0 : m * m);
        regret->docs = m;
    }
    int defined = measure_value(&regret->measure, measured, &value, fault);
    if (defined < 0) return -1;
    memset(regret->round.gain, 0, regret->docs * sizeof *regret->round.gain);
    regret->round.constant = regret->round.achieved = 0;
    if (!defined)
        return 0;
    regret->round.achieved = regret->linear ? regret->linear->sign * value : value;
    if (!regret->linear) {
        double n = 0;
        for (size_t i = 0; i < regret->docs; i++)
            n += measured->label[i] > 0;
        for (size_t i = 0; i < regret->docs; i++)
            regret->round.gain[i] = measured->label[i] > 0 ? 1 / n : 0;
        return 0;
    }

    double unit = 1, total = 0;
    const struct linear_measure *linear = regret->linear;
    if (linear->scale)
        linear->scale(&regret->measure, measured, &unit, &regret->round.constant);
    for (size_t i = 0; i < regret->docs; i++) {
        if (measured->label[i] > 0)
            regret->round.gain[i] = linear->gain(measured, measured->label[i]) / unit;
        total += regret->sum.gain[i] + regret->round.gain[i];
    }
    if (isfinite(total)) /* and so is all that is ever made of it */
        return 0;
    return fault_data(fault, "labels are so large that the sum of their gains 2^label is too large "
                      "for a double: use -G lin");
}

void regret_add(struct regret *regret)
{
    for (size_t i = 0; i < regret->docs; i++)
        regret->sum.gain[i] += regret->round.gain[i];
    if (regret->pair)
        for (size_t i = 0; i < regret->docs; i++)
            /* Here gain[m] is 1/n for the n relevant items and 0 for the others. */
            for (size_t j = 0; regret->round.gain[i] > 0 && j < regret->docs; j++)
                if (regret->round.gain[j] > 0)
                    regret->pair[i * regret->docs + j] += regret->round.gain[i];
    regret->sum.constant += regret->round.constant;
    regret->sum.achieved += regret->round.achieved;
}

double regret_sum(const struct regret *regret)
{
    size_t m = regret->docs;
    double best = regret->sum.constant;
    if (regret->pair)
        return best_map(m, regret->pair, regret->scratch) - regret->sum.achieved;
    uint32_t *order = (uint32_t *)regret->scratch;
    order_by_score(m, regret->sum.gain, order, order + m);
    for (size_t i = 0; i < m; i++)
        best += regret->weight[i] * regret->sum.gain[order[i]];
    return best - regret->sum.achieved;
}

void regret_close(struct regret *regret)
{
    buffer_free(&regret->buffer);
}
