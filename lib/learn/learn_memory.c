/* A memory of documents: ridge regression with an effect of each pair of query and document. */
#include "learn/learn_memory.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/unaligned.h"
#include "learn/learner_step.h"
#include "learn/memory_keys.h"
#include "learn/memory_view.h"

/* The arrays: P, the weights of the means and of the constant, and what rho is estimated from. */
enum { INVERSE, LEVEL, CONSTANT, MOMENTS };

/* The current round: the keys of its documents, and which entries it has changed so far. */
struct remembering {
    struct state *state;
    struct memory memory;
    struct regression *regression;
    struct memory_documents documents;
    struct siphash query; /* what keys start with, where they have none     */
    uint64_t *key;        /* key[docs], where documents have names          */
    uint64_t *changed;    /* changed[state->changed_pairs]: keys, each once */
    struct memory_entry *before; /* before[state->changed_pairs]: these entries, to be undone */
    bool *noted;          /* noted[docs]: is the document's key among them? */
};

/* Room for the keys of a round: all of its documents', those changed, what their entries were, and
 * which these are. */
static int make_room(struct remembering *my, size_t docs, struct fault *fault)
{
    size_t each = 2 * sizeof *my->key + sizeof *my->before + sizeof *my->noted;
    my->key = buffer_for(&my->state->keys, docs, each, fault);
    if (!my->key)
        return -1;
    my->changed = my->key + docs;
    my->before = (struct memory_entry *)(my->changed + docs);
    my->noted = (bool *)(my->before + docs);
    memset(my->noted, 0, docs * sizeof *my->noted);
    my->state->changed_keys = my->changed;
    my->state->changed_before = my->before;
    my->state->changed_pairs = 0;
    return 0;
}

static int start(struct remembering *my, struct state *state, const struct matrix *x,
                 const struct round *round, struct fault *fault)
{
    struct memory_secret secret = memory_secret(&state->settings);
    my->state = state;
    my->memory = memory_of(&state->settings);
    my->memory.moments = state->arrays[MOMENTS];
    my->regression = learner_regression(state, state->w, LEVEL, INVERSE);
    my->regression->constant = memory_has_constant(&state->settings)
                                   ? state->arrays[CONSTANT] : NULL;
    if (make_room(my, x->docs, fault) < 0 || memory_round(round, &my->documents, fault) < 0 ||
        regression_round(my->regression, x, fault) < 0)
        return -1;
    return my->documents.names
               ? memory_keys(&my->documents, secret.k0, secret.k1, my->key, &state->scratch, fault)
               : memory_round_query(&my->documents, secret.k0, secret.k1, &my->query, fault);
}

static uint64_t key_of(const struct remembering *my, size_t i)
{
    return my->documents.names ? my->key[i] : memory_key_row(&my->query, (uint32_t)i);
}

/* Document i's entry changes, and was so before: a message of the ring must hold it. */
static void note_change(struct remembering *my, size_t i, const struct memory_entry *before)
{
    size_t n = my->state->changed_pairs;
    if (my->noted[i])
        return;
    my->noted[i] = true;
    my->changed[n] = before->key;
    my->before[n] = *before;
    my->state->changed_pairs++;
}

static void undo(struct state *state)
{
    memory_table_restore(&state->memory, state->changed_before, state->changed_pairs);
}

/* The query has changed: forgets what is remembered of all of its documents. */
static void forget(struct remembering *my)
{
    for (size_t i = 0; i < my->documents.docs; i++) {
        struct memory_entry *entry = memory_table_find(&my->state->memory, key_of(my, i));
        struct memory_entry before = entry ? *entry : (struct memory_entry){ 0, 0, 0 };
        if (entry && memory_forget(entry))
            note_change(my, i, &before);
    }
}

