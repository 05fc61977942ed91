/* A memory of documents: ridge regression with an effect of each pair of query and document. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explore/examination.h"
#include "learn/learner_step.h"
#include "learn/regressions.h"
#include "memory/memory_clicks.h"
#include "memory/memory_eviction.h"
#include "memory/memory_form.h"
#include "memory/memory_keys.h"
#include "memory/memory_tables.h"
#include "memory/memory_view.h"

/* The prior of a start at a base: kappa of its other features, and its mean r. */
struct memory_start {
    double kappa, r;
};

/* The learning half. */
struct remembering {
    struct memory memory;
    struct regression regression;
    struct memory_form form;
    struct memory_tables tables;
    struct examination examination; /* of clicks, by a table; */
    struct memory_clicks clicks;    /* and without one        */
    struct memory_start begun;   /* with a base: its prior, where P gave way to a sketch */
    unsigned ways;               /* in which documents were known (memory_keys.h)  */
    uint64_t unnamed;            /* rounds of this run without names, after others */
    uint64_t above;              /* clicks of this run with a value above 1        */
    bool introduced;             /* a message had the settings                     */
    struct memory_shared shared; /* with a score of this process                   */

    /* Of the round at hand. */
    struct memory_keys keys;
    unsigned way;      /* in which its documents are known               */
    uint64_t query;    /* the key of the query                           */
    bool *noted;       /* noted[docs]: is it noted that the pair changed? */
    struct buffer notes, places;
};

enum { DAY = 86400000 }; /* milliseconds */

/* Days by which a clock that was set back is told from rounds that come late. */
static const double late_most = 30;

static int start(void *own, struct state *state, struct fault *fault)
{
    struct remembering *my = own;
    const struct settings *settings = &state->settings;
    if (settings->set[SETTING_CLICKS] && settings->set[SETTING_EXAMINATION])
        return fault_usage(fault, "clicks and examination exclude each other: they are two models "
                           "of how users read a list");
    bool constant = memory_has_constant(settings);
    my->form.arrays = (struct regression_arrays){ AT_LEVEL, AT_INVERSE, AT_CONSTANT, constant,
                                                  AT_COUNTED, NULL };
    state->arrays.row[AT_INVERSE].shape = constant ? ARRAY_UDU_CONSTANT : ARRAY_UDU;
    state->arrays.row[AT_COUNTED].shape = constant ? ARRAY_ROWS_CONSTANT : ARRAY_ROWS;
    return 0;
}

static int shape(void *own, struct state *state, size_t width, const struct model *model,
                 struct fault *fault)
{
    struct remembering *my = own;
    return memory_form_shape(&my->form, state, width, model, fault);
}

static int sums(void *own, struct state *state, enum summing how, struct fault *fault)
{
    struct remembering *my = own;
    return memory_form_sums(&my->form, state, how, fault);
}

static void close_memory(void *own)
{
    struct remembering *my = own;
    memory_form_close(&my->form);
    regression_close(&my->regression);
    memory_tables_close(&my->tables);
    memory_keys_close(&my->keys);
    examination_close(&my->examination);
    buffer_free(&my->notes);
    buffer_free(&my->places);
}

/* ---- a round ---- */

/* What changes in a round: each document's pair, what makes way for it, and what is old. */
static int start_notes(struct remembering *my, size_t docs, struct fault *fault)
{
    my->noted = buffer_for(&my->notes, docs, sizeof *my->noted, fault);
    if (!my->noted) return -1;
    memset(my->noted, 0, docs * sizeof *my->noted);
    return memory_tables_round(&my->tables, memory_eviction_notes(docs) + docs + 1, fault);
}

static bool knows(const void *table, uint64_t key)
{
    return memory_table_find(table, key) != NULL;
}

/* Are the answers of a round clicks, for which no table says how users read? */
static bool has_clicks(const struct state *state, const struct round *round)
{
    const bool *set = state->settings.set;
    return !set[SETTING_EXAMINATION] && (set[SETTING_CLICKS] || round->clicks);
}

