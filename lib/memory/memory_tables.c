#include "memory/memory_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/unaligned.h"
#include "memory/memory_beliefs.h"

/* What a query or a client gains in a day at most, and loses at most. */
static const double gain_most = 2;

/* ---- columns ---- */

/* The columns of a table, in the order of the numbers in an entry; keys are the first. */
enum { KEYS, COLUMNS = 4 };

static const struct table_columns {
    const char *name[COLUMNS]; /* NULL: such a number is not in models */
    bool whole[COLUMNS];       /* u8, else f8 */
    bool message[COLUMNS];     /* scoring needs it */
} kinds[] = {
    [MEMORY_PAIRS] = { { "keys", "answers", "sums", "owners" }, { true, false, false, true },
                       { true, true, true, false } },
    [MEMORY_QUERIES] = { { "queries", "visits", "latest", NULL }, { true, false, false, false },
                         { true, true, false, false } },
    [MEMORY_DROPPED] = { { "dropped", "low", "high", NULL }, { true, true, true, false },
                         { true, true, true, false } },
    [MEMORY_CLIENTS] = { { "clients", "first", "later", NULL }, { true, true, true, false },
                         { true, true, true, false } },
    [MEMORY_GAINS] = { { "gainers", "gained", NULL, NULL }, { true, false, false, false },
                       { true, true, false, false } },
};

/* Of these kinds a model has no columns where it has no entries. */
static bool may_lack(enum memory_kind kind)
{
    return kind >= MEMORY_DROPPED;
}

/* Where the numbers are in an entry. */
static const size_t offsets[COLUMNS] = {
    offsetof(struct memory_entry, key), offsetof(struct memory_entry, bits[0]),
    offsetof(struct memory_entry, bits[1]), offsetof(struct memory_entry, owner),
};

static enum column_type type_of(const struct table_columns *columns, size_t c)
{
    return columns->whole[c] ? COLUMN_U8 : COLUMN_F8;
}

/* ---- out ---- */

/* One column of the table, made while it is written: keys rising. */
struct table_column {
    struct column_source source; /* first, so that `next` finds the rest */
    const struct memory_table *table;
    struct memory_walk walk;
    size_t offset;
};

static void next_numbers(struct column_source *source, void *values, size_t n)
{
    struct table_column *my = (struct table_column *)source;
    memory_table_copy(my->table, &my->walk, my->offset, values, n);
}

/* Of the first column of a table: the numbers of all of them. */
static void next_of_all(struct column_source *source, uint64_t *const *values, size_t n)
{
    struct table_column *my = (struct table_column *)source;
    memory_table_numbers(my->table, &my->walk, offsets, source->together, values, n);
}

static void first_again(struct column_source *source)
{
    struct table_column *my = (struct table_column *)source;
    memset(&my->walk, 0, sizeof my->walk);
}

/* Adds all entries of the table, which must not change while the model is written or read. The
 * model borrows both. 0 or a fault. */
static int put_all(struct buffer *buffer, enum memory_kind kind, const struct memory_table *table,
                   struct model *model, struct fault *fault)
{
    const struct table_columns *columns = &kinds[kind];
    if (may_lack(kind) && table->used == 0)
        return 0;
    struct table_column *made = buffer_for(buffer, COLUMNS, sizeof *made, fault);
    for (size_t c = 0; made && c < COLUMNS && columns->name[c]; c++) {
        made[c] = (struct table_column){ .source = { next_numbers, first_again }, .table = table,
                                         .offset = offsets[c] };
        if (record_put_source(&model->record, columns->name[c], type_of(columns, c), table->used,
                              &made[c].source, fault) < 0)
            return -1;
        made[0].source.next_of_all = next_of_all;
        made[0].source.together = c + 1;
    }
    return made ? 0 : -1;
}

/* Adds the entries of the keys key[n] alone, for a message; the model borrows `key` and the buffer.
 * A key that the table does not have was removed: its numbers are 0. */
