/* change: changes a stream by what it means, or as bytes. */
#ifndef RANKPIPE_STRUCTURED_CHANGE_H
#define RANKPIPE_STRUCTURED_CHANGE_H

#include "draft.h"

/* One change of a key, a column, a record or the sequence of records. */
void change_stream(struct dice *draw, struct stream *stream);

/* One change of one record: a model, say. */
void change_record(struct dice *draw, struct draft *record);

/* Cuts the bytes, or changes, inserts or removes a few. */
void change_bytes(struct dice *draw, struct bytes *bytes);

#endif
