/* Doubly robust estimates (Robins, Rotnitzky & Zhao 1994; Dudik, Langford & Li 2011): unbiased
 * whatever the regression makes of a document, as it was learnt from the rounds before alone, and
 * the nearer to the gradient the better it is. */
#include "learn_robust.h"

#include "dcg.h"
#include "real.h"
#include "regression.h"

/* What is kept: the regression's P and weights. */
enum { INVERSE, LEVEL, BASELINE };

static double itself(double R)
{
    return R;
}

/* v[docs]: an unbiased estimate of what each document is worth, which what was seen is by worth(R);
 * where all was seen, that itself. The regression is of what is more than the worth of relevance 0,
 * and nothing is worth less: so before it has learnt anything, what is not relevant is no noise. */
static void appraise(const struct shown *shown, struct regression *regression,
                     double (*worth)(double), double *v)
{
    bool all = shown->places == shown->docs;
    for (size_t j = 0; !all && j < shown->docs; j++) {
        double more = regression_expect(regression, j);
        v[j] = worth(0) + (more > 0 ? more : 0);
    }
    for (size_t a = 0; a < shown->places; a++) {
        uint32_t j = shown->doc[a];
        double seen = worth(shown->relevance[a]);
        v[j] = all ? seen : v[j] + (seen - v[j]) / policy_one(shown, a);
    }
}

static int learn_baseline(const struct shown *shown, struct regression *regression,
                          double (*worth)(double), struct fault *fault)
{
    for (size_t a = 0; a < shown->places; a++)
        if (regression_learn(regression, shown->doc[a], worth(shown->relevance[a]) - worth(0),
                             fault) < 0)
            return -1;
    return regression_check(regression, fault);
}

/* A round: v, the gradient by it, a step; and then the regression learns what was seen. */
static int learn(struct state *state, const struct matrix *x, const struct round *round,
                 double (*worth)(double),
                 void (*gradient)(size_t m, const double *s, const double *v, double epsilon,
                                  double *g),
                 struct fault *fault)
{
    struct shown shown;
    struct regression *regression =
        learner_regression(state, state->kept[BASELINE], LEVEL, INVERSE);
    if (heard_places(&shown, round, state->learner->name, 1, &state->places, fault) < 0 ||
        regression_round(regression, x, fault) < 0)
        return -1;
    const double *s = learner_score(state, x, fault);
    double *v = space_for(&state->scratch, 2 * x->docs, sizeof *v, fault), *g;
    if (!s || !v)
        return -1;
    g = v + x->docs;
    appraise(&shown, regression, worth, v);
    gradient(x->docs, s, v, state->settings.value[SETTING_EPSILON], g);
    return learner_step(state, x, g, fault) < 0
               ? -1
               : learn_baseline(&shown, regression, worth, fault);
}

/* |s - v|^2 */
static void squared(size_t m, const double *s, const double *v, double epsilon, double *g)
{
    (void)epsilon;
    for (size_t j = 0; j < m; j++)
        g[j] = 2 * (s[j] - v[j]);
}

/* sum exp(s_j) - v_j s_j */
static void kl(size_t m, const double *s, const double *v, double epsilon, double *g)
{
    (void)epsilon;
    for (size_t j = 0; j < m; j++)
        g[j] = real_exp(s[j]) - v[j];
}

/* - sum v_j p_j, p = softmax(s / epsilon) */
static void smoothdcg(size_t m, const double *s, const double *v, double epsilon, double *g)
{
    double most = s[0], sum = 0, mean = 0;
    for (size_t j = 1; j < m; j++)
        if (s[j] > most)
            most = s[j];
    for (size_t j = 0; j < m; j++)
        sum += g[j] = real_exp((s[j] - most) / epsilon);
    for (size_t j = 0; j < m; j++)
        mean += v[j] * (g[j] /= sum);
    for (size_t j = 0; j < m; j++)
        g[j] *= (mean - v[j]) / epsilon;
}

static int learn_squared_round(struct state *state, const struct matrix *x,
                               const struct round *round, struct fault *fault)
{
    return learn(state, x, round, itself, squared, fault);
}

static int learn_kl_round(struct state *state, const struct matrix *x, const struct round *round,
                          struct fault *fault)
{
    return learn(state, x, round, real_exp, kl, fault);
}

static int learn_smoothdcg_round(struct state *state, const struct matrix *x,
                                 const struct round *round, struct fault *fault)
{
    return learn(state, x, round, dcg_gain, smoothdcg, fault);
}

#define KEPT \
    { [INVERSE] = { "inverse", KEPT_FACTOR, SETTING_PLAIN }, \
      [LEVEL] = { "level", KEPT_VECTORS, SETTINGS }, \
      [BASELINE] = { "baseline", KEPT_VECTORS, SETTINGS } }

const struct learner learn_squared_dr = {
    .name = "squared-dr", .letters = "CTUep", .eta = learner_eta_estimated, .least = 1,
    .learn = learn_squared_round, .kept = KEPT, .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096,
};

const struct learner learn_kl_dr = {
    .name = "kl-dr", .letters = "CTUep", .eta = learner_eta_estimated, .least = 1,
    .learn = learn_kl_round, .kept = KEPT, .preset = { [SETTING_TRADEOFF] = 1 },
    .most = 4096,
};

const struct learner learn_smoothdcg_dr = {
    .name = "smoothdcg-dr", .letters = "CETUep", .eta = learner_eta_estimated, .least = 1,
    .learn = learn_smoothdcg_round, .kept = KEPT,
    .preset = { [SETTING_TRADEOFF] = 1, [SETTING_EPSILON] = 0.01 },
    .most = 4096,
};
