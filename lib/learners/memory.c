/* A memory of documents: ridge regression with an effect of each pair of query and document. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "learn/examined.h"
#include "learn/learner_step.h"
#include "learn/prior.h"
#include "math/rng.h"
#include "memory/memory_bound.h"
#include "memory/memory_columns.h"
#include "memory/memory_keys.h"
#include "memory/memory_view.h"

/* The arrays: P, the weights of the means and of the constant, and what rho is estimated from. */
enum { INVERSE, LEVEL, CONSTANT, MOMENTS, BELIEFS, COUNTED };

/* The learning half. */
struct remembering {
    struct memory memory;
    struct regression regression;
    struct examination examination; /* of clicks */
    struct memory_table table;   /* pairs of query and document */
    struct memory_table queries; /* (memory_columns.h)          */
    unsigned ways;               /* in which documents were known (memory_ways.h)  */
    uint64_t unnamed;            /* rounds of this run without names, after others */
    bool introduced;           /* a message had the settings   */

    /* Of the round at hand. */
    struct memory_keys keys;
    unsigned way;      /* in which its documents are known               */
    uint64_t query;    /* the key of the query                           */
    uint64_t *changed; /* changed[n_changed]: keys of entries that changed or are gone */
    uint64_t *queries_changed; /* the same for queries                   */
    size_t n_changed, n_queries;
    bool *noted;       /* noted[docs]: is the document's key among them? */
    struct buffer changes, columns, query_columns;
};

static int start(void *own, struct state *state, struct fault *fault)
{
    struct remembering *my = own;
    const struct settings *settings = &state->settings;
    if (settings->set[SETTING_CLICKS] && settings->set[SETTING_EXAMINATION])
        return fault_usage(fault, "clicks and examination exclude each other: they are two models "
                           "of how users read a list");
    my->memory = memory_of(settings);
    if (!memory_has_constant(&state->settings))
        state->arrays.row[INVERSE].shape = ARRAY_UDU;
    if (!memory_has_constant(&state->settings))
        state->arrays.row[COUNTED].shape = ARRAY_ROWS;
    return 0;
}

static void close_memory(void *own)
{
    struct remembering *my = own;
    regression_close(&my->regression);
    memory_table_close(&my->table);
    memory_table_close(&my->queries);
    memory_keys_close(&my->keys);
    examination_close(&my->examination);
    buffer_free(&my->changes);
    buffer_free(&my->columns);
    buffer_free(&my->query_columns);
}

/* ---- a round ---- */

/* Room for the keys that change in a round, and whose documents these are. */
static int make_room(struct remembering *my, size_t docs, struct fault *fault)
{
    size_t room = 2 * docs + MEMORY_COMPARED + 1; /* each document's, what makes way, what is old */
    my->changed =
        buffer_for(&my->changes, room, 2 * sizeof *my->changed + sizeof *my->noted, fault);
    if (!my->changed)
        return -1;
    my->queries_changed = my->changed + room;
    my->noted = (bool *)(my->queries_changed + room);
    my->n_changed = my->n_queries = 0;
    memset(my->noted, 0, docs * sizeof *my->noted);
    return 0;
}

static bool knows(const void *table, uint64_t key)
{
    return memory_table_find(table, key) != NULL;
}

static int start_round(struct remembering *my, struct state *state, const struct matrix *x,
                       const struct round *round, struct fault *fault)
{
    my->memory.moments = state->arrays.at[MOMENTS];
    my->memory.beliefs = state->arrays.at[BELIEFS];
    my->memory.counted = state->arrays.at[COUNTED];
    my->memory.score = round->score;
    my->memory.weighted = state->settings.set[SETTING_EXAMINATION]; /* by the model, perhaps */
    learner_regression(&my->regression, state, state->w, LEVEL, INVERSE);
    my->regression.constant =
        memory_has_constant(&state->settings) ? state->arrays.at[CONSTANT] : NULL;
    if (make_room(my, x->docs, fault) < 0 || regression_round(&my->regression, x, fault) < 0 ||
        memory_ways_round(&my->keys, round, memory_secret(&state->settings), my->ways, knows,
                          &my->table, &my->way, fault) < 0)
        return -1;
    my->query = memory_key_query(&my->keys.query);
    return 0;
}

