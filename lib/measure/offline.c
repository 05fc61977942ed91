#include "measure/offline.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "explore/feedback.h"
#include "explore/propensity.h"
#include "kernels/covariance.h"
#include "stream/round.h"

/* Squares of smaller numbers, and sums of these over 2^53 rounds, fit a double. */
static const double MOST = 1e140;

/* ---- the baseline of dr ---- */

static const double baseline_ridge = 10;

/* The rows of P, the constant's too. */
static size_t baseline_rows(size_t dim)
{
    return 1 + regression_rows(dim, false);
}

/* numbers[from..until - 1] = 0 in a buffer that has the others. */
static double *grow(struct buffer *buffer, size_t from, size_t until, struct fault *fault)
{
    double *numbers = buffer_for(buffer, until, sizeof *numbers, fault);
    if (numbers)
        memset(numbers + from, 0, (until - from) * sizeof *numbers);
    return numbers;
}

static int reach(struct baseline *my, size_t width, struct fault *fault)
{
    struct regression *r = &my->regression;
    size_t old = r->inverse ? baseline_rows(r->dim) : 0, dim = r->dim;
    if (r->inverse && width <= dim)
        return 0;
    if (width > BASELINE_DIM)
        return fault_data(fault, "it has %zu features, but dr: takes at most %d: use ips: or "
                          "snips:", width, BASELINE_DIM);
    r->w = grow(&my->w, dim, width + 1, fault);
    r->level = grow(&my->level, dim, width + 1, fault);
    double *inverse = grow(&my->inverse, udu_size(old), udu_size(baseline_rows(width)), fault);
    if (!r->w || !r->level || !inverse) return -1;
    for (size_t i = old; i < baseline_rows(width); i++)
        inverse[udu_size(i + 1) - 1] = 1;
    r->inverse = inverse;
    r->dim = width;
    r->lambda = baseline_ridge;
    r->constant = &my->constant;
    return 0;
}

int baseline_round(struct baseline *my, const struct matrix *x, struct fault *fault)
{
    return reach(my, matrix_width(x), fault) < 0 ? -1 : regression_round(&my->regression, x, fault);
}

double baseline_expect(struct baseline *my, size_t i)
{
    double worth = regression_expect(&my->regression, i);
    return worth > my->top ? my->top : worth > 0 ? worth : 0;
}

int baseline_learn(struct baseline *my, size_t i, double worth, double much, struct fault *fault)
{
    my->top = worth * much > my->top ? worth * much : my->top;
    if (regression_learn(&my->regression, i, worth, much, fault) < 0) return -1;
    return regression_check(&my->regression, fault);
}

void baseline_close(struct baseline *my)
{
    regression_close(&my->regression);
    buffer_free(&my->w);
    buffer_free(&my->level);
    buffer_free(&my->inverse);
}

/* ---- a round of a log ---- */

/* Feedback on the documents at the first places, where it comes from, and pi and u of each. */
struct shown {
    size_t places;
    const uint32_t *doc;
    const double *relevance, *propensity, *share;
};

/* at[docs]: where each document was shown, from 1; 0: not seen; REGULAR: not seen, but one of the
 * first of a greedy order that is shown in at least half of the rounds. */
enum { REGULAR = UINT32_MAX };

