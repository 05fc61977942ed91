/* text: blanks, words and numbers in lines of text that end with a NUL. */
#ifndef RANKPIPE_TEXT_H
#define RANKPIPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A blank is a space or a tab. */
static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The first byte at or after p that is not a blank. */
static inline const char *text_skip_blanks(const char *p)
{
    while (text_is_blank(*p))
        p++;
    return p;
}

/* How many bytes from p on are not blanks. */
static inline size_t text_word_bytes(const char *p)
{
    return strcspn(p, " \t");
}

/* How many bytes from p on are neither blanks nor in a comment, which # begins. */
static inline size_t text_name_bytes(const char *p)
{
    return strcspn(p, " \t#");
}

/* Where the word at p ends, and the blanks after it. */
static inline const char *text_skip_word(const char *p)
{
    return text_skip_blanks(p + text_word_bytes(p));
}

/* Does this byte end a number: a blank, the # of a comment, or the end of the line? */
static inline bool text_ends_number(char c)
{
    return text_is_blank(c) || c == '#' || c == '\0';
}

/* The first byte at or after p that is not a digit. */
static inline const char *text_skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Writes a number's decimal digits at the end of `digits`. Returns where they begin. */
enum { TEXT_DIGITS = 24 };
char *text_from_number(char digits[TEXT_DIGITS], uint64_t value);

/* What a file of these first n bytes is, if it is known to be neither text nor a stream, and how it
 * becomes what was expected, as the end of a message: "compressed by gzip: decompress it first, by
 * 'gzip -dc'". Else NULL. */
const char *text_not(const void *bytes, size_t n);

#endif