static int start_round(struct remembering *my, struct state *state, const struct matrix *x,
                       const struct round *round, struct fault *fault)
{
    bool clicks = has_clicks(state, round);
    my->memory = memory_of(&state->settings, clicks);
    my->memory.clicks = clicks ? &my->clicks : NULL;
    my->memory.moments = state->arrays.at[AT_MOMENTS];
    my->memory.beliefs = state->arrays.at[AT_BELIEFS];
    my->memory.counted = state->arrays.at[AT_COUNTED];
    my->memory.score = round->score;
    my->memory.weighted = clicks || state->settings.set[SETTING_EXAMINATION];
    memory_form_regression(&my->form, state, &my->regression);
    if (start_notes(my, x->docs, fault) < 0 || regression_round(&my->regression, x, fault) < 0 ||
        memory_keys_start(&my->keys, round, memory_secret(&state->settings), my->ways, knows,
                          &my->tables.table[MEMORY_PAIRS], &my->way, fault) < 0)
        return -1;
    my->query = memory_key_query(&my->keys.query);
    return 0;
}

static void note_pair(struct remembering *my, size_t i, uint64_t key)
{
    if (!my->noted[i])
        memory_tables_note(&my->tables, MEMORY_PAIRS, key);
    my->noted[i] = true;
}

/* The pair of document i, or NULL. */
static struct memory_entry *pair_of(const struct remembering *my, size_t i)
{
    return memory_table_find(&my->tables.table[MEMORY_PAIRS], memory_keys_of(&my->keys, i));
}

/* How many rounds of the query, which has no entry, were learnt by an older model, as far as its
 * answers say. */
static double visits_before(struct remembering *my, const struct state *state)
{
    double answers = 0;
    for (size_t i = 0; i < my->keys.documents.docs; i++) {
        struct memory_entry *entry = pair_of(my, i);
        answers += entry ? entry->n : 0;
    }
    return memory_served(state->arrays.at[AT_BELIEFS], answers);
}

static struct memory_eviction bound_of(struct remembering *my, const struct state *state)
{
    const double *value = state->settings.value;
    const bool *set = state->settings.set;
    bool clicks = memory_has_clicks(&state->settings, &my->clicks);
    struct memory_eviction bound = { .tables = &my->tables,
                                  .rho = memory_of(&state->settings, clicks).rho,
                                  .now = (double)(state->rounds + 1),
                                  .age = set[SETTING_AGE] ? value[SETTING_AGE] : 0,
                                  .seed = (uint64_t)value[SETTING_SEED] };
    if (set[SETTING_PAIRS]) {
        bound.prospect = memory_prospect(state->arrays.at[AT_BELIEFS]);
        bound.pairs = value[SETTING_PAIRS];
    }
    return bound;
}

/* The query is visited, in a way that is known from now on; where it is new, another may go. 0 or a
 * fault. */
static int visit(struct remembering *my, const struct state *state, struct fault *fault)
{
    const struct memory_eviction bound = bound_of(my, state);
    struct memory_entry *query = memory_eviction_enter(&bound, MEMORY_QUERIES, my->query, fault);
    if (!query) return -1;
    query->n += (query->n > 0 ? 0 : visits_before(my, state)) + 1;
    query->sum = (double)(state->rounds + 1);
    memory_tables_note(&my->tables, MEMORY_QUERIES, my->query);
    my->unnamed += my->way != MEMORY_NAMES && my->ways & MEMORY_NAMES;
    my->ways |= my->way;
    return 0;
}

/* The entry of document i, a new one where there is none, for which another may go; NULL with a
 * fault. */
static struct memory_entry *enter(struct remembering *my, const struct state *state, size_t i,
                                  struct fault *fault)
{
    const struct memory_eviction bound = bound_of(my, state);
    struct memory_entry *entry =
        memory_eviction_enter(&bound, MEMORY_PAIRS, memory_keys_of(&my->keys, i), fault);
    if (entry)
        entry->owner = my->query;
    return entry;
}

