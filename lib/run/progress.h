/* progress: the progress of a run, in one line on a terminal that is redrawn in place. */
#ifndef RANKPIPE_PROGRESS_H
#define RANKPIPE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_LINE = 80 };     /* bytes of a line, with the NUL at its end */
enum { PROGRESS_MEASURE = 48 };  /* bytes of a measure so far, with the NUL  */

/* Erases the line. It is one write, so that a signal handler may do it. */
#define PROGRESS_ERASE "\r\033[K"

struct progress { /* all zero at first: nothing is drawn, and a round costs a branch */
    bool asked;       /* by -P                                       */
    bool on;          /* asked, and there is a terminal              */
    bool drawn;       /* a line is on the terminal                   */
    int fd;           /* of the terminal                             */
    const char *name; /* of the program                              */
    uint64_t all;     /* rounds of the whole run; 0: not known       */
    uint64_t rounds;  /* so far                                      */
    double start, drawn_at; /* when: in seconds, the run; the last line */
};

/* Starts, if progress was asked for and fd is a terminal. Borrows `name`. */
void progress_start(struct progress *progress, int fd, const char *name, uint64_t all);

/* Counts one more round. Is a new line due, a tenth of a second after the last one? */
bool progress_round(struct progress *progress);

/* The line after `seconds` of work, at most 79 characters; a piece that does not fit is left out,
 * and so is the time left from 10^9 seconds on. `measure` may be "". Returns `line`. */
char *progress_line(const struct progress *progress, double seconds, const char *measure,
                    char line[PROGRESS_LINE]);

/* Draws the line in place of the last one. progress_ends: is one due at the end of the run? Not if
 * the run was too short to draw any. A write that fails is ignored. */
void progress_draw(struct progress *progress, const char *measure);
bool progress_ends(struct progress *progress);

/* Erases the line. Call it before anything else is written to standard error. */
void progress_erase(struct progress *progress);

#endif
