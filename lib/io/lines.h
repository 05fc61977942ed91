/* lines: reads text line by line, from several files as if they were one. */
#ifndef RANKPIPE_LINES_H
#define RANKPIPE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/wait.h"

#define LINES_MOST ((size_t)64 << 20) /* bytes of a line */

struct lines {
    struct watch *watch;
    char *const *files; /* those not opened yet, ended by NULL; the caller's */
    int fd;             /* of the file being read, or -1 */
    const char *name;   /* its name: "<stdin>" for "-" */
    uint64_t number;    /* of the current line in its file, from 1 */
    const char *text;   /* the current line, without LF or CR LF, ended by the only NUL in it */
    size_t bytes;       /* of text, without the NUL */

    struct buffer buffer; /* its bytes from..until are still to be read */
    size_t from, until, scanned;
    bool file_ended, again;
};

/* Reads `files`; "-" is standard input, and so is an empty list. Everything given stays the
 * caller's. */
void lines_open(struct lines *lines, char *const *files, struct watch *watch);

/* Opens the first file now, without waiting, so that a program that writes to a FIFO can open it
 * too. To be called before the first lines_next, which otherwise opens it. 0 or a fault. */
int lines_start(struct lines *lines, struct fault *fault);

/* Makes the next line the current one: 1, 0 at the end of all files, or a fault. A last line
 * without LF is a line. A line with a NUL byte is a data fault; the next call goes on after it.
 * Waits as the watch says. */
int lines_next(struct lines *lines, struct fault *fault) __attribute__((warn_unused_result));

/* Makes the next lines_next return the current line once more. */
void lines_again(struct lines *lines);

/* The first byte after the current line that must not be read. All bytes between were read from the
 * files. */
static inline const char *lines_ahead(const struct lines *lines)
{
    return (const char *)lines->buffer.at + lines->until;
}

/* A data fault that quotes n bytes of the current line, with its file and number. Returns -1. */
int lines_wrong(const struct lines *lines, const char *at, size_t n, struct fault *fault,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

void lines_close(struct lines *lines);

#endif
