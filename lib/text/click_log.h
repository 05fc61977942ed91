/* click_log: reads what a search engine logged, one line for each document shown, request by
 * request; the first line of each file names the columns (log2bin(1)). */
#ifndef RANKPIPE_CLICK_LOG_H
#define RANKPIPE_CLICK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/name_table.h"
#include "io/lines.h"
#include "io/watch.h"
#include "stream/round_fields.h"
#include "text/svm.h"

/* The columns of a log; the first five are required, of clicks alone the first three. */
enum click_column {
    CLICK_REQUEST, CLICK_QID, CLICK_DOC, CLICK_POSITION, CLICK_CLICK, CLICK_TIME, CLICK_PROPENSITY,
    CLICK_SCORE, CLICK_LABEL, CLICK_CLIENT, CLICK_COLUMNS, CLICK_ALONE = CLICK_POSITION,
    CLICK_REQUIRED = CLICK_TIME
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
    float click;        /* 0 to 1 */
    double propensity;  /* above 0, at most 1 */
    double score;
    double label;       /* 0 or more */
};

struct click_line { /* the current one */
    struct lines lines;
    const struct click_action *actions; /* actions[n], the caller's */
    size_t n;
    bool alone; /* set by the caller: the log has clicks alone. A line without the column click is
                 * one, documents have no positions, and may come again */
    bool coded; /* likewise: qids have %XX already */
    size_t fields;            /* of a line */
    size_t at[CLICK_COLUMNS]; /* which field each column is; SIZE_MAX: the log lacks it */
    const char *field[CLICK_COLUMNS]; /* of the current line; that of the request is NULL where
                                       * the line cannot be read at all */
    size_t bytes[CLICK_COLUMNS];
    struct buffer unknown;    /* names of columns that are not used, ", " between them */
    size_t unknown_bytes, unknowns;
};

/* The documents shown at positions 1 to `places` of a request. Valid until the next call. */
struct click_request {
    char request[QID_BYTES + 1], qid[QID_BYTES + 1]; /* percent-encoded, as a header has them */
    bool timed;
    uint64_t time; /* in milliseconds since 1970, of its first line that says */
    char client[ROUND_CLIENT + 1]; /* percent-encoded; empty: the log does not say */
    uint64_t line; /* its first line */
    size_t places;
    const struct click_shown *shown; /* shown[places] */
    const char *names; /* of these documents, each ended by NUL; no two are equal */
    size_t name_bytes;
    bool given[CLICK_COLUMNS]; /* propensity, score, label: does each line say? Else none does */
};

struct click_log {
    struct click_line line;
    struct click_request now;
    struct buffer shown, names, listed, own; /* own: `request` of `now`, as in the text */
    size_t own_bytes, name_bytes;
    struct name_table before;    /* the requests so far                               */
    struct hash_table documents; /* of the request, to see whether their names differ */
};

/* Reads `files` as one log. Each file begins with a line that names its columns. "-" is standard
 * input, and so is an empty list. All arguments stay the caller's. */
void click_log_open(struct click_log *log, char *const *files, const struct click_action *actions,
                    size_t n, struct watch *watch);

/* Reads the next request into log->now. Returns 1, 0 at the end of the log, or a fault with file,
 * line and text. After a data fault click_log_skip may follow. O(bytes), and O(n log n) for n
 * documents. */
int click_log_next(struct click_log *log, struct fault *fault)
    __attribute__((warn_unused_result));

/* Skips what is left of the request in which the fault was. 0 or a fault, of the file. */
int click_log_skip(struct click_log *log, struct fault *fault);

/* A data fault about the request in log->now, with its file and first line. Returns -1. */
int click_log_wrong(struct click_log *log, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void click_log_close(struct click_log *log);

#endif
