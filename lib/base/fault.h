/* fault: an error as a value, in words for the reader. */
#ifndef RANKPIPE_FAULT_H
#define RANKPIPE_FAULT_H

#include <stddef.h>

enum fault_kind {
    FAULT_NONE,
    FAULT_DATA,    /* the round, the record or the line at hand is wrong             */
    FAULT_SYSTEM,  /* a call to the system failed, or a partner is gone              */
    FAULT_USAGE,   /* the command line is wrong                                      */
    FAULT_CUT,     /* the stream stopped before its end record                       */
    FAULT_GONE,    /* who reads our output is gone: no words, the death SIGPIPE deals */
    FAULT_STOPPED  /* a signal asked for the end                                     */
};

struct fault {
    enum fault_kind kind;
    char text[1024];
};

/* Each of these fills in a fault that is still FAULT_NONE (the first one told is the one that
 * counts) and returns -1, so that a caller can say `return fault_data(...)`.
 * fault_system adds ": " and what errno means. Words too long for the text lose their middle. */
int fault_data(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fault_cut(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fault_usage(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fault_system(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int fault_other(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int fault_gone(struct fault *fault);
int fault_stopped(struct fault *fault);
int fault_memory(struct fault *fault, size_t bytes);

/* A second fault, met while the first was dealt with: its words go behind the first one's, and one
 * that would have been a death without words is now told. */
void fault_also(struct fault *fault, const struct fault *second);

/* Adds words to the end of a fault, for instance the names of a table one by one. */
void fault_more(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts the place ("<stdin>: round 17: ") before the words of a fault; without words it stays so. */
void fault_place(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The first 40 of n bytes in quotes, escaped as in C, "..." after them where there are more.
 * Returns `quoted`. */
enum { FAULT_QUOTE = 40 * 4 + 6 };
char *fault_quote(char quoted[FAULT_QUOTE], const void *bytes, size_t n);

#endif
