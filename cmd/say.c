#include "say.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "run/progress.h"

/* ---- messages ---- */

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

/* ---- usage and -h ---- */

enum { USAGE_WIDTH = 80, TEXT_WIDTH = 100 };

/* Text being set in lines. */
struct lines {
    FILE *to;
    size_t at, indent, width; /* columns: of the next character, of new lines, of a whole line */
};

/* Adds the words: each on this line if it fits, else on a new one. */
static void put(struct lines *lines, const char *text)
{
    while (*text) {
        /* What stands in brackets is one word. */
        size_t n = 0;
        for (int depth = 0; text[n] && (depth > 0 || text[n] != ' '); n++)
            depth += (text[n] == '[') - (text[n] == ']');
        if (lines->at > lines->indent && lines->at + 1 + n > lines->width) {
            fprintf(lines->to, "\n%*s", (int)lines->indent, "");
            lines->at = lines->indent;
        }
        bool first = lines->at <= lines->indent;
        fprintf(lines->to, "%s%.*s", first ? "" : " ", (int)n, text);
        lines->at += n + !first;
        text += n + strspn(text + n, " ");
    }
}

void help_usage(FILE *to, const struct filter *program)
{
    size_t indent = (size_t)fprintf(to, "usage: %s ", program->name);
    struct lines lines = { to, indent, indent, USAGE_WIDTH };
    put(&lines, program->usage);
    fprintf(to, "\n");
}

void help_row(FILE *to, const struct option *row, size_t room)
{
    char letter[] = { '-', row->letter, '\0' };
    const char *gap = row->letter && row->value ? " " : "";
    int used = fprintf(to, "  %s%s%s", row->letter ? letter : "", gap,
                       row->value ? row->value : "");
    struct lines lines = { to, room, room, TEXT_WIDTH };
    fprintf(to, "%*s", (int)room - used, "");
    put(&lines, row->text);
    if (row->words)
        put(&lines, "- one of:");
    for (size_t i = 0; row->words && row->words(i); i++)
        put(&lines, row->words(i));
    fprintf(to, "\n");
}

void help_print(FILE *to, const struct filter *program)
{
    /* The columns that options and values take, in the widest row. */
    size_t most = program->operand.value ? strlen(program->operand.value) : 0;
    if (program->second.value && strlen(program->second.value) > most)
        most = strlen(program->second.value);
    for (const struct option *row = program->options; row && row->letter; row++) {
        size_t n = row->value ? 3 + strlen(row->value) : 2;
        most = n > most ? n : most;
    }
    size_t room = 2 + most + 2;

    help_usage(to, program);
    fprintf(to, "\n");
    for (const struct option *row = program->options; row && row->letter; row++)
        help_row(to, row, room);
    if (program->operand.value)
        help_row(to, &program->operand, room);
    if (program->second.value)
        help_row(to, &program->second, room);
    fprintf(to, "\nrankpipe help %s opens the page\n", program->name);
}
