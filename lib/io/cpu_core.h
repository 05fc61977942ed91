/* cpu_core: programs that work in turn share a core of the machine.
 *
 * In a ring with one round on its way only one program has work at any time. The kernel cannot
 * know that, and spreads the programs over the cores; then each wakes the next one on another
 * core, which often takes longer than what that one has to do. So score leads: it stays on the
 * core where it is, and names it by a record lock on its output, at the byte of the core's number.
 * A program stays on the core that its input names, and names it on its output. The stream has the
 * same bytes. From time to time score lets the kernel move it, as other work may have come to the
 * core.
 *
 * On Linux alone; elsewhere, and where the system refuses, programs stay where they are put. */
#ifndef RANKPIPE_CPU_CORE_H
#define RANKPIPE_CPU_CORE_H

#include <stdbool.h>
#include <stdint.h>

struct core {                /* all zero at first */
    int at, named;           /* the core where the program stays, and that which its output names;
                              * from 1; 0: none                                                */
    long since;              /* when the leader began to stay, or to be free, by watch_now      */
    uint64_t cores[16];      /* those on which the program may be, as the user wants, by bits   */
};

/* Of the program that leads. `out` is its output, `now` the time by watch_now. */
void core_lead(struct core *core, int out, long now);

/* Of any other program. `out` -1: it has no output. */
void core_follow(struct core *core, int in, int out);

#endif
