/*
 * Adaptive steps: the weights against bets found by search from their definition, in long double;
 * the bound on the regret that math/bets.h states; gradients of another scale; and learners' steps:
 * dense, sparse and stopped after every step, to the bit, and messages of changes.
 */
#include "learn/descent.h"
#include "learn/learner_step.h"
#include "learn/scoring.h"
#include "math/bets.h"
#include "rounds.h"

enum { STEPS = 3000, GAMES = 60, LONG = 1000, SPACE = 3 };

/* ---- the definition ---- */

/* A bettor as the papers define it: its gradients so far, cut, and what each round left of W. */
struct bettor {
    size_t n, dim;
    long double g[LONG][SPACE], largest, first, capital, wealth;
    long double w[SPACE];
};

static long double dot(size_t dim, const long double *a, const long double *b)
{
    long double sum = 0;
    for (size_t j = 0; j < dim; j++)
        sum += a[j] * b[j];
    return sum;
}

/* 10 L^2 |b|^2 and, over the past, g.b + |g|^2 |b|^2. */
static long double objective(const struct bettor *my, const long double *b)
{
    long double square = dot(my->dim, b, b), sum = 10 * my->largest * my->largest * square;
    for (size_t i = 0; i < my->n; i++)
        sum += dot(my->dim, my->g[i], b) + dot(my->dim, my->g[i], my->g[i]) * square;
    return sum;
}

/* The minimiser over |b| <= 1 / (2 L): coordinate by coordinate it is found where the objective's
 * slope, taken from its values, is 0; one that is too long is brought to the edge. */
static void minimise(const struct bettor *my, long double *b)
{
    long double most = 1 / (2 * my->largest), length;
    for (size_t j = 0; j < my->dim; j++) {
        long double unit[SPACE] = { 0 }, zero[SPACE] = { 0 }, up, down;
        unit[j] = most;
        up = objective(my, unit) - objective(my, zero);
        unit[j] = -most;
        down = objective(my, unit) - objective(my, zero);
        b[j] = most * (down - up) / (2 * (up + down)); /* of a parabola through 0 */
    }
    length = sqrtl(dot(my->dim, b, b));
    for (size_t j = 0; j < my->dim && length > most; j++)
        b[j] *= most / length;
}

/* No other bet in the ball is better: it is the minimiser. */
static void check_minimum(struct rng *rng, const struct bettor *my, const long double *b)
{
    long double least = objective(my, b), most = 1 / (2 * my->largest);
    for (size_t trial = 0; trial < 20; trial++) {
        long double other[SPACE], length;
        for (size_t j = 0; j < my->dim; j++)
            other[j] = b[j] + most * exp2(-(double)trial) * draw_unit(rng);
        length = sqrtl(dot(my->dim, other, other));
        for (size_t j = 0; j < my->dim && length > most; j++)
            other[j] *= most / length;
        hold(objective(my, other) >= least - 1e-15L, "bets", "a better bet", objective(my, other),
             least);
    }
}

static void bet(struct rng *rng, struct bettor *my, const double *g)
{
    long double length = 0, k = 1, b[SPACE];
    for (size_t j = 0; j < my->dim; j++)
        length += (long double)g[j] * g[j];
    length = sqrtl(length);
    if (my->n > 0 && length > my->largest)
        k = my->largest / length;
    for (size_t j = 0; j < my->dim; j++)
        my->g[my->n][j] = k * g[j];
    my->wealth -= dot(my->dim, my->g[my->n], my->w);
    my->n++;
    if (length > my->largest) {
        my->wealth += my->capital * (length - my->largest);
        my->largest = length;
    }
    if (my->n == 1)
        my->first = length;
    minimise(my, b);
    if (my->n % 50 == 1)
        check_minimum(rng, my, b);
    for (size_t j = 0; j < my->dim; j++)
        my->w[j] = my->wealth * b[j];
}

/* ---- the bound ---- */

/* The regret against u, of the gradients as they were cut. What was lost is c L - W by definition:
 * adding it up would lose the digits that count, where much was won and lost again. */
