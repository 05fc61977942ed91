#include "memory/memory_view.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "memory/memory_columns.h"
#include "memory/memory_keys.h"
#include "math/finite.h"
#include "math/rng.h"

struct memory_secret memory_secret(const struct settings *settings)
{
    struct rng rng = rng_at((uint64_t)settings->value[SETTING_SEED], RNG_MEMORY, 0);
    uint64_t k0 = rng_bits(&rng);
    return (struct memory_secret){ k0, rng_bits(&rng) };
}

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

int memory_round(const struct round *round, struct memory_documents *documents,
                 struct fault *fault)
{
    const struct column *name = record_column(round->record, "name");
    if (name && name->type != COLUMN_U1)
        return fault_data(fault, "the column 'name' is of type %s, not u1",
                          column_type_name(name->type));
    *documents = (struct memory_documents){
        .qid = round->qid, .docs = round->docs, .bytes = name ? (size_t)name->count : 0,
        .names = name ? name->data : NULL,
    };
    return 0;
}

static int take_entries(enum memory_kind kind, struct memory_store *store,
                        const struct model *model, enum taking how, struct fault *fault)
{
    store->table = how == TAKE_SHARED ? memory_columns_table(kind, model) : NULL;
    if (store->table)
        return 0;
    if (memory_columns_find(kind, model, &store->arrays, fault) < 0)
        return -1;
    if (how == TAKE_FILE)
        return 0;
    store->table = &store->own;
    return memory_table_fill(&store->own, &store->arrays, fault);
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

/* How often documents were learnt along each regressor: the learner's own array, or a copy. A model
 * that does not say so counts as one that learnt from none. */
static int take_counted(struct memory_view *view, const struct model *model, enum taking how,
                        struct fault *fault)
{
    const struct settings *settings = &view->settings;
    struct memory_rule *rule = &view->rule;
    const void *at;
    rule->plain = settings->set[SETTING_PLAIN];
    rule->constant = memory_has_constant(settings);
    rule->rho = memory_of(settings).rho;
    rule->lambda = settings->value[SETTING_TRADEOFF];
    size_t rows = regression_rows(model->dim, rule->plain) + rule->constant;
    if (how == TAKE_SHARED) {
        int found = model_find(model, MEMORY_COUNTED, rows, &at, fault);
        rule->counted = at;
        return found;
    }
    double *counted = buffer_for(&view->counts, rows, sizeof *counted, fault);
    rule->counted = counted;
    if (counted && !record_column(&model->record, MEMORY_COUNTED)) {
        memset(counted, 0, rows * sizeof *counted);
        return 0;
    }
    return counted ? model_array(model, MEMORY_COUNTED, rows, counted, fault) : -1;
}

/* The entries, and what all answers say. */
static int take_beliefs(struct memory_view *view, const struct model *model, enum taking how,
                        struct fault *fault)
{
    view->rule.beliefs = view->beliefs;
    if (take_counted(view, model, how, fault) < 0 ||
        take_entries(MEMORY_PAIRS, &view->pairs, model, how, fault) < 0 ||
        take_entries(MEMORY_QUERIES, &view->queries, model, how, fault) < 0)
        return -1;
    if (!record_column(&model->record, MEMORY_BELIEFS_COLUMN)) {
        memory_beliefs_make(view->beliefs, &view->pairs.arrays, model->rounds);
        return 0;
    }
    return model_array(model, MEMORY_BELIEFS_COLUMN, MEMORY_BELIEFS, view->beliefs, fault) < 0
               ? -1 : memory_beliefs_check(view->beliefs, fault);
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
        take_level(view, model, how, fault) < 0)
        return -1;
    view->estimate = memory_estimate(&memory);
    view->rule.estimate = memory_estimate_wide(&memory);
    return take_beliefs(view, model, how, fault);
}

/* What is remembered of a key; nothing at all of a new one. */
static struct memory_entry find(const struct memory_store *store, uint64_t key)
{
    struct memory_entry entry = { key, 0, 0 };
    const struct memory_entry *known = store->table ? memory_table_find(store->table, key) : NULL;
    if (known)
        return *known;
    if (!store->table)
        (void)memory_arrays_find(&store->arrays, key, &entry);
    return entry;
}

/* How many rounds of the query were learnt: of one without an entry, what its answers say. */
static double served(const struct memory_view *view, const struct siphash *query, double answers)
{
    struct memory_entry entry = find(&view->queries, memory_key_query(query));
    return entry.n > 0 ? entry.n : memory_served(view->beliefs, answers);
}

int memory_view_rank(struct memory_view *view, const struct matrix *x, const struct round *round,
                     double *s, double *index, struct fault *fault)
{
    struct memory_documents documents;
    struct siphash query;
    size_t m = x->docs;
    double answers = 0;
    uint64_t *key = buffer_for(&view->keys, m, sizeof *key, fault);
    struct memory_known *known = buffer_for(&view->known, m, sizeof *known, fault);
    double *t = buffer_for(&view->spare, m + matrix_width(x), sizeof *t, fault);
    if (!key || !known || !t || memory_round(round, &documents, fault) < 0 ||
        memory_round_query(&documents, view->secret.k0, view->secret.k1, &query, fault) < 0 ||
        memory_keys(&documents, view->secret.k0, view->secret.k1, key, &view->scratch, fault) < 0)
        return -1;
    for (size_t i = 0; view->pairs.table && i < m; i++)
        memory_table_prefetch(view->pairs.table, key[i]);
    memory_expect(x, view->level, view->constant, view->dim, s, t, t + m);
    for (size_t i = 0; i < m; i++) {
        struct memory_entry entry = find(&view->pairs, key[i]);
        known[i] = (struct memory_known){ entry.n, entry.sum, s[i] };
        answers += entry.n;
        if (entry.n == 0 && entry.sum == 0) { /* nothing remembered: the same, and sooner */
            index[i] = s[i] + view->width * view->estimate.sb;
            continue;
        }
        s[i] = memory_mean(&view->estimate, s[i], &entry);
        index[i] = memory_index(&view->estimate, s[i], &entry, view->width);
    }
    view->learnt = served(view, &query, answers);
    if (finite_scores(m, s, "what is remembered of it is not finite: the model is damaged",
                      fault) < 0)
        return -1;
    return finite_scores(m, index, "its index is too large: use a smaller width", fault);
}

int memory_view_worth(struct memory_view *view, const struct matrix *x, double *s, double *worth,
                      uint64_t *judged, struct fault *fault)
{
    *judged = memory_judged(view->beliefs);
    if (memory_space_start(&view->space, x, view->dim, fault) < 0 ||
        memory_rule_apply(&view->rule, &view->space, view->learnt, view->known.at, s, worth,
                          fault) < 0 ||
        finite_scores(x->docs, s, "its mean is not finite: the model is damaged", fault) < 0)
        return -1;
    return finite_scores(x->docs, worth, "its worth is too large: use smaller features or labels",
                         fault);
}

void memory_view_close(struct memory_view *view)
{
    memory_table_close(&view->pairs.own);
    memory_table_close(&view->queries.own);
    memory_space_close(&view->space);
    buffer_free(&view->counts);
    buffer_free(&view->known);
    buffer_free(&view->levels);
    buffer_free(&view->keys);
    buffer_free(&view->scratch);
    buffer_free(&view->spare);
}
