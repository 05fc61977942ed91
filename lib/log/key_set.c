#include "log/key_set.h"

#include <string.h>

#include "stream/record.h"

int key_set_enter(struct key_set *keys, const char *key, struct fault *fault)
{
    uint64_t t;
    if (keys->names)
        return name_table_enter(&keys->table, key, strlen(key), fault);
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
    name_table_close(&keys->table);
}