/* Fills in the documents seen, in the target's order. */
static int line_up(struct logged *logged, const struct shown *shown, const struct round *round,
                   const struct ties *ties, struct fault *fault)
{
    size_t m = round->docs, n = 0, each = 3 * sizeof(double) + 2 * sizeof(uint32_t) + sizeof(bool);
    uint32_t *order = buffer_for(&logged->buffer[1], 2 * m, sizeof *order, fault);
    double *relevance = buffer_for(&logged->buffer[2], m, each, fault);
    if (!order || !relevance || target_rank(&logged->target, round, ties, order, fault) < 0)
        return -1;
    double *propensity = relevance + m, *share = propensity + m;
    uint32_t *at = order + m, *place = (uint32_t *)(share + m), *where = place + m;
    bool *seldom = (bool *)(where + m), explored = round->greedy || round->logit || round->subset;

    /* Where each document was shown, from 1; 0: not seen; or REGULAR. */
    const uint32_t *greedy = round->greedy ? round->greedy : round->order;
    memset(at, 0, round->docs * sizeof *at);
    for (size_t a = 0; greedy && round->explored && round->gamma <= 0.5 && a < round->places; a++)
        at[greedy[a]] = REGULAR;
    for (size_t a = 0; a < shown->places; a++)
        at[shown->doc[a]] = (uint32_t)a + 1;

    for (size_t i = 0; i < m; i++) {
        size_t a = at[order[i]];
        seldom[i] = a == 0;
        if (a == 0 || a == REGULAR)
            continue;
        place[n] = (uint32_t)i;
        where[n] = (uint32_t)a - 1;
        relevance[n] = shown->relevance[a - 1];
        propensity[n] = shown->propensity[a - 1];
        share[n] = shown->share[a - 1];
        seldom[i] = propensity[n] < share[n] / 2;
        explored = explored || (round->propensity && propensity[n] < share[n]);
        n++;
    }
    logged->docs = m;
    logged->seen = n;
    logged->order = order;
    logged->place = place;
    logged->shown = where;
    logged->relevance = relevance;
    logged->propensity = propensity;
    logged->share = share;
    logged->seldom = seldom;
    logged->explored = explored;
    logged->weighed = NULL;
    logged->t = round->t;
    return 0;
}

/* Room for three numbers of each document. */
static double *make_room(struct logged *logged, size_t docs, struct fault *fault)
{
    return buffer_for(&logged->buffer[3], docs, 3 * sizeof(double), fault);
}

/* Labels of the documents seen, which count 1 each. */
static int take_labels(struct logged *logged, const struct round *round, const char *name,
                       struct shown *shown, struct fault *fault)
{
    struct exposure exposure;
    double *pi = make_room(logged, round->docs, fault);
    if (!pi || feedback_exposure(&exposure, round, name, 1, &logged->buffer[0], fault) < 0)
        return -1;
    double *one = pi + round->docs;
    for (size_t a = 0; a < exposure.places; a++) {
        pi[a] = propensity_one(&exposure, a);
        one[a] = 1;
    }
    *shown = (struct shown){ exposure.places, exposure.doc, exposure.relevance, pi, one };
    return 0;
}

static int take_clicks(struct logged *logged, const struct round *round, const char *name,
                       struct shown *shown, struct fault *fault)
{
    double *pi = make_room(logged, round->docs, fault);
    if (!pi || feedback_clicks(round, name, 1, fault) < 0 ||
        expected_examination(round, logged->examination, name, &logged->buffer[0], pi,
                             &logged->support, fault) < 0)
        return -1;
    double *click = pi + round->docs;
    for (size_t a = 0; a < round->places; a++)
        click[a] = round->seen[a];
    *shown = (struct shown){ round->places, round->order, click, pi, logged->examination->theta };
    return 0;
}

/* Is each pi what it is where the order is the only one: u, to the six digits that awk prints? */
static bool is_certain(const struct shown *shown)
{
    for (size_t a = 0; a < shown->places; a++)
        if (fabs(shown->propensity[a] - shown->share[a]) > 1e-5 * shown->share[a])
            return false;
    return true;
}

int offline_round(struct logged *logged, const struct round *round, const struct ties *ties,
                 const char *name, struct fault *fault)
{
    struct shown shown;
    if (!round->seen && !round->label)
        return fault_data(fault, "%s needs seen or label: put feedback-mask or feedback-join "
                          "before metric", name);
    if (!round->score)
        return fault_data(fault, "%s needs score: put score -m, with the model to be evaluated, "
                          "before metric", name);
    if ((logged->examination ? take_clicks(logged, round, name, &shown, fault)
                             : take_labels(logged, round, name, &shown, fault)) < 0)
        return -1;
    logged->rounds++;
    logged->certain += is_certain(&shown);
    logged->answered = logged->answered || round->seen;
    for (size_t a = 0; a < shown.places; a++)
        logged->graded = logged->graded ||
                         (shown.relevance[a] != 0 && shown.relevance[a] != 1);
    return line_up(logged, &shown, round, ties, fault);
}

