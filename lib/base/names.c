#include "base/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
