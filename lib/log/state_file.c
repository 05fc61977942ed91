#include "log/state_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/lines.h"
#include "stream/record.h"

int state_number(const char *text, uint64_t *value, struct fault *fault)
{
    if (record_number(text, RECORD_MOST, value))
        return 0;
    return fault_data(fault, "not a whole number: '%.40s'", text);
}

/* Cuts a line into its fields. Their number, or STATE_FIELDS + 1 where they are too many. */
static size_t cut(char *line, const char *text[STATE_FIELDS])
{
    size_t fields = 0;
    for (char *p = line; p; fields++) {
        char *tab = strchr(p, '\t');
        if (fields == STATE_FIELDS)
            return STATE_FIELDS + 1;
        text[fields] = p;
        if (tab)
            *tab = '\0';
        p = tab ? tab + 1 : NULL;
    }
    return fields;
}

/* The line at hand. 1; 0 if it is the last one; or a fault. */
static int read_line(struct lines *lines, struct buffer *copy, state_line *line, void *self,
                     struct fault *fault)
{
    const char *text[STATE_FIELDS];
    uint64_t before;
    char *bytes = buffer_for(copy, lines->bytes + 1, 1, fault);
    if (!bytes)
        return -1;
    memcpy(bytes, lines->text, lines->bytes + 1);
    size_t fields = cut(bytes, text);
    if (fields > STATE_FIELDS)
        return fault_data(fault, "too many fields");
    if (fields != 2 || strcmp(text[0], "end") != 0)
        return line(self, text, fields, fault) < 0 ? -1 : 1;
    if (state_number(text[1], &before, fault) < 0)
        return -1;
    return before + 1 == lines->number ? 0 : fault_data(fault, "lines before it are missing");
}

/* `whole`: the file has its last line, "end". */
static int read_file(const char *folder, const char *name, bool whole, state_line *line,
                     void *self, struct fault *fault)
{
    char path[4096];
    char *const files[] = { path, NULL };
    struct lines lines;
    struct watch watch = WATCH_NOTHING;
    struct buffer copy = { NULL, 0 };
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return fault_other(fault, "the name of the folder %.40s... is too long", folder);
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    lines_open(&lines, files, &watch);
    int got = 1;
    bool ended = false;
    while (got > 0 && !ended && (got = (int)lines_next(&lines, fault)) > 0) {
        got = read_line(&lines, &copy, line, self, fault);
        ended = got == 0;
    }
    if (got < 0 && fault->kind == FAULT_DATA && strncmp(fault->text, path, strlen(path)) != 0)
        fault_place(fault, "%s: line %" PRIu64 ": ", path, lines.number);
    if (got == 0 && whole && !ended)
        got = fault_data(fault, "%s: the file is cut: use the generation before this one", path);
    lines_close(&lines);
    buffer_free(&copy);
    return got < 0 ? -1 : 1;
}

int state_file_read(const char *folder, const char *name, state_line *line, void *self,
                    struct fault *fault)
{
    return read_file(folder, name, true, line, self, fault);
}

int state_lines_read(const char *folder, const char *name, state_line *line, void *self,
                     struct fault *fault)
{
    return read_file(folder, name, false, line, self, fault);
}

int state_file_finish(struct fresh_file *file, uint64_t lines, struct fault *fault)
{
    if (writer_text(&file->writer, fault, "end\t%" PRIu64 "\n", lines) < 0)
        return -1;
    return fresh_file_finish(file, fault);
}
