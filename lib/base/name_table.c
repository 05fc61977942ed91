#include "base/name_table.h"

#include <string.h>

static const void *name_at(const void *text, uint64_t entry, size_t *n)
{
    const char *name = (const char *)text + entry - 1;
    *n = strlen(name);
    return name;
}

/* Enters a name, whose number is the next one where names have numbers. */
static int enter(struct name_table *names, const char *name, size_t n, uint64_t *entry,
                 struct fault *fault)
{
    const uint64_t number = names->names + 1;
    const size_t at = names->bytes + (names->numbered ? sizeof number : 0);
    char *text = buffer_for(&names->text, at + n + 1, 1, fault);
    if (!text) return -1;
    names->table.key = name_at;
    *entry = at + 1;
    int fresh = name ? hash_table_enter(&names->table, text, name, n, entry, fault) : 1;
    if (fresh <= 0)
        return fresh;
    if (names->numbered)
        memcpy(text + names->bytes, &number, sizeof number);
    memcpy(text + at, name ? name : "", n);
    text[at + n] = '\0';
    names->bytes = at + n + 1;
    names->names++;
    return 1;
}

int name_table_enter(struct name_table *names, const char *name, size_t n, struct fault *fault)
{
    uint64_t entry;
    return enter(names, name, n, &entry, fault);
}

int name_table_number(struct name_table *names, const char *name, size_t n, uint64_t *number,
                      struct fault *fault)
{
    uint64_t entry;
    int fresh = enter(names, name, n, &entry, fault);
    if (fresh >= 0)
        memcpy(number, (const char *)names->text.at + entry - 1 - sizeof *number, sizeof *number);
    return fresh;
}

bool name_table_has(const struct name_table *names, const char *name, size_t n)
{
    return hash_table_find(&names->table, names->text.at, name, n) > 0;
}

const char *name_table_next(const struct name_table *names, const char *name)
{
    return (name ? name + strlen(name) + 1 : names->text.at) + sizeof names->names;
}

int name_table_differ(struct hash_table *table, const char *text, size_t n, struct fault *fault)
{
    const char *name = text;
    int differ = 1;
    hash_table_clear(table);
    table->key = name_at;
    for (size_t i = 0; i < n && differ > 0; i++) {
        const size_t bytes = strlen(name);
        uint64_t entry = (uint64_t)(name - text) + 1;
        differ = bytes ? hash_table_enter(table, text, name, bytes, &entry, fault) : 0;
        name += bytes + 1;
    }
    return differ;
}

void name_table_close(struct name_table *names)
{
    buffer_free(&names->text);
    hash_table_close(&names->table);
    names->names = names->bytes = 0;
}
