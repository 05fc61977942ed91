#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tell(struct fault *fault, enum fault_kind kind, const char *format, va_list values)
{
    if (fault->kind == FAULT_NONE) {
        fault->kind = kind;
        vsnprintf(fault->text, sizeof fault->text, format, values);
    }
    return -1;
}

int fault_data(struct fault *fault, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell(fault, FAULT_DATA, format, values);
    va_end(values);
    return -1;
}

int fault_cut(struct fault *fault, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell(fault, FAULT_CUT, format, values);
    va_end(values);
    return -1;
}

int fault_usage(struct fault *fault, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell(fault, FAULT_USAGE, format, values);
    va_end(values);
    return -1;
}

int fault_partner(struct fault *fault, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tell(fault, FAULT_SYSTEM, format, values);
    va_end(values);
    return -1;
}

int fault_system(struct fault *fault, const char *format, ...)
{
    int why = errno;
    if (fault->kind != FAULT_NONE)
        return -1;
    va_list values;
    va_start(values, format);
    tell(fault, FAULT_SYSTEM, format, values);
    va_end(values);
    size_t n = strlen(fault->text);
    snprintf(fault->text + n, sizeof fault->text - n, ": %s", strerror(why));
    return -1;
}

static int mark(struct fault *fault, enum fault_kind kind)
{
    if (fault->kind == FAULT_NONE) {
        fault->kind = kind;
        fault->text[0] = '\0';
    }
    return -1;
}

int fault_gone(struct fault *fault)
{
    return mark(fault, FAULT_GONE);
}

int fault_stopped(struct fault *fault)
{
    return mark(fault, FAULT_STOPPED);
}

int fault_memory(struct fault *fault, size_t bytes)
{
    return fault_partner(fault, "out of memory: no room for %zu bytes", bytes);
}

void fault_also(struct fault *fault, const struct fault *second)
{
    struct fault first = *fault;
    bool words = first.text[0] != '\0';
    if (second->kind == FAULT_NONE)
        return;
    fault->kind = words ? first.kind : second->kind;
    snprintf(fault->text, sizeof fault->text, "%.480s%s%.480s", first.text, words ? "; and " : "",
             second->text);
}

void fault_place(struct fault *fault, const char *format, ...)
{
    char text[sizeof fault->text];
    va_list values;
    if (!fault->text[0])
        return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    size_t n = strlen(text), rest = sizeof text - n - 1, had = strlen(fault->text);
    memcpy(text + n, fault->text, had < rest ? had + 1 : rest);
    text[sizeof text - 1] = '\0';
    memcpy(fault->text, text, sizeof text);
}

char *fault_quote(char quoted[FAULT_QUOTE], const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t shown = n < 40 ? n : 40;
    char *q = quoted;
    *q++ = '\'';
    for (size_t i = 0; i < shown; i++) {
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
    sprintf(q, n > shown ? "'..." : "'");
    return quoted;
}
