#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "loss/dcg.h"
#include "math/order.h"
#include "math/real.h"
#include "stream/record.h"

static size_t places(const struct measure *measure, const struct judge *judge)
{
    return measure->cutoff < judge->docs ? measure->cutoff : judge->docs;
}

double measure_gain(const struct conventions *conventions, double relevance)
{
    return conventions->linear_gain ? relevance : dcg_gain(relevance);
}

/* What is not relevant adds 0, without a branch that nobody can predict. */
static double discounted(const struct judge *judge, const double *relevance, size_t k)
{
    bool linear = judge->conventions.linear_gain;
    double sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += (linear ? relevance[i] : dcg_gain(relevance[i])) * judge->discount[i];
    return sum;
}

double measure_ideal(const struct measure *measure, const struct judge *judge)
{
    return discounted(judge, judge->sorted, places(measure, judge));
}

static enum measured check_gain(double sum, struct fault *fault)
{
    if (isfinite(sum))
        return MEASURE_VALUE;
    fault_data(fault, "a label is so large that its gain 2^label is too large for a double: use "
                      "-G lin");
    return MEASURE_FAULT;
}

static enum measured dcg(const struct measure *measure, const struct judge *judge, double *value,
                         struct fault *fault)
{
    *value = discounted(judge, judge->ranked, places(measure, judge));
    return check_gain(*value, fault);
}

static enum measured ndcg(const struct measure *measure, const struct judge *judge, double *value,
                          struct fault *fault)
{
    double most = measure_ideal(measure, judge);
    if (most <= 0)
        return MEASURE_NOTHING;
    *value = discounted(judge, judge->ranked, places(measure, judge)) / most;
    return check_gain(most, fault);
}

static enum measured err(const struct measure *measure, const struct judge *judge, double *value,
                         struct fault *fault)
{
    double unsatisfied = 1, whole = real_exp2(judge->conventions.top_grade);
    *value = 0;
    if (judge->sorted[0] > judge->conventions.top_grade) {
        fault_data(fault, "label %g is above %u, the top grade for the measure err: set it with -L",
                   judge->sorted[0], judge->conventions.top_grade);
        return MEASURE_FAULT;
    }
    for (size_t i = 0; i < places(measure, judge); i++) {
        double satisfied = (real_exp2(judge->ranked[i]) - 1) / whole;
        *value += unsatisfied * satisfied / (double)(i + 1);
        unsatisfied *= 1 - satisfied;
    }
    return MEASURE_VALUE;
}

static size_t relevant(const double *relevance, size_t k)
{
    size_t n = 0;
    for (size_t i = 0; i < k; i++)
        n += relevance[i] > 0;
    return n;
}

static enum measured prec(const struct measure *measure, const struct judge *judge, double *value,
                          struct fault *fault)
{
    (void)fault;
    *value = (double)relevant(judge->ranked, places(measure, judge));
    return MEASURE_VALUE;
}

static enum measured precision(const struct measure *measure, const struct judge *judge,
                               double *value, struct fault *fault)
{
    prec(measure, judge, value, fault);
    *value /= (double)measure->cutoff;
    return MEASURE_VALUE;
}

static enum measured average_precision(const struct measure *measure, const struct judge *judge,
                                       double *value, struct fault *fault)
{
    size_t n = 0;
    double sum = 0;
    (void)measure, (void)fault;
    for (size_t i = 0; i < judge->docs; i++)
        if (judge->ranked[i] > 0)
            sum += (double)++n / (double)(i + 1);
    *value = n ? sum / (double)n : 0;
    return n ? MEASURE_VALUE : MEASURE_NOTHING;
}

static enum measured reciprocal_rank(const struct measure *measure, const struct judge *judge,
                                     double *value, struct fault *fault)
{
    (void)measure, (void)fault;
    for (size_t i = 0; i < judge->docs; i++) {
        if (judge->ranked[i] > 0) {
            *value = 1 / (double)(i + 1);
            return MEASURE_VALUE;
        }
    }
    return MEASURE_NOTHING;
}

static enum measured sumloss(const struct measure *measure, const struct judge *judge,
                             double *value, struct fault *fault)
{
    (void)measure, (void)fault;
    *value = 0;
    for (size_t i = 0; i < judge->docs; i++)
        *value += (double)(i + 1) * judge->ranked[i];
    return MEASURE_VALUE;
}

static enum measured pairloss(const struct measure *measure, const struct judge *judge,
                              double *value, struct fault *fault)
{
    (void)measure, (void)fault;
    uint32_t *order = (uint32_t *)judge->scratch;
    *value = (double)order_inversions(judge->docs, judge->ranked, order, order + judge->docs);
    return MEASURE_VALUE;
}

static enum measured auc(const struct measure *measure, const struct judge *judge, double *value,
                         struct fault *fault)
{
    size_t n = relevant(judge->label, judge->docs), irrelevant = 0;
    double wrong = 0;
    (void)measure, (void)fault;
    if (n == 0 || n == judge->docs)
        return MEASURE_NOTHING;
    for (size_t i = 0; i < judge->docs; i++) {
        if (judge->ranked[i] > 0)
            wrong += (double)irrelevant;
        else
            irrelevant++;
    }
    *value = 1 - wrong / ((double)n * (double)(judge->docs - n));
    return MEASURE_VALUE;
}

