/* Online gradient descent on a surrogate, its gradient estimated from the relevances seen
 * (Chaudhuri & Tewari 2016, Algorithm 1; with every label, online ListNet and its kin). */
#include "learn_surrogate.h"

#include <math.h>
#include <string.h>

#include "real.h"
#include "surrogate.h"

/* s = Xw, finite. */
static double *score(struct state *state, const struct matrix *x, struct fault *fault)
{
    double *s = space_for(&state->scores, x->docs, sizeof *s, fault);
    if (!s)
        return NULL;
    matrix_times(x, state->w, state->dim, s);
    for (size_t i = 0; i < x->docs; i++) {
        if (!isfinite(s[i])) {
            fault_data(fault, "document %zu scores %g: a feature of it is no finite number, or "
                       "the weights run off", i, s[i]);
            return NULL;
        }
    }
    return s;
}

static int learn(struct state *state, const struct round *round, struct fault *fault)
{
    struct matrix x;
    struct shown shown;
    if (round_features(round, &x, fault) < 0 ||
        learner_reach(state, matrix_width(&x), fault) < 0 ||
        learner_listen(state, round, &shown, fault) < 0)
        return -1;
    const double *s = score(state, &x, fault);
    double *g = space_for(&state->scratch, 2 * x.docs, sizeof *g, fault), *z = state->gradient.at;
    if (!s || !g)
        return -1;
    surrogate_find(state->learner->name)
        ->gradient(&shown, s, state->settings.value[SETTING_EPSILON], g, g + x.docs);
    memset(z, 0, state->dim * sizeof *z);
    matrix_transposed_times(&x, g, z);
    return learner_descend(state, z, fault);
}

/* T^(-2/3) where the estimate's variance grows with 1/gamma, T^(-1/2) where there is none
 * (Chaudhuri & Tewari 2016, Theorem 4.1 and section 6). */
static double eta_estimated(double T)
{
    double root = real_cbrt(T);
    return 1 / (root * root);
}

static double eta_known(double T)
{
    return 1 / sqrt(T);
}

const struct learner learn_squared = { "squared", "eTU", eta_estimated, 1, learn };
const struct learner learn_kl = { "kl", "eTU", eta_estimated, 1, learn };
const struct learner learn_smoothdcg = { "smoothdcg", "eTUE", eta_estimated, 1, learn };
const struct learner learn_ranksvm = { "ranksvm", "eTU", eta_estimated, 2, learn };
const struct learner learn_listnet = { "listnet", "eTU", eta_known, SURROGATE_ALL, learn };
