#include "log/erased.h"

#include <string.h>

#include "stream/round.h"

static const char *const keys[] = { [ERASED_REQUESTS] = "request", [ERASED_QUERIES] = "qid" };

/* The next name at `at` of a column of names, each ended by NUL; NULL after the last. */
static const char *next_name(const struct column *names, size_t at)
{
    size_t n = names ? (size_t)names->count : 0;
    const char *text = names ? names->data : NULL;
    return text && at < n && memchr(text + at, '\0', n - at) ? text + at : NULL;
}

int erased_add(struct erased *erased, const struct round *round, struct fault *fault)
{
    const char *name;
    if (erased->kind != ERASED_DOCUMENTS) {
        name = record_key(round->record, keys[erased->kind]);
        if (!name)
            return fault_data(fault, "the round has no %s=, which is to be erased",
                              keys[erased->kind]);
        return name_table_enter(&erased->names, name, strlen(name), fault) < 0 ? -1 : 0;
    }
    const struct column *names = record_column(round->record, ROUND_NAMES);
    if (!names)
        return fault_data(fault, "the round has no column %s, whose documents are to be erased",
                          ROUND_NAMES);
    for (size_t at = 0; (name = next_name(names, at)); at += strlen(name) + 1)
        if (name_table_enter(&erased->names, name, strlen(name), fault) < 0)
            return -1;
    return 0;
}

bool erased_has(const struct erased *erased, const struct record *record)
{
    const char *name;
    if (erased->kind != ERASED_DOCUMENTS) {
        name = record_key(record, keys[erased->kind]);
        return name && name_table_has(&erased->names, name, strlen(name));
    }
    const struct column *names = record_column(record, ROUND_NAMES);
    for (size_t at = 0; (name = next_name(names, at)); at += strlen(name) + 1)
        if (name_table_has(&erased->names, name, strlen(name)))
            return true;
    return false;
}

void erased_close(struct erased *erased)
{
    name_table_close(&erased->names);
}
