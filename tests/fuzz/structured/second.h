/* second: a second reader of streams, written from rankpipe(5) alone. It uses nothing of lib/ but
 * the table of keys and columns that rankpipe --format prints, and that the page has too. */
#ifndef RANKPIPE_STRUCTURED_SECOND_H
#define RANKPIPE_STRUCTURED_SECOND_H

#include "draft.h"

/* How much is checked: of rounds with a right crc= nothing more, for salvage, as a newer version may
 * have written them; the records as every program must; features too, which programs that do not
 * use them pass on as they came; or also names and models, for what made them. */
enum second { SECOND_SALVAGED, SECOND_PASSED, SECOND_FEATURES, SECOND_ALL };

/* Before the first stream: each line of that table. */
void second_format(const char *line);

/* Reads a whole stream into `stream`, whose arrays are copies, end records included. NULL; or what
 * is wrong, with its place. */
const char *second_read(struct stream *stream, const void *bytes, size_t n, enum second second);

#endif