int offline_features(struct logged *logged, const struct round *round, struct fault *fault)
{
    return round_matrix(round, &logged->x, fault);
}

bool offline_notice(const struct logged *logged, unsigned said, struct fault *line)
{
    bool clicks = logged->examination != NULL;
    bool certain = logged->rounds > 0 && logged->certain == logged->rounds &&
                   logged->answered && !logged->graded;
    if (certain && said == 0)
        (void)fault_other(line, clicks
            ? "nothing in this log was left to chance: the estimates rest on the table of "
              "examination, and know nothing of documents that were not shown"
            : "nothing in this log was left to chance, and seen has 0 and 1 alone: if these are "
              "clicks, the positions bias the estimates: use -p, with a table of examination; see "
              "rankpipe-logs(7)");
    else if (clicks && logged->rounds < OFFLINE_LONG && said == certain)
        (void)fault_other(line, "%" PRIu64 " rounds: in logs of fewer than %d, intervals of 95 %% "
                          "from the rounds alone cover the truth in 85 to 93 %% of cases; these "
                          "are widened by the model of clicks, see metric(1)", logged->rounds,
                          OFFLINE_LONG);
    else
        return false;
    return true;
}

void offline_close(struct logged *logged)
{
    for (size_t i = 0; i < sizeof logged->buffer / sizeof *logged->buffer; i++)
        buffer_free(&logged->buffer[i]);
    target_close(&logged->target);
}

/* ---- the measure ---- */

/* Can a sum over the documents seen estimate it? */
static bool can_estimate(const struct linear_measure *linear)
{
    return linear && !linear->scale;
}

int offline_parse(struct offline *offline, const char *measure, enum estimator estimator,
                  struct fault *fault)
{
    bool share = strcmp(measure, "p") == 0 || strncmp(measure, "p@", 2) == 0;
    memset(offline, 0, sizeof *offline);
    offline->estimator = estimator;
    offline->linear = measure_linear_find(share ? "prec" : measure);
    if (!can_estimate(offline->linear)) {
        static const char *const words[] = { "ips", "snips", "dr" };
        const char *word = words[estimator];
        const struct linear_measure *linear;
        struct names names = { 0 };
        for (size_t i = 0; (linear = measure_linear_number(i)); i++)
            if (can_estimate(linear))
                measure_add_name(&names, linear->name);
        measure_add_name(&names, "p");
        return fault_usage(fault, "no measure '%s:%.40s': %s takes only %s, in which a document "
                           "counts by its own label and position alone", word, measure, word,
                           names.text);
    }
    if (measure_parse(&offline->measure, measure, fault) < 0) return -1;
    offline->unit = share ? (double)offline->measure.cutoff : 1;
    return 0;
}

void offline_end(struct offline *offline)
{
    baseline_close(&offline->baseline);
}

/* The weights of the measure's positions, and W under the target. */
static int weigh(const struct offline *offline, struct logged *logged,
                 const struct measured *measured, struct fault *fault)
{
    const struct linear_measure *linear = offline->linear;
    size_t m = logged->docs, places = offline->measure.cutoff < m ? offline->measure.cutoff : m;
    if (logged->weighed == linear && logged->cutoff == offline->measure.cutoff)
        return 0;
    double *weight = buffer_for(&logged->buffer[4], 2 * m, sizeof *weight, fault);
    if (!weight) return -1;
    for (size_t k = 0; k < m; k++)
        weight[k] = k < places ? linear->sign * linear->weight(measured, k) : 0;
    logged->weight = weight;
    logged->W = weight + m;
    logged->weighed = linear;
    logged->cutoff = offline->measure.cutoff;
    return target_weights(&logged->target, m, places, weight, weight + m, measured->work, fault);
}