static enum measured loss(const struct measure *measure, const struct judge *judge, double *value,
                          struct fault *fault)
{
    if (!judge->score) {
        fault_data(fault, "%s needs score: put score before metric", measure->name);
        return MEASURE_FAULT;
    }
    const struct surrogate_options options = { judge->conventions.epsilon, measure->cutoff,
                                               judge->work };
    *value = measure->surrogate->loss(judge->docs, judge->score, judge->label, &options,
                                      judge->scratch);
    if (judge->work && judge->work->stopped) {
        fault_stopped(fault);
        return MEASURE_FAULT;
    }
    if (!isfinite(*value)) {
        fault_data(fault, "%s is too large for a double: the labels or scores are too large",
                   measure->name);
        return MEASURE_FAULT;
    }
    return MEASURE_VALUE;
}

enum cut { CUT_NEVER, CUT_MAYBE, CUT_ALWAYS };

static const char *const cut_words[] = {
    [CUT_NEVER] = "", [CUT_MAYBE] = "[@k]", [CUT_ALWAYS] = "@k"
};

static const struct {
    const char *name;
    const char *word; /* with its cutoff: what completion offers */
    enum cut cut;
    enum measured (*value)(const struct measure *, const struct judge *, double *, struct fault *);
} measures[] = {
    { "ndcg", "ndcg@k", CUT_MAYBE, ndcg },
    { "dcg", "dcg@k", CUT_MAYBE, dcg },
    { "err", "err@k", CUT_MAYBE, err },
    { "p", "p@k", CUT_ALWAYS, precision },
    { "prec", "prec@k", CUT_ALWAYS, prec },
    { "map", "map", CUT_NEVER, average_precision },
    { "mrr", "mrr", CUT_NEVER, reciprocal_rank },
    { "auc", "auc", CUT_NEVER, auc },
    { "pairloss", "pairloss", CUT_NEVER, pairloss },
    { "sumloss", "sumloss", CUT_NEVER, sumloss },
};
enum { MEASURES = sizeof measures / sizeof *measures };

static const char loss_prefix[] = "loss:";

/* The number of the measure that a name begins with, up to its @ or end; MEASURES for none. */
static size_t find(const char *name)
{
    size_t i = 0, length = strcspn(name, "@");
    while (i < MEASURES && (strlen(measures[i].name) != length ||
                            strncmp(name, measures[i].name, length) != 0))
        i++;
    return i;
}

bool measure_is_known(const char *name)
{
    return name_begins(name, loss_prefix) || find(name) < MEASURES;
}

const char *measure_word(size_t i)
{
    return i < MEASURES ? measures[i].word : surrogate_measure(i - MEASURES);
}

void measure_add_name(struct names *names, const char *name)
{
    size_t i = find(name);
    if (i < MEASURES)
        names_add(names, "%s%s", name, cut_words[measures[i].cut]);
}

void measure_add_names(struct names *names)
{
    for (size_t i = 0; i < MEASURES; i++)
        measure_add_name(names, measures[i].name);
    names_add(names, "%sSURROGATE", loss_prefix);
}

/* "@10", or nothing. */
static int parse_cutoff(struct measure *measure, const char *at, struct fault *fault)
{
    uint64_t k = SIZE_MAX;
    if (at && (!record_number(at + 1, UINT32_MAX, &k) || k == 0))
        return fault_usage(fault, "measure %.40s: the cutoff must be a whole number from 1 to %"
                           PRIu32, measure->name, UINT32_MAX);
    measure->cutoff = (size_t)k;
    return 0;
}

static int no_surrogate(const char *name, struct fault *fault)
{
    struct names names = { 0 };
    for (const struct surrogate *s = surrogates; s->name; s++)
        names_add(&names, "%s%s", s->name, cut_words[s->cut ? CUT_MAYBE : CUT_NEVER]);
    return fault_usage(fault, "no surrogate loss '%.40s': choose from %s", name, names.text);
}

/* NAME, and @k where the loss has a cutoff. */
static int parse_loss(struct measure *measure, const char *surrogate, const char *at,
                      struct fault *fault)
{
    char name[20] = "";
    size_t length = at ? (size_t)(at - surrogate) : strlen(surrogate);
    if (length < sizeof name)
        memcpy(name, surrogate, length);
    measure->value = loss;
    measure->surrogate = surrogate_find(name);
    if (!measure->surrogate)
        return no_surrogate(surrogate, fault);
    if (at && !measure->surrogate->cut)
        return fault_usage(fault, "measure loss:%.40s: %s takes no cutoff", surrogate, name);
    return parse_cutoff(measure, at, fault);
}

int measure_parse(struct measure *measure, const char *name, struct fault *fault)
{
    const char *at = strchr(name, '@');
    size_t i = find(name);
    memset(measure, 0, sizeof *measure);
    measure->name = name;
    measure->cutoff = SIZE_MAX;
    if (name_begins(name, loss_prefix))
        return parse_loss(measure, name + sizeof loss_prefix - 1, at, fault);
    if (at && measures[i].cut == CUT_NEVER)
        return fault_usage(fault, "measure %.40s: %s takes no cutoff", name, measures[i].name);
    if (!at && measures[i].cut == CUT_ALWAYS)
        return fault_usage(fault, "measure %.40s needs a cutoff, as in %s@10", name, name);
    measure->value = measures[i].value;
    return parse_cutoff(measure, at, fault);
}

size_t measure_top(const struct measure *measure)
{
    return measure->value == ndcg ? measure->cutoff : 1;
}

bool measure_needs_order(const struct measure *measure)
{
    return measure->surrogate == NULL;
}

enum measured measure_value(const struct measure *measure, const struct judge *judge,
                            double *value, struct fault *fault)
{
    return measure->value(measure, judge, value, fault);
}
