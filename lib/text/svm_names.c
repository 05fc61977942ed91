#include "text/svm_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A place of the table: an open one has no name. */
struct place {
    uint64_t hash;
    const char *name;
};

/* Enters a name into the table of 2^n places: false where it has it. */
static bool enter(struct place *table, size_t places, uint64_t hash, const char *name)
{
    size_t at = (size_t)(hash & (places - 1));
    for (; table[at].name; at = (at + 1) & (places - 1))
        if (table[at].hash == hash && strcmp(table[at].name, name) == 0)
            return false;
    table[at] = (struct place){ hash, name };
    return true;
}

int svm_names_differ(const char *names, size_t n, const struct siphash *start,
                     struct buffer *scratch, struct fault *fault)
{
    size_t places = 16;
    while (places < 2 * n)
        places *= 2;
    struct place *table = buffer_for(scratch, places, sizeof *table, fault);
    if (!table)
        return -1;
    memset(table, 0, places * sizeof *table);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strlen(names);
        struct siphash hash = *start;
        siphash_add(&hash, names, bytes);
        if (bytes == 0 || !enter(table, places, siphash_end(&hash), names))
            return 0;
        names += bytes + 1;
    }
    return 1;
}
