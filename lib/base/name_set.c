#include "base/name_set.h"

#include <string.h>

static const void *name_at(const void *text, uint64_t entry, size_t *n)
{
    const char *name = (const char *)text + entry - 1;
    *n = strlen(name);
    return name;
}

enum entered name_set_enter(struct name_set *set, const char *name, struct fault *fault)
{
    size_t n = strlen(name);
    if (name_set_has(set, name))
        return ENTERED_BEFORE;
    char *text = buffer_for(&set->text, set->bytes + n + 1, 1, fault);
    if (!text)
        return ENTERED_FAULT;
    memcpy(text + set->bytes, name, n + 1);
    set->table.key = name_at;
    if (hash_table_add(&set->table, text, set->bytes + 1, fault) < 0)
        return ENTERED_FAULT;
    set->bytes += n + 1;
    return ENTERED_NEW;
}

bool name_set_has(const struct name_set *set, const char *name)
{
    return hash_table_find(&set->table, set->text.at, name, strlen(name)) > 0;
}

void name_set_close(struct name_set *set)
{
    buffer_free(&set->text);
    hash_table_close(&set->table);
}