static int put_some(struct buffer *buffer, enum memory_kind kind, const struct memory_table *table,
                    const uint64_t *key, size_t n, struct model *model, struct fault *fault)
{
    const struct table_columns *columns = &kinds[kind];
    uint64_t *number = buffer_for(buffer, n, 2 * sizeof *number, fault);
    if (may_lack(kind) && n == 0)
        return 0;
    if (!number) return -1;
    for (size_t e = 0; e < n; e++) {
        const struct memory_entry *entry = memory_table_find(table, key[e]);
        number[e] = entry ? entry->bits[0] : 0;
        number[n + e] = entry ? entry->bits[1] : 0;
    }
    if (record_put(&model->record, columns->name[KEYS], COLUMN_U8, n, key, fault) < 0) return -1;
    for (size_t c = 1; c < COLUMNS; c++)
        if (columns->message[c] &&
            record_put(&model->record, columns->name[c], type_of(columns, c), n,
                       number + (c - 1) * n, fault) < 0)
            return -1;
    return 0;
}

/* ---- in ---- */

/* Points *at at column c where the model has it; where it needs it, a fault if it does not. */
static int find_column(const struct model *model, const struct table_columns *columns, size_t c,
                       bool needed, size_t n, const unsigned char **at, struct fault *fault)
{
    const char *name = columns->name[c];
    const struct column *column = name ? record_column(&model->record, name) : NULL;
    bool whole = column && columns->whole[c] && column->type == COLUMN_U8 && column->count == n;
    *at = NULL;
    if (!column && !needed)
        return 0;
    if (columns->whole[c] && !whole)
        return fault_data(fault, "model: no column %s:u8[%zu], which memory needs", name, n);
    if (!columns->whole[c] && !model_has(model, name, n, fault)) return -1;
    *at = column->data;
    return 0;
}

int memory_tables_find(const struct model *model, enum memory_kind kind,
                        struct memory_arrays *arrays, struct fault *fault)
{
    const struct table_columns *columns = &kinds[kind];
    const struct column *keys = record_column(&model->record, columns->name[KEYS]);
    const unsigned char **at[COLUMNS] = { &arrays->key, &arrays->n, &arrays->sum,
                                          &arrays->owner };
    memset(arrays, 0, sizeof *arrays);
    if (!keys && kind != MEMORY_PAIRS)
        return 0;
    if (!keys || keys->type != COLUMN_U8)
        return fault_data(fault, "model: no column %s:u8[n], which memory needs",
                          columns->name[KEYS]);
    arrays->count = (size_t)keys->count;
    for (size_t c = 0; c < COLUMNS; c++)
        if (find_column(model, columns, c, columns->message[c], arrays->count, at[c], fault) < 0)
            return -1;
    return 0;
}

static double number_at(const unsigned char *numbers, size_t i)
{
    return numbers ? unaligned_f8(numbers + 8 * i) : 0;
}

static int check_bits(const struct memory_arrays *arrays, size_t i, struct fault *fault)
{
    if (unaligned_u8(arrays->n + 8 * i) & unaligned_u8(arrays->sum + 8 * i))
        return fault_data(fault, "model: low and high of query %zu have a bit in common", i);
    return 0;
}

static int check_numbers(const struct memory_arrays *arrays, enum memory_kind kind, size_t i,
                         struct fault *fault)
{
    bool pairs = kind == MEMORY_PAIRS;
    double n = number_at(arrays->n, i), sum = number_at(arrays->sum, i);
    if (kind == MEMORY_GAINS ? fabs(n) <= gain_most
                             : n >= 0 && !isinf(n) && isfinite(sum) && (pairs || sum >= 0))
        return 0;
    if (kind == MEMORY_GAINS)
        return fault_data(fault, "model: gained %zu is %g: it must be from -2 to 2", i, n);
    return pairs ? fault_data(fault, "model: pair %zu has %g answers with the sum %g: both must be "
                              "finite, and the first at least 0", i, n, sum)
                 : fault_data(fault, "model: query %zu has %g visits, the latest in round %g: both "
                              "must be finite and at least 0", i, n, sum);
}

