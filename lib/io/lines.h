/* lines: text read line by line, from files one after the other as if they were one. */
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
    char *const *files; /* still to be read, NULL-ended; the caller's     */
    int fd;             /* of the one being read, or -1                   */
    const char *name;   /* its name: "<stdin>" for "-"                    */
    uint64_t number;    /* of the line at hand in its file, from 1        */
    const char *text;   /* the line at hand: no LF or CR LF, a NUL behind */
    size_t bytes;

    struct buffer buffer; /* its bytes from..until are still to be read */
    size_t from, until, scanned;
    bool file_ended, again;
};

/* Reads `files`; "-" is standard input, and so is an empty list. Everything given stays the
 * caller's. */
void lines_open(struct lines *lines, char *const *files, struct watch *watch);

/* Opens the first file now, without waiting: so who writes to a FIFO can open it too. Before the
 * first lines_next, which opens it else. 0 or a fault. */
int lines_start(struct lines *lines, struct fault *fault);

/* Makes the next line the one at hand: 1, 0 at the end of all files, or a fault. A last line
 * without LF is a line. Flushes what the watch says before it waits. */
int lines_next(struct lines *lines, struct fault *fault) __attribute__((warn_unused_result));

/* Has lines_next come back with the line at hand once more. */
void lines_again(struct lines *lines);

/* A fault at n bytes of the line at hand, with its file and number: returns -1. */
int lines_wrong(const struct lines *lines, const char *at, size_t n, struct fault *fault,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

void lines_close(struct lines *lines);

#endif