/* Drops what is old. */
static void drop_old(struct remembering *my, const struct state *state)
{
    const struct memory_eviction bound = bound_of(my, state);
    memory_eviction_age(&bound);
}

/* With a base, puts new features at their start. A sketch has no r that follows the answers: it
 * keeps the one that it began with, or that P had, and one kappa for all features. */
static void begin_features(struct remembering *my, struct state *state)
{
    const struct settings *settings = &state->settings;
    struct memory_start now = { base_kappa(settings),
                                memory_spread(state->arrays.at[AT_BELIEFS]) };
    my->memory.kappa = 0;
    if (!base_starts(state))
        return;
    if (!my->form.arrays.sketch) {
        my->memory.kappa = BASE_KAPPA;
    } else {
        if (my->begun.r == 0 && state->started == 0)
            now = (struct memory_start){ 12 * now.kappa * regression_spread(&my->regression), 1 };
        my->begun = now = my->begun.r == 0 ? now : my->begun;
    }
    base_start(state, my->form.arrays, now.kappa, now.r);
}

/* The answers y[n] about the documents doc[n] will be learnt, if they can be. 0 or a fault. */
static int begin_answers(struct remembering *my, struct state *state, size_t n,
                         const uint32_t *doc, const double *y, struct fault *fault)
{
    for (size_t h = 0; h < n; h++)
        if (regression_finite(&my->regression, doc[h], fault) < 0) return -1;
    if (learner_answers(n, y, fault) < 0 || base_check_strength(state, fault) < 0) return -1;
    state->begun = true;
    memory_form_settle(&my->form, state);
    begin_features(my, state);
    return 0;
}

/* Learns answers that were begun, with the weights u[n]; NULL: 1 each. */
static int learn_answers(struct remembering *my, struct state *state, size_t n,
                         const uint32_t *doc, const double *y, const double *u,
                         struct fault *fault)
{
    double all = u ? 0 : (double)n;
    for (size_t h = 0; u && h < n; h++)
        all += u[h];
    if (n > 0 && visit(my, state, fault) < 0) return -1;
    memory_count_answers(state->arrays.at[AT_BELIEFS], all);
    drop_old(my, state);
    for (size_t h = 0; h < n; h++) {
        size_t i = doc[h];
        const struct memory_answer answer = { y[h], u ? u[h] : 1 };
        struct memory_entry *entry = enter(my, state, i, fault);
        if (!entry) return -1;
        note_pair(my, i, entry->key);
        if (memory_learn(&my->memory, &my->regression, i, entry, answer, fault) < 0) return -1;
    }
    return 0;
}

/* Clicks by a table of examination: each, or none, is the answer click / theta, weight theta. */
static int learn_examined(struct remembering *my, struct state *state, const struct round *round,
                          struct fault *fault)
{
    const double *theta = my->examination.theta;
    double *y = buffer_for(&state->places, round->places, sizeof *y, fault);
    if (!y || feedback_clicks(round, state->learner->name, 1, fault) < 0 ||
        examination_covers(&my->examination, round->places, fault) < 0)
        return -1;
    for (size_t a = 0; a < round->places; a++)
        y[a] = round->seen[a] / theta[a];
    return begin_answers(my, state, round->places, round->order, y, fault) < 0
               ? -1 : learn_answers(my, state, round->places, round->order, y, theta, fault);
}

/* Limits what the round gained by its query and its client, on its day. 0 or a fault. */
static int limit_gain(struct remembering *my, const struct state *state,
                      const struct round *round, double gain, struct fault *fault)
{
    struct memory_table *day = &my->tables.table[MEMORY_GAINS];
    const struct memory_secret secret = memory_secret(&state->settings);
    double today = floor((double)round->time / DAY), excess = 0;
    uint64_t key[2] = { my->query, 0 };
    double last = my->clicks.number[MEMORY_DAY];
    if (today > last || (round->time > 0 && today < last - late_most)) {
        memory_gains_forget(day);
        my->clicks.number[MEMORY_DAY] = today;
    }
    if (round->client)
        key[1] = memory_key_anywhere(secret.k0, secret.k1, round->client);
    if (gain != 0 && memory_gains_take(day, key, round->client ? 2 : 1, gain, &excess, fault) < 0)
        return -1;
    memory_clicks_limit(&my->clicks, excess);
    return 0;
}

