/* qid_word: the qid of a document in a line of text, and words as header lines have them. */
#ifndef RANKPIPE_QID_WORD_H
#define RANKPIPE_QID_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "io/lines.h"

enum { QID_BYTES = 255 }; /* most bytes of an encoded word */

/* Encodes the word of n bytes at p as a header line has it: bytes that do not print, and %, as %XX.
 * It is in the current line, where `what` began so many bytes before it. Returns where it ends, or
 * NULL and a fault. */
const char *qid_word_read(struct lines *lines, const char *p, size_t n, size_t before,
                          const char *what, char encoded[QID_BYTES + 1], struct fault *fault);

/* Turns the %XX of an encoded word back to bytes. False where one of them is a NUL. */
bool qid_word_decode(const char *encoded, char plain[QID_BYTES + 1]);

/* Finds the first word "qid:..." of a line before its comment, whatever else stands there, and
 * encodes it. False where there is none that can be encoded. */
bool qid_word_find(const char *line, char encoded[QID_BYTES + 1]);

#endif
