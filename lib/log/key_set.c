#include "log/key_set.h"

#include <string.h>

#include "stream/record.h"

static int enter_name(struct key_set *keys, const char *name, uint64_t time, struct fault *fault)
{
    size_t n = strlen(name);
    if (keys->window && time > keys->since && time - keys->since > keys->window) {
        name_table_close(&keys->before);
        keys->before = keys->now;
        keys->now = (struct name_table){ .names = 0 };
        keys->since = time;
    }
    return name_table_has(&keys->before, name, n)
               ? 0 : name_table_enter(&keys->now, name, n, fault);
}

int key_set_enter(struct key_set *keys, const char *key, uint64_t time, struct fault *fault)
{
    uint64_t t;
    if (keys->names)
        return enter_name(keys, key, time, fault);
    return record_number(key, RECORD_MOST - 1, &t) ? number_set_enter(&keys->numbers, t, fault)
                                                   : 1;
}

bool key_set_valid(const struct key_set *keys, const char *key)
{
    uint64_t t;
    return keys->names || (record_number(key, RECORD_MOST - 1, &t) && t > 0);
}

void key_set_close(struct key_set *keys)
{
    number_set_close(&keys->numbers);
    name_table_close(&keys->now);
    name_table_close(&keys->before);
}
