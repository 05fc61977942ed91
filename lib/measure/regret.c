#include "measure/regret.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/order.h"
#include "measure/best_map.h"

static int no_measure(const char *measure, struct fault *fault)
{
    struct names any = { 0 }, binary = { 0 };
    const struct linear_measure *linear;
    for (size_t i = 0; (linear = linear_measure_number(i)); i++)
        measure_add_name(linear->binary ? &binary : &any, linear->name);
    return fault_usage(fault, "no measure 'regret:%.40s': regret takes %s; %s if all labels are "
                       "0 or 1; and map for lists of at most %d documents", measure, any.text,
                       binary.text, BEST_MAP_ITEMS);
}

int regret_parse(struct regret *regret, const char *measure, struct fault *fault)
{
    memset(regret, 0, sizeof *regret);
    regret->linear = linear_measure_find(measure);
    if (regret->linear || strcmp(measure, "map") == 0)
        return measure_parse(&regret->measure, measure, fault);
    return no_measure(measure, fault);
}

/* Makes weights, and sums of 0, for as many items as the first round has documents. */
static int start(struct regret *regret, const struct judge *judge, struct fault *fault)
{
    size_t m = judge->docs, more = regret->linear ? m : m * m + ((size_t)1 << m);
    double *at = buffer_for(&regret->buffer, 3 * m + more, sizeof *at, fault);
    if (!at) return -1;
    memset(at, 0, (3 * m + more) * sizeof *at);
    for (size_t i = 0; regret->linear && i < m; i++)
        at[i] = i < regret->measure.cutoff ? regret->linear->weight(judge, i) : 0;
    regret->weight = at;
    regret->sum.gain = at + m;
    regret->round.gain = at + 2 * m;
    regret->pair = regret->linear ? NULL : at + 3 * m;
    regret->scratch = at + 3 * m + (regret->linear ? 0 : m * m);
    regret->docs = m;
    return 0;
}

static int check_list(const struct regret *regret, const struct judge *judge, size_t dim,
                      struct fault *fault)
{
    const char *name = regret->measure.name;
    if (dim > 0)
        return fault_data(fault, "dim=%zu, but regret:%s needs a fixed list of items (dim=0)", dim,
                          name);
    if (regret->docs && judge->docs != regret->docs)
        return fault_data(fault, "the round has %zu documents, but the first has %zu, and "
                          "regret:%s needs a fixed list of items", judge->docs, regret->docs, name);
    if (!regret->linear && judge->docs > BEST_MAP_ITEMS)
        return fault_data(fault, "the round has %zu documents, but regret:map takes at most %d, "
                          "because it tries every ranking", judge->docs, BEST_MAP_ITEMS);
    for (size_t i = 0; regret->linear && regret->linear->binary && i < judge->docs; i++)
        if (judge->label[i] != 0 && judge->label[i] != 1)
            return fault_data(fault, "label %zu is %g, but regret:%s needs labels 0 and 1 "
                              "(regret:sumloss takes any)", i, judge->label[i], name);
    return 0;
}

/* The relevant items of a round, as best_map_add takes them. */
static int share(struct regret *regret, const struct judge *judge)
{
    double n = 0;
    for (size_t i = 0; i < regret->docs; i++)
        n += judge->label[i] > 0;
    for (size_t i = 0; i < regret->docs; i++)
        regret->round.gain[i] = judge->label[i] > 0 ? 1 / n : 0;
    return 0;
}

/* Computes the gains of a round for which the measure is defined. */
static int work_out(struct regret *regret, const struct judge *judge, struct fault *fault)
{
    double unit = 1, total = 0;
    const struct linear_measure *linear = regret->linear;
    if (linear->scale)
        linear->scale(&regret->measure, judge, &unit, &regret->round.constant);
    for (size_t i = 0; i < regret->docs; i++) {
        if (judge->label[i] > 0)
            regret->round.gain[i] = linear->gain(judge, judge->label[i]) / unit;
        total += regret->sum.gain[i] + regret->round.gain[i];
    }
    if (isfinite(total)) /* and so is all that is ever made of it */
        return 0;
    return fault_data(fault, "labels are so large that the sum of their gains 2^label is too large "
                      "for a double: use -G lin");
}

int regret_look(struct regret *regret, const struct judge *judge, size_t dim,
                struct fault *fault)
{
    double value = 0;
    if (check_list(regret, judge, dim, fault) < 0 ||
        (regret->docs == 0 && start(regret, judge, fault) < 0))
        return -1;
    enum measured measured = measure_value(&regret->measure, judge, &value, fault);
    if (measured == MEASURE_FAULT) return -1;
    memset(regret->round.gain, 0, regret->docs * sizeof *regret->round.gain);
    regret->round.constant = regret->round.achieved = 0;
    if (measured == MEASURE_NOTHING)
        return 0;
    regret->round.achieved = regret->linear ? regret->linear->sign * value : value;
    return regret->linear ? work_out(regret, judge, fault) : share(regret, judge);
}

void regret_add(struct regret *regret)
{
    for (size_t i = 0; i < regret->docs; i++)
        regret->sum.gain[i] += regret->round.gain[i];
    if (regret->pair)
        best_map_add(regret->docs, regret->round.gain, regret->pair);
    regret->sum.constant += regret->round.constant;
    regret->sum.achieved += regret->round.achieved;
}

double regret_sum(const struct regret *regret)
{
    size_t m = regret->docs;
    double best = regret->sum.constant;
    if (regret->pair)
        return best_map_value(m, regret->pair, regret->scratch) - regret->sum.achieved;
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