static void check_regret(const struct bettor *my, long double wealth, const long double *u)
{
    long double V = 0, own = 0, size = sqrtl(dot(my->dim, u, u)), L = my->largest;
    for (size_t i = 0; i < my->n; i++) {
        V += dot(my->dim, my->g[i], my->g[i]);
        own += dot(my->dim, my->g[i], u);
    }
    long double lost = my->capital * L - wealth, S = V + 10 * L * L;
    long double K = 2 * logl(1 + 2 * size * sqrtl(S) * (1 + V / (10 * my->first * my->first)) /
                                     (my->capital * my->first));
    long double most = 2 * sqrtl(S * K) > 4 * L * K ? 2 * sqrtl(S * K) : 4 * L * K;
    hold(lost - own <= my->capital * L + size * most, "bets", "regret", lost - own,
         my->capital * L + size * most);
}

/* Noise about a mean; the mean turns, or gradients grow; or each is what hurts most. */
static void draw_gradient(struct rng *rng, const struct bettor *my, size_t game, size_t t,
                          double *g)
{
    double size = game % 3 == 1 ? exp2((double)t / 200) : 1;
    double mean = t * 2 > LONG && game % 5 == 1 ? -0.5 : 0.1 * (double)(game % 7);
    for (size_t j = 0; j < my->dim; j++) {
        g[j] = size * (draw_unit(rng) - mean);
        if (game % 4 == 3)
            g[j] = my->w[j] < 0 ? -1 : 1;
        if (game % 11 == 4 && rng_below(rng, 100))
            g[j] /= 1024;
    }
}

/* The code's weights of a game so far. */
struct played {
    struct bets bets;
    double theta[SPACE], w[SPACE];
};

static void play(struct played *my, size_t dim, double capital, const double *g)
{
    double square = 0, product = 0, length = 0;
    for (size_t j = 0; j < dim; j++) {
        square += g[j] * g[j];
        product += g[j] * my->w[j];
    }
    double k = bets_take(&my->bets, capital, sqrt(square), product);
    for (size_t j = 0; j < dim; j++) {
        my->theta[j] -= k * g[j];
        length += my->theta[j] * my->theta[j];
    }
    for (size_t j = 0; j < dim; j++)
        my->w[j] = bets_factor(&my->bets, sqrt(length)) * my->theta[j];
}

/* Against weights of many lengths: the way the code's own went, and any. */
static void check_regrets(struct rng *rng, const struct bettor *my, const struct played *played)
{
    long double u[SPACE], length = 0;
    for (size_t j = 0; j < my->dim; j++)
        length += (long double)played->theta[j] * played->theta[j];
    for (double size = 1e-3; size < 1e4; size *= 10)
        for (size_t way = length > 0 ? 0 : 1; way < 5; way++) {
            for (size_t j = 0; j < my->dim; j++)
                u[j] = size * (way ? draw_unit(rng) : played->theta[j] / sqrtl(length));
            check_regret(my, played->bets.wealth, u);
        }
}

/* One game: the code's weights are the definition's, and its regret is within the bound. */
static void check_game(struct rng *rng, size_t game, size_t dim, double capital)
{
    static struct bettor my;
    struct played played = { { 0 }, { 0 }, { 0 } };
    double g[SPACE];
    memset(&my, 0, sizeof my);
    my.dim = dim;
    my.capital = capital;
    for (size_t t = 0; t < (game % 6 ? LONG / 10 : LONG); t++) {
        draw_gradient(rng, &my, game, t, g);
        play(&played, dim, capital, g);
        bet(rng, &my, g);
        for (size_t j = 0; j < dim; j++)
            hold(fabsl(played.w[j] - my.w[j]) <= 1e-10L * my.wealth / my.largest, "bets",
                 "weight", played.w[j], my.w[j]);
        hold(played.bets.wealth > 0, "bets", "wealth", played.bets.wealth, 0);
    }
    check_regrets(rng, &my, &played);
}

/* ---- learners ---- */

