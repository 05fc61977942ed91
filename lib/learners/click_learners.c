/* Pairwise differentiable gradient descent (Oosterhuis & de Rijke 2018), dueling bandit gradient
 * descent (Yue & Joachims 2009), and pairwise logistic regression with blocks of documents whose
 * order is uncertain (Jia, Wang, Guo & Wang 2021). */

#include <math.h>
#include <string.h>

#include "explore/feedback.h"
#include "explore/interleave.h"
#include "explore/propensity.h"
#include "kernels/covariance.h"
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "learners/learners.h"
#include "math/matrix.h"
#include "math/order.h"
#include "math/real.h"
#include "math/rng.h"

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

    /* -z += rho e_ij' (e_i - e_j), where i was clicked and j was not: P(i before j) rises. */
    size_t n = examined(round);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; round->seen[a] > 0 && b < n; b++) {
            if (round->seen[b] > 0)
                continue;
            double rho = propensity_luce_swapped(round->logit, round->order, rest, &powers,
                                                 a < b ? a : b, a < b ? b : a);
            double e = real_exp(-fabs(s[round->order[a]] - s[round->order[b]]));
            double rise = rho * e / ((1 + e) * (1 + e));
            z[round->order[a]] -= rise;
            z[round->order[b]] += rise;
        }

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

    /* Is the rival of the round the one that this direction gives? If rounds were renumbered, or
     * the seed differs, learning would follow a direction that did not win. */
    double *rival = buffer_for(&state->pairs, x->docs, sizeof *rival, fault);
    if (!rival) return -1;
    score_rival(x, &state->settings, u, round->score, rival, u + n);
    for (size_t i = 0; i < x->docs; i++)
        if (rival[i] != round->rival[i])
            return fault_data(fault, "rival %zu is %.17g, but must be %.17g: the winning rival was "
                              "drawn with another round number, seed or width, or for other "
                              "features", i, round->rival[i], rival[i]);

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

/* ---- pairrank ---- */

/* x as z[width]. */
static void spread(const struct row *x, size_t width, double *z)
{
    memset(z, 0, width * sizeof *z);
    for (size_t e = 0; e < x->n; e++)
        z[x->idx ? x->idx[e] : e] = x->val[e];
}

/* Documents that were clicked, and others that were examined, each list in random order: pairs of
 * them, one[0][i] and one[1][i], are independent. Returns how many. */
static size_t draw_pairs(const struct state *state, const struct round *round, uint32_t *list,
                         const uint32_t *one[2])
{
    struct rng rng = rng_at((uint64_t)state->settings.value[SETTING_SEED], RNG_PAIRS, round->t);
    size_t n = examined(round), of[2] = { 0, 0 };
    for (int passed = 0; passed < 2; passed++, list += n) {
        for (size_t a = 0; a < n; a++)
            if ((round->seen[a] > 0) == !passed) {
                size_t at = rng_below(&rng, (uint32_t)++of[passed]);
                list[of[passed] - 1] = list[at];
                list[at] = round->order[a];
            }
        one[passed] = list;
    }
    return of[0] < of[1] ? of[0] : of[1];
}

/* M <- M + x x', where P is lambda M^-1, and w <- w + 4 M^-1 x / (1 + e^(w.x)): the Newton step on
 * log(1 + e^-(w.x)) and all pairs before, if each had the greatest curvature that it can, 1/4. */
static int learn_pairs(void *own, struct state *state, const struct matrix *x,
                       const struct round *round, struct fault *fault)
{
    const uint32_t *one[2];
    size_t dim = state->dim;
    (void)own;
    if (feedback_clicks(round, state->learner->name, state->learner->least, fault) < 0 ||
        learner_check_docs(state, round->places, fault) < 0 || !learner_score(state, x, fault))
        return -1;
    uint32_t *list = buffer_for(&state->pairs, round->places, 2 * sizeof *list, fault);
    double *z = buffer_for(&state->scratch, dim, 3 * sizeof *z + sizeof *list, fault);
    if (!list || !z) return -1;
    size_t n = draw_pairs(state, round, list, one);
    struct udu_observation o = { z, state->settings.value[SETTING_TRADEOFF], z + dim, 0 };
    state->begun = n > 0;
    for (size_t i = 0; i < n; i++) {
        struct row row = matrix_difference(x, one[0][i], one[1][i], z + 2 * dim,
                                           (uint32_t *)(z + 3 * dim));
        double e = real_exp(matrix_row_times(&row, state->w));
        spread(&row, dim, z);
        covariance_observe(state->arrays.at[0], dim, &o, 1);
        if (!(o.b > 0) || isinf(o.b))
            return fault_data(fault, "x'P x + lambda is %g for two documents: a feature is too "
                              "large: use smaller features", o.b);
        for (size_t j = 0; j < dim; j++)
            state->w[j] += 4 * o.u[j] / (o.b * (1 + e));
    }
    return learner_check(state, fault);
}

