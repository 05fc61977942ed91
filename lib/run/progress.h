/* progress: how far a run has come, in one line that is drawn over itself on a terminal. */
#ifndef RANKPIPE_PROGRESS_H
#define RANKPIPE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_LINE = 80 };     /* a line's characters, its ending NUL with them */
enum { PROGRESS_MEASURE = 48 };  /* room for a measure so far                     */

/* Takes what is drawn off the terminal. Whole in one write, so that a signal's handler may. */
#define PROGRESS_ERASE "\r\033[K"

struct progress { /* all zero at first: nothing is drawn, and a round costs a branch */
    bool asked;       /* by -P                                         */
    bool on;          /* asked, and there is a terminal                */
    bool drawn;       /* a line stands there                           */
    int fd;           /* the terminal's                                */
    const char *name; /* the program's                                 */
    uint64_t all;     /* rounds there will be; 0: nobody knows         */
    uint64_t rounds;  /* so far                                        */
    uint64_t next;    /* the clock is looked at when there are so many */
    uint64_t stride;  /* rounds between two looks                      */
    double start, looked, drawn_at; /* seconds by the clock: of the first round, the last look, the
                                 * last line                                                    */
};

/* Begins where it was asked for and fd is a terminal. `name` stays the caller's. */
void progress_start(struct progress *progress, int fd, const char *name, uint64_t all);

/* The clock looked at now: is a new line due? A tenth of a second after the last one. Sets how many
 * rounds go by before the next look: one where rounds are slow, 64 at the most. */
bool progress_due(struct progress *progress, double now);

/* Counts one more round. Is a line due? The clock is looked at once in so many rounds. */
bool progress_round(struct progress *progress);

/* The line after `seconds` of work, at most 79 characters: a piece of it that does not
 * fit is left out. `measure` is "" for none. Returns `line`. */
char *progress_line(const struct progress *progress, double seconds, const char *measure,
                    char line[PROGRESS_LINE]);

/* Draws the line over what is drawn; at the end only if the run was long enough for one. A
 * terminal that takes nothing is no fault. */
void progress_draw(struct progress *progress, const char *measure);
bool progress_ends(struct progress *progress);

/* Takes it away: to be called before anything else is written where the terminal may be. */
void progress_erase(struct progress *progress);

#endif
