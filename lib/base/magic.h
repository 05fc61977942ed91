/* magic: recognises by its first bytes what is neither text nor a stream. */
#ifndef RANKPIPE_MAGIC_H
#define RANKPIPE_MAGIC_H

#include <stddef.h>

/* What a file of these first n bytes is, and how it becomes what was expected, as the end of a
 * message: "compressed by gzip: decompress it by 'gzip -dc'"; NULL: nothing that is known. */
const char *magic_words(const void *bytes, size_t n);

#endif
