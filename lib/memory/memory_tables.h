/* memory_tables: what a memory learns about pairs and queries: its tables, which of their entries
 * the round at hand changed, for a message of the ring, and the columns that they are in a model or
 * a message: of pairs their keys, answers, sums and owners, the keys of their queries; of queries
 * their keys, visits (how many rounds of theirs were learnt) and latest (the number of the last of
 * these rounds, counted over all rounds learnt, from 1); of queries with pairs that were dropped
 * (memory_beliefs.h) their keys, low and high; with the setting clients=, of queries their keys,
 * and in first and later the hashes of the first clients that answered, two each; of the queries
 * and clients of a day (memory_clicks.h) their keys, gainers, and gained. Messages have neither
 * owners nor latest. Models of before have pairs alone, without owners; those without bounds have
 * no column dropped, those without the setting none of clients, and sums of shares no day. */
#ifndef RANKPIPE_MEMORY_TABLES_H
#define RANKPIPE_MEMORY_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "memory/memory_table.h"
#include "model/model.h"

/* Which of the tables. In that of queries n is visits, and sum is latest; in the next two bits are
 * low and high, or first and later; in that of a day n is gained. */
enum memory_kind {
    MEMORY_PAIRS, MEMORY_QUERIES, MEMORY_DROPPED, MEMORY_CLIENTS, MEMORY_GAINS, MEMORY_KINDS
};

/* How many clients an entry of MEMORY_CLIENTS has. Adds one by its hash, which is not 0, if it is
 * not among them and they are fewer than `most`, at most 4: true if it did. */
unsigned memory_clients_count(const struct memory_entry *entry);
bool memory_clients_add(struct memory_entry *entry, uint32_t hash, unsigned most);

/* What a round gains (memory_clicks.h) is of its query and its client, key[keys]. In a day each may
 * gain 2 or lose 2 in all, so that each has one voice. *excess is how much of the gain is above
 * that or, negative, below. 0 or a fault (memory). */
int memory_gains_take(struct memory_table *day, const uint64_t *key, size_t keys, double gain,
                      double *excess, struct fault *fault);

/* Another day begins: nothing is gained. */
void memory_gains_forget(struct memory_table *day);

/* The arrays of entries of a model, as they lie in it: 0, or a fault where they are not there or
 * not of one length. No column of queries, or of dropped pairs, has none. */
int memory_tables_find(const struct model *model, enum memory_kind kind,
                       struct memory_arrays *arrays, struct fault *fault);

struct memory_tables { /* all zero at first */
    struct memory_table table[MEMORY_KINDS];
    uint64_t *changed[MEMORY_KINDS]; /* keys of entries that changed, or are gone */
    size_t n_changed[MEMORY_KINDS];
    struct buffer changes, columns[MEMORY_KINDS];
};

/* A round begins, in which at most `most` entries of each table will change. 0 or a fault
 * (memory). */
int memory_tables_round(struct memory_tables *tables, size_t most, struct fault *fault);

/* An entry of this round changed, or is gone. */
void memory_tables_note(struct memory_tables *tables, enum memory_kind kind, uint64_t key);

/* Adds all entries to a model, or with `changes` those that changed in the last round. The model
 * borrows them until the next round. 0 or a fault (memory). */
int memory_tables_put(struct memory_tables *tables, bool changes, struct model *model,
                      struct fault *fault);

/* Enters the entries of a model into empty tables; *pairs are those of its pairs. 0 or a fault. */
int memory_tables_load(struct memory_tables *tables, const struct model *model,
                       struct memory_arrays *pairs, struct fault *fault);

/* Adds the tables of a share that has learnt `more` rounds to those of the shares before, which
 * have learnt `rounds`. Visits of a query add up. The number of its last round becomes what it is
 * if the rounds of all shares are mixed evenly. A slot of dropped pairs that is low in one share
 * and high in another is high. The clients of a query are those of both; the day is left out. 0; or
 * a fault: memory, or pairs that both have, which the text counts; nothing has changed then. */
int memory_tables_add(struct memory_tables *tables, double rounds,
                      const struct memory_tables *share, double more, struct fault *fault);

void memory_tables_close(struct memory_tables *tables);

#endif
