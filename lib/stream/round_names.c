#include "stream/round_names.h"

#include <string.h>

#include "stream/round_fingerprint.h"

int round_names_wrong(size_t i, struct fault *fault)
{
    return fault_data(fault, "the name of document %zu is not one word: it is empty, or has blanks "
                      "or control characters", i);
}

/* The column holds docs names, each ended by NUL. */
int round_names(const struct round *round, struct buffer *buffer, const char *const **names,
                struct fault *fault)
{
    const struct column *column = record_column(round->record, ROUND_NAMES);
    *names = NULL;
    if (!column)
        return 0;
    const char **name = buffer_for(buffer, round->docs, sizeof *name, fault);
    const char *at = column->data, *end = at + column_bytes(column);
    if (!name)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul || column->type != COLUMN_U1)
            return fault_data(fault, "the column 'name' must hold %zu names", round->docs);
        for (const char *p = at; p < nul; p++)
            if ((unsigned char)*p <= ' ' || *p == 127)
                return round_names_wrong(i, fault);
        name[i] = at;
        at = nul + 1;
    }
    if (at != end)
        return fault_data(fault, "the column 'name' holds more than %zu names", round->docs);
    *names = name;
    return 0;
}