static double look_at_all(const struct logged *logged)
{
    double c = 0;
    for (size_t i = 0; i < logged->docs; i++)
        c += logged->W[i];
    return c;
}

/* What the round tells of documents that are seldom shown. */
static void look_at_seldom(struct offline *offline, const struct logged *logged)
{
    struct offline_knowledge last = { .b = offline->round[OFFLINE_B], .t = logged->t };
    for (size_t i = 0; i < logged->docs && !last.unsure; i++)
        last.unsure = logged->seldom[i] && logged->W[i] > 0;
    for (size_t i = 0; i < logged->seen; i++) {
        double W = logged->W[logged->place[i]];
        if (W == 0 || !(logged->relevance[i] > 0))
            continue;
        last.fed = true;
        last.lifted = last.lifted ||
                      (logged->explored &&
                       W * logged->share[i] >
                           logged->weight[logged->shown[i]] * logged->propensity[i]);
    }
    offline->last = last;
}

/* ---- the model of feedback ---- */

/* Which sums the document at a position of the target's order belongs to. */
static bool is_apart(const struct offline *offline, const struct logged *logged, size_t place)
{
    return !offline->clicks && logged->seldom[place];
}

static struct paid *paid_at(struct offline *offline, bool apart, size_t place)
{
    return &offline->at[apart][place < OFFLINE_PLACES ? place : OFFLINE_PLACES - 1];
}

/* G: where these documents had no gain yet, that of the others. */
static double find_G(const struct offline *offline, bool apart)
{
    if (!(offline->paid[apart].gains > 0))
        apart = !apart;
    const struct paid *paid = &offline->paid[apart];
    return offline->clicks ? 1 : paid->gains > 0 ? paid->squares / paid->gains : 0;
}

/* r or g of the i-th document seen. */
static double expect(struct offline *offline, const struct logged *logged, size_t i)
{
    size_t place = logged->place[i];
    if (offline->estimator == OFFLINE_DR)
        return baseline_expect(&offline->baseline, logged->order[place]);
    bool apart = is_apart(offline, logged, place);
    const struct paid *at = paid_at(offline, apart, place), *paid = &offline->paid[apart];
    double prior = find_G(offline, apart) / 2;
    if (!offline->clicks)
        prior = (paid->gains + prior) / (paid->examined + 1);
    return (at->gains + prior) / (at->examined + 1);
}

static void add_paid(struct paid *paid, double gain, double examined)
{
    paid->gains += gain;
    paid->squares += gain * gain;
    paid->examined += examined;
}

/* M and V: what feedback there would have been. M of dr is added by look_beyond. */
static void look_at_model(struct offline *offline, const struct logged *logged,
                          const struct measured *measured)
{
    double m = 0, v = 0, unit = offline->unit;
    for (size_t i = 0; i < logged->seen; i++) {
        size_t place = logged->place[i];
        double weight = logged->W[place] / logged->propensity[i];
        if (weight == 0)
            continue;
        double y = logged->share[i] * expect(offline, logged, i);
        double G = find_G(offline, is_apart(offline, logged, place));
        y = y < G ? y : G;
        m += offline->estimator == OFFLINE_DR ? 0 : weight * y;
        v += weight * weight * y * (G - y);
    }
    for (size_t i = 0; i < logged->seen; i++) {
        size_t place = logged->place[i];
        bool apart = is_apart(offline, logged, place);
        double gain = offline->linear->gain(measured, logged->relevance[i]);
        add_paid(paid_at(offline, apart, place), gain, logged->share[i]);
        add_paid(&offline->paid[apart], gain, logged->share[i]);
    }

    offline->round[OFFLINE_M] = m / unit;
    offline->noise = v / (unit * unit);
}

/* What the regression expects, weighted, is M; with what the documents seen correct it is a. Then
 * it learns them. */
