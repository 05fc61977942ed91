#include "text/numbers.h"

#include <stdbool.h>
#include <stdlib.h>

enum { BITS = 6, LEVELS = 9 }; /* 6 * 9 bits hold every number */

/* The word of a level in which the bit of a number is. */
static uint64_t place_of(uint64_t number, unsigned level)
{
    return (number >> (level + 1) * BITS << 4 | level) + 1;
}

static uint64_t bit_of(uint64_t number, unsigned level)
{
    return (uint64_t)1 << (number >> level * BITS & 63);
}

static size_t home(const struct numbers *numbers, uint64_t place)
{
    uint64_t hash = place * 0x9e3779b97f4a7c15u;
    return (size_t)((hash >> 32) * numbers->slots >> 32);
}

static size_t after(const struct numbers *numbers, size_t at)
{
    return at + 1 < numbers->slots ? at + 1 : 0;
}

/* The slot of a word, or the empty one where it goes. */
static struct numbers_word *find(const struct numbers *numbers, uint64_t place)
{
    size_t at = home(numbers, place);
    while (numbers->slot[at].place && numbers->slot[at].place != place)
        at = after(numbers, at);
    return &numbers->slot[at];
}

static int grow(struct numbers *numbers, struct fault *fault)
{
    struct numbers wider = { .slots = 2 * numbers->slots + 32, .used = numbers->used };
    wider.slot = calloc(wider.slots, sizeof *wider.slot);
    if (!wider.slot)
        return fault_memory(fault, wider.slots * sizeof *wider.slot);
    for (size_t i = 0; i < numbers->slots; i++)
        if (numbers->slot[i].place)
            *find(&wider, numbers->slot[i].place) = numbers->slot[i];
    free(numbers->slot);
    *numbers = wider;
    return 0;
}

/* Empties a slot, and moves back the words after it that a search would not find any more. */
static void clear(struct numbers *numbers, struct numbers_word *word)
{
    size_t hole = (size_t)(word - numbers->slot), at = hole;
    numbers->used--;
    for (;;) {
        at = after(numbers, at);
        if (!numbers->slot[at].place)
            break;
        size_t from = home(numbers, numbers->slot[at].place);
        bool between = hole <= at ? hole < from && from <= at : hole < from || from <= at;
        if (between)
            continue;
        numbers->slot[hole] = numbers->slot[at];
        hole = at;
    }
    numbers->slot[hole].place = 0;
}

static bool has(const struct numbers *numbers, uint64_t number)
{
    for (unsigned level = 0; level < LEVELS && numbers->used; level++) {
        const struct numbers_word *word = find(numbers, place_of(number, level));
        if (word->place && (word->bits & bit_of(number, level)))
            return true;
    }
    return false;
}

int numbers_enter(struct numbers *numbers, uint64_t number, struct fault *fault)
{
    if (has(numbers, number))
        return 0;
    for (unsigned level = 0; level < LEVELS; level++) {
        if (numbers->used >= numbers->slots / 2 && grow(numbers, fault) < 0)
            return -1;
        struct numbers_word *word = find(numbers, place_of(number, level));
        numbers->used += word->place == 0;
        if (!word->place)
            *word = (struct numbers_word){ place_of(number, level), 0 };
        word->bits |= bit_of(number, level);
        if (~word->bits)
            break;
        clear(numbers, word);
    }
    return 1;
}

void numbers_close(struct numbers *numbers)
{
    free(numbers->slot);
    numbers->slot = NULL;
}
