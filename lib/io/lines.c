#include "io/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { CHUNK = 128 * 1024 };

void lines_open(struct lines *lines, char *const *files, struct watch *watch)
{
    static char *const standard_input[] = { "-", NULL };
    memset(lines, 0, sizeof *lines);
    lines->watch = watch;
    lines->files = *files ? files : standard_input;
    lines->fd = lines->held = -1;
    lines->file_ended = true;
    lines->text = "";
}

int lines_text(struct lines *lines, const char *name, const void *bytes, size_t n,
               struct fault *fault)
{
    static char *const no_files[] = { NULL };
    char *text = buffer_for(&lines->buffer, n + 1, 1, fault);
    if (!text) return -1;
    memcpy(text, bytes, n);
    lines->files = no_files;
    lines->name = name;
    lines->number = 0;
    lines->from = lines->scanned = 0;
    lines->until = n;
    lines->file_ended = true;
    lines->again = false;
    return 0;
}

static void let_go(struct lines *lines)
{
    if (lines->held >= 0)
        close(lines->held);
    lines->held = -1;
}

void lines_part(struct lines *lines, uint64_t from, uint64_t to)
{
    lines->part = true;
    lines->skipped = from;
    lines->left = to - from;
}

uint64_t lines_left(const struct lines *lines)
{
    return lines->left + (lines->until - lines->from);
}

uint64_t lines_number(struct lines *lines)
{
    char text[4096];
    uint64_t at = 0, before = 0;
    while (at < lines->skipped) {
        uint64_t room = lines->skipped - at;
        ssize_t n = pread(lines->fd, text, room < sizeof text ? (size_t)room : sizeof text,
                          (off_t)at);
        if (n <= 0)
            break;
        for (ssize_t i = 0; i < n; i++)
            before += text[i] == '\n';
        at += (uint64_t)n;
    }
    lines->number += before;
    lines->skipped = 0;
    return lines->number;
}

void lines_close(struct lines *lines)
{
    buffer_free(&lines->buffer);
    let_go(lines);
    if (lines->fd > STDIN_FILENO)
        close(lines->fd);
}

/* Can other programs open this file as a FIFO? Not the pipes that a shell names by descriptors. */
static bool is_named_fifo(const char *file, int fd)
{
    struct stat is;
    return fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode) && strncmp(file, "/dev/fd/", 8) != 0 &&
           strncmp(file, "/dev/std", 8) != 0 && strncmp(file, "/proc/", 6) != 0;
}

int lines_start(struct lines *lines, struct fault *fault)
{
    let_go(lines);
    if (lines->fd > 0)
        close(lines->fd);
    const char *file = *lines->files++;
    bool standard = strcmp(file, "-") == 0;
    lines->name = standard ? "<stdin>" : file;
    lines->number = 0;
    lines->file_ended = false;
    /* O_NONBLOCK: a FIFO without a writer is waited for later, by watch_readable. */
    lines->fd = standard ? STDIN_FILENO
                         : watch_open(lines->watch, file, O_RDONLY | O_NONBLOCK, 0, fault);
    if (lines->fd < 0)
        return fault_system(fault, "cannot open %s", file);
    if (lines->part && lseek(lines->fd, (off_t)lines->skipped, SEEK_SET) < 0)
        return fault_system(fault, "cannot read %s in parts", file);
    if (!lines->waits || !is_named_fifo(file, lines->fd))
        return 0;
    lines->held = watch_open(lines->watch, file, O_WRONLY | O_NONBLOCK, 0, fault);
    return lines->held < 0 ? fault_system(fault, "cannot open FIFO %s for writing, to hold it open "
                                          "between its writers", file) : 0;
}

/* Reads from the file: how many bytes, 0 at its end or that of the part, or -1 with errno. */
static ssize_t read_some(struct lines *lines, void *to, size_t room)
{
    bool ends = lines->part && lines->left <= room;
    ssize_t got = read(lines->fd, to, ends ? (size_t)lines->left : room);
    if (lines->part && got > 0)
        lines->left -= (uint64_t)got;
    return got;
}