/* Document i's entry changes: a message of the ring must hold it. */
static void note_change(struct remembering *my, size_t i, uint64_t key)
{
    if (!my->noted[i])
        my->changed[my->n_changed++] = key;
    my->noted[i] = true;
}

/* The query has changed: forgets what is remembered of all of its documents. */
static void forget(struct remembering *my)
{
    double rho = memory_estimate_wide(&my->memory).rho;
    for (size_t i = 0; i < my->keys.documents.docs; i++) {
        struct memory_entry *entry = memory_table_find(&my->table, memory_keys_of(&my->keys, i));
        if (entry && memory_forget(entry, rho))
            note_change(my, i, entry->key);
    }
}

/* How many rounds of the query, which has no entry, were learnt by an older model, as far as its
 * answers say. */
static double visits_before(struct remembering *my, const struct state *state)
{
    double answers = 0;
    for (size_t i = 0; i < my->keys.documents.docs; i++) {
        struct memory_entry *entry = memory_table_find(&my->table, memory_keys_of(&my->keys, i));
        answers += entry ? entry->n : 0;
    }
    return memory_served(state->arrays.at[BELIEFS], answers);
}

/* The query is visited, in a way that is known from now on. 0 or a fault. */
static int visit(struct remembering *my, const struct state *state, struct fault *fault)
{
    struct memory_entry *query = memory_table_enter(&my->queries, my->query, fault);
    if (!query)
        return -1;
    query->n += (query->n > 0 ? 0 : visits_before(my, state)) + 1;
    query->sum = (double)(state->rounds + 1);
    my->queries_changed[my->n_queries++] = my->query;
    my->unnamed += my->way != MEMORY_NAMES && my->ways & MEMORY_NAMES;
    my->ways |= my->way;
    return 0;
}

static struct memory_bound bound_of(struct remembering *my, const struct state *state)
{
    return (struct memory_bound){ &my->table, &my->queries, my->memory.rho,
                                  (double)(state->rounds + 1), my->query };
}

/* A pair goes, and its query with its last pair. */
static void drop(struct remembering *my, const struct memory_bound *bound, uint64_t key)
{
    uint64_t query = memory_bound_remove(bound, key);
    my->changed[my->n_changed++] = key;
    if (query)
        my->queries_changed[my->n_queries++] = query;
}

/* The entry of document i, a new one where there is none, for which another may go; NULL with a
 * fault. */
static struct memory_entry *enter(struct remembering *my, const struct state *state, size_t i,
                                  struct fault *fault)
{
    struct memory_bound bound = bound_of(my, state);
    uint64_t key = memory_keys_of(&my->keys, i);
    if (state->settings.set[SETTING_PAIRS] && !memory_table_find(&my->table, key) &&
        (double)my->table.used >= state->settings.value[SETTING_PAIRS])
        drop(my, &bound, memory_bound_least(&bound, key));
    struct memory_entry *entry = memory_table_enter(&my->table, key, fault);
    if (entry)
        memory_bound_own(&bound, entry, my->query);
    return entry;
}

/* Drops pairs of old queries, of some that the number of the round draws. */
static void drop_old(struct remembering *my, const struct state *state)
{
    const struct settings *settings = &state->settings;
    if (!settings->set[SETTING_AGE])
        return;
    uint64_t old[MEMORY_COMPARED];
    struct memory_bound bound = bound_of(my, state);
    struct rng rng = rng_at((uint64_t)settings->value[SETTING_SEED], RNG_MEMORY, state->rounds + 1);
    size_t n = memory_bound_old(&bound, rng_bits(&rng), settings->value[SETTING_AGE], old);
    for (size_t i = 0; i < n; i++)
        drop(my, &bound, old[i]);
}