/* Counts a round, whose clicks `at` has, and sets the rest of it; expected[places] is room. 0 or a
 * fault. */
static int count_clicks(struct remembering *my, const struct state *state,
                        const struct round *round, struct memory_place *at, size_t counts,
                        double *expected, struct fault *fault)
{
    double rho = memory_estimate(&my->memory, MEMORY_RHO_WIDE).rho;
    regression_expect_all(&my->regression, round->places, round->order, expected);
    for (size_t a = 0; a < round->places; a++) {
        const struct memory_entry *pair = pair_of(my, round->order[a]);
        at[a].n = pair ? pair->n : 0;
        at[a].sum = pair ? pair->sum : 0;
        at[a].expected = expected[a];
    }
    my->clicks.known = true;
    double gain = memory_clicks_count(&my->clicks, rho, at, round->places, counts);
    if (!finite_numbers(MEMORY_CLICKS, my->clicks.number))
        return fault_data(fault, "what is expected of its documents is too large for clicks: use "
                          "smaller features");
    return limit_gain(my, state, round, gain, fault);
}

/* Clicks as evidence (memory_clicks.h). */
static int learn_clicks(struct remembering *my, struct state *state, const struct round *round,
                        struct fault *fault)
{
    size_t places = round->places, counts;
    if (!round->seen)
        return fault_data(fault, "memory learns from clicks, and needs the column seen: put "
                          "feedback-mask -c before update");
    double *y = buffer_for(&state->places, places, 2 * sizeof *y, fault), *theta = y + places;
    struct memory_place *at = buffer_for(&my->places, places, sizeof *at, fault);
    if (!y || !at) return -1;
    for (size_t a = 0; a < places; a++) {
        double value = round->seen[a];
        y[a] = value > 1 ? 1 : value > 0 ? value : 0;
        at[a] = (struct memory_place){ .click = value > 0 };
        my->above += value > 1;
    }
    counts = memory_clicks_counting(&my->clicks, at, places);
    if (begin_answers(my, state, counts, round->order, y, fault) < 0 ||
        count_clicks(my, state, round, at, counts, theta, fault) < 0)
        return -1;
    for (size_t a = 0; a < counts; a++) {
        theta[a] = at[a].theta;
        y[a] /= theta[a];
    }
    return learn_answers(my, state, counts, round->order, y, theta, fault);
}

/* Remembers who answered, of a query that was visited. 0 or a fault (memory). */
static int note_client(struct remembering *my, const struct state *state,
                       const struct round *round, struct fault *fault)
{
    struct memory_table *table = my->tables.table;
    double most = state->settings.value[SETTING_CLIENTS];
    if (!(most > 0) || !memory_table_find(&table[MEMORY_QUERIES], my->query))
        return 0;
    struct memory_entry *clients = memory_table_enter(&table[MEMORY_CLIENTS], my->query, fault);
    if (!clients) return -1;
    if (memory_clients_add(clients, memory_key_client(&my->keys.query, round->client,
                                                      state->rounds + 1), (unsigned)most))
        memory_tables_note(&my->tables, MEMORY_CLIENTS, my->query);
    return 0;
}

static int learn_round(struct remembering *my, struct state *state, const struct round *round,
                       struct fault *fault)
{
    struct feedback seen;
    if (my->memory.weighted)
        return my->memory.clicks ? learn_clicks(my, state, round, fault)
                                 : learn_examined(my, state, round, fault);
    if (learner_feedback(state, round, &seen, fault) < 0 ||
        begin_answers(my, state, seen.docs, seen.doc, seen.relevance, fault) < 0)
        return -1;
    return learn_answers(my, state, seen.docs, seen.doc, seen.relevance, NULL, fault);
}