/* Learns the answer y about document i. */
static int learn_answer(struct remembering *my, size_t i, double y, struct fault *fault)
{
    struct state *state = my->state;
    if (long_work(&state->work, learner_steps(state, my->regression->x), fault) < 0)
        return -1;
    state->begun = true;
    struct memory_entry *entry = memory_table_enter(&state->memory, key_of(my, i), fault);
    if (!entry)
        return -1;
    if (state->settings.set[SETTING_DRIFT] &&
        memory_surprised(&my->memory, my->regression, i, entry, y))
        forget(my);
    note_change(my, i, entry);
    return memory_learn(&my->memory, my->regression, i, entry, y, fault);
}

/* Clicks: the places down to the last click are examined, and answered by 1 or 0 (a cascade). */
static int learn_clicks(struct remembering *my, const struct round *round, struct fault *fault)
{
    size_t places = round->places;
    if (feedback_clicks(round, my->state->learner->name, 1, fault) < 0)
        return -1;
    while (places > 0 && round->seen[places - 1] == 0)
        places--;
    for (size_t a = 0; a < places; a++)
        if (regression_finite(my->regression, round->order[a], fault) < 0)
            return -1;
    for (size_t a = 0; a < places; a++)
        if (learn_answer(my, round->order[a], round->seen[a], fault) < 0)
            return -1;
    return 0;
}

static int learn(struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct remembering my;
    struct feedback feedback;
    if (start(&my, state, x, round, fault) < 0)
        return -1;
    if (state->settings.set[SETTING_CLICKS])
        return learn_clicks(&my, round, fault);
    if (learner_feedback(state, round, &feedback, fault) < 0)
        return -1;
    for (size_t h = 0; h < feedback.docs; h++)
        if (regression_finite(my.regression, feedback.doc[h], fault) < 0)
            return -1;
    for (size_t h = 0; h < feedback.docs; h++)
        if (learn_answer(&my, feedback.doc[h], feedback.relevance[h], fault) < 0)
            return -1;
    return 0;
}

/* ---- as a model ---- */

/* One column of the table, made while it is written: keys rising. */
struct table_column {
    struct column_source source; /* first, so that `next` finds the rest */
    const struct memory_table *table;
    struct memory_walk walk;
    size_t offset; /* of the number in an entry */
};

static void next_numbers(struct column_source *source, void *values, size_t n)
{
    struct table_column *my = (struct table_column *)source;
    for (size_t i = 0; i < n; i++) {
        const char *entry = (const char *)memory_table_next(my->table, &my->walk);
        memcpy((char *)values + 8 * i, entry + my->offset, 8);
    }
}

static void first_again(struct column_source *source)
{
    struct table_column *my = (struct table_column *)source;
    memset(&my->walk, 0, sizeof my->walk);
}

static const struct {
    const char *name;
    enum column_type type;
    size_t offset;
} table_columns[] = {
    { MEMORY_KEYS, COLUMN_U8, offsetof(struct memory_entry, key) },
    { MEMORY_ANSWERS, COLUMN_F8, offsetof(struct memory_entry, n) },
    { MEMORY_SUMS, COLUMN_F8, offsetof(struct memory_entry, sum) },
};
enum { TABLE_COLUMNS = sizeof table_columns / sizeof *table_columns };

/* Adds all entries. */
static int save_table(struct state *state, struct model *model, struct fault *fault)
{
    const struct memory_table *table = &state->memory;
    struct table_column *made = buffer_for(&state->saved, TABLE_COLUMNS, sizeof *made, fault);
    for (size_t c = 0; made && c < TABLE_COLUMNS; c++) {
        made[c] = (struct table_column){ .source = { next_numbers, first_again }, .table = table,
                                         .offset = table_columns[c].offset };
        if (model_put_source(model, table_columns[c].name, table_columns[c].type, table->used,
                             &made[c].source, fault) < 0)
            return -1;
    }
    return made ? 0 : -1;
}

/* Adds the entries that the last round changed. */
static int put_changes(struct state *state, struct model *model, struct fault *fault)
{
    size_t n = state->changed_pairs;
    const uint64_t *key = state->changed_keys;
    double *number = buffer_for(&state->saved, n, 2 * sizeof *number, fault);
    if (!number)
        return -1;
    for (size_t e = 0; e < n; e++) {
        const struct memory_entry *entry = memory_table_find(&state->memory, key[e]);
        number[e] = entry->n;
        number[n + e] = entry->sum;
    }
    if (model_put_whole(model, MEMORY_KEYS, n, key, fault) < 0 ||
        model_put(model, MEMORY_ANSWERS, n, number, fault) < 0)
        return -1;
    return model_put(model, MEMORY_SUMS, n, number + n, fault);
}

