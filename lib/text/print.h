/* print: text in pieces, words and numbers, to a writer: the bytes of writer_text, but faster. */
#ifndef RANKPIPE_PRINT_H
#define RANKPIPE_PRINT_H

#include <stdint.h>

#include "base/digits.h"
#include "base/fault.h"
#include "stream/writer.h"

enum { PRINT_BYTES = 4096 };

/* Text on its way to `out`. Whether all of it got there, print_end says. */
struct print {
    struct writer *out;
    struct fault *fault;
    int failed; /* 0, or -1 with a fault: then nothing more is written */
    size_t held;
    char text[PRINT_BYTES];
};

/* Begins. The writer and the fault are the caller's. */
static inline void print_start(struct print *print, struct writer *out, struct fault *fault)
{
    print->out = out;
    print->fault = fault;
    print->failed = 0;
    print->held = 0;
}

/* Passes what is held to the writer: 0 or a fault, that of the first failure. */
int print_end(struct print *print);

/* A place for a piece of at most n bytes, up to PRINT_BYTES; print_piece takes its end. Between
 * the two calls nothing else may be printed. */
static inline char *print_room(struct print *print, size_t n)
{
    if (print->held > PRINT_BYTES - n)
        (void)print_end(print);
    return print->text + print->held;
}
static inline void print_piece(struct print *print, const char *end)
{
    print->held = (size_t)(end - print->text);
}

/* Prints n bytes; a word that ends with NUL; one byte. */
void print_bytes(struct print *print, const char *bytes, size_t n);
void print_word(struct print *print, const char *word);
static inline void print_byte(struct print *print, char byte)
{
    char *at = print_room(print, 1);
    *at = byte;
    print_piece(print, at + 1);
}

/* Prints at most 1023 bytes, formatted as by printf. */
void print_text(struct print *print, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a number as "%PRIu64", "%.9g" and "%.17g" do. */
static inline void print_whole(struct print *print, uint64_t value)
{
    print_piece(print, digits_whole(print_room(print, DIGITS_ROOM), value));
}
static inline void print_float(struct print *print, float value)
{
    print_piece(print, digits_nine(print_room(print, DIGITS_ROOM), value));
}
static inline void print_double(struct print *print, double value)
{
    print_piece(print, digits_seventeen(print_room(print, DIGITS_ROOM), value));
}

#endif