/* Steps of all sizes, some documents left out, and features of which most are 0. */
static void draw_step(struct rng *rng, struct query *query, double *g)
{
    double size = exp2(rng_below(rng, 12) - 6.0);
    draw_features(rng, query, 1 + rng_below(rng, DOCS), 1 + rng_below(rng, DIM), draw_unit);
    draw_labels(rng, query, 3);
    for (size_t i = 0; i < query->docs; i++) {
        g[i] = rng_below(rng, 3) ? size * draw_unit(rng) : 0;
        for (size_t j = 0; j < query->dim; j++)
            query->x[i][j] = rng_below(rng, 20) ? 0 : query->x[i][j];
    }
}

static void step_by(struct state *state, const struct query *query, const double *g, double unit,
                    enum form form)
{
    static struct made made;
    struct matrix x;
    double scaled[DOCS];
    struct fault fault = { FAULT_NONE, "" };
    for (size_t i = 0; i < query->docs; i++)
        scaled[i] = unit * g[i];
    must(round_matrix(make_round(&made, query, 1, form), &x, &fault), &fault);
    must(learner_reach(state, matrix_width(&x), &fault), &fault);
    state->live = NULL;
    const double *s = learner_score(state, &x, &fault);
    must(s ? 0 : -1, &fault);
    must(descent_step(state->own, state, &x, s, scaled, &fault), &fault);
    state->begun = false; /* it ends here */
}

/* A new state of what an old one wrote, which is then gone. */
static void go_on(struct state *state)
{
    static struct model model;
    struct state next;
    struct fault fault = { FAULT_NONE, "" };
    must(learner_save(state, &model, &fault), &fault);
    must(model_read(&model, &fault), &fault);
    start(&next, state->learner->name, NULL);
    must(learner_load(&next, &model, &fault), &fault);
    learner_close(state);
    *state = next;
}

/* The weights that score. */
static void get_weights(const struct state *state, double *w)
{
    memset(w, 0, DIM * sizeof *w);
    for (size_t j = 0; j < state->dim; j++)
        w[j] = state->scale * state->w[j];
}

/* Dense, sparse, sparse with zeros written down, sparse and stopped after every step: the same
 * bits. And the same weights from gradients of another unit, a power of two. */
static void check_bits(struct rng *rng, const char *name)
{
    static struct query query;
    struct state state[FORMS + 2];
    double g[DOCS], w[DIM], other[DIM];
    for (size_t f = 0; f < FORMS + 2; f++)
        start(&state[f], name, NULL);
    for (size_t step = 0; step < STEPS; step++) {
        draw_step(rng, &query, g);
        for (size_t f = 0; f < FORMS + 2; f++)
            step_by(&state[f], &query, g, f > FORMS ? 0x1p-40 : 1,
                    f < FORMS ? (enum form)f : SPARSE);
        go_on(&state[FORMS]);
        for (size_t f = 1; f <= FORMS; f++)
            hold(same_learnt(&state[0], &state[f]), name,
                 f < FORMS ? "dense and sparse differ" : "stopping and never stopping differ", f,
                 step);
        get_weights(&state[0], w);
        get_weights(&state[FORMS + 1], other);
        hold(memcmp(w, other, sizeof w) == 0, name, "another unit, other weights", other[0], w[0]);
    }
    for (size_t f = 0; f < FORMS + 2; f++)
        learner_close(&state[f]);
}

/* The learner's own weights after each step, against bets on its gradients: on all of them, or on
 * each by itself. */
static void check_steps(struct rng *rng, const char *name, bool each, double capital)
{
    static struct query query;
    static struct bets bets[DIM];
    double g[DOCS], theta[DIM] = { 0 }, w[DIM] = { 0 };
    struct state state;
    memset(bets, 0, sizeof bets);
    start(&state, name, NULL);
    for (size_t step = 0; step < STEPS; step++) {
        double z[DIM] = { 0 }, square = 0, product = 0, length = 0, k = 0;
        draw_step(rng, &query, g);
        for (size_t i = 0; i < query.docs; i++)
            for (size_t j = 0; j < query.dim; j++)
                z[j] += g[i] * query.x[i][j];
        for (size_t j = 0; j < DIM; j++) {
            square += z[j] * z[j];
            product += z[j] * w[j];
        }
        if (!each && square > 0)
            k = bets_take(&bets[0], capital, sqrt(square), product);
        for (size_t j = 0; j < DIM; j++) {
            if (each)
                k = z[j] != 0 ? bets_take(&bets[j], capital, fabs(z[j]), z[j] * w[j]) : 0;
            theta[j] -= k * z[j];
            length += theta[j] * theta[j];
        }
        step_by(&state, &query, g, 1, SPARSE);
        for (size_t j = 0; j < DIM; j++) {
            double own = each ? fabs(theta[j]) : sqrt(length);
            w[j] = theta[j] * bets_factor(&bets[each ? j : 0], own);
            double got = j < state.dim ? state.scale * state.w[j] : 0;
            hold(fabs(got - w[j]) <= 1e-9 * (fabs(w[j]) + 1e-3), name, "weight", got, w[j]);
        }
    }
    learner_close(&state);
}

