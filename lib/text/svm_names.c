#include "text/svm_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

int svm_names_add(struct buffer *names, size_t *bytes, const char *p, struct fault *fault)
{
    const char *name = *p == '#' ? text_skip_blanks(p + 1) : p;
    size_t n = text_word_bytes(name);
    const char *sign = text_skip_blanks(name + n);
    if (strncmp(name, "docid=", 6) == 0) {
        name += 6;
        n -= 6;
    } else if (n == 5 && strncmp(name, "docid", 5) == 0 && *sign == '=') {
        name = text_skip_blanks(sign + 1);
        n = text_word_bytes(name);
    }
    char *text = buffer_for(names, *bytes + n + 1, 1, fault);
    if (!text)
        return -1;
    memcpy(text + *bytes, name, n);
    *bytes += n;
    text[(*bytes)++] = '\0';
    return 0;
}

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
