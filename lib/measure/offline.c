#include "measure/offline.h"

#include <math.h>
#include <string.h>

#include "explore/feedback.h"
#include "explore/propensity.h"

/* Squares of smaller numbers, and sums of these over 2^53 rounds, fit a double. */
static const double MOST = 1e140;

/* Fills in the documents seen, in the order of the other ranking. */
static int line_up(struct logged *logged, const struct exposure *exposure,
                   const struct round *round, const struct ties *ties, struct fault *fault)
{
    size_t m = exposure->docs, n = 0;
    uint32_t *order = buffer_for(&logged->buffer[1], 2 * m, sizeof *order, fault);
    double *relevance = buffer_for(&logged->buffer[2], m, 2 * sizeof(double) + sizeof(uint32_t),
                                  fault);
    if (!order || !relevance)
        return -1;
    double *propensity = relevance + m;
    uint32_t *at = order + m, *place = (uint32_t *)(propensity + m);
    ties_rank(ties, RNG_TIES, round->t, m, round->score, order, at);
    memset(at, 0, m * sizeof *at); /* where it was shown, from 1; 0: not seen */
    for (size_t a = 0; a < exposure->places; a++)
        at[exposure->doc[a]] = (uint32_t)a + 1;
    for (size_t i = 0; i < m; i++) {
        size_t a = at[order[i]];
        if (a == 0)
            continue;
        place[n] = (uint32_t)i;
        relevance[n] = exposure->relevance[a - 1];
        propensity[n++] = propensity_one(exposure, a - 1);
    }
    logged->docs = m;
    logged->seen = n;
    logged->place = place;
    logged->relevance = relevance;
    logged->propensity = propensity;
    return 0;
}

int offline_round(struct logged *logged, const struct round *round, const struct ties *ties,
                 const char *name, struct fault *fault)
{
    struct exposure exposure;
    if (!round->seen && !round->label)
        return fault_data(fault, "%s needs seen or label: put feedback-mask or feedback-join "
                          "before metric", name);
    if (!round->score)
        return fault_data(fault, "%s needs score: put score -m, with the model to be evaluated, "
                          "before metric", name);
    if (feedback_exposure(&exposure, round, name, 1, &logged->buffer[0], fault) < 0)
        return -1;
    return line_up(logged, &exposure, round, ties, fault);
}

void offline_close(struct logged *logged)
{
    for (size_t i = 0; i < sizeof logged->buffer / sizeof *logged->buffer; i++)
        buffer_free(&logged->buffer[i]);
}

/* Can a sum over the documents seen estimate it? */
static bool can_estimate(const struct linear_measure *linear)
{
    return linear && !linear->scale;
}

static int no_measure(const char *measure, bool normalised, struct fault *fault)
{
    const char *estimator = normalised ? "snips" : "ips";
    const struct linear_measure *linear;
    struct names names = { 0 };
    for (size_t i = 0; (linear = linear_measure_number(i)); i++)
        if (can_estimate(linear))
            measure_add_name(&names, linear->name);
    measure_add_name(&names, "p");
    return fault_usage(fault, "no measure '%s:%.40s': %s takes only %s, in which a document counts "
                       "by its own label and position alone", estimator, measure, estimator,
                       names.text);
}

int offline_parse(struct offline *offline, const char *measure, bool normalised,
                  struct fault *fault)
{
    bool share = strcmp(measure, "p") == 0 || strncmp(measure, "p@", 2) == 0;
    memset(offline, 0, sizeof *offline);
    offline->normalised = normalised;
    offline->linear = linear_measure_find(share ? "prec" : measure);
    if (!can_estimate(offline->linear))
        return no_measure(measure, normalised, fault);
    if (measure_parse(&offline->measure, measure, fault) < 0)
        return -1;
    offline->unit = share ? (double)offline->measure.cutoff : 1;
    return 0;
}

/* a, and for snips b. Sums go by position, as in measure_value and look_at_all, so that they have
 * the same bits where everything is seen. */
static void look_at_seen(struct offline *offline, const struct logged *logged,
                         const struct judge *judge)
{
    const struct linear_measure *linear = offline->linear;
    double a = 0, b = 0;
    for (size_t i = 0; i < logged->seen && logged->place[i] < offline->measure.cutoff; i++) {
        double weight = linear->sign * linear->weight(judge, logged->place[i]);
        if (logged->relevance[i] > 0)
            a += linear->gain(judge, logged->relevance[i]) * weight / logged->propensity[i];
        b += weight / logged->propensity[i];
    }
    offline->round[OFFLINE_A] = a / offline->unit;
    offline->round[OFFLINE_B] = offline->normalised ? b : 0;
}

static double look_at_all(const struct offline *offline, const struct judge *judge, size_t docs)
{
    const struct linear_measure *linear = offline->linear;
    double c = 0;
    for (size_t i = 0; i < docs && i < offline->measure.cutoff; i++)
        c += linear->sign * linear->weight(judge, i);
    return c;
}

int offline_look(struct offline *offline, const struct logged *logged, const struct judge *judge,
                 struct fault *fault)
{
    look_at_seen(offline, logged, judge);
    if (offline->normalised)
        offline->round[OFFLINE_C] = look_at_all(offline, judge, logged->docs);
    if (offline->round[OFFLINE_A] < MOST && offline->round[OFFLINE_B] < MOST)
        return 0;
    return fault_data(fault, "%s: this round adds %g, whose square is too large: a label is very "
                      "large (use -G lin), or its propensity is close to 0",
                      offline->measure.name, offline->round[OFFLINE_A]);
}

void offline_add(struct offline *offline)
{
    double away[OFFLINE_SUMS], n = (double)++offline->rounds;
    for (size_t i = 0; i < OFFLINE_SUMS; i++) {
        away[i] = offline->round[i] - offline->mean[i];
        offline->sum[i] += offline->round[i];
        offline->mean[i] += away[i] / n;
    }
    for (size_t i = 0; i < OFFLINE_SUMS; i++)
        for (size_t j = 0; j < OFFLINE_SUMS; j++)
            offline->spread[i][j] += away[i] * away[j] * ((n - 1) / n);
}

double offline_value(const struct offline *offline)
{
    double mean = offline->sum[OFFLINE_A] / (double)offline->rounds;
    if (offline->rounds == 0 || (offline->normalised && offline->sum[OFFLINE_B] == 0))
        return NAN;
    return offline->normalised ? mean * (offline->sum[OFFLINE_C] / offline->sum[OFFLINE_B]) : mean;
}

/* The sum of squared deviations of e, which is that of a for ips. Rounding may make a 0 negative.
 */
static double spread(const struct offline *offline)
{
    double sum = 0, b = offline->sum[OFFLINE_B];
    if (!offline->normalised)
        return offline->spread[OFFLINE_A][OFFLINE_A];
    double scale = offline->sum[OFFLINE_C] / b, q = offline->sum[OFFLINE_A] / b;
    double slope[OFFLINE_SUMS] = { scale, -q * scale, q };
    for (size_t i = 0; i < OFFLINE_SUMS; i++)
        for (size_t j = 0; j < OFFLINE_SUMS; j++)
            sum += slope[i] * slope[j] * offline->spread[i][j];
    return sum > 0 ? sum : 0;
}

double offline_error(const struct offline *offline)
{
    double n = (double)offline->rounds;
    if (offline->rounds < 2 || isnan(offline_value(offline)))
        return NAN;
    return sqrt(spread(offline) / (n - 1) / n);
}
