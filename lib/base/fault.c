#include "base/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE = 8192 }; /* bytes of a text before it is shortened: longer than any path */

/* Copies a text into a fault. A long one, as with a long file name, loses its middle: the place at
 * its beginning and the reason at its end stay. */
static void set_text(struct fault *fault, const char *whole)
{
    static const char gap[] = " ... ";
    size_t n = strlen(whole), room = sizeof fault->text - 1, head = room / 2;
    if (n <= room) {
        memcpy(fault->text, whole, n + 1);
        return;
    }
    size_t tail = room - head - (sizeof gap - 1);
    memcpy(fault->text, whole, head);
    memcpy(fault->text + head, gap, sizeof gap - 1);
    memcpy(fault->text + room - tail, whole + n - tail, tail + 1);
}

int fault_set(struct fault *fault, enum fault_kind kind, const char *format, ...)
{
    char whole[WHOLE];
    va_list values;
    if (fault->kind != FAULT_NONE) return -1;
    va_start(values, format);
    vsnprintf(whole, sizeof whole, format, values);
    va_end(values);
    fault->kind = kind;
    set_text(fault, whole);
    return -1;
}

int fault_system(struct fault *fault, const char *format, ...)
{
    int why = errno;
    if (fault->kind != FAULT_NONE) return -1;
    char what[WHOLE], whole[WHOLE + 256];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    snprintf(whole, sizeof whole, "%s: %.200s", what, strerror(why));
    fault->kind = FAULT_SYSTEM;
    set_text(fault, whole);
    return -1;
}

int fault_no_room(struct fault *fault, size_t bytes)
{
    return fault_other(fault, "out of memory: no room for %zu bytes", bytes);
}

void fault_also(struct fault *fault, const struct fault *second)
{
    struct fault first = *fault;
    bool any = first.text[0] != '\0';
    if (second->kind == FAULT_NONE)
        return;
    fault->kind = any ? first.kind : second->kind;
    snprintf(fault->text, sizeof fault->text, "%.480s%s%.480s", first.text, any ? "; and " : "",
             second->text);
}

void fault_place(struct fault *fault, const char *format, ...)
{
    char place[WHOLE], whole[WHOLE + sizeof fault->text];
    va_list values;
    if (!fault->text[0])
        return;
    va_start(values, format);
    vsnprintf(place, sizeof place, format, values);
    va_end(values);
    snprintf(whole, sizeof whole, "%s%s", place, fault->text);
    set_text(fault, whole);
}

char *fault_quote(char quoted[FAULT_QUOTE], const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t used = n < 40 ? n : 40;
    char *q = quoted;
    *q++ = '\'';
    for (size_t i = 0; i < used; i++) {
        if (p[i] == '\t')
            q += sprintf(q, "\\t");
        else if (p[i] == '\r')
            q += sprintf(q, "\\r");
        else if (p[i] == '\'' || p[i] == '\\')
            q += sprintf(q, "\\%c", p[i]);
        else if (p[i] < 32 || p[i] > 126)
            q += sprintf(q, "\\x%02x", p[i]);
        else
            *q++ = (char)p[i];
    }
    sprintf(q, n > used ? "'..." : "'");
    return quoted;
}