/* What score makes of the messages so far is what the learner scores by. */
static void check_messages(struct rng *rng, const char *name)
{
    static struct model model;
    static struct query query;
    struct state state;
    struct scoring scoring = { .learners = learners };
    double g[DOCS], w[DIM];
    size_t few = 0;
    struct fault fault = { FAULT_NONE, "" };
    start(&state, name, NULL);
    must(learner_publish(&state, &model, PUBLISH_WHOLE, &fault), &fault);
    for (size_t step = 0; step < STEPS; step++) {
        must(model_read_message(&model, &fault), &fault);
        must(scoring_take(&scoring, &model, &fault), &fault);
        few += model.w == NULL;
        get_weights(&state, w);
        for (size_t j = 0; j < state.dim; j++) {
            double got = scoring.scale * ((const double *)scoring.weights.at)[j];
            hold(got == w[j], name, "a message's weight", got, w[j]);
        }
        draw_step(rng, &query, g);
        step_by(&state, &query, g, 1, step % 7 ? SPARSE : DENSE);
        must(learner_publish(&state, &model, PUBLISH_CHANGES, &fault), &fault);
    }
    hold(few > STEPS / 2 && few < STEPS * 6 / 7, name, "messages of changes", few, STEPS);
    scoring_close(&scoring);
    learner_close(&state);
}

/* ---- centring ---- */

/* Scores and gradients about their means: a step does not depend on what all documents of a query
 * have in common. */
static void check_centred(struct rng *rng, const char *name)
{
    static struct made made;
    struct state state[2];
    for (size_t k = 0; k < 2; k++)
        start(&state[k], name, NULL);
    for (size_t t = 1; t <= 200; t++) {
        struct query query;
        draw_features(rng, &query, 2 + rng_below(rng, DOCS - 1), 5, draw_half);
        draw_labels(rng, &query, 3);
        for (size_t k = 0; k < 2; k++) {
            for (size_t i = 0; k && i < query.docs; i++)
                query.x[i][t % 5] += 4;
            learn_round(&state[k], make_round(&made, &query, t, DENSE));
        }
        for (size_t j = 0; j < 5; j++) {
            double a = state[0].scale * state[0].w[j];
            double b = state[1].scale * state[1].w[j];
            hold(fabs(a - b) <= 1e-9, name, "weight with a common part", b, a);
        }
    }
    hold(fabs(state[0].w[0]) > 0, name, "no weight", 0, 1);
    for (size_t k = 0; k < 2; k++)
        learner_close(&state[k]);
}

int main(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (size_t game = 0; game < GAMES; game++)
        check_game(&rng, game, 1 + game % SPACE, game % 2 ? 0.3 : 30);
    check_steps(&rng, "listnet", false, 1);
    check_steps(&rng, "kl", false, 3);
    check_steps(&rng, "smoothdcg", false, 0.3 * 0.01);
    check_steps(&rng, "pdgd", true, 30);
    check_bits(&rng, "listnet");
    check_bits(&rng, "pdgd");
    check_messages(&rng, "listnet");
    check_messages(&rng, "pdgd");
    check_centred(&rng, "squared");
    check_centred(&rng, "kl");
    check_centred(&rng, "listnet");
    if (wrong)
        fprintf(stderr, "adaptive: %lu wrong\n", wrong);
    return wrong ? 1 : 0;
}
