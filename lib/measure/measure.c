#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "loss/dcg.h"
#include "math/order.h"
#include "math/real.h"
#include "stream/record.h"

/* ---- a round is prepared ---- */

/* Up to so many of the highest labels are found by counting, if all are whole and below GRADES. */
enum { COUNTED = 64, GRADES = 8 };

/* Discounts are computed once for each position, not for each round. */
int measure_places(struct measured *measured, size_t m, struct fault *fault)
{
    double *discount = buffer_for(&measured->buffer[0], m, sizeof *discount, fault);
    if (!discount) return -1;
    for (size_t i = measured->discounts; i < m; i++)
        discount[i] = measured->conventions.letor_discount ? dcg_letor_discount(i)
                                                           : dcg_discount(i);
    if (m > measured->discounts)
        measured->discounts = m;
    measured->discount = discount;
    measured->docs = m;
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

int measure_round(struct measured *measured, size_t m, const uint32_t *order, const float *label,
                  const double *score, struct fault *fault)
{
    double *by_doc = buffer_for(&measured->buffer[3], 2 * m, sizeof *by_doc, fault);
    double *scratch = buffer_for(&measured->buffer[4], SURROGATE_SCRATCH * m, sizeof *scratch,
                                fault);
    if (!by_doc || !scratch || measure_places(measured, m, fault) < 0) return -1;
    double *ranked = by_doc + m;
    for (size_t i = 0; i < m; i++)
        by_doc[i] = label[i];
    for (size_t i = 0; order && i < m; i++)
        ranked[i] = by_doc[order[i]];
    measured->label = by_doc;
    measured->ranked = order ? ranked : NULL;
    measured->score = score;
    measured->scratch = scratch;

    /* The labels are sorted, highest first, as far as they are needed. */
    size_t docs = measured->docs;
    size_t count[GRADES];
    double *sorted = buffer_for(&measured->buffer[1], docs, sizeof *sorted, fault);
    uint32_t *by_label = buffer_for(&measured->buffer[2], 2 * docs, sizeof *by_label, fault);
    if (!sorted || !by_label) return -1;
    measured->sorted = sorted;
    if (measured->top > 0 && measured->top <= COUNTED && measured->top < docs &&
        count_grades(docs, by_doc, count)) {
        /* Label i is as many grades as more than i documents have, that or a higher one. */
        for (size_t g = GRADES - 1; g > 0; g--)
            count[g - 1] += count[g];
        for (size_t i = 0; i < measured->top; i++) {
            unsigned grade = 0;
            for (size_t g = 1; g < GRADES; g++)
                grade += count[g] > i;
            sorted[i] = grade;
        }
        return 0;
    }
    order_by_score(docs, by_doc, by_label, by_label + docs);
    for (size_t i = 0; i < docs; i++)
        sorted[i] = by_doc[by_label[i]];
    return 0;
}

void measure_close(struct measured *measured)
{
    for (size_t i = 0; i < sizeof measured->buffer / sizeof *measured->buffer; i++)
        buffer_free(&measured->buffer[i]);
}

/* ---- measures ---- */

static size_t places(const struct measure *measure, const struct measured *measured)
{
    return measure->cutoff < measured->docs ? measure->cutoff : measured->docs;
}

double measure_gain(const struct conventions *conventions, double relevance)
{
    return conventions->linear_gain ? relevance : dcg_gain(relevance);
}

/* What is not relevant adds 0, without a branch that nobody can predict. */
static double discounted(const struct measured *measured, const double *relevance, size_t k)
{
    bool linear = measured->conventions.linear_gain;
    double sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += (linear ? relevance[i] : dcg_gain(relevance[i])) * measured->discount[i];
    return sum;
}

double measure_ideal(const struct measure *measure, const struct measured *measured)
{
    return discounted(measured, measured->sorted, places(measure, measured));
}

static int check_gain(double sum, struct fault *fault)
{
    if (isfinite(sum))
        return 1;
    return fault_data(fault, "a label is so large that its gain 2^label is too large for a double: "
                      "use -G lin");
}

static int dcg(const struct measure *measure, const struct measured *measured, double *value,
               struct fault *fault)
{
    *value = discounted(measured, measured->ranked, places(measure, measured));
    return check_gain(*value, fault);
}

static int ndcg(const struct measure *measure, const struct measured *measured, double *value,
                struct fault *fault)
{
    double most = measure_ideal(measure, measured);
    if (most <= 0)
        return 0;
    *value = discounted(measured, measured->ranked, places(measure, measured)) / most;
    return check_gain(most, fault);
}

static int err(const struct measure *measure, const struct measured *measured, double *value,
               struct fault *fault)
{
    double unsatisfied = 1, whole = real_exp2(measured->conventions.top_grade);
    *value = 0;
    if (measured->sorted[0] > measured->conventions.top_grade)
        return fault_data(fault, "label %g is above %u, the top grade for the measure err: set it "
                          "with -L", measured->sorted[0], measured->conventions.top_grade);
    for (size_t i = 0; i < places(measure, measured); i++) {
        double satisfied = (real_exp2(measured->ranked[i]) - 1) / whole;
        *value += unsatisfied * satisfied / (double)(i + 1);
        unsatisfied *= 1 - satisfied;
    }
    return 1;
}

static size_t relevant(const double *relevance, size_t k)
{
    size_t n = 0;
    for (size_t i = 0; i < k; i++)
        n += relevance[i] > 0;
    return n;
}

static int prec(const struct measure *measure, const struct measured *measured, double *value,
                struct fault *fault)
{
    (void)fault;
    *value = (double)relevant(measured->ranked, places(measure, measured));
    return 1;
}

static int precision(const struct measure *measure, const struct measured *measured, double *value,
                     struct fault *fault)
{
    prec(measure, measured, value, fault);
    *value /= (double)measure->cutoff;
    return 1;
}

static int average_precision(const struct measure *measure, const struct measured *measured,
                             double *value, struct fault *fault)
{
    size_t n = 0;
    double sum = 0;
    (void)measure, (void)fault;
    for (size_t i = 0; i < measured->docs; i++)
        if (measured->ranked[i] > 0)
            sum += (double)++n / (double)(i + 1);
    *value = n ? sum / (double)n : 0;
    return n ? 1 : 0;
}

static int reciprocal_rank(const struct measure *measure, const struct measured *measured,
                           double *value, struct fault *fault)
{
    (void)measure, (void)fault;
    for (size_t i = 0; i < measured->docs; i++) {
        if (measured->ranked[i] > 0) {
            *value = 1 / (double)(i + 1);
            return 1;
        }
    }
    return 0;
}

static int sumloss(const struct measure *measure, const struct measured *measured, double *value,
                   struct fault *fault)
{
    (void)measure, (void)fault;
    *value = 0;
    for (size_t i = 0; i < measured->docs; i++)
        *value += (double)(i + 1) * measured->ranked[i];
    return 1;
}

static int pairloss(const struct measure *measure, const struct measured *measured, double *value,
                    struct fault *fault)
{
    (void)measure, (void)fault;
    uint32_t *order = (uint32_t *)measured->scratch;
    *value = (double)order_inversions(measured->docs, measured->ranked, order,
                                      order + measured->docs);
    return 1;
}

static int auc(const struct measure *measure, const struct measured *measured, double *value,
               struct fault *fault)
{
    size_t n = relevant(measured->label, measured->docs), irrelevant = 0;
    double wrong = 0;
    (void)measure, (void)fault;
    if (n == 0 || n == measured->docs)
        return 0;
    for (size_t i = 0; i < measured->docs; i++) {
        if (measured->ranked[i] > 0)
            wrong += (double)irrelevant;
        else
            irrelevant++;
    }
    *value = 1 - wrong / ((double)n * (double)(measured->docs - n));
    return 1;
}

static int loss(const struct measure *measure, const struct measured *measured, double *value,
                struct fault *fault)
{
    if (!measured->score) {
        fault_data(fault, "%s needs score: put score before metric", measure->name);
        return -1;
    }
    const struct surrogate_options options = { measured->conventions.epsilon, measure->cutoff,
                                               !measure->step, measured->work };
    *value = measure->surrogate->loss(measured->docs, measured->score, measured->label, &options,
                                      measured->scratch);
    if (measured->work && measured->work->stopped) {
        fault_stopped(fault);
        return -1;
    }
    if (!isfinite(*value)) {
        fault_data(fault, "%s is too large for a double: the labels or scores are too large",
                   measure->name);
        return -1;
    }
    return 1;
}

enum cut { CUT_NEVER, CUT_MAYBE, CUT_ALWAYS };

static const char *const cut_words[] = {
    [CUT_NEVER] = "", [CUT_MAYBE] = "[@k]", [CUT_ALWAYS] = "@k"
};

static const struct {
    const char *name;
    const char *word; /* with its cutoff: what completion offers */
    enum cut cut;
    int (*value)(const struct measure *, const struct measured *, double *, struct fault *);
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

static const char loss_prefix[] = "loss:", step_prefix[] = "step:"; /* of one length */

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
    return name_begins(name, loss_prefix) || name_begins(name, step_prefix) ||
           find(name) < MEASURES;
}

const char *measure_word(size_t i)
{
    const char *word = i < MEASURES ? measures[i].word : surrogate_measure(i - MEASURES);
    return i == MEASURES + SURROGATE_MINIMAX + 1 ? "step:PERCEPTRON" : word;
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
    names_add(names, "%sPERCEPTRON", step_prefix);
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

int measure_parse(struct measure *measure, const char *name, struct fault *fault)
{
    const char *at = strchr(name, '@');
    size_t i = find(name);
    memset(measure, 0, sizeof *measure);
    measure->name = name;
    measure->cutoff = SIZE_MAX;
    measure->step = name_begins(name, step_prefix);
    if (measure->step || name_begins(name, loss_prefix)) {
        const char *surrogate = name + sizeof loss_prefix - 1;
        char word[20] = "";
        size_t length = at ? (size_t)(at - surrogate) : strlen(surrogate);
        if (length < sizeof word)
            memcpy(word, surrogate, length);
        measure->value = loss;
        measure->surrogate = surrogate_find(word);
        if (!measure->surrogate) {
            struct names names = { 0 };
            for (const struct surrogate *s = surrogates; s->name; s++)
                names_add(&names, "%s%s", s->name, cut_words[s->cut ? CUT_MAYBE : CUT_NEVER]);
            return fault_usage(fault, "no surrogate loss '%.40s': choose from %s", surrogate,
                               names.text);
        }
        if (measure->step && measure->surrogate->gradient)
            return fault_usage(fault, "measure step:%.40s: only slam, slam-ap and minimax have a "
                               "loss of their steps: use loss:%.40s", surrogate, surrogate);
        if (at && !measure->surrogate->cut)
            return fault_usage(fault, "measure %.45s: %s takes no cutoff", measure->name, word);
        return parse_cutoff(measure, at, fault);
    }
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

int measure_value(const struct measure *measure, const struct measured *measured, double *value,
                  struct fault *fault)
{
    return measure->value(measure, measured, value, fault);
}

/* ---- as sums over documents ---- */

static double discount_at(const struct measured *measured, size_t i)
{
    return measured->discount[i];
}

static double one(const struct measured *measured, size_t i)
{
    (void)measured, (void)i;
    return 1;
}

static double minus_place(const struct measured *measured, size_t i)
{
    (void)measured;
    return -(double)(i + 1);
}

static double gain_of_dcg(const struct measured *measured, double label)
{
    return measure_gain(&measured->conventions, label);
}

static double is_relevant(const struct measured *measured, double label)
{
    (void)measured;
    return label > 0;
}

static double itself(const struct measured *measured, double label)
{
    (void)measured;
    return label;
}

static void by_ideal(const struct measure *measure, const struct measured *measured, double *unit,
                     double *constant)
{
    (void)constant;
    *unit = measure_ideal(measure, measured);
}

static double count_ones(const struct measured *measured)
{
    double n = 0;
    for (size_t i = 0; i < measured->docs; i++)
        n += measured->label[i];
    return n;
}

/* For labels 0 and 1, n of them 1 and N = n (m - n), the pairs in the wrong order are the
 * irrelevant documents before each relevant one: its place, less the relevant ones up to it, so
 *   pairloss = sumloss - n (n + 1) / 2,    auc = 1 - pairloss / N. */
static void of_pairs(const struct measure *measure, const struct measured *measured, double *unit,
                     double *constant)
{
    double n = count_ones(measured);
    (void)measure, (void)unit;
    *constant = n * (n + 1) / 2;
}

static void by_pairs(const struct measure *measure, const struct measured *measured, double *unit,
                     double *constant)
{
    double n = count_ones(measured);
    (void)measure;
    *unit = n * ((double)measured->docs - n);
    *constant = 1 + n * (n + 1) / 2 / *unit;
}

static const struct linear_measure linears[] = {
    { "dcg", 1, false, discount_at, gain_of_dcg, NULL },
    { "ndcg", 1, false, discount_at, gain_of_dcg, by_ideal },
    { "prec", 1, false, one, is_relevant, NULL },
    { "sumloss", -1, false, minus_place, itself, NULL },
    { "pairloss", -1, true, minus_place, itself, of_pairs },
    { "auc", 1, true, minus_place, itself, by_pairs },
};
enum { LINEARS = sizeof linears / sizeof *linears };

const struct linear_measure *measure_linear_number(size_t i)
{
    return i < LINEARS ? &linears[i] : NULL;
}

const struct linear_measure *measure_linear_find(const char *measure)
{
    size_t length = strcspn(measure, "@");
    for (size_t i = 0; i < LINEARS; i++)
        if (strlen(linears[i].name) == length && strncmp(measure, linears[i].name, length) == 0)
            return &linears[i];
    return NULL;
}
