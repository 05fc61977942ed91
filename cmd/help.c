#include "help.h"

#include <string.h>

enum { USAGE_WIDTH = 80, TEXT_WIDTH = 100 };

/* Text being set in lines. */
struct lines {
    FILE *to;
    size_t at, indent, width; /* columns: of the next character, of new lines, of a whole line */
};

/* The length of the first word of a text. In a usage line, what stands in brackets is one word. */
static size_t word_length(const char *text)
{
    size_t n = 0;
    for (int depth = 0; text[n] && (depth > 0 || text[n] != ' '); n++)
        depth += (text[n] == '[') - (text[n] == ']');
    return n;
}

/* Adds one word: on this line if it fits, else on a new one. */
static void put_word(struct lines *lines, const char *word, size_t n)
{
    if (lines->at > lines->indent && lines->at + 1 + n > lines->width) {
        fprintf(lines->to, "\n%*s", (int)lines->indent, "");
        lines->at = lines->indent;
    }
    bool first = lines->at <= lines->indent;
    fprintf(lines->to, "%s%.*s", first ? "" : " ", (int)n, word);
    lines->at += n + !first;
}

static void put(struct lines *lines, const char *text)
{
    while (*text) {
        size_t n = word_length(text);
        put_word(lines, text, n);
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

/* The columns that options and values take, in the widest row. */
static size_t find_room(const struct filter *program)
{
    size_t most = program->operand.value ? strlen(program->operand.value) : 0;
    if (program->second.value && strlen(program->second.value) > most)
        most = strlen(program->second.value);
    for (const struct option *row = program->options; row && row->letter; row++) {
        size_t n = row->value ? 3 + strlen(row->value) : 2;
        most = n > most ? n : most;
    }
    return 2 + most + 2;
}

void help_print(FILE *to, const struct filter *program)
{
    size_t room = find_room(program);
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
