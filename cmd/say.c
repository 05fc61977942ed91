#include "say.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "run/progress.h"

/* The length of a control character at p, which would end the line or change the terminal: 0 if
 * there is none, 1, or 2 for one of Latin-1 in UTF-8. */
static size_t control_bytes(const char *p)
{
    const unsigned char *c = (const unsigned char *)p;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
        return 2;
    return c[0] < ' ' || c[0] == 127;
}

void say(const char *name, const char *text)
{
    char line[4 * sizeof((struct fault *)0)->text + 64];
    size_t n = (size_t)snprintf(line, sizeof line, "%.40s: ", name);
    while (*text) {
        size_t control = control_bytes(text);
        if (!control)
            line[n++] = *text++;
        for (; control; control--)
            n += (size_t)sprintf(line + n, "\\x%02x", (unsigned char)*text++);
    }
    line[n++] = '\n';
    fwrite(line, 1, n, stderr);
}

void warn(const struct host *host, const char *name, const char *format, ...)
{
    char text[sizeof host->fault->text];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    progress_erase(host->progress);
    say(name, text);
}