static int learn(void *own, struct state *state, const struct matrix *x, const struct round *round,
                 struct fault *fault)
{
    struct remembering *my = own;
    return start_round(my, state, x, round, fault) < 0 ||
                   learn_round(my, state, round, fault) < 0
               ? -1 : note_client(my, state, round, fault);
}

/* ---- the table of examination ---- */

#define EXAMINATION_COLUMN "examination"

static bool are_same(const struct examination *a, const struct examination *b)
{
    return a->places == b->places &&
           (a->places == 0 || memcmp(a->theta, b->theta, a->places * sizeof *a->theta) == 0);
}

/* Reads the table of examination, if the command line names one; a table that the model had must be
 * the same. */
static int open_table(void *own, struct state *state, struct watch *watch, struct fault *fault)
{
    struct examination *examination = &((struct remembering *)own)->examination;
    const char *path = settings_path(&state->settings, SETTING_EXAMINATION);
    struct examination read = { 0 };
    if (!*path)
        return 0;
    int result = examination_read(&read, path, watch, fault);
    if (result == 0 && examination->places > 0 && !are_same(&read, examination))
        result = fault_data(fault, "%s: the model was learnt with another table of examination: "
                            "omit the setting, or learn into another file", path);
    if (result == 0 && examination->places == 0) {
        examination_close(examination);
        *examination = read;
        return 0;
    }
    examination_close(&read);
    return result;
}

/* In models the table is the column examination. */
static int save_table(const struct examination *examination, const struct settings *settings,
                      struct model *model, struct fault *fault)
{
    if (!settings->set[SETTING_EXAMINATION])
        return 0;
    return model_put(model, EXAMINATION_COLUMN, examination->places, examination->theta, fault);
}

static int load_table(struct examination *examination, const struct settings *settings,
                      const struct model *model, struct fault *fault)
{
    const struct column *column = record_column(&model->record, EXAMINATION_COLUMN);
    if (!settings->set[SETTING_EXAMINATION])
        return 0;
    if (!column || column->count == 0 || column->count > EXAMINATION_PLACES)
        return fault_data(fault, "model: examination=1 needs the column examination, of 1 to %d "
                          "positions", EXAMINATION_PLACES);
    size_t n = (size_t)column->count;
    double *theta = examination_new(examination, n, fault);
    if (!theta || model_array(model, EXAMINATION_COLUMN, n, theta, fault) < 0) return -1;
    return examination_check(examination, fault);
}

/* ---- models and messages ---- */

/* A sketch that began with a base: f8[2], kappa and r. */
#define START_COLUMN "start"

static int save_start(const struct memory_start *begun, struct model *model, struct fault *fault)
{
    return begun->r > 0 ? model_put(model, START_COLUMN, 2, (const double *)begun, fault) : 0;
}

static int load_start(struct memory_start *begun, const struct model *model, struct fault *fault)
{
    if (!record_column(&model->record, START_COLUMN))
        return 0;
    if (model_array(model, START_COLUMN, 2, (double *)begun, fault) < 0) return -1;
    return begun->kappa >= 0 && begun->r > 0
               ? 0 : fault_data(fault, "model: start is %g and %g, but its kappa must be 0 or more "
                                "and its r above 0", begun->kappa, begun->r);
}

static int begin(void *own, struct state *state, const struct model *prior, struct fault *fault)
{
    return prior_regression(state, ((struct remembering *)own)->form.arrays, prior, fault);
}

static int put(struct remembering *my, bool changes, struct model *model, struct fault *fault)
{
    return memory_keys_save(my->ways, model, fault) < 0
               ? -1 : memory_tables_put(&my->tables, changes, model, fault);
}

static int save(void *own, struct state *state, struct model *model, struct fault *fault)
{
    struct remembering *my = own;
    return put(my, false, model, fault) < 0 || memory_form_save(&my->form, model, fault) < 0 ||
                   save_start(&my->begun, model, fault) < 0 ||
                   memory_clicks_save(&my->clicks, model, fault) < 0
               ? -1 : save_table(&my->examination, &state->settings, model, fault);
}

