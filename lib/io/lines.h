/* lines: reads text line by line, from several files as if they were one. */
#ifndef RANKPIPE_LINES_H
#define RANKPIPE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"

#define LINES_MOST ((size_t)64 << 20) /* bytes of a line */

struct lines {
    struct watch *watch;
    char *const *files; /* those not opened yet, ended by NULL; the caller's */
    int fd;             /* of the file being read, or -1 */
    bool part;          /* only `left` bytes of the file are still to be read, and so many, */
    uint64_t left, skipped; /* before them, were not; 0: `number` counts the lines there  */
    bool waits;         /* a named FIFO does not end with its writers; set by the caller */
    int held;           /* the FIFO being read, open for writing so that it does not end; or -1 */
    const char *name;   /* its name: "<stdin>" for "-" */
    uint64_t number;    /* of the current line in its file or part, from 1 */
    const char *text;   /* the current line, without LF or CR LF, ended by the only NUL in it */
    size_t bytes;       /* of text, without the NUL */

    struct buffer buffer; /* its bytes from..until are still to be read */
    size_t from, until, scanned;
    bool file_ended, again;
};

/* Reads `files`; "-" is standard input, and so is an empty list. Everything given stays the
 * caller's. */
void lines_open(struct lines *lines, char *const *files, struct watch *watch);

/* Makes these n bytes the text that is read from now on, in place of files; they are copied. 0 or a
 * fault. */
int lines_text(struct lines *lines, const char *name, const void *bytes, size_t n,
               struct fault *fault);

/* Reads of the one file, which can be sought in, only the bytes from..to; before the first line. */
void lines_part(struct lines *lines, uint64_t from, uint64_t to);

/* The bytes of the part that are not in lines so far. */
uint64_t lines_left(const struct lines *lines);

/* The number of the current line in its file, from 1. If a part is read, counts the lines before it
 * now, once: O(bytes there). */
uint64_t lines_number(struct lines *lines);

/* Opens the next file now, without waiting, so that a program that writes to a FIFO can open it
 * too: the first one, if called before the first lines_next, which otherwise opens it. 0 or a
 * fault. */
int lines_start(struct lines *lines, struct fault *fault);

/* Makes the next line the current one: 1, or 0 at the end of all files. A last line without LF
 * is a line. A line with a NUL byte is a data fault; the next call goes on after it. Waits as the
 * watch says. */
int lines_next(struct lines *lines, struct fault *fault)
    __attribute__((warn_unused_result));

/* The same, but a line that is wrong is a line too, unless it is too long. */
int lines_next_any(struct lines *lines, struct fault *fault)
    __attribute__((warn_unused_result));

/* Is the line that comes next too long to be read? */
bool lines_endless(const struct lines *lines);

/* Ends the file being read: what follows in it is not read, and lines_next goes on with the next
 * file. */
void lines_end_file(struct lines *lines);

/* From now on also a FIFO ends when no writer has it open. */
void lines_wait_no_more(struct lines *lines);

/* Makes the next lines_next return the current line once more. */
void lines_again(struct lines *lines);

/* The first byte after the current line that must not be read. All bytes between were read from the
 * files. */
static inline const char *lines_ahead(const struct lines *lines)
{
    return (const char *)lines->buffer.at + lines->until;
}

/* A data fault that quotes n bytes of the current line, with its file and number. Returns -1. */
int lines_wrong(struct lines *lines, const char *at, size_t n, struct fault *fault,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

void lines_close(struct lines *lines);

#endif
