/* A memory of documents: ridge regression with an effect of each pair of query and document. */
#include <math.h>
#include <string.h>

#include "learn/learner_step.h"
#include "memory/memory_columns.h"
#include "memory/memory_keys.h"
#include "memory/memory_view.h"

/* The arrays: P, the weights of the means and of the constant, and what rho is estimated from. */
enum { INVERSE, LEVEL, CONSTANT, MOMENTS, BELIEFS, COUNTED };

/* The learning half. */
struct remembering {
    struct memory memory;
    struct regression regression;
    struct memory_table table; /* pairs of query and document */
    struct memory_table queries; /* n: rounds learnt           */
    bool introduced;           /* a message had the settings   */

    /* Of the round at hand. */
    struct memory_documents documents;
    struct siphash query; /* what keys start with                                */
    uint64_t *key;        /* key[docs], where they have                          */
    uint64_t *changed;    /* changed[n_changed]: keys of entries, each once      */
    size_t n_changed;
    bool *noted;          /* noted[docs]: is the document's key among them?      */
    uint64_t query_key;
    size_t n_queries; /* 1: its entry changed */
    struct buffer keys, columns, query_columns, scratch;
};

static int start(void *own, struct state *state, struct fault *fault)
{
    struct remembering *my = own;
    (void)fault;
    my->memory = memory_of(&state->settings);
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
    buffer_free(&my->keys);
    memory_table_close(&my->queries);
    buffer_free(&my->columns);
    buffer_free(&my->query_columns);
    buffer_free(&my->scratch);
}

/* ---- a round ---- */

/* Room for the keys of a round: all of its documents', those changed, and which these are. */
static int make_room(struct remembering *my, size_t docs, struct fault *fault)
{
    my->key = buffer_for(&my->keys, docs, 2 * sizeof *my->key + sizeof *my->noted, fault);
    if (!my->key)
        return -1;
    my->changed = my->key + docs;
    my->noted = (bool *)(my->changed + docs);
    my->n_changed = my->n_queries = 0;
    memset(my->noted, 0, docs * sizeof *my->noted);
    return 0;
}

static int start_round(struct remembering *my, struct state *state, const struct matrix *x,
                       const struct round *round, struct fault *fault)
{
    struct memory_secret secret = memory_secret(&state->settings);
    my->memory.moments = state->arrays.at[MOMENTS];
    my->memory.beliefs = state->arrays.at[BELIEFS];
    my->memory.counted = state->arrays.at[COUNTED];
    my->memory.score = round->score;
    learner_regression(&my->regression, state, state->w, LEVEL, INVERSE);
    my->regression.constant =
        memory_has_constant(&state->settings) ? state->arrays.at[CONSTANT] : NULL;
    if (make_room(my, x->docs, fault) < 0 || memory_round(round, &my->documents, fault) < 0 ||
        regression_round(&my->regression, x, fault) < 0 ||
        memory_round_query(&my->documents, secret.k0, secret.k1, &my->query, fault) < 0)
        return -1;
    my->query_key = memory_key_query(&my->query);
    return my->documents.names
               ? memory_keys(&my->documents, secret.k0, secret.k1, my->key, &my->scratch, fault)
               : 0;
}

static uint64_t key_of(const struct remembering *my, size_t i)
{
    return my->documents.names ? my->key[i] : memory_key_row(&my->query, (uint32_t)i);
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
    for (size_t i = 0; i < my->documents.docs; i++) {
        struct memory_entry *entry = memory_table_find(&my->table, key_of(my, i));
        if (entry && memory_forget(entry, rho))
            note_change(my, i, entry->key);
    }
}

/* The round counts as one of its query. Where the model is older than its counts, what answers say
 * about the query comes first. */
static int count_round(struct remembering *my, struct state *state, size_t answers,
                       struct fault *fault)
{
    const double *beliefs = state->arrays.at[BELIEFS];
    struct memory_entry *query = memory_table_enter(&my->queries, my->query_key, fault);
    double before = 0;
    if (!query)
        return -1;
    for (size_t i = 0; query->n == 0 && i < my->documents.docs; i++) {
        const struct memory_entry *entry = memory_table_find(&my->table, key_of(my, i));
        before += entry ? entry->n : 0;
    }
    query->n += memory_served(beliefs, before) + 1;
    my->n_queries = 1;
    memory_count_answers(state->arrays.at[BELIEFS], answers);
    return 0;
}

/* Learns the answers y[n] about the documents doc[n]. */
static int learn_answers(struct remembering *my, struct state *state, size_t n,
                         const uint32_t *doc, const double *y, struct fault *fault)
{
    for (size_t h = 0; h < n; h++)
        if (regression_finite(&my->regression, doc[h], fault) < 0)
            return -1;
    if (learner_answers(n, y, fault) < 0)
        return -1;
    state->begun = true;
    if (count_round(my, state, n, fault) < 0)
        return -1;
    for (size_t h = 0; h < n; h++) {
        size_t i = doc[h];
        struct memory_entry *entry = memory_table_enter(&my->table, key_of(my, i), fault);
        if (!entry)
            return -1;
        if (state->settings.set[SETTING_DRIFT] &&
            memory_surprised(&my->memory, &my->regression, i, entry, y[h]))
            forget(my);
        note_change(my, i, entry->key);
        if (memory_learn(&my->memory, &my->regression, i, entry, y[h], fault) < 0)
            return -1;
    }
    return 0;
}

