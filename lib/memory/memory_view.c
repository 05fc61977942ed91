#include "memory/memory_view.h"

#include <math.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/matrix.h"
#include "memory/memory_tables.h"
#include "memory/memory_beliefs.h"
#include "stream/round.h"

struct memory memory_of(const struct settings *settings, bool clicks)
{
    bool given = settings->set[SETTING_RHO];
    return (struct memory){ .rho = given ? settings->value[SETTING_RHO]
                                   : clicks ? MEMORY_CLICKS_RHO : MEMORY_RHO,
                            .fixed = given };
}

bool memory_has_clicks(const struct settings *settings, const struct memory_clicks *clicks)
{
    return clicks->known ||
           (settings->set[SETTING_CLICKS] && !settings->set[SETTING_EXAMINATION]);
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

static int take_entries(enum memory_kind kind, struct memory_store *store,
                        const struct model *model, enum taking how, struct fault *fault)
{
    store->table = NULL;
    if (memory_tables_find(model, kind, &store->arrays, fault) < 0) return -1;
    if (how == TAKE_FILE)
        return 0;
    store->table = &store->own;
    return memory_table_fill(&store->own, &store->arrays, fault);
}

/* How the model knows documents. A model that does not say so is older. */
static int take_ways(struct memory_view *view, const struct model *model, enum taking how,
                     struct fault *fault)
{
    if (memory_keys_load(&view->own_ways, model, fault) < 0) return -1;
    if (how == TAKE_FILE && !view->own_ways && model->rounds)
        view->own_ways = MEMORY_ROWS;
    return 0;
}

/* Points *at at a copy of the numbers of a column; of one that older models lack, and this one
 * does, zeros. 0 or a fault. */
static int take_numbers(struct buffer *buffer, const struct model *model, const char *name,
                        size_t n, bool later, double **at, struct fault *fault)
{
    *at = buffer_for(buffer, n, sizeof **at, fault);
    if (*at && later && !record_column(&model->record, name)) {
        memset(*at, 0, n * sizeof **at);
        return 0;
    }
    return *at ? model_array(model, name, n, *at, fault) : -1;
}

/* The entries, and what all answers say. */
static int take_beliefs(struct memory_view *view, const struct model *model, enum taking how,
                        struct fault *fault)
{
    double *beliefs = view->at[AT_BELIEFS];
    for (size_t kind = 0; kind < MEMORY_KINDS; kind++)
        if (take_entries((enum memory_kind)kind, &view->store[kind], model, how, fault) < 0)
            return -1;
    if (!record_column(&model->record, MEMORY_BELIEFS_COLUMN))
        memory_beliefs_make(beliefs, &view->store[MEMORY_PAIRS].arrays, model->rounds);
    return memory_beliefs_check(beliefs, fault);
}

/* What follows from the settings. */
static void start_rule(struct memory_view *view)
{
    const struct settings *settings = &view->settings;
    view->secret = memory_secret(settings);
    view->width = settings->value[SETTING_EXPLORATION_WIDTH];
    view->rule.plain = settings->set[SETTING_PLAIN];
    view->rule.constant = memory_has_constant(settings);
    view->rule.lambda = settings->value[SETTING_TRADEOFF];
}

/* The learner's own, which checks its numbers as they change. */
static void take_shared(struct memory_view *view, const struct memory_shared *shared)
{
    view->settings = *shared->settings;
    start_rule(view);
    for (size_t kind = 0; kind < MEMORY_KINDS; kind++)
        view->store[kind].table = &shared->table[kind];
    view->numbers = shared->at;
    view->ways = shared->ways;
    view->clicks = shared->clicks;
}

int memory_view_take(void *own, const struct learner *learner, const struct model *model,
                     enum taking how, struct fault *fault)
{
    struct memory_view *view = own;
    struct settings *settings = &view->settings;
    (void)learner;
    view->dim = model->dim;
    if (model->shared) {
        take_shared(view, model->shared);
        return 0;
    }
    if (record_key(&model->record, "width")) {
        if (settings_load(settings, model, fault) < 0) return -1;
        start_rule(view);
    }
    if (!settings->set[SETTING_EXPLORATION_WIDTH] || !settings->set[SETTING_SEED])
        return fault_data(fault, "model: memory needs width= and seed=");
    const struct {
        const char *name;
        size_t n;
        bool later;
    } column[MEMORY_ARRAYS] = {
        [AT_MOMENTS] = { MEMORY_MOMENTS_COLUMN, MEMORY_MOMENTS, false },
        [AT_CONSTANT] = { MEMORY_CONSTANT, 1, false },
        [AT_LEVEL] = { view->rule.plain ? NULL : MEMORY_LEVEL, model->dim, false },
        [AT_COUNTED] = { MEMORY_COUNTED, regression_rows(model->dim, view->rule.plain) +
                                                    view->rule.constant, true },
        [AT_BELIEFS] = { MEMORY_BELIEFS_COLUMN, MEMORY_BELIEFS, true },
    };
    for (size_t i = 0; i < MEMORY_ARRAYS; i++)
        if (column[i].name && take_numbers(&view->copies[i], model, column[i].name, column[i].n,
                                           column[i].later, &view->at[i], fault) < 0)
            return -1;
    view->numbers = view->at;
    view->ways = &view->own_ways;
    view->clicks = &view->own_clicks;
    return take_ways(view, model, how, fault) < 0 ||
                   memory_clicks_load(&view->own_clicks, model, fault) < 0
               ? -1 : take_beliefs(view, model, how, fault);
}

/* What is remembered of a key; nothing at all of a new one. */
static struct memory_entry find(const struct memory_store *store, uint64_t key)
{
    struct memory_entry entry = { .key = key };
    const struct memory_entry *known = store->table ? memory_table_find(store->table, key) : NULL;
    if (known)
        return *known;
    if (!store->table)
        (void)memory_arrays_find(&store->arrays, key, &entry);
    return entry;
}

static bool knows(const void *store, uint64_t key)
{
    struct memory_entry entry = find(store, key);
    return entry.n != 0 || entry.sum != 0;
}

/* What follows from numbers that may be the learner's own, and have moved. */
static void start_numbers(struct memory_view *view)
{
    bool clicks = memory_has_clicks(&view->settings, view->clicks);
    view->memory = memory_of(&view->settings, clicks);
    view->memory.moments = view->numbers[AT_MOMENTS];
    view->memory.clicks = clicks ? view->clicks : NULL;
    view->rule.rho = view->memory.rho;
    view->rule.beliefs = view->numbers[AT_BELIEFS];
    view->rule.counted = view->numbers[AT_COUNTED];
    view->rule.estimate = memory_estimate(&view->memory, MEMORY_RHO_WIDE);
}

/* Prepares what is known of the round's documents: known[docs] and the keys; s becomes z.v. */
static int start_round(struct memory_view *view, const struct ranking *ranking,
                       struct memory_known **known, struct fault *fault)
{
    const struct matrix *x = ranking->x;
    const struct memory_store *pairs = &view->store[MEMORY_PAIRS];
    size_t m = x->docs;
    const double *level = view->rule.plain ? NULL : view->numbers[AT_LEVEL];
    unsigned way;
    double *t;
    start_numbers(view);
    view->rule.base = ranking->base;
    if (round_fingerprint(ranking->round, ranking->came, &view->spare, fault) < 0 ||
        !(*known = buffer_for(&view->known, m, sizeof **known, fault)) ||
        !(t = buffer_for(&view->spare, m + matrix_width(x), sizeof *t, fault)) ||
        memory_keys_start(&view->keys, ranking->round, view->secret, *view->ways, knows, pairs,
                          &way, fault) < 0 ||
        memory_keys_all(&view->keys, fault) < 0)
        return -1;
    for (size_t i = 0; pairs->table && i < m; i++)
        memory_table_prefetch(pairs->table, view->keys.key[i]);
    memory_expect(x, level, *view->numbers[AT_CONSTANT], view->dim, ranking->s, t, t + m);
    return 0;
}

/* Says, once, that none of the documents of a known query is. */
static void look(struct memory_view *view, const struct ranking *ranking)
{
    char name[ROUND_NAME];
    if (view->noticed || !ranking->line)
        return;
    view->noticed = true;
    (void)fault_other(ranking->line, "%s: the model knows this query, and none of its %zu "
                      "documents: are they the same documents, with the same names or features, as "
                      "when it learnt?", round_name(ranking->round, name), ranking->x->docs);
}

/* Sets known[docs], s[docs] and index[docs], NULL: not asked for. How many rounds of the query were
 * learnt: of one without an entry, what its answers say. */
static double recall(struct memory_view *view, const struct ranking *ranking,
                     struct memory_known *known, double *index)
{
    const uint64_t *key = view->keys.key, query = memory_key_query(&view->keys.query);
    const struct memory_entry slots = find(&view->store[MEMORY_DROPPED], query);
    const struct memory_prospect prospect = memory_prospect(view->rule.beliefs);
    const struct memory_estimate estimate = memory_estimate(&view->memory, MEMORY_RHO_MOST);
    double visits = find(&view->store[MEMORY_QUERIES], query).n, answers = 0, *s = ranking->s;
    const bool dropped = slots.bits[0] || slots.bits[1]; /* low, high: of any pair */
    size_t judged = 0;
    for (size_t i = 0; i < ranking->x->docs; i++) {
        struct memory_entry entry = find(&view->store[MEMORY_PAIRS], key[i]);
        if (entry.n == 0 && dropped && memory_dropped_answer(&slots, key[i], &prospect, &entry.sum))
            entry.n = 1;
        known[i] = (struct memory_known){ entry.n, entry.sum, s[i] };
        answers += entry.n;
        bool any = entry.n != 0 || entry.sum != 0;
        judged += any;
        if (any || estimate.clicks) /* or it is the same, and sooner */
            s[i] = memory_mean(&estimate, s[i], &entry);
        if (index)
            index[i] = any ? memory_index(&estimate, s[i], &entry, view->width)
                           : s[i] + view->width * estimate.sb;
    }
    if (visits > 0 && view->looked < MEMORY_LOOKS && ++view->looked && judged == 0)
        look(view, ranking);
    return visits > 0 ? visits : memory_served(view->rule.beliefs, answers);
}

/* Did fewer clients answer the query than the setting asks for? */
static bool has_few_clients(const struct memory_view *view)
{
    const struct memory_entry clients = find(&view->store[MEMORY_CLIENTS],
                                             memory_key_query(&view->keys.query));
    return view->settings.set[SETTING_CLIENTS] &&
           memory_clients_count(&clients) < view->settings.value[SETTING_CLIENTS];
}

/* Have users said enough of the query? With clicks they have where the sum of values of its
 * documents is a, of answers after HELD_VISITS rounds. */
static bool is_answered(const struct memory_view *view, size_t docs, double a, double learnt)
{
    const struct memory_known *known = view->known.at;
    double values = 0;
    for (size_t i = 0; i < docs; i++)
        values += known[i].sum;
    return view->memory.clicks ? values >= a : learnt >= MEMORY_HELD_VISITS;
}

/* Adds held. It is 3 for all documents where clicks do not foretell clicks, else 2 for those of a
 * query that few clients answered; else 1 for a document whose own answers weigh less than all else
 * in its mean, which is a, in a query of which users have not said enough. */
static int add_held(const struct memory_view *view, const struct ranking *ranking, double learnt,
                    struct fault *fault)
{
    const struct memory_known *known = view->known.at;
    unsigned char *held = round_new(ranking->round, ROUND_HELD, fault);
    const struct memory_clicks *clicks = view->memory.clicks;
    double a = 1 / view->rule.estimate.rho;
    a = clicks && a < 2 ? 2 : a;
    unsigned char all = clicks && !memory_clicks_foretell(clicks) ? 3
                        : has_few_clients(view)                   ? 2 : 0;
    bool open = all == 0 && !is_answered(view, ranking->x->docs, a, learnt);
    for (size_t i = 0; held && i < ranking->x->docs; i++)
        held[i] = open ? known[i].n < a : all;
    return held ? 0 : -1;
}

/* Adds worth and judged=, and s becomes the means to show by. */
static int add_worth(struct memory_view *view, const struct ranking *ranking, double learnt,
                     struct fault *fault)
{
    const struct matrix *x = ranking->x;
    uint64_t judged = memory_judged(view->rule.beliefs);
    double *worth = round_new(ranking->round, ROUND_WORTH, fault);
    if (!worth || memory_space_start(&view->space, x, view->dim, fault) < 0 ||
        memory_rule_apply(&view->rule, &view->space, learnt, view->known.at, ranking->s, worth,
                          fault) < 0 ||
        finite_scores(x->docs, ranking->s, "its mean is not finite: the model is damaged",
                      fault) < 0 ||
        finite_scores(x->docs, worth, "its worth is too large: use smaller features or labels",
                      fault) < 0)
        return -1;
    if (judged && round_set(ranking->round, KEY_JUDGED, judged, fault) < 0) return -1;
    return view->memory.clicks ? round_set(ranking->round, KEY_RATES, 1, fault) : 0;
}

int memory_view_rank(void *own, const struct ranking *ranking, struct fault *fault)
{
    struct memory_view *view = own;
    struct memory_known *known;
    size_t m = ranking->x->docs;
    double *index = NULL;
    if (start_round(view, ranking, &known, fault) < 0 ||
        (!ranking->rival && !(index = round_new(ranking->round, ROUND_INDEX, fault))))
        return -1;
    double learnt = recall(view, ranking, known, index);
    if (finite_scores(m, ranking->s, "what is remembered of it is not finite: the model is damaged",
                      fault) < 0)
        return -1;
    if (ranking->rival)
        return 0;
    return finite_scores(m, index, "its index is too large: use a smaller width", fault) < 0
                   || (ranking->round->base && add_held(view, ranking, learnt, fault) < 0)
               ? -1 : add_worth(view, ranking, learnt, fault);
}

void memory_view_explain(const void *own, const struct round *round, struct explained *added)
{
    const struct memory_view *view = own;
    const struct memory_known *known = view->known.at;
    added->level = view->rule.plain ? NULL : view->numbers[AT_LEVEL];
    added->constant = *view->numbers[AT_CONSTANT];
    for (size_t i = 0; i < round->docs; i++) {
        added->answers[i] = known[i].n;
        added->remembered[i] = round->score[i] - known[i].expected;
    }
}

void memory_view_close(void *own)
{
    struct memory_view *view = own;
    for (size_t kind = 0; kind < MEMORY_KINDS; kind++)
        memory_table_close(&view->store[kind].own);
    memory_keys_close(&view->keys);
    memory_space_close(&view->space);
    for (size_t i = 0; i < MEMORY_ARRAYS; i++)
        buffer_free(&view->copies[i]);
    buffer_free(&view->known);
    buffer_free(&view->spare);
}
