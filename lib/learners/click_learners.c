/* Pairwise differentiable gradient descent (Oosterhuis & de Rijke 2018) and dueling bandit gradient
 * descent (Yue & Joachims 2009). */

#include <math.h>
#include <string.h>

#include "explore/feedback.h"
#include "explore/interleave.h"
#include "explore/propensity.h"
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "math/matrix.h"
#include "math/real.h"

/* ---- pdgd ---- */

/* The places that a user examined, as far as clicks show: down to the last click, and one more. 0
 * where there was no click. */
static size_t examined(const struct round *round)
{
    size_t n = round->places;
    while (n > 0 && round->seen[n - 1] == 0)
        n--;
    return n > 0 && n < round->places ? n + 1 : n;
}

/* -z += rho e_ij' (e_i - e_j), where i was clicked and j was not: P(i before j) rises. */
static void prefer(uint32_t i, uint32_t j, double rho, const double *s, double *z)
{
    double e = real_exp(-fabs(s[i] - s[j]));
    double rise = rho * e / ((1 + e) * (1 + e));
    z[i] -= rise;
    z[j] += rise;
}

static void prefer_clicked(const struct round *round, const double *s,
                           const struct luce_rest *rest, struct luce_powers *powers, double *z)
{
    size_t n = examined(round);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; round->seen[a] > 0 && b < n; b++) {
            if (round->seen[b] > 0)
                continue;
            double rho = propensity_luce_swapped(round->logit, round->order, rest, powers,
                                             a < b ? a : b, a < b ? b : a);
            prefer(round->order[a], round->order[b], rho, s, z);
        }
}

static int learn_preferences(void *own, struct state *state, const struct matrix *x,
                             const struct round *round, struct fault *fault)
{
    size_t m = round->docs;
    const char *name = state->learner->name;
    if (feedback_clicks(round, name, state->learner->least, fault) < 0 ||
        learner_check_docs(state, round->places, fault) < 0)
        return -1;
    if (!round->logit)
        return fault_data(fault, "%s needs the column logit, which says how the order was drawn: "
                          "use explore -p plackett-luce%s before the users answer; for logs of "
                          "other systems see rankpipe-logs(7)", name,
                          round->base ? ", without -B," : "");
    const double *s = learner_score(state, x, fault);
    double *z = buffer_for(&state->scratch, m, sizeof *z, fault);
    struct luce_powers powers;
    struct luce_rest *rest =
        buffer_for(&state->pairs, m + 1, sizeof *rest + sizeof *powers.power, fault);
    if (!s || !z || !rest) return -1;
    memset(z, 0, m * sizeof *z);
    propensity_luce_rests(m, round->logit, round->order, rest);
    propensity_luce_powers(&powers, (double *)(rest + m + 1), m);
    prefer_clicked(round, s, rest, &powers, z);
    return descent_step(own, state, x, s, z, fault);
}

const struct learner learn_pdgd = {
    .name = "pdgd", .letters = "Ue", .least = 2, .docs = 4000, .learn = learn_preferences,
    .shown = "-p plackett-luce", .seen = "-k 10 -c navigational",
    .bets = &(const struct descent_bets){ BETS_ON_EACH, 30, false, "which descends on no loss" },
    DESCENT_HOOKS,
};

/* ---- dbgd ---- */

/* The rival's scores, X (w + width u), s being Xw. `spare` has room for the width of x. */
static void score_rival(const struct matrix *x, const struct settings *settings, const double *u,
                        const double *s, double *rival, double *spare)
{
    matrix_times(x, u, settings->value[SETTING_EXPLORATION_WIDTH], matrix_width(x), rival, spare);
    for (size_t i = 0; i < x->docs; i++)
        rival[i] += s[i];
}

/* Is the rival of the round the one that this direction gives? If rounds were renumbered, or the
 * seed differs, learning would follow a direction that did not win. */
static int check_direction(struct state *state, const struct matrix *x, const struct round *round,
                     const double *u, double *spare, struct fault *fault)
{
    double *rival = buffer_for(&state->pairs, x->docs, sizeof *rival, fault);
    if (!rival) return -1;
    score_rival(x, &state->settings, u, round->score, rival, spare);
    for (size_t i = 0; i < x->docs; i++)
        if (rival[i] != round->rival[i])
            return fault_data(fault, "rival %zu is %.17g, but must be %.17g: the winning rival was "
                              "drawn with another round number, seed or width, or for other "
                              "features", i, round->rival[i], rival[i]);
    return 0;
}

static int learn_winner(void *own, struct state *state, const struct matrix *x,
                        const struct round *round, struct fault *fault)
{
    size_t n = matrix_width(x), clicks[2] = { 0, 0 };
    const char *name = state->learner->name;
    if (feedback_clicks(round, name, state->learner->least, fault) < 0) return -1;
    if (!round->team || !round->rival || !round->score)
        return fault_data(fault, "no column %s, which %s needs: use score -f ring and explore -p "
                          "team-draft",
                          !round->team ? "team" : !round->rival ? "rival" : "score", name);
    for (size_t a = 0; a < round->places; a++)
        clicks[round->team[a]] += round->seen[a] > 0;
    state->changed.known = true; /* none, unless the rival wins */
    state->changed.n = 0;
    if (clicks[1] <= clicks[0])
        return 0;
    double *u = buffer_for(&state->scratch, n, 2 * sizeof *u, fault);
    if (!u) return -1;
    interleave_direction((uint64_t)state->settings.value[SETTING_SEED], round->t, n, u);
    if (check_direction(state, x, round, u, u + n, fault) < 0) return -1;
    return descent_move(own, state, u, n, fault);
}

/* Adds the column rival. */
static int challenge(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct scored *my = own;
    const struct matrix *x = ranking->x;
    size_t n = matrix_width(x);
    if (!ranking->ring) /* which draws them */
        return 0;
    const struct settings *settings = &my->settings;
    if (!settings->set[SETTING_EXPLORATION_WIDTH] || !settings->set[SETTING_SEED])
        return fault_data(fault, "model: dbgd needs width= and seed= for its rival");
    if (n > LEARNER_MOST + ranking->base && n > my->dim)
        return fault_data(fault, "the round has %zu features, but dbgd takes at most %zu",
                          n - ranking->base, LEARNER_MOST);
    double *u = buffer_for(&my->work, n, 2 * sizeof *u, fault);
    double *rival = round_new(ranking->round, ROUND_RIVAL, fault);
    if (!u || !rival) return -1;
    interleave_direction((uint64_t)settings->value[SETTING_SEED], ranking->round->t, n, u);
    score_rival(x, settings, u, ranking->s, rival, u + n);
    return finite_scores(x->docs, rival, "one of its features, or the width, is too large for the "
                         "rival", fault);
}

const struct learner learn_dbgd = {
    .name = "dbgd", .letters = "SUes", .least = 1, .learn = learn_winner,
    .shown = "-p team-draft", .seen = "-k 10 -c navigational",
    .preset = { [SETTING_ETA] = 0.01, [SETTING_EXPLORATION_WIDTH] = 1, [SETTING_SEED] = 1 },
    DESCENT_HOOKS, .publish = scored_publish,
    .scoring = sizeof(struct scored), .take = scored_take, .rank = challenge,
    .leave = scored_leave,
};
