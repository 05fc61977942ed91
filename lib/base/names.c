#include "base/names.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MOST = 30 }; /* characters of words that are compared */

void names_add(struct names *names, const char *format, ...)
{
    static const char more[] = " ...";
    char name[NAMES_ROOM];
    va_list values;
    va_start(values, format);
    int n = vsnprintf(name, sizeof name, format, values);
    va_end(values);
    size_t room = sizeof names->text - names->bytes, comma = names->bytes ? 2 : 0;
    if (n < 0 || room < sizeof more)
        return;
    if (comma + (size_t)n > room - sizeof more) {
        strcpy(names->text + names->bytes, more);
        names->bytes = sizeof names->text;
        return;
    }
    memcpy(names->text + names->bytes, ", ", comma);
    strcpy(names->text + names->bytes + comma, name);
    names->bytes += comma + (size_t)n;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The edits between two words; SIZE_MAX: one of them is too long to be compared. */
static size_t distance(const char *a, const char *b)
{
    size_t edits[WORD_MOST + 1][WORD_MOST + 1], n = strlen(a), m = strlen(b);
    if (n > WORD_MOST || m > WORD_MOST)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            edits[i][j] = i + j; /* of the first i and the first j characters */
            if (i == 0 || j == 0)
                continue;
            edits[i][j] = least(edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                1 + least(edits[i - 1][j], edits[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits[i][j] = least(edits[i][j], edits[i - 2][j - 2] + 1);
        }
    return edits[n][m];
}

void names_offer(struct names *names, const char *word, const char *name)
{
    size_t edits = distance(word, name);
    names_add(names, "%s", name);
    if (edits <= (strlen(word) + 1) / 3 &&
        (!names->nearest || edits < distance(word, names->nearest)))
        names->nearest = name;
}

const char *names_advice(struct names *names)
{
    static const char choose[] = "choose from ";
    if (names->nearest) {
        snprintf(names->text, sizeof names->text, "did you mean %s?", names->nearest);
    } else {
        memmove(names->text + sizeof choose - 1, names->text, sizeof names->text - sizeof choose);
        memcpy(names->text, choose, sizeof choose - 1);
        names->text[sizeof names->text - 1] = '\0';
    }
    return names->text;
}
