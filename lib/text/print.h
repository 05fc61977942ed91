/* print: text in pieces, words and numbers, to a writer: the bytes of writer_text, but faster. */
#ifndef RANKPIPE_PRINT_H
#define RANKPIPE_PRINT_H

#include <stdint.h>

#include "base/fault.h"
#include "stream/writer.h"

/* Numbers as decimal text, with the bytes of printf, but about ten times faster. */

/* The bytes that each function may write at `to`. Those at and after the end that it returns are
 * left with any value. */
enum { DIGITS_ROOM = 48 };

/* Writes the number as "%PRIu64" does, without a NUL. Returns the end. */
char *digits_whole(char *to, uint64_t value);

/* Writes the number as "%.9g" does, or "%.17g": nine digits give back the same float, seventeen the
 * same double. Without a NUL. Returns the end.
 *
 * The digits are exact. The number is m 2^e with a whole m. With s chosen so that m 2^e 10^s has as
 * many digits before the point as are wanted, these are m 5^s shifted by e + s bits, rounded to the
 * nearest, ties to even. m 5^s is a whole number without error: of 64 bits for floats from 2^-29 up
 * to 2^29, else of 128. Where it does not fit, and for nan and inf, snprintf does the work: for
 * doubles below 1e-15 or above about 1e36, floats below 1e-36 or above 1e28, and without 128-bit
 * numbers all that 64 bits do not hold. */
char *digits_nine(char *to, float value);
char *digits_seventeen(char *to, double value);

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