static int publish(struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    if (state->rounds == state->resumed && settings_save(&state->settings, model, fault) < 0)
        return -1;
    if ((!state->settings.set[SETTING_PLAIN] &&
         model_put(model, "level", state->dim, state->arrays[LEVEL], fault) < 0) ||
        model_put(model, MEMORY_CONSTANT, 1, state->arrays[CONSTANT], fault) < 0 ||
        model_put(model, MEMORY_MOMENTS_COLUMN, MEMORY_MOMENTS, state->arrays[MOMENTS], fault) < 0)
        return -1;
    if (how == PUBLISH_CHANGES)
        return put_changes(state, model, fault);
    if (how == PUBLISH_WHOLE)
        return save_table(state, model, fault);
    model->shared = &state->memory;
    return 0;
}

/* Are the keys above 0 and rising, and the numbers such as answers give? */
static int check_entries(const struct memory_arrays *arrays, struct fault *fault)
{
    uint64_t last = 0;
    for (size_t i = 0; i < arrays->count; i++) {
        uint64_t key = unaligned_u8(arrays->key + 8 * i);
        double n = unaligned_f8(arrays->n + 8 * i), sum = unaligned_f8(arrays->sum + 8 * i);
        if (key <= last)
            return fault_data(fault, "model: key %zu is %" PRIu64 " after %" PRIu64 ": keys must "
                              "rise", i, key, last);
        if (!(n >= 0) || isinf(n) || !isfinite(sum))
            return fault_data(fault, "model: pair %zu has %g answers with the sum %g", i, n, sum);
        last = key;
    }
    return 0;
}

static int check_moments(const double *moments, struct fault *fault)
{
    for (size_t i = 0; i < MEMORY_MOMENTS; i++)
        if (i != MEMORY_BXY && moments[i] < 0)
            return fault_data(fault, "model: %s %zu is %g, below 0", MEMORY_MOMENTS_COLUMN, i,
                              moments[i]);
    return 0;
}

static int load(struct state *state, const struct model *model, struct fault *fault)
{
    struct memory_arrays arrays;
    if (memory_find_arrays(model, &arrays, fault) < 0 || check_entries(&arrays, fault) < 0 ||
        check_moments(state->arrays[MOMENTS], fault) < 0)
        return -1;
    return memory_table_fill(&state->memory, &arrays, fault);
}

static int rank(const struct matrix *x, const struct round *round,
                const struct ring_extras *extras, double *s, double *index, struct fault *fault)
{
    return memory_view_rank(extras->memory, x, round, extras->dim, s, index, fault);
}

static int take(const struct ring_extras *extras, struct settings *settings,
                const struct model *model, bool ring, struct fault *fault)
{
    return memory_view_take(extras->memory, settings, model, ring, fault);
}

const struct learner learn_memory = {
    .name = "memory", .letters = "CHKRSps", .least = 1, .learn = learn,
    .arrays = { [INVERSE] = { "inverse", ARRAY_UDU_CONSTANT, SETTING_PLAIN, 0 },
                [LEVEL] = { "level", ARRAY_VECTORS, SETTINGS, 0 },
                [CONSTANT] = { MEMORY_CONSTANT, ARRAY_NUMBERS, SETTINGS, 1 },
                [MOMENTS] = { MEMORY_MOMENTS_COLUMN, ARRAY_NUMBERS, SETTINGS, MEMORY_MOMENTS } },
    .preset = { [SETTING_TRADEOFF] = 10, [SETTING_EXPLORATION_WIDTH] = 4, [SETTING_SEED] = 1 },
    .most = 4096, .made = "scale",
    .rank = rank, .has_index = true,
    .save = save_table, .load = load, .publish = publish, .take = take,
    .undo = undo,
};