/* Clicks: the places down to the last click are examined, and answered by 1 or 0 (a cascade). In a
 * round without a click all places are, and each answer is 0. */
static int learn_clicks(struct remembering *my, struct state *state, const struct round *round,
                        struct fault *fault)
{
    size_t last = round->places;
    double *y = buffer_for(&state->places, round->places, sizeof *y, fault);
    if (!y || feedback_clicks(round, state->learner->name, 1, fault) < 0)
        return -1;
    while (last > 0 && round->seen[last - 1] == 0)
        last--;
    size_t places = last > 0 ? last : round->places;
    for (size_t a = 0; a < places; a++)
        y[a] = round->seen[a];
    return learn_answers(my, state, places, round->order, y, fault);
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct remembering *my = own;
    struct feedback seen;
    if (start_round(my, state, x, round, fault) < 0)
        return -1;
    if (state->settings.set[SETTING_CLICKS])
        return learn_clicks(my, state, round, fault);
    if (learner_feedback(state, round, &seen, fault) < 0)
        return -1;
    return learn_answers(my, state, seen.docs, seen.doc, seen.relevance, fault);
}

/* ---- models and messages ---- */

static int put_all(struct remembering *my, struct model *model, struct fault *fault)
{
    if (memory_columns_put(MEMORY_PAIRS, &my->columns, &my->table, model, fault) < 0)
        return -1;
    return memory_columns_put(MEMORY_QUERIES, &my->query_columns, &my->queries, model, fault);
}

/* What the last round changed. */
static int put_changes(struct remembering *my, struct model *model, struct fault *fault)
{
    if (memory_columns_put_some(MEMORY_PAIRS, &my->columns, &my->table, my->changed,
                                my->n_changed, model, fault) < 0)
        return -1;
    return memory_columns_put_some(MEMORY_QUERIES, &my->query_columns, &my->queries,
                                   &my->query_key, my->n_queries, model, fault);
}

static int save(void *own, struct state *state, struct model *model, struct fault *fault)
{
    struct remembering *my = own;
    (void)state;
    return put_all(my, model, fault);
}

static int check_moments(const double *moments, struct fault *fault)
{
    for (size_t i = 0; i < MEMORY_MOMENTS; i++)
        if (i != MEMORY_BXY && moments[i] < 0)
            return fault_data(fault, "model: %s %zu is %g, below 0", MEMORY_MOMENTS_COLUMN, i,
                              moments[i]);
    return 0;
}

static int load(void *own, struct state *state, const struct model *model, struct fault *fault)
{
    struct remembering *my = own;
    struct memory_arrays pairs, queries;
    double *beliefs = state->arrays.at[BELIEFS];
    if (memory_columns_find(MEMORY_PAIRS, model, &pairs, fault) < 0 ||
        memory_columns_find(MEMORY_QUERIES, model, &queries, fault) < 0 ||
        memory_columns_check(&pairs, fault) < 0 || memory_columns_check(&queries, fault) < 0 ||
        check_moments(state->arrays.at[MOMENTS], fault) < 0)
        return -1;
    if (!record_column(&model->record, MEMORY_BELIEFS_COLUMN))
        memory_beliefs_make(beliefs, &pairs, model->rounds);
    if (memory_beliefs_check(beliefs, fault) < 0 ||
        memory_table_fill(&my->table, &pairs, fault) < 0)
        return -1;
    return memory_table_fill(&my->queries, &queries, fault);
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
    return how == PUBLISH_CHANGES ? put_changes(my, model, fault) : put_all(my, model, fault);
}

/* ---- the scoring half ---- */

static int take(void *own, const struct model *model, enum taking how, struct fault *fault)
{
    return memory_view_take(own, model, how, fault);
}

static int rank(void *own, const struct matrix *x, const struct round *round, double *s,
                double *index, struct fault *fault)
{
    return memory_view_rank(own, x, round, s, index, fault);
}

static int worth(void *own, const struct matrix *x, double *s, double *values, uint64_t *judged,
                 struct fault *fault)
{
    return memory_view_worth(own, x, s, values, judged, fault);
}

static void leave(void *own)
{
    memory_view_close(own);
}

const struct learner learn_memory = {
    .name = "memory", .letters = "CHKRSps", .least = 1,
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
    .learning = sizeof(struct remembering), .start = start, .learn = learn, .save = save,
    .load = load, .publish = publish, .close = close_memory,
    .scoring = sizeof(struct memory_view), .take = take, .rank = rank, .has_index = true,
    .worth = worth, .leave = leave,
};
