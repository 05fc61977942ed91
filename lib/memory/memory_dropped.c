#include "memory/memory_dropped.h"

enum { LOW, HIGH };

static uint64_t slot_of(uint64_t pair)
{
    return (uint64_t)1 << pair % 64;
}

int memory_dropped_mark(struct memory_table *dropped, uint64_t query, uint64_t pair, bool high,
                        struct fault *fault)
{
    struct memory_entry *slots = memory_table_enter(dropped, query, fault);
    if (!slots) return -1;
    slots->bits[high ? HIGH : LOW] |= slot_of(pair);
    slots->bits[high ? LOW : HIGH] &= ~slot_of(pair);
    return 0;
}

bool memory_dropped_clear(struct memory_table *dropped, uint64_t query, uint64_t pair)
{
    struct memory_entry *slots = memory_table_find(dropped, query);
    if (!slots || !((slots->bits[LOW] | slots->bits[HIGH]) & slot_of(pair)))
        return false;
    slots->bits[LOW] &= ~slot_of(pair);
    slots->bits[HIGH] &= ~slot_of(pair);
    if (!(slots->bits[LOW] | slots->bits[HIGH]))
        memory_table_remove(dropped, query);
    return true;
}

/* The mean of the first answers on one side of a; a where there are none. */
static double mean_of(const struct memory_prospect *prospect, bool high)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < prospect->atoms; i++) {
        if ((prospect->value[i] > prospect->a) != high)
            continue;
        sum += prospect->count[i] * prospect->value[i];
        count += prospect->count[i];
    }
    return count > 0 ? sum / count : prospect->a;
}

bool memory_dropped_answer(const struct memory_entry *slots, uint64_t pair,
                           const struct memory_prospect *prospect, double *y)
{
    bool high = slots->bits[HIGH] & slot_of(pair);
    if (!high && !(slots->bits[LOW] & slot_of(pair)))
        return false;
    *y = mean_of(prospect, high);
    return true;
}

int memory_dropped_add(struct memory_table *dropped, const struct memory_table *others,
                       struct fault *fault)
{
    struct memory_walk walk = { 0, 0 };
    const struct memory_entry *entry;
    while ((entry = memory_table_next(others, &walk))) {
        struct memory_entry *slots = memory_table_enter(dropped, entry->key, fault);
        if (!slots) return -1;
        slots->bits[HIGH] |= entry->bits[HIGH];
        slots->bits[LOW] = (slots->bits[LOW] | entry->bits[LOW]) & ~slots->bits[HIGH];
    }
    return 0;
}
