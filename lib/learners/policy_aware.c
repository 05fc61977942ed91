/* Policy-aware unbiased learning from clicks (Oosterhuis & de Rijke 2020): listwise, with a table
 * of examination. n_jk impressions of pair j at position k, with C_j clicks in all, say so far
 *
 *     E_j = sum_k n_jk theta_k,    t_j = C_j / E_j
 *
 * E_j is the pair's expected examination under the orders of the log, and t_j is an unbiased
 * estimate of its relevance once E_j > 0; before that it is 0. A round descends on the softmax loss
 * of all of its documents,
 *
 *     L = - sum_j t_j ln p_j,   p = softmax(s),   dL/ds = p sum_j t_j - t
 *
 * (Bruch, Wang, Bendersky & Najork 2019). Reading a log twice leaves t_j as it is, so it may be
 * read as often as the steps need. */
#include "explore/feedback.h"
#include "learn/descent.h"
#include "learn/examined.h"
#include "learn/learner_step.h"
#include "math/real.h"
#include "memory/memory_columns.h"
#include "memory/memory_ways.h"
#include "stream/round.h"

struct policy_aware {
    struct descent descent; /* first: DESCENT_HOOKS_AND_MORE */
    struct examination examination;
    struct memory_table table; /* of pairs: n is E_j, sum is C_j */
    unsigned ways;
    struct memory_keys keys; /* of the round at hand */
    struct buffer columns;
};

static bool knows(const void *table, uint64_t key)
{
    return memory_table_find(table, key) != NULL;
}

/* What the round adds to E and C. */
static int count(struct policy_aware *my, const struct round *round, struct fault *fault)
{
    for (size_t a = 0; a < round->places; a++) {
        uint64_t key = memory_keys_of(&my->keys, round->order[a]);
        struct memory_entry *pair = memory_table_enter(&my->table, key, fault);
        if (!pair)
            return -1;
        pair->n += my->examination.theta[a];
        pair->sum += round->seen[a];
    }
    return 0;
}

/* g = dL/ds; p[docs] is room. */
static void find_gradient(const struct policy_aware *my, size_t docs, const double *s, double *p,
                          double *g)
{
    double total = 0;
    for (size_t i = 0; i < docs; i++) {
        const struct memory_entry *pair =
            memory_table_find(&my->table, memory_keys_of(&my->keys, i));
        g[i] = pair && pair->n > 0 ? -pair->sum / pair->n : 0;
        total -= g[i];
    }
    softmax(docs, s, 1, p);
    for (size_t i = 0; i < docs; i++)
        g[i] += total * p[i];
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct policy_aware *my = own;
    unsigned way;
    if (feedback_clicks(round, state->learner->name, 1, fault) < 0 ||
        examination_covers(&my->examination, round->places, fault) < 0 ||
        memory_ways_round(&my->keys, round, memory_secret(&state->settings), my->ways, knows,
                          &my->table, &way, fault) < 0 ||
        memory_keys_all(&my->keys, fault) < 0)
        return -1;
    double *s = learner_score(state, x, fault);
    double *g = buffer_for(&state->scratch, 2 * x->docs, sizeof *g, fault);
    if (!s || !g)
        return -1;
    state->begun = true;
    my->ways |= way;
    if (count(my, round, fault) < 0)
        return -1;
    find_gradient(my, x->docs, s, g + x->docs, g);
    return descent_step(&my->descent, state, x, s, g, fault);
}

/* ---- models ---- */

static int open_table(void *own, struct state *state, struct watch *watch, struct fault *fault)
{
    struct policy_aware *my = own;
    if (examined_open(&my->examination, &state->settings, watch, fault) < 0)
        return -1;
    return my->examination.places > 0
               ? 0 : fault_usage(fault, "policy-aware needs a table of examination: give "
                                 "examination=table; rankpipe-logs(7) says where to get one");
}

static int save(void *own, struct state *state, struct model *model, struct fault *fault)
{
    struct policy_aware *my = own;
    if (memory_ways_save(my->ways, model, fault) < 0 ||
        memory_columns_put(&my->columns, MEMORY_PAIRS, &my->table, model, fault) < 0)
        return -1;
    return examined_save(&my->examination, &state->settings, model, fault);
}

static int load(void *own, struct state *state, const struct model *model, struct fault *fault)
{
    struct policy_aware *my = own;
    struct memory_arrays pairs;
    if (descent_load(own, state, model, fault) < 0 ||
        memory_ways_load(&my->ways, model, fault) < 0 ||
        memory_columns_load(model, MEMORY_PAIRS, &my->table, &pairs, fault) < 0)
        return -1;
    return examined_load(&my->examination, &state->settings, model, fault);
}

static void close_policy_aware(void *own)
{
    struct policy_aware *my = own;
    descent_close(&my->descent);
    examination_close(&my->examination);
    memory_table_close(&my->table);
    memory_keys_close(&my->keys);
    buffer_free(&my->columns);
}

static int take(void *own, const struct learner *learner, const struct model *model,
                enum taking how, struct fault *fault)
{
    (void)own, (void)learner, (void)model, (void)how, (void)fault;
    return 0;
}

static int fingerprint(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct buffer scratch = { .at = NULL };
    (void)own;
    int result = round_fingerprint(ranking->round, ranking->came, &scratch, fault);
    buffer_free(&scratch);
    return result;
}

const struct learner learn_policy_aware = {
    .name = "policy-aware", .letters = "TUest", .eta = descent_eta_estimated, .least = 1,
    .learn = learn, .preset = { [SETTING_SEED] = 1 }, .made = "scale",
    .rank = fingerprint, .take = take,
    .bets = &(const struct descent_bets){ BETS_ON_LENGTH, 1, false },
    .learning = sizeof(struct policy_aware), .start = descent_start, .reach = descent_reach,
    .open = open_table, .save = save, .load = load, .close = close_policy_aware,
};