/* There may be more pairs than the settings allow, which differ from those of the model, or than a
 * sum may have of so many rounds. 0 or a fault. */
static int keep_bound(struct remembering *my, const struct state *state, uint64_t rounds,
                      struct fault *fault)
{
    struct memory_eviction bound = bound_of(my, state);
    bound.now = (double)(rounds + 1);
    return memory_eviction_keep(&bound, fault);
}

static int load(void *own, struct state *state, const struct model *model, struct fault *fault)
{
    struct remembering *my = own;
    struct memory_arrays pairs;
    double *beliefs = state->arrays.at[AT_BELIEFS];
    const bool *set = state->settings.set;
    if (record_key(&model->record, "drift"))
        return fault_data(fault, "it was learnt with drift, which left in 0.5.0: it ranks, but "
                          "learn into another file");
    if (set[SETTING_CLICKS] && set[SETTING_EXAMINATION])
        return fault_data(fault, "it learnt clicks by a table of examination: omit clicks, or "
                          "learn into another file");
    if (memory_tables_load(&my->tables, model, &pairs, fault) < 0 ||
        memory_form_load(&my->form, state, model, fault) < 0 ||
        memory_check_moments(state->arrays.at[AT_MOMENTS], fault) < 0 ||
        memory_keys_load(&my->ways, model, fault) < 0 ||
        memory_clicks_load(&my->clicks, model, fault) < 0 ||
        load_table(&my->examination, &state->settings, model, fault) < 0 ||
        load_start(&my->begun, model, fault) < 0)
        return -1;
    if (!my->ways && model->rounds) /* which is older */
        my->ways = MEMORY_ROWS;
    if (!record_column(&model->record, MEMORY_BELIEFS_COLUMN))
        memory_beliefs_make(beliefs, &pairs, model->rounds);
    if (memory_beliefs_check(beliefs, fault) < 0) return -1;
    return keep_bound(my, state, state->rounds, fault);
}

/* How a state began: its kappa and r; r is 0 where it has no features yet, or no base. */
static struct memory_start start_of(const struct remembering *my, const struct state *state)
{
    if (!base_starts(state) || state->started == 0)
        return (struct memory_start){ 0, 0 };
    return my->begun.r > 0 ? my->begun
                           : (struct memory_start){ base_kappa(&state->settings),
                                                    memory_spread(state->arrays.at[AT_BELIEFS]) };
}

static int add(void *own, struct state *state, struct state *share, struct fault *fault)
{
    struct remembering *my = own, *other = share->own;
    if (!are_same(&my->examination, &other->examination))
        return fault_data(fault, "it was learnt with another table of examination than those "
                          "before it: learn all shares with the same settings");
    if (memory_tables_add(&my->tables, (double)state->rounds, &other->tables,
                          (double)share->rounds, fault) < 0)
        return -1;
    my->ways |= other->ways;
    memory_clicks_add(&my->clicks, &other->clicks);
    double *beliefs = state->arrays.at[AT_BELIEFS];
    struct memory_start one = start_of(my, state), two = start_of(other, share);
    memory_beliefs_add(beliefs, share->arrays.at[AT_BELIEFS]);
    bool wide = my->form.arrays.sketch || other->form.arrays.sketch;
    double r = wide ? one.r > 0 ? one.r : two.r : memory_spread(beliefs);
    const struct regression_share begun = { .kappa = two.kappa, .r_more = r - one.r - two.r };
    if (memory_form_add(&my->form, state, &other->form, share, begun, AT_BELIEFS, fault) < 0)
        return -1;
    if (wide && base_starts(state))
        my->begun = (struct memory_start){ one.r > 0 ? one.kappa : two.kappa, r };
    return keep_bound(my, state, state->rounds + share->rounds, fault);
}

