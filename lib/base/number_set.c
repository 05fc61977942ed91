#include "base/number_set.h"

#include <stdbool.h>

enum { BITS = 6, LEVELS = 3 };

struct number_word {
    uint64_t place; /* its level and position */
    uint64_t bits;
};

/* The word of a level in which the bit of a number is. */
static uint64_t place_of(uint64_t number, unsigned level)
{
    return number >> (level + 1) * BITS << 2 | level;
}

static uint64_t bit_of(uint64_t number, unsigned level)
{
    return (uint64_t)1 << (number >> level * BITS & 63);
}

static const void *place_at(const void *words, uint64_t entry, size_t *n)
{
    const struct number_word *word = (const struct number_word *)words + entry - 1;
    *n = sizeof word->place;
    return &word->place;
}

/* The word of that place, or NULL. */
static struct number_word *find_word(const struct number_set *set, uint64_t place)
{
    uint64_t entry = hash_table_find(&set->table, set->words.at, &place, sizeof place);
    return entry ? (struct number_word *)set->words.at + entry - 1 : NULL;
}

static struct number_word *add_word(struct number_set *set, uint64_t place, struct fault *fault)
{
    struct number_word *words = buffer_for(&set->words, set->used + 1, sizeof *words, fault);
    size_t entry = set->spare ? set->spare : set->used + 1;
    if (!words)
        return NULL;
    struct number_word *word = words + entry - 1;
    size_t spare = set->spare ? (size_t)word->bits : 0;
    *word = (struct number_word){ place, 0 };
    set->table.key = place_at;
    if (hash_table_add(&set->table, words, entry, fault) < 0)
        return NULL;
    set->used += entry > set->used;
    set->spare = spare;
    return word;
}

static void remove_word(struct number_set *set, struct number_word *word)
{
    struct number_word *words = set->words.at;
    size_t entry = (size_t)(word - words) + 1;
    hash_table_remove(&set->table, words, entry);
    word->bits = set->spare;
    set->spare = entry;
}

static bool has(const struct number_set *set, uint64_t number)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        const struct number_word *word = find_word(set, place_of(number, level));
        if (word && (word->bits & bit_of(number, level)))
            return true;
    }
    return false;
}

int number_set_enter(struct number_set *set, uint64_t number, struct fault *fault)
{
    if (has(set, number))
        return 0;
    for (unsigned level = 0; level < LEVELS; level++) {
        struct number_word *word = find_word(set, place_of(number, level));
        if (!word && !(word = add_word(set, place_of(number, level), fault))) return -1;
        word->bits |= bit_of(number, level);
        if (~word->bits || level + 1 == LEVELS)
            break;
        remove_word(set, word);
    }
    return 1;
}

void number_set_close(struct number_set *set)
{
    buffer_free(&set->words);
    hash_table_close(&set->table);
}