static int look_beyond(struct offline *offline, const struct logged *logged,
                       const struct measured *measured, struct fault *fault)
{
    const struct linear_measure *linear = offline->linear;
    struct baseline *baseline = &offline->baseline;
    double expected = 0, corrected = 0;
    for (size_t i = 0; i < logged->docs; i++)
        if (logged->W[i] != 0)
            expected += logged->W[i] * baseline_expect(baseline, logged->order[i]);
    for (size_t i = 0; i < logged->seen; i++)
        if (logged->W[logged->place[i]] != 0)
            corrected += logged->W[logged->place[i]] * logged->share[i] *
                         expect(offline, logged, i) / logged->propensity[i];
    offline->round[OFFLINE_A] += (expected - corrected) / offline->unit;
    offline->round[OFFLINE_M] = expected / offline->unit;
    for (size_t i = 0; i < logged->seen; i++) {
        double gain = linear->gain(measured, logged->relevance[i]), u = logged->share[i];
        if (baseline_learn(baseline, logged->order[logged->place[i]], gain / u, u, fault) < 0)
            return -1;
    }
    return 0;
}

int offline_look(struct offline *offline, struct logged *logged, const struct measured *measured,
                 struct fault *fault)
{
    bool sums = offline->clicks || offline->estimator == OFFLINE_SNIPS;
    if (weigh(offline, logged, measured, fault) < 0) return -1;

    const struct linear_measure *linear = offline->linear;
    /* a and b. Sums go by position, as in measure_value and look_at_all, so that they have the
     * same bits where everything is seen. */
    double a = 0, b = 0, shown = 0;
    for (size_t i = 0; i < logged->seen; i++) {
        double W = logged->W[logged->place[i]];
        if (W == 0)
            continue;
        if (logged->relevance[i] > 0)
            a += linear->gain(measured, logged->relevance[i]) * W / logged->propensity[i];
        b += W * logged->share[i] / logged->propensity[i];
        shown += W;
    }
    offline->round[OFFLINE_A] = a / offline->unit;
    offline->round[OFFLINE_B] = b;
    offline->supported = shown;

    look_at_seldom(offline, logged);
    offline->round[OFFLINE_C] = sums ? look_at_all(logged) : 0;
    if (logged->support == SUPPORT_ALL)
        offline->supported = offline->round[OFFLINE_C];
    else if (logged->support == SUPPORT_UNKNOWN)
        offline->supported = offline->round[OFFLINE_B];
    if (!sums)
        offline->round[OFFLINE_B] = 0;
    bool robust = offline->estimator == OFFLINE_DR;
    if (robust && baseline_round(&offline->baseline, &logged->x, fault) < 0) return -1;
    look_at_model(offline, logged, measured);
    if (robust && look_beyond(offline, logged, measured, fault) < 0) return -1;
    if (fabs(offline->round[OFFLINE_A]) < MOST && offline->round[OFFLINE_B] < MOST)
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
    offline->supports += offline->supported;
    offline->noises += offline->noise;
    offline->unsure = offline->unsure || offline->last.unsure;
    offline->fed = offline->fed || offline->last.fed;
    offline->lifted += offline->last.lifted;
    offline->weights += fabs(offline->last.b);
    if (offline->rounds == 1 || fabs(offline->last.b) > fabs(offline->heaviest.b))
        offline->heaviest = offline->last;
    for (size_t i = 0; i < OFFLINE_SUMS; i++)
        for (size_t j = 0; j < OFFLINE_SUMS; j++)
            offline->spread[i][j] += away[i] * away[j] * ((n - 1) / n);
}

static bool is_known(const struct offline *offline)
{
    return offline->rounds > 0 && (offline->fed || !offline->unsure) &&
           (offline->estimator != OFFLINE_SNIPS || offline->sum[OFFLINE_B] != 0);
}

double offline_value(const struct offline *offline)
{
    double mean = offline->sum[OFFLINE_A] / (double)offline->rounds;
    if (!is_known(offline))
        return NAN;
    return offline->estimator == OFFLINE_SNIPS
               ? mean * (offline->sum[OFFLINE_C] / offline->sum[OFFLINE_B]) : mean;
}