static int publish(void *own, struct state *state, struct model *model, enum publishing how,
                   struct fault *fault)
{
    struct remembering *my = own;
    const struct settings *settings = &state->settings;
    if (how == PUBLISH_SHARED) {
        my->shared = (struct memory_shared){ settings, my->tables.table, state->arrays.at,
                                             &my->ways, &my->clicks };
        model->shared = &my->shared;
        return 0;
    }
    if (!my->introduced && settings_save(settings, model, fault) < 0) return -1;
    my->introduced = true;
    size_t first = settings->set[SETTING_PLAIN] ? AT_CONSTANT : AT_LEVEL; /* no level if plain */
    for (size_t i = first; i <= AT_COUNTED; i++)
        if (arrays_put(&state->arrays, i, settings, state->dim, model, fault) < 0) return -1;
    if (memory_clicks_save(&my->clicks, model, fault) < 0) return -1;
    return put(my, how == PUBLISH_CHANGES, model, fault);
}

static int forget_round(void *own, struct state *state, const struct round *round, bool query,
                        uint64_t *count, struct fault *fault)
{
    struct remembering *my = own;
    const struct memory_eviction bound = bound_of(my, state);
    if (memory_keys_start(&my->keys, round, memory_secret(&state->settings), my->ways & MEMORY_ROWS,
                          knows, &my->tables.table[MEMORY_PAIRS], &my->way, fault) < 0)
        return -1;
    *count += memory_eviction_forget(&bound, &my->keys, query);
    return 0;
}

static bool report(const void *own, struct fault *line)
{
    const struct remembering *my = own;
    char above[200] = "";
    if (my->above)
        (void)snprintf(above, sizeof above,
                       "%" PRIu64 " click%s had a value above 1, and counted as 1: the value of a "
                       "click is how satisfied the user was, from 0 to 1%s",
                       my->above, my->above == 1 ? "" : "s", my->unnamed ? "; " : "");
    if (my->unnamed)
        (void)fault_other(line, "%s%" PRIu64 " round%s had no names, or equal ones, after rounds "
                          "with names: the documents there are known by features or rows, and "
                          "nothing that was learnt by name counts for them",
                          above, my->unnamed, my->unnamed == 1 ? "" : "s");
    else if (my->above)
        (void)fault_other(line, "%s", above);
    return my->unnamed || my->above;
}

const struct learner learn_memory = {
    .name = "memory", .letters = "ABCIKORSWpst", .least = 1, .seen = "-k 1",
    .arrays = { [AT_INVERSE] = { "inverse", ARRAY_UDU_CONSTANT, SETTING_PLAIN, 0, false },
                [AT_LEVEL] = { MEMORY_LEVEL, ARRAY_VECTORS, SETTINGS, 0, false },
                [AT_CONSTANT] = { MEMORY_CONSTANT, ARRAY_NUMBERS, SETTINGS, 1, false },
                [AT_MOMENTS] = { MEMORY_MOMENTS_COLUMN, ARRAY_NUMBERS, SETTINGS, MEMORY_MOMENTS,
                              false },
                [AT_BELIEFS] = { MEMORY_BELIEFS_COLUMN, ARRAY_NUMBERS, SETTINGS, MEMORY_BELIEFS,
                              true },
                [AT_COUNTED] = { MEMORY_COUNTED, ARRAY_ROWS_CONSTANT, SETTING_PLAIN, 0, true } },
    .preset = { [SETTING_TRADEOFF] = 10, [SETTING_EXPLORATION_WIDTH] = 4, [SETTING_SEED] = 1 },
    .most = (size_t)1 << 21, .made = "scale", .ranked = true,
    .learning = sizeof(struct remembering), .start = start, .shape = shape, .learn = learn,
    .begin = begin, .open = open_table, .save = save, .load = load, .publish = publish,
    .sums = sums, .add = add,
    .forget = forget_round, .report = report, .close = close_memory,
    .scoring = sizeof(struct memory_view), .take = memory_view_take, .rank = memory_view_rank,
    .by = BY_WEIGHTS_AT_FIRST, .explain = memory_view_explain, .leave = memory_view_close,
};
