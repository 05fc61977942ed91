#include "text/pipeline_text.h"

#include <stdbool.h>
#include <string.h>

struct scan {
    struct pipeline_text *pipeline;
    const char *at;
    char *out;        /* where the next word goes     */
    char **word;      /* where its pointer goes       */
    bool ended;       /* a newline ended the pipeline */
    size_t from, to;  /* the commands of < and >      */
    struct fault *fault;
};

static int refuse_at(const struct scan *scan, const char *why)
{
    char quoted[FAULT_QUOTE];
    return fault_usage(scan->fault, "%s, at %s", why,
                       fault_quote(quoted, scan->at, strlen(scan->at)));
}

static int only_a_shell(const struct scan *scan)
{
    return refuse_at(scan, "only a shell can do that (quote it to use it literally)");
}

/* '...': literal text. */
static int single_quoted(struct scan *scan)
{
    const char *end = strchr(scan->at + 1, '\'');
    if (!end)
        return refuse_at(scan, "a quote that is not closed");
    size_t n = (size_t)(end - scan->at - 1);
    memcpy(scan->out, scan->at + 1, n);
    scan->out += n;
    scan->at = end + 1;
    return 0;
}

/* "...": a backslash quotes only " \ $ `, and is removed together with a newline after it. */
static int double_quoted(struct scan *scan)
{
    const char *from = scan->at++;
    while (*scan->at != '"') {
        if (*scan->at == '$' || *scan->at == '`')
            return only_a_shell(scan);
        bool quoted = *scan->at == '\\' && scan->at[1] && strchr("\"\\$`\n", scan->at[1]);
        scan->at += quoted;
        if (!*scan->at) {
            scan->at = from;
            return refuse_at(scan, "a quote that is not closed");
        }
        if (!(quoted && *scan->at == '\n'))
            *scan->out++ = *scan->at;
        scan->at++;
    }
    scan->at++;
    return 0;
}

static bool ends_word(char c)
{
    return c == '\0' || strchr(" \t\n|<>", c);
}

/* Reads the word that begins here. */
static int read_word(struct scan *scan, const char **word)
{
    const char *from = scan->at;
    *word = scan->out;
    if (*scan->at == '~')
        return only_a_shell(scan);
    while (!ends_word(*scan->at)) {
        int bad = 0;
        if (strchr("$`*?[;&(){}", *scan->at))
            return only_a_shell(scan);
        if (*scan->at == '\'')
            bad = single_quoted(scan);
        else if (*scan->at == '"')
            bad = double_quoted(scan);
        else if (*scan->at == '\\' && scan->at[1] == '\n')
            scan->at += 2;
        else if (*scan->at == '\\' && scan->at[1] == '\0')
            return refuse_at(scan, "a backslash at the end");
        else {
            scan->at += *scan->at == '\\';
            *scan->out++ = *scan->at++;
        }
        if (bad < 0) return -1;
    }
    if ((*scan->at == '<' || *scan->at == '>') &&
        strspn(from, "0123456789") == (size_t)(scan->at - from))
        return only_a_shell(scan);
    *scan->out++ = '\0';
    return 0;
}

/* Skips blanks, joined lines and comments, and with `newlines` also line ends. */
static void skip_blanks(struct scan *scan, bool newlines)
{
    for (;;) {
        if (*scan->at == ' ' || *scan->at == '\t')
            scan->at++;
        else if (scan->at[0] == '\\' && scan->at[1] == '\n')
            scan->at += 2;
        else if (*scan->at == '#')
            scan->at += strcspn(scan->at, "\n");
        else if (newlines && *scan->at == '\n')
            scan->at++;
        else
            return;
    }
}

static int read_redirection(struct scan *scan)
{
    struct pipeline_text *pipeline = scan->pipeline;
    bool in = *scan->at == '<';
    const char **file = in ? &pipeline->from : &pipeline->to;
    if (strchr("<>&|", scan->at[1]) && scan->at[1])
        return only_a_shell(scan);
    if (*file)
        return refuse_at(scan, in ? "a second <" : "a second >");
    *(in ? &scan->from : &scan->to) = pipeline->commands;
    scan->at++;
    skip_blanks(scan, false);
    if (ends_word(*scan->at))
        return refuse_at(scan, in ? "no file after <" : "no file after >");
    return read_word(scan, file);
}

/* Reads the words of one command, up to a bar, a newline or the end. */
static int read_command(struct scan *scan)
{
    struct pipeline_text *pipeline = scan->pipeline;
    char **first = scan->word;
    pipeline->command[pipeline->commands] = first;
    for (;;) {
        skip_blanks(scan, false);
        if (*scan->at == '<' || *scan->at == '>') {
            if (read_redirection(scan) < 0) return -1;
        } else if (ends_word(*scan->at)) {
            break;
        } else {
            const char *word;
            if (read_word(scan, &word) < 0) return -1;
            *scan->word++ = (char *)word;
        }
    }
    if (scan->word == first)
        return refuse_at(scan, "a program is missing");
    *scan->word++ = NULL;
    pipeline->commands++;
    return 0;
}

int pipeline_text_read(struct pipeline_text *pipeline, const char *text, struct fault *fault)
{
    size_t n = strlen(text) + 2;
    struct scan scan = { .pipeline = pipeline, .at = text, .fault = fault };
    scan.out = buffer_for(&pipeline->text_buffer, 2 * n, 1, fault);
    scan.word = buffer_for(&pipeline->words_buffer, 2 * n, sizeof *scan.word, fault);
    pipeline->command = buffer_for(&pipeline->commands_buffer, n, sizeof *pipeline->command, fault);
    if (!scan.out || !scan.word || !pipeline->command) return -1;
    do {
        skip_blanks(&scan, true);
        if (read_command(&scan) < 0) return -1;
        scan.ended = *scan.at != '|';
        if (!scan.ended && (scan.at[1] == '|' || scan.at[1] == '&'))
            return only_a_shell(&scan);
        scan.at += !scan.ended;
    } while (!scan.ended);
    skip_blanks(&scan, true);
    if (*scan.at)
        return refuse_at(&scan, "a second command: join commands with |");

    char quoted[FAULT_QUOTE];
    if (pipeline->from && scan.from != 0)
        return fault_usage(scan.fault, "< %s comes after a |: only the first program can read a "
                           "file", fault_quote(quoted, pipeline->from, strlen(pipeline->from)));
    if (pipeline->to && scan.to + 1 != pipeline->commands)
        return fault_usage(scan.fault, "> %s comes before a |: only the last program can write a "
                           "file", fault_quote(quoted, pipeline->to, strlen(pipeline->to)));
    return 0;
}

void pipeline_text_close(struct pipeline_text *pipeline)
{
    buffer_free(&pipeline->commands_buffer);
    buffer_free(&pipeline->words_buffer);
    buffer_free(&pipeline->text_buffer);
}