/* Learns the answers y[n] about the documents doc[n], with the weights u[n]; NULL: 1 each. */
static int learn_answers(struct remembering *my, struct state *state, size_t n,
                         const uint32_t *doc, const double *y, const double *u,
                         struct fault *fault)
{
    double all = u ? 0 : (double)n;
    for (size_t h = 0; u && h < n; h++)
        all += u[h];
    for (size_t h = 0; h < n; h++)
        if (regression_finite(&my->regression, doc[h], fault) < 0)
            return -1;
    if (learner_answers(n, y, fault) < 0)
        return -1;
    state->begun = true;
    if (n > 0 && visit(my, state, fault) < 0)
        return -1;
    memory_count_answers(state->arrays.at[BELIEFS], all);
    drop_old(my, state);
    for (size_t h = 0; h < n; h++) {
        size_t i = doc[h];
        const struct memory_answer answer = { y[h], u ? u[h] : 1 };
        struct memory_entry *entry = enter(my, state, i, fault);
        if (!entry)
            return -1;
        if (state->settings.set[SETTING_DRIFT] &&
            memory_surprised(&my->memory, &my->regression, i, entry, answer))
            forget(my);
        note_change(my, i, entry->key);
        if (memory_learn(&my->memory, &my->regression, i, entry, answer, fault) < 0)
            return -1;
    }
    return 0;
}

/* Clicks. With a table of examination each is the answer click / theta with weight theta. Without
 * one the places down to the last click are examined, and answered by 1 or 0 (a cascade); in a
 * round without a click all places are, and each answer is 0. */
static int learn_clicks(struct remembering *my, struct state *state, const struct round *round,
                        struct fault *fault)
{
    bool weighted = my->memory.weighted;
    const double *theta = weighted ? my->examination.theta : NULL;
    size_t last = round->places;
    double *y = buffer_for(&state->places, round->places, sizeof *y, fault);
    if (!y || feedback_clicks(round, state->learner->name, 1, fault) < 0 ||
        (weighted && examination_covers(&my->examination, round->places, fault) < 0))
        return -1;
    while (!weighted && last > 0 && round->seen[last - 1] == 0)
        last--;
    size_t places = last > 0 ? last : round->places;
    for (size_t a = 0; a < places; a++)
        y[a] = weighted ? round->seen[a] / theta[a] : round->seen[a];
    return learn_answers(my, state, places, round->order, y, theta, fault);
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct remembering *my = own;
    struct feedback seen;
    if (start_round(my, state, x, round, fault) < 0)
        return -1;
    if (state->settings.set[SETTING_CLICKS] || my->memory.weighted)
        return learn_clicks(my, state, round, fault);
    if (learner_feedback(state, round, &seen, fault) < 0)
        return -1;
    return learn_answers(my, state, seen.docs, seen.doc, seen.relevance, NULL, fault);
}

/* ---- models and messages ---- */

static int begin(void *own, struct state *state, const struct model *prior, struct fault *fault)
{
    const struct prior_arrays arrays = { LEVEL, INVERSE, CONSTANT,
                                         memory_has_constant(&state->settings), COUNTED };
    (void)own;
    return prior_regression(state, &arrays, prior, fault);
}

static int open_table(void *own, struct state *state, struct watch *watch, struct fault *fault)
{
    struct remembering *my = own;
    return examined_open(&my->examination, &state->settings, watch, fault);
}

static int put_tables(struct remembering *my, struct model *model, struct fault *fault)
{
    if (memory_columns_put(&my->columns, MEMORY_PAIRS, &my->table, model, fault) < 0)
        return -1;
    return memory_columns_put(&my->query_columns, MEMORY_QUERIES, &my->queries, model, fault);
}

/* What the last round changed. */
static int put_changes(struct remembering *my, struct model *model, struct fault *fault)
{
    if (memory_columns_put_some(&my->columns, MEMORY_PAIRS, &my->table, my->changed,
                                my->n_changed, model, fault) < 0)
        return -1;
    return memory_columns_put_some(&my->query_columns, MEMORY_QUERIES, &my->queries,
                                   my->queries_changed, my->n_queries, model, fault);
}

static int save(void *own, struct state *state, struct model *model, struct fault *fault)
{
    struct remembering *my = own;
    return memory_ways_save(my->ways, model, fault) < 0 || put_tables(my, model, fault) < 0 ||
                   examined_save(&my->examination, &state->settings, model, fault) < 0
               ? -1 : 0;
}

