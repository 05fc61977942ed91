#include "log/request_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/watch.h"
#include "kernels/crc32c.h"
#include "stream/round_fields.h"

enum { END = 100 /* most bytes of the last line */ };

/* ---- writing ---- */

static bool set_path(const char *folder, const char *name, uint64_t first, char path[SPOOL_PATH])
{
    int n = snprintf(path, SPOOL_PATH, "%s/%s.%016" PRIu64 ".index", folder, name, first);
    return n > 0 && n < SPOOL_PATH;
}

static void give_up(struct request_file *file)
{
    if (!file->open)
        return;
    file->open = false;
    close(file->writer.pending.fd);
    writer_close(&file->writer);
    unlink(file->path);
}

void request_file_begin(struct request_file *file, const char *folder, const char *name,
                        uint64_t first)
{
    struct fault ignored = { FAULT_NONE, "" };
    file->crc = 0;
    file->rounds = 0;
    file->open = false;
    if (!set_path(folder, name, first, file->path))
        return;
    unlink(file->path); /* what bears this name may be another's, by a link */
    int fd = watch_open(NULL, file->path, O_WRONLY | O_CREAT | O_EXCL, 0660, &ignored);
    if (fd < 0)
        return;
    file->open = writer_open(&file->writer, fd, file->path, NULL, &ignored) == 0;
    if (!file->open)
        close(fd);
}

static void add_text(struct request_file *file, const char *text, int n)
{
    struct fault ignored = { FAULT_NONE, "" };
    file->crc = crc32c(file->crc, text, (size_t)n);
    if (writer_bytes(&file->writer, text, (size_t)n, &ignored) < 0)
        give_up(file);
}

void request_file_add(struct request_file *file, uint64_t offset, const char *request)
{
    char line[ROUND_REQUEST + 32];
    file->rounds++;
    if (!file->open || !request)
        return;
    int n = snprintf(line, sizeof line, "%" PRIu64 " %s\n", offset, request);
    if (n < (int)sizeof line)
        add_text(file, line, n);
    else
        give_up(file);
}

void request_file_end(struct request_file *file, uint64_t bytes)
{
    struct fault ignored = { FAULT_NONE, "" };
    char line[END];
    if (file->open && bytes)
        add_text(file, line, snprintf(line, sizeof line, "end rounds=%" PRIu64 " bytes=%" PRIu64,
                                      file->rounds, bytes));
    if (file->open && bytes)
        add_text(file, line, snprintf(line, sizeof line, " crc=%08" PRIx32 "\n", file->crc));
    if (!bytes || (file->open && writer_flush(&file->writer, &ignored) < 0))
        give_up(file);
    if (!file->open)
        return;
    file->open = false;
    close(file->writer.pending.fd);
    writer_close(&file->writer);
}

/* ---- reading ---- */

struct end { /* what the last line says */
    uint64_t rounds, bytes;
    uint32_t crc;
    size_t line, summed; /* bytes of it, and of it up to " crc=" */
};

/* Finds the last line in the last n bytes of a file. */
static bool parse_end(const char *text, size_t n, struct end *end)
{
    char line[END];
    int summed = 0, used = 0;
    size_t at = n;
    if (n == 0 || text[n - 1] != '\n')
        return false;
    for (at--; at > 0 && text[at - 1] != '\n';)
        at--;
    end->line = n - at;
    if (end->line >= END)
        return false;
    memcpy(line, text + at, end->line);
    line[end->line] = '\0';
    int got = sscanf(line, "end rounds=%" SCNu64 " bytes=%" SCNu64 "%n crc=%8" SCNx32 "%n",
                     &end->rounds, &end->bytes, &summed, &end->crc, &used);
    end->summed = (size_t)summed;
    return got == 3 && used + 1 == (int)end->line;
}

/* Opens an index: its descriptor and size; -1: there is none. */
static int open_index(const char *folder, const char *name, uint64_t first, size_t *size)
{
    struct fault ignored = { FAULT_NONE, "" };
    struct stat is;
    char path[SPOOL_PATH];
    if (!set_path(folder, name, first, path))
        return -1;
    int fd = watch_open(NULL, path, O_RDONLY | O_NONBLOCK, 0, &ignored);
    if (fd < 0)
        return -1;
    if (fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0 &&
        (uintmax_t)is.st_size <= SIZE_MAX) {
        *size = (size_t)is.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

/* Takes one line apart. False where it is none. */
static bool parse_line(const char *line, size_t n, uint64_t *offset, size_t *request)
{
    size_t digits = 0;
    *offset = 0;
    for (; digits < n && line[digits] >= '0' && line[digits] <= '9'; digits++)
        *offset = *offset * 10 + (uint64_t)(line[digits] - '0');
    *request = digits + 1;
    return digits > 0 && digits < 17 && *request < n && line[digits] == ' ';
}

/* Calls `enter` for each line: true; with enter NULL: is each line one? */
static bool each_line(const char *text, size_t n,
                      void (*enter)(void *to, const char *request, size_t n, uint64_t offset),
                      void *to)
{
    size_t request;
    uint64_t offset;
    for (const char *at = text, *end = text + n, *next; at < end; at = next) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        if (!lf || !parse_line(at, (size_t)(lf - at), &offset, &request))
            return false;
        if (enter)
            enter(to, at + request, (size_t)(lf - at) - request, offset);
        next = lf + 1;
    }
    return true;
}

bool request_file_read(const char *folder, const char *name, uint64_t first, uint64_t bytes,
                       uint64_t *rounds,
                       void (*enter)(void *to, const char *request, size_t n, uint64_t offset),
                       void *to)
{
    struct end end;
    size_t size;
    int fd = open_index(folder, name, first, &size);
    if (fd < 0)
        return false;
    char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (text == MAP_FAILED)
        return false;
    bool whole = parse_end(text, size, &end) && end.bytes == bytes &&
                 crc32c(0, text, size - end.line + end.summed) == end.crc &&
                 each_line(text, size - end.line, NULL, NULL);
    if (whole && enter)
        (void)each_line(text, size - end.line, enter, to);
    *rounds = whole ? end.rounds : 0;
    munmap(text, size);
    return whole;
}
