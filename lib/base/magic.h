/* magic: recognises by its first bytes what is neither text nor a stream. */
#ifndef RANKPIPE_MAGIC_H
#define RANKPIPE_MAGIC_H

#include <stddef.h>

/* What a file of these first n bytes is, and how it becomes what was expected, as the end of a
 * message: "compressed by gzip: decompress it first, by 'gzip -dc'". NULL if it is not known. */
const char *magic_words(const void *bytes, size_t n);

#endif
