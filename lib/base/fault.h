/* fault: an error as a value: its kind, and the text of its message. */
#ifndef RANKPIPE_FAULT_H
#define RANKPIPE_FAULT_H

#include <stddef.h>

enum fault_kind {
    FAULT_NONE,
    FAULT_DATA,    /* a round, a record or a line of text is wrong                        */
    FAULT_SYSTEM,  /* a system call failed, or another program of the pipeline is gone    */
    FAULT_USAGE,   /* the command line is wrong                                           */
    FAULT_CUT,     /* the stream stopped before its end record                            */
    FAULT_LOST,    /* a part of the input is lost, and all else was written: exit status 3 */
    FAULT_GONE,    /* nobody reads the output: no text; the program ends as by SIGPIPE    */
    FAULT_STOPPED  /* a signal asked to stop: no text                                     */
};

struct fault {
    enum fault_kind kind;
    char text[1024];
};

/* Fills in a fault that is still FAULT_NONE, so that the first fault stays, and returns -1, so that
 * a caller can write `return fault_data(...)`. A text that is too long loses its middle. */
int fault_set(struct fault *fault, enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define fault_data(fault, ...) fault_set(fault, FAULT_DATA, __VA_ARGS__)
#define fault_cut(fault, ...) fault_set(fault, FAULT_CUT, __VA_ARGS__)
#define fault_usage(fault, ...) fault_set(fault, FAULT_USAGE, __VA_ARGS__)
#define fault_lost(fault, ...) fault_set(fault, FAULT_LOST, __VA_ARGS__)
#define fault_gone(fault) fault_set(fault, FAULT_GONE, "%s", "")
#define fault_stopped(fault) fault_set(fault, FAULT_STOPPED, "%s", "")

/* A FAULT_SYSTEM without errno; with ": " and the meaning of errno; one of memory. */
#define fault_other(fault, ...) fault_set(fault, FAULT_SYSTEM, __VA_ARGS__)
int fault_system(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int fault_no_room(struct fault *fault, size_t bytes);

/* Adds a second fault, which occurred while the first one was handled: its text follows that of the
 * first. Where the first has no text, the second replaces it. */
void fault_also(struct fault *fault, const struct fault *second);

/* Puts a place, as "<stdin>: round 17: ", before the text of a fault; an empty text stays empty. */
void fault_place(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the first 40 of n bytes in single quotes, escaped as in C, and "..." where there are more.
 * Returns `quoted`. */
enum { FAULT_QUOTE = 40 * 4 + 6 };
char *fault_quote(char quoted[FAULT_QUOTE], const void *bytes, size_t n);

#endif