static int check(const struct memory_arrays *arrays, enum memory_kind kind, struct fault *fault)
{
    uint64_t last = 0;
    bool pairs = kind == MEMORY_PAIRS;
    for (size_t i = 0; i < arrays->count; i++) {
        uint64_t key = unaligned_u8(arrays->key + 8 * i);
        if (key <= last)
            return fault_data(fault, "model: %s %zu is %" PRIu64 ", but must be above %" PRIu64
                              ": keys must rise", pairs ? "key" : "query", i, key, last);
        if (kind == MEMORY_DROPPED && check_bits(arrays, i, fault) < 0) return -1;
        if (kind != MEMORY_DROPPED && kind != MEMORY_CLIENTS &&
            check_numbers(arrays, kind, i, fault) < 0)
            return -1;
        last = key;
    }
    return 0;
}

/* Finds the arrays, and enters them into the table, which is empty. 0, or a fault; also where the
 * keys are not rising from 1, or numbers not finite or negative, or a bit is low and high.
 * O(count). */
static int load_columns(const struct model *model, enum memory_kind kind,
                        struct memory_table *table, struct memory_arrays *arrays,
                        struct fault *fault)
{
    if (memory_tables_find(model, kind, arrays, fault) < 0 || check(arrays, kind, fault) < 0)
        return -1;
    return memory_table_fill(table, arrays, fault);
}

/* ---- tables ---- */

int memory_tables_round(struct memory_tables *tables, size_t most, struct fault *fault)
{
    uint64_t *key = buffer_for(&tables->changes, most, MEMORY_KINDS * sizeof *key, fault);
    if (!key) return -1;
    for (size_t kind = 0; kind < MEMORY_KINDS; kind++) {
        tables->changed[kind] = key + kind * most;
        tables->n_changed[kind] = 0;
    }
    return 0;
}

void memory_tables_note(struct memory_tables *tables, enum memory_kind kind, uint64_t key)
{
    tables->changed[kind][tables->n_changed[kind]++] = key;
}

int memory_tables_put(struct memory_tables *tables, bool changes, struct model *model,
                      struct fault *fault)
{
    int put = 0;
    for (size_t i = 0; i < MEMORY_KINDS && put == 0; i++) {
        struct buffer *columns = &tables->columns[i];
        struct memory_table *table = &tables->table[i];
        enum memory_kind kind = (enum memory_kind)i;
        put = changes ? put_some(columns, kind, table, tables->changed[i], tables->n_changed[i],
                                 model, fault)
                      : put_all(columns, kind, table, model, fault);
    }
    return put;
}

int memory_tables_load(struct memory_tables *tables, const struct model *model,
                       struct memory_arrays *pairs, struct fault *fault)
{
    struct memory_arrays others;
    for (size_t i = 0; i < MEMORY_KINDS; i++)
        if (load_columns(model, (enum memory_kind)i, &tables->table[i],
                         i == MEMORY_PAIRS ? pairs : &others, fault) < 0)
            return -1;
    return 0;
}

void memory_tables_close(struct memory_tables *tables)
{
    buffer_free(&tables->changes);
    for (size_t i = 0; i < MEMORY_KINDS; i++) {
        memory_table_close(&tables->table[i]);
        buffer_free(&tables->columns[i]);
    }
}

/* ---- clients ---- */

enum { CLIENTS = 4 };

static uint32_t client_at(const struct memory_entry *entry, unsigned i)
{
    return (uint32_t)(entry->bits[i / 2] >> 32 * (i % 2));
}

unsigned memory_clients_count(const struct memory_entry *entry)
{
    unsigned n = 0;
    while (n < CLIENTS && client_at(entry, n))
        n++;
    return n;
}

bool memory_clients_add(struct memory_entry *entry, uint32_t hash, unsigned most)
{
    unsigned n = memory_clients_count(entry);
    for (unsigned i = 0; i < n; i++)
        if (client_at(entry, i) == hash)
            return false;
    if (n >= most)
        return false;
    entry->bits[n / 2] |= (uint64_t)hash << 32 * (n % 2);
    return true;
}

/* ---- gains of a day ---- */

static double within(double least, double x, double most)
{
    return x < least ? least : x > most ? most : x;
}

