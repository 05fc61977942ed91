#include "memory/memory_view.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "memory/memory_columns.h"
#include "math/finite.h"

struct memory memory_of(const struct settings *settings)
{
    bool given = settings->set[SETTING_RHO];
    return (struct memory){ .rho = given ? settings->value[SETTING_RHO] : MEMORY_RHO,
                            .fixed = given };
}

bool memory_has_constant(const struct settings *settings)
{
    return !settings->set[SETTING_RHO] || settings->value[SETTING_RHO] > 0;
}

int memory_check_moments(const double *moments, struct fault *fault)
{
    for (size_t i = 0; i < MEMORY_MOMENTS; i++)
        if (i != MEMORY_BXY && moments[i] < 0)
            return fault_data(fault, "model: %s %zu is %g, below 0", MEMORY_MOMENTS_COLUMN, i,
                              moments[i]);
    return 0;
}

static int take_entries(struct memory_view *view, const struct model *model, enum taking how,
                        struct fault *fault)
{
    view->table = how == TAKE_SHARED ? memory_columns_table(model, MEMORY_PAIRS) : NULL;
    if (view->table)
        return 0;
    if (memory_columns_find(model, MEMORY_PAIRS, &view->arrays, fault) < 0)
        return -1;
    if (how == TAKE_FILE)
        return 0;
    view->table = &view->own;
    return memory_table_fill(&view->own, &view->arrays, fault);
}

static int take_queries(struct memory_known *queries, const struct model *model, enum taking how,
                        struct fault *fault)
{
    queries->table = how == TAKE_SHARED ? memory_columns_table(model, MEMORY_QUERIES) : NULL;
    if (queries->table)
        return 0;
    if (memory_columns_find(model, MEMORY_QUERIES, &queries->arrays, fault) < 0)
        return -1;
    if (how == TAKE_FILE)
        return 0;
    queries->table = &queries->own;
    return memory_table_fill(&queries->own, &queries->arrays, fault);
}

/* How the model knows documents. A model that does not say so is older. */
static int take_ways(struct memory_view *view, const struct model *model, enum taking how,
                     struct fault *fault)
{
    if (memory_ways_load(&view->ways, model, fault) < 0)
        return -1;
    if (how == TAKE_FILE && !view->ways && model->rounds)
        view->ways = MEMORY_ROWS;
    return 0;
}

/* The weights of the means: the learner's own array, or a copy. */
static int take_level(struct memory_view *view, const struct model *model, enum taking how,
                      struct fault *fault)
{
    view->level = NULL;
    if (view->settings.set[SETTING_PLAIN])
        return 0;
    if (how == TAKE_SHARED) {
        const void *at;
        int found = model_find(model, MEMORY_LEVEL, model->dim, &at, fault);
        view->level = at;
        return found;
    }
    double *level = buffer_for(&view->levels, model->dim, sizeof *level, fault);
    view->level = level;
    return level ? model_array(model, MEMORY_LEVEL, model->dim, level, fault) : -1;
}

int memory_view_take(struct memory_view *view, const struct model *model, enum taking how,
                     struct fault *fault)
{
    struct settings *settings = &view->settings;
    double moments[MEMORY_MOMENTS];
    view->dim = model->dim;
    if (record_key(&model->record, "width")) {
        if (settings_load(settings, model, fault) < 0)
            return -1;
        view->secret = memory_secret(settings);
        view->width = settings->value[SETTING_EXPLORATION_WIDTH];
    }
    if (!settings->set[SETTING_EXPLORATION_WIDTH] || !settings->set[SETTING_SEED])
        return fault_data(fault, "model: memory needs width= and seed=");
    struct memory memory = memory_of(settings);
    memory.moments = moments;
    if (model_array(model, MEMORY_MOMENTS_COLUMN, MEMORY_MOMENTS, moments, fault) < 0 ||
        model_array(model, MEMORY_CONSTANT, 1, &view->constant, fault) < 0 ||
        take_level(view, model, how, fault) < 0 || take_ways(view, model, how, fault) < 0 ||
        take_queries(&view->queries, model, how, fault) < 0)
        return -1;
    view->estimate = memory_estimate(&memory);
    return take_entries(view, model, how, fault);
}

/* What is remembered of a pair; nothing at all of a new one. */
static struct memory_entry find(const struct memory_view *view, uint64_t key)
{
    struct memory_entry entry = { .key = key };
    const struct memory_entry *known = view->table ? memory_table_find(view->table, key) : NULL;
    if (known)
        return *known;
    if (!view->table)
        (void)memory_arrays_find(&view->arrays, key, &entry);
    return entry;
}

static bool knows(const void *own, uint64_t key)
{
    struct memory_entry entry = find(own, key);
    return entry.n != 0 || entry.sum != 0;
}

static bool knows_query(const struct memory_known *queries, uint64_t key)
{
    struct memory_entry entry;
    return queries->table ? memory_table_find(queries->table, key) != NULL
                          : memory_arrays_find(&queries->arrays, key, &entry);
}

/* Starts the keys of a round, and fetches the places of its entries. */
static int start_round(struct memory_view *view, const struct round *round, struct fault *fault)
{
    unsigned way;
    if (memory_ways_round(&view->keys, round, view->secret, view->ways, knows, view, &way,
                          fault) < 0)
        return -1;
    return memory_keys_all(&view->keys, fault);
}

/* A round is ranked of which `known` documents are known. */
static void look(struct memory_view *view, size_t known)
{
    if (view->looked == MEMORY_LOOKS ||
        !knows_query(&view->queries, memory_key_query(&view->keys.query)))
        return;
    view->looked++;
    view->strange = known == 0;
}

int memory_view_rank(struct memory_view *view, const struct matrix *x, const struct round *round,
                     double *s, double *index, struct fault *fault)
{
    size_t m = x->docs, known = 0;
    double *t = buffer_for(&view->spare, m + matrix_width(x), sizeof *t, fault);
    if (!t || start_round(view, round, fault) < 0)
        return -1;
    const uint64_t *key = view->keys.key;
    for (size_t i = 0; view->table && i < m; i++)
        memory_table_prefetch(view->table, key[i]);
    memory_expect(x, view->level, view->constant, view->dim, s, t, t + m);
    for (size_t i = 0; i < m; i++) {
        struct memory_entry entry = find(view, key[i]);
        if (entry.n == 0 && entry.sum == 0) { /* nothing remembered: the same, and sooner */
            index[i] = s[i] + view->width * view->estimate.sb;
            continue;
        }
        known++;
        s[i] = memory_mean(&view->estimate, s[i], &entry);
        index[i] = memory_index(&view->estimate, s[i], &entry, view->width);
    }
    look(view, known);
    if (finite_scores(m, s, "what is remembered of it is not finite: the model is damaged",
                      fault) < 0)
        return -1;
    return finite_scores(m, index, "its index is too large: use a smaller width", fault);
}

bool memory_view_notice(struct memory_view *view, const struct round *round, struct fault *line)
{
    char name[ROUND_NAME];
    if (!view->strange || view->noticed)
        return false;
    view->noticed = true;
    (void)fault_other(line, "%s: the model knows this query, and none of its %zu documents: are "
                      "they the same documents, with the same names or features, as when it "
                      "learnt?", round_name(round, name), round->docs);
    return true;
}

void memory_view_close(struct memory_view *view)
{
    memory_table_close(&view->own);
    memory_table_close(&view->queries.own);
    memory_keys_close(&view->keys);
    buffer_free(&view->levels);
    buffer_free(&view->spare);
}