static int load(void *own, struct state *state, const struct model *model, struct fault *fault)
{
    struct remembering *my = own;
    struct memory_arrays pairs, queries;
    double *beliefs = state->arrays.at[BELIEFS];
    if (memory_columns_load(model, MEMORY_PAIRS, &my->table, &pairs, fault) < 0 ||
        memory_columns_load(model, MEMORY_QUERIES, &my->queries, &queries, fault) < 0 ||
        memory_check_moments(state->arrays.at[MOMENTS], fault) < 0 ||
        memory_ways_load(&my->ways, model, fault) < 0 ||
        examined_load(&my->examination, &state->settings, model, fault) < 0)
        return -1;
    if (!my->ways && model->rounds) /* which is older */
        my->ways = MEMORY_ROWS;
    if (!record_column(&model->record, MEMORY_BELIEFS_COLUMN))
        memory_beliefs_make(beliefs, &pairs, model->rounds);
    if (memory_beliefs_check(beliefs, fault) < 0)
        return -1;
    const struct settings *settings = &state->settings;
    struct memory_bound bound = bound_of(my, state);
    struct rng rng = rng_at((uint64_t)settings->value[SETTING_SEED], RNG_MEMORY, state->rounds + 1);
    memory_bound_count(&bound);
    if (settings->set[SETTING_PAIRS]) /* the model may have more */
        memory_bound_keep(&bound, settings->value[SETTING_PAIRS], &rng);
    return 0;
}

static int publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    struct remembering *my = own;
    const struct settings *settings = &state->settings;
    if (!my->introduced && settings_save(settings, model, fault) < 0)
        return -1;
    my->introduced = true;
    size_t level = settings->set[SETTING_PLAIN] ? CONSTANT : LEVEL; /* none of plain features */
    for (size_t i = level; i <= COUNTED; i++)
        if (arrays_put(&state->arrays, i, settings, state->dim, model, fault) < 0)
            return -1;
    if (memory_ways_save(my->ways, model, fault) < 0)
        return -1;
    return how == PUBLISH_CHANGES ? put_changes(my, model, fault) : put_tables(my, model, fault);
}

static int forget_round(void *own, struct state *state, const struct round *round, bool query,
                        uint64_t *count, struct fault *fault)
{
    struct remembering *my = own;
    my->query = 0;
    struct memory_bound bound = bound_of(my, state);
    if (memory_ways_round(&my->keys, round, memory_secret(&state->settings), my->ways & MEMORY_ROWS,
                          knows, &my->table, &my->way, fault) < 0)
        return -1;
    *count += memory_bound_forget(&bound, &my->keys, query);
    return 0;
}

static bool report(const void *own, struct fault *line)
{
    const struct remembering *my = own;
    if (my->unnamed)
        (void)fault_other(line, "%" PRIu64 " rounds had no names, after rounds with names: their "
                          "documents are known by their features or rows, and nothing that was "
                          "learnt by name counts for them", my->unnamed);
    return my->unnamed > 0;
}

const struct learner learn_memory = {
    .name = "memory", .letters = "ABCHIKRSWpst", .least = 1,
    .arrays = { [INVERSE] = { "inverse", ARRAY_UDU_CONSTANT, SETTING_PLAIN, 0, false },
                [LEVEL] = { MEMORY_LEVEL, ARRAY_VECTORS, SETTINGS, 0, false },
                [CONSTANT] = { MEMORY_CONSTANT, ARRAY_NUMBERS, SETTINGS, 1, false },
                [MOMENTS] = { MEMORY_MOMENTS_COLUMN, ARRAY_NUMBERS, SETTINGS, MEMORY_MOMENTS,
                              false },
                [BELIEFS] = { MEMORY_BELIEFS_COLUMN, ARRAY_NUMBERS, SETTINGS, MEMORY_BELIEFS,
                              true },
                [COUNTED] = { MEMORY_COUNTED, ARRAY_ROWS_CONSTANT, SETTING_PLAIN, 0, true } },
    .preset = { [SETTING_TRADEOFF] = 10, [SETTING_EXPLORATION_WIDTH] = 4, [SETTING_SEED] = 1 },
    .most = 4096, .made = "scale",
    .learning = sizeof(struct remembering), .start = start, .learn = learn, .begin = begin,
    .open = open_table, .save = save, .load = load, .publish = publish, .forget = forget_round,
    .report = report, .close = close_memory, .fingerprints = true,
    .scoring = sizeof(struct memory_view), .take = memory_view_take, .rank = memory_view_rank,
    .has_index = true, .worth = memory_view_worth, .notice = memory_view_notice,
    .leave = memory_view_close,
};
