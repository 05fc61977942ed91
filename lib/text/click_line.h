/* click_line: the lines of a log of clicks, one for each document shown, and their columns, which
 * the first line of each file names (log2bin(1)). */
#ifndef RANKPIPE_CLICK_LINE_H
#define RANKPIPE_CLICK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/lines.h"
#include "io/watch.h"

/* The columns of a log; the first five are required. */
enum click_column {
    CLICK_REQUEST, CLICK_QID, CLICK_DOC, CLICK_POSITION, CLICK_CLICK, CLICK_TIME, CLICK_PROPENSITY,
    CLICK_SCORE, CLICK_LABEL, CLICK_COLUMNS, CLICK_REQUIRED = CLICK_TIME
};

/* The name of a column in the first line of a log. */
const char *click_column_name(enum click_column column);

/* What the column click counts where it has that word. */
struct click_action {
    const char *name; /* the caller's, and not ended: bytes of it */
    size_t bytes;
    float value;
};

/* A document shown. NaN: the log does not say. */
struct click_shown {
    size_t name, bytes; /* its name, for click_log */
    bool timed;
    uint64_t time;      /* in milliseconds since 1970, if timed */
    uint32_t position;  /* from 1 */
    float click;        /* 0 or more */
    double propensity;  /* above 0, at most 1 */
    double score;
    double label;       /* 0 or more */
};

struct click_line {
    struct lines lines;
    const struct click_action *actions; /* actions[n], the caller's */
    size_t n;
    size_t fields;            /* of a line */
    size_t at[CLICK_COLUMNS]; /* which field each column is; SIZE_MAX: the log lacks it */
    const char *field[CLICK_COLUMNS]; /* of the current line; that of the request is NULL where
                                       * the line cannot be read at all */
    size_t bytes[CLICK_COLUMNS];
    struct buffer unknown;    /* names of columns that are not used, ", " between them */
    size_t unknown_bytes, unknowns;
};

/* Reads `files` as one log; "-" is standard input, and so is an empty list. All arguments stay the
 * caller's. */
void click_line_open(struct click_line *line, char *const *files,
                     const struct click_action *actions, size_t n, struct watch *watch);

/* Finds the fields of the next line that is neither empty nor the first of its file. After
 * lines_again it is the same line. A data fault, of one line, leaves it where it is; a log whose
 * first line is wrong is FAULT_CUT. */
enum lines_got click_line_next(struct click_line *line, struct fault *fault);

/* Reads the fields of the current line except request and qid. 0 or a data fault. */
int click_line_read(struct click_line *line, struct click_shown *shown, struct fault *fault);

/* A data fault: "the click is not WHAT: 'x'". Returns -1. */
int click_line_wrong(struct click_line *line, enum click_column c, const char *what,
                     struct fault *fault);

void click_line_close(struct click_line *line);

#endif