/* Is P one for the model, and the round no larger than can be? 0 or a fault. */
static int check_blocks(const struct scored *my, const struct ranking *ranking, struct fault *fault)
{
    const struct learner *learner = &learn_pairrank;
    const bool *set = my->settings.set;
    size_t width = matrix_width(ranking->x), m = ranking->x->docs;
    if (my->n != udu_size(my->dim) || !set[SETTING_TRADEOFF] || !set[SETTING_EXPLORATION_WIDTH])
        return fault_data(fault, "model: pairrank needs tradeoff=, width= and inverse:f8[%zu], and "
                          "one of them is missing", udu_size(my->dim));
    if (width > learner->most && width > my->dim)
        return fault_data(fault, "the round has %zu features, but pairrank takes at most %zu",
                          width, learner->most);
    return m <= learner->docs ? 0 : fault_data(fault, "the round has %zu documents, but pairrank "
                                               "takes at most %zu, because its time grows with "
                                               "their square", m, learner->docs);
}

/* y[width] = D^(1/2) U'z, P being U D U'; so y.y is z'P z. Features that the model lacks have the
 * identity in P. */
static void root(const struct scored *my, size_t width, const double *z, double *y)
{
    memcpy(y, z, width * sizeof *y);
    for (size_t j = 0; j < my->dim; j++) {
        const double *column = my->array + udu_size(j);
        for (size_t i = 0; i < j; i++)
            y[j] += column[i] * z[i];
        y[j] *= sqrt(column[j]);
    }
}

/* Is the order of two documents certain, which score `more` apart? `apart` has room for width. */
static bool certain(const struct scored *my, double more, size_t width, const double *y,
                    const double *other, double *apart)
{
    const double *value = my->settings.value;
    for (size_t j = 0; j < width; j++)
        apart[j] = y[j] - other[j];
    double bound = value[SETTING_EXPLORATION_WIDTH] *
                   (matrix_norm(apart, width) / sqrt(value[SETTING_TRADEOFF]));
    return 1 / (1 + real_exp(-more)) - bound > 0.5;
}

/* Adds the column index: minus the number of each document's block. Documents are in one block if
 * their order is uncertain; what follows from certain orders is certain. By score, the documents of
 * a block are next to each other. */
static int part(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct scored *my = own;
    const struct matrix *x = ranking->x;
    const double *s = ranking->s;
    size_t m = x->docs, width = matrix_width(x) > my->dim ? matrix_width(x) : my->dim, last = 0;
    if (!ranking->ring)
        return 0;
    if (check_blocks(my, ranking, fault) < 0) return -1;
    double *index = round_new(ranking->round, ROUND_INDEX, fault), block = -1;
    double *z = buffer_for(&my->work, (m + 3) * (width + 1) + m * m / 8 + 1, sizeof *z, fault);
    if (!index || !z) return -1;
    double *val = z + width, *y = val + width;
    uint32_t *order = (uint32_t *)(y + m * width), *idx = order + 2 * m;
    unsigned char *after = (unsigned char *)(idx + width); /* [m][m]: is b certain to be after a? */
    order_by_score(m, s, order, order + m);
    memset(after, 0, m * m);
    for (size_t a = 0; a < m; a++) {
        struct row row = matrix_row(x, order[a], val, idx);
        spread(&row, width, z);
        root(my, width, z, y + a * width);
    }
    for (size_t a = m; a-- > 0;)
        for (size_t b = a + 1; b < m; b++)
            if (!after[a * m + b] && certain(my, s[order[a]] - s[order[b]], width, y + a * width,
                                             y + b * width, z))
                for (size_t c = b; c < m; c++)
                    after[a * m + c] |= c == b || after[b * m + c];
    for (size_t a = 0; a < m; a++) {
        for (size_t b = a > last ? a : last; b < m; b++)
            last = after[a * m + b] ? last : b;
        index[order[a]] = block;
        block -= a == last;
    }
    return 0;
}

const struct learner learn_pairrank = {
    .name = "pairrank", .letters = "CSs", .least = 2, .docs = 4000, .learn = learn_pairs,
    .shown = "-p index -k 10", .seen = "-k 10 -c navigational",
    .arrays = { { "inverse", ARRAY_UDU, SETTING_PLAIN, 0 } },
    .preset = { [SETTING_TRADEOFF] = 0.1, [SETTING_EXPLORATION_WIDTH] = 0.1, [SETTING_PLAIN] = 1,
                [SETTING_SEED] = 1 },
    .most = 4096, .made = "scale", .publish = scored_publish,
    .scoring = sizeof(struct scored), .take = scored_take, .rank = part, .leave = scored_leave,
};