/* The sum of squared deviations of e, with A or M for a: it is that of a except for snips. Rounding
 * may make a 0 negative. */
static double spread(const struct offline *offline, size_t a)
{
    double sum = 0, b = offline->sum[OFFLINE_B];
    if (offline->estimator != OFFLINE_SNIPS)
        return offline->spread[a][a];
    double scale = offline->sum[OFFLINE_C] / b, q = offline->sum[OFFLINE_A] / b;
    double slope[OFFLINE_SUMS] = { [OFFLINE_B] = -q * scale, [OFFLINE_C] = q };
    slope[a] = scale;
    for (size_t i = 0; i < OFFLINE_SUMS; i++)
        for (size_t j = 0; j < OFFLINE_SUMS; j++)
            if (slope[i] != 0 && slope[j] != 0) /* of a sum that is not needed it may be NaN */
                sum += slope[i] * slope[j] * offline->spread[i][j];
    return sum > 0 ? sum : 0;
}

/* The same by the model. */
static double modelled(const struct offline *offline)
{
    double scale = offline->estimator == OFFLINE_SNIPS
                       ? offline->sum[OFFLINE_C] / offline->sum[OFFLINE_B] : 1;
    return spread(offline, OFFLINE_M) + scale * scale * offline->noises;
}

/* The larger of the errors by the sample and, with `model`, by the model. */
static double find_error(const struct offline *offline, bool model)
{
    double n = (double)offline->rounds;
    if (offline->rounds < 2 || !is_known(offline))
        return NAN;
    double sampled = spread(offline, OFFLINE_A), other = model ? modelled(offline) : 0;
    double square = sampled > other ? sampled : other;
    return square > 0 ? sqrt(square / (n - 1) / n) : NAN;
}

double offline_error(const struct offline *offline)
{
    return find_error(offline, offline->clicks);
}

double offline_margin(const struct offline *offline)
{
    bool enough = !offline->unsure || offline->lifted >= OFFLINE_FED;
    return enough ? 1.959963984540054 * find_error(offline, true) : NAN;
}

bool offline_doubt(const struct offline *offline, unsigned said, struct fault *line)
{
    const char *name = offline->measure.name;
    double share = fabs(offline->heaviest.b) / offline->weights;
    bool nothing = offline->unsure && !offline->fed;
    bool few = offline->unsure && offline->fed && offline->lifted < OFFLINE_FED;
    bool heavy = offline->unsure && offline->fed && offline->rounds > 10 && share > 0.1;
    if (nothing && said == 0)
        (void)fault_other(line, "%s: nothing seen: no document that counts in it has feedback "
                          "above 0: log more rounds, or explore more", name);
    else if (few && said == 0)
        (void)fault_other(line, "%s: no interval of 95 %% yet: it needs %d rounds that explored "
                          "and have feedback above 0 on a document that is lifted, and the log has "
                          "%" PRIu64 ": log more rounds, or explore more", name, OFFLINE_FED,
                          offline->lifted);
    else if (heavy && said == few)
        (void)fault_other(line, "%s: round %" PRIu64 " has %.0f %% of all weight: this round "
                          "decides the estimate", name, offline->heaviest.t, 100 * share);
    else
        return false;
    return true;
}

double offline_rounds(const struct offline *offline)
{
    double n = (double)offline->rounds, mean = offline->mean[OFFLINE_B];
    double squares = offline->spread[OFFLINE_B][OFFLINE_B] + n * mean * mean;
    return offline->rounds == 0 ? NAN : squares > 0 ? n * mean * n * mean / squares : 0;
}

double offline_unsupported(const struct offline *offline)
{
    double share = 1 - offline->supports / offline->sum[OFFLINE_C];
    return offline->rounds == 0 || !(offline->sum[OFFLINE_C] > 0) ? NAN : share > 0 ? share : 0;
}