int memory_gains_take(struct memory_table *day, const uint64_t *key, size_t keys, double gain,
                      double *excess, struct fault *fault)
{
    double taken = gain;
    for (size_t i = 0; i < keys; i++) {
        const struct memory_entry *entry = memory_table_find(day, key[i]);
        double gained = entry ? entry->n : 0;
        taken = within(-gain_most - gained, taken, gain_most - gained);
    }
    for (size_t i = 0; i < keys; i++) {
        struct memory_entry *entry = memory_table_enter(day, key[i], fault);
        if (!entry) return -1;
        entry->n = within(-gain_most, entry->n + taken, gain_most); /* but for rounding */
    }
    *excess = gain - taken;
    return 0;
}

void memory_gains_forget(struct memory_table *day)
{
    memory_table_close(day);
    *day = (struct memory_table){ .used = 0 };
}

/* ---- shares of a log ---- */

/* How many keys both have. */
static size_t count_shared(const struct memory_table *table, const struct memory_table *share)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    size_t n = 0;
    while ((entry = memory_table_next(share, &walk)))
        n += memory_table_find(table, entry->key) != NULL;
    return n;
}

static int add_pairs(struct memory_table *pairs, const struct memory_table *share,
                     struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(share, &walk))) {
        struct memory_entry *sum = memory_table_enter(pairs, entry->key, fault);
        if (!sum) return -1;
        *sum = *entry;
    }
    return 0;
}

/* The number of a last round among `all` rounds, when it was one of `rounds`. */
static double stretched(double last, double rounds, double all)
{
    double number = ceil(last * (all / rounds));
    return number < all ? number : all;
}

/* The numbers of last rounds grow as those of all rounds do. */
static void stretch(struct memory_table *queries, double rounds, double all)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(queries, &walk)))
        memory_table_find(queries, entry->key)->sum = stretched(entry->sum, rounds, all);
}

static int add_queries(struct memory_table *queries, const struct memory_table *share,
                       double rounds, double all, struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(share, &walk))) {
        struct memory_entry *sum = memory_table_enter(queries, entry->key, fault);
        if (!sum) return -1;
        double latest = stretched(entry->sum, rounds, all);
        sum->n += entry->n;
        sum->sum = latest > sum->sum ? latest : sum->sum;
    }
    return 0;
}

static int add_clients(struct memory_table *clients, const struct memory_table *share,
                       struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(share, &walk))) {
        struct memory_entry *sum = memory_table_enter(clients, entry->key, fault);
        if (!sum) return -1;
        for (unsigned i = 0; i < memory_clients_count(entry); i++)
            memory_clients_add(sum, client_at(entry, i), CLIENTS);
    }
    return 0;
}

int memory_tables_add(struct memory_tables *tables, double rounds,
                      const struct memory_tables *share, double more, struct fault *fault)
{
    const struct memory_table *other = share->table;
    struct memory_table *table = tables->table, *pairs = &table[MEMORY_PAIRS];
    size_t shared = count_shared(pairs, &other[MEMORY_PAIRS]);
    if (shared > 0)
        return fault_data(fault, "%zu of its %zu pairs of query and document are in the models "
                          "before it, too: learn all rounds of a query in one share, as update -i "
                          "does", shared, other[MEMORY_PAIRS].used);
    if (memory_table_reserve(pairs, pairs->used + other[MEMORY_PAIRS].used, fault) < 0 ||
        add_pairs(pairs, &other[MEMORY_PAIRS], fault) < 0 ||
        memory_dropped_add(&table[MEMORY_DROPPED], &other[MEMORY_DROPPED], fault) < 0 ||
        add_clients(&table[MEMORY_CLIENTS], &other[MEMORY_CLIENTS], fault) < 0)
        return -1;
    memory_gains_forget(&table[MEMORY_GAINS]);
    double all = rounds + more;
    stretch(&table[MEMORY_QUERIES], rounds, all);
    return add_queries(&table[MEMORY_QUERIES], &other[MEMORY_QUERIES], more, all, fault);
}
