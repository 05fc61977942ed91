/* Doubly robust estimates (Robins, Rotnitzky & Zhao 1994; Dudik, Langford & Li 2011). They are
 * unbiased whatever the regression predicts, as it learns from earlier rounds alone; the better it
 * predicts, the lower their variance. */

#include "learn/descent.h"
#include "learn/learner_step.h"
#include "loss/dcg.h"
#include "math/real.h"
#include "math/regression.h"

/* The arrays: the regression's P and weights, and the highest relevance seen. */
enum { INVERSE, LEVEL, BASELINE, TOP };

/* What sets the learners apart. */
struct loss {
    double (*worth)(double R); /* what is estimated for each document: v */
    void (*gradient)(size_t m, const double *s, const double *v, double epsilon, double *g);
};

struct robust {
    struct descent descent; /* first: DESCENT_HOOKS_AND_MORE */
    struct regression regression;
};

static double itself(double R)
{
    return R;
}

/* v[docs]: an unbiased estimate of worth(R) for each document; worth(R) itself where all were
 * seen. The regression predicts R, which is nearer to a line than worth(R); its prediction is
 * clipped to 0 and to the highest relevance seen. */
static void appraise(const struct exposure *exposure, struct regression *regression, double top,
                     double (*worth)(double), double *v)
{
    bool all = exposure->places == exposure->docs && exposure->draw != DRAW_LOGGED;
    for (size_t j = 0; !all && j < exposure->docs; j++) {
        double R = regression_expect(regression, j);
        v[j] = worth(R > top ? top : R > 0 ? R : 0);
    }
    for (size_t a = 0; a < exposure->places; a++) {
        uint32_t j = exposure->doc[a];
        double seen = worth(exposure->relevance[a]);
        v[j] = all ? seen : v[j] + (seen - v[j]) / propensity_one(exposure, a);
    }
}

/* A document counts 1 - pi: the likelier it was to be seen, the less it says about those that are
 * not. Otherwise the greedy documents, nearly all that is seen, would decide the baseline. */
static int learn_baseline(struct regression *regression, const struct exposure *exposure,
                          double *top, double *much, struct fault *fault)
{
    for (size_t a = 0; a < exposure->places; a++) {
        double R = exposure->relevance[a];
        much[a] = 1 - propensity_one(exposure, a);
        if (R > *top)
            *top = R;
    }
    if (regression_learn_all(regression, exposure->places, exposure->doc, exposure->relevance,
                             much, NULL, fault) < 0)
        return -1;
    return regression_check(regression, fault);
}

/* A round: v, the gradient from it, and a step; then the regression learns what was seen. */
static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct robust *my = own;
    const struct loss *loss = state->learner->differs;
    struct exposure exposure;
    double *top = state->arrays.at[TOP];
    struct regression *regression = &my->regression;
    learner_regression(regression, state, state->arrays.at[BASELINE], LEVEL, INVERSE);
    if (feedback_exposure(&exposure, round, state->learner->name, 1, &state->places, fault) < 0 ||
        regression_round(regression, x, fault) < 0)
        return -1;
    double *s = learner_score(state, x, fault);
    double *v = buffer_for(&state->scratch, 2 * x->docs, sizeof *v, fault), *g;
    if (!s || !v)
        return -1;
    g = v + x->docs;
    appraise(&exposure, regression, *top, loss->worth, v);
    descent_centre(&my->descent, x->docs, s);
    loss->gradient(x->docs, s, v, learner_epsilon(state), g);
    descent_centre(&my->descent, x->docs, g);
    if (descent_step(&my->descent, state, x, s, g, fault) < 0)
        return -1;
    return learn_baseline(regression, &exposure, top, v, fault);
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
    double mean = 0;
    softmax(m, s, epsilon, g);
    for (size_t j = 0; j < m; j++)
        mean += v[j] * g[j];
    for (size_t j = 0; j < m; j++)
        g[j] *= (mean - v[j]) / epsilon;
}

static void close_robust(void *own)
{
    struct robust *my = own;
    descent_close(&my->descent);
    regression_close(&my->regression);
}

#define HOOKS .learning = sizeof(struct robust), DESCENT_HOOKS_AND_MORE, .close = close_robust

#define ARRAYS \
    { [INVERSE] = { "inverse", ARRAY_UDU, SETTING_PLAIN, 0 }, \
      [LEVEL] = { "level", ARRAY_VECTORS, SETTINGS, 0 }, \
      [BASELINE] = { "baseline", ARRAY_VECTORS, SETTINGS, 0 }, \
      [TOP] = { "top", ARRAY_NUMBERS, SETTINGS, 0 } }

const struct learner learn_squared_dr = {
    .name = "squared-dr", .letters = "CTUep", .eta = descent_eta_estimated, .least = 1,
    .learn = learn, .differs = &(const struct loss){ itself, squared }, .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 100 }, .most = 4096,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, true }, HOOKS,
};

const struct learner learn_kl_dr = {
    .name = "kl-dr", .letters = "CTUep", .eta = descent_eta_estimated, .least = 1,
    .learn = learn, .differs = &(const struct loss){ real_exp, kl }, .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 100 }, .most = 4096,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 3, true }, HOOKS,
};

const struct learner learn_smoothdcg_dr = {
    .name = "smoothdcg-dr", .letters = "CEFTUep", .eta = descent_eta_estimated, .least = 1,
    .learn = learn, .differs = &(const struct loss){ dcg_gain, smoothdcg }, .arrays = ARRAYS,
    .preset = { [SETTING_TRADEOFF] = 100, [SETTING_EPSILON] = 0.01 }, .most = 4096,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 0.3, false }, HOOKS,
};