static int read_more(struct lines *lines, struct fault *fault)
{
    char *text = lines->buffer.at;
    lines->text = ""; /* the line before may move, or be overwritten */
    lines->bytes = 0;
    if (lines->from) {
        memmove(text, text + lines->from, lines->until - lines->from);
        lines->until -= lines->from;
        lines->from = 0;
    }
    text = buffer_for(&lines->buffer, lines->until + CHUNK + 1, 1, fault);
    if (!text || watch_input(lines->watch, lines->fd, false, lines->name, fault) < 0) return -1;
    ssize_t got = read_some(lines, text + lines->until, lines->buffer.bytes - lines->until - 1);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : fault_system(fault, "cannot read %s",
                                                                    lines->name);
    lines->until += (size_t)got;
    lines->file_ended = got == 0;
    if (got == 0 && lines->part && lines->left)
        return fault_other(fault, "%s became shorter while it was read", lines->name);
    return 0;
}

int lines_wrong(struct lines *lines, const char *at, size_t n, struct fault *fault,
                const char *format, ...)
{
    char what[200], quoted[FAULT_QUOTE];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    return fault_data(fault, "%s: line %" PRIu64 ": %s: %s", lines->name, lines_number(lines), what,
                      fault_quote(quoted, at, n));
}

void lines_end_file(struct lines *lines)
{
    let_go(lines);
    lines->from = lines->until = lines->scanned = 0;
    lines->file_ended = true;
}

void lines_wait_no_more(struct lines *lines)
{
    lines->waits = false;
    let_go(lines);
}

void lines_again(struct lines *lines)
{
    lines->again = true;
}

/* Is the first line of a file text at all? 0 or a fault. */
static int check_first(const struct lines *lines, struct fault *fault)
{
    const char *words = text_not(lines->text, lines->bytes);
    return words ? fault_data(fault, "%s: not text: %s", lines->name, words) : 0;
}

/* Makes the n bytes at `from` the current line, and goes on after the `used` bytes there. A
 * NUL byte is a fault: parsers would not see the rest of the line. */
static int pass_line(struct lines *lines, size_t n, size_t used, struct fault *fault)
{
    char *text = (char *)lines->buffer.at + lines->from;
    lines->number++;
    lines->from += used;
    lines->scanned = 0;
    lines->text = text;
    lines->bytes = n && text[n - 1] == '\r' ? n - 1 : n;
    text[lines->bytes] = '\0';
    if (lines->number == 1 && check_first(lines, fault) < 0) return -1;
    if (memchr(text, '\0', lines->bytes))
        return lines_wrong(lines, text, lines->bytes, fault, "a NUL byte");
    return 1;
}

int lines_next(struct lines *lines, struct fault *fault)
{
    if (lines->again) {
        lines->again = false;
        return 1;
    }
    for (;;) {
        const char *text = lines->buffer.at ? (const char *)lines->buffer.at + lines->from : NULL;
        size_t have = lines->until - lines->from;
        const char *end = have > lines->scanned
                              ? memchr(text + lines->scanned, '\n', have - lines->scanned)
                              : NULL;
        size_t n = end ? (size_t)(end - text) : have;
        if (n > LINES_MOST) {
            lines->number++;
            return lines_wrong(lines, text, n, fault, "a line over 64 MiB");
        }
        if (end || (lines->file_ended && have))
            return pass_line(lines, n, n + (end != NULL), fault);
        lines->scanned = have;
        if (lines->file_ended && !*lines->files)
            return 0;
        if ((lines->file_ended ? lines_start(lines, fault) : read_more(lines, fault)) < 0)
            return -1;
    }
}

bool lines_endless(const struct lines *lines)
{
    const char *text = lines->buffer.at;
    return lines->until - lines->from > LINES_MOST &&
           !memchr(text + lines->from, '\n', LINES_MOST + 1);
}

int lines_next_any(struct lines *lines, struct fault *fault)
{
    struct fault why = { FAULT_NONE, "" };
    int got = lines_next(lines, &why);
    if (got >= 0)
        return got;
    if (why.kind == FAULT_DATA && !lines_endless(lines))
        return 1;
    *fault = why;
    return -1;
}
