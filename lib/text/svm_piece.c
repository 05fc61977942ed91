#include "text/svm_piece.h"

#include <string.h>

/* Bytes of what a query points to. */
static size_t query_bytes(const struct svm_query *query)
{
    const struct matrix *x = &query->x;
    size_t bytes = strlen(query->qid) + 1 + query->name_bytes;
    if (query->label)
        bytes += query->docs * sizeof *query->label;
    if (x->form == MATRIX_DENSE)
        bytes += 4 * x->docs * x->dim;
    if (x->form == MATRIX_SPARSE)
        bytes += 4 * (x->docs + 1) + 8 * matrix_entries(x);
    return bytes;
}

/* Takes the next n bytes at *at. */
static unsigned char *take(unsigned char **at, size_t n)
{
    unsigned char *from = *at;
    *at += n;
    return from;
}

/* Points a query to its arrays at `at`, which follow each other. */
static void lay(struct svm_query *query, unsigned char *at)
{
    struct matrix *x = &query->x;
    if (query->label)
        query->label = (void *)take(&at, query->docs * sizeof *query->label);
    if (x->form == MATRIX_DENSE)
        x->x = take(&at, 4 * x->docs * x->dim);
    if (x->form == MATRIX_SPARSE) {
        x->ptr = take(&at, 4 * (x->docs + 1));
        x->idx = take(&at, 4 * query->nnz);
        x->val = take(&at, 4 * query->nnz);
    }
    if (query->names)
        query->names = (char *)take(&at, query->name_bytes);
    query->qid = (char *)at;
}

static void copy(const struct svm_query *to, const struct svm_query *from)
{
    const struct matrix *x = &from->x;
    strcpy((char *)to->qid, from->qid);
    if (from->label)
        memcpy((float *)to->label, from->label, from->docs * sizeof *from->label);
    if (from->names)
        memcpy((char *)to->names, from->names, from->name_bytes);
    if (x->form == MATRIX_DENSE)
        memcpy((unsigned char *)to->x.x, x->x, 4 * x->docs * x->dim);
    if (x->form == MATRIX_SPARSE) {
        memcpy((unsigned char *)to->x.ptr, x->ptr, 4 * (x->docs + 1));
        memcpy((unsigned char *)to->x.idx, x->idx, 4 * from->nnz);
        memcpy((unsigned char *)to->x.val, x->val, 4 * from->nnz);
    }
}

struct svm_query svm_piece_query(const struct svm_piece *piece, size_t i)
{
    const struct svm_part *part = (const struct svm_part *)piece->part.at + i;
    struct svm_query query = part->query;
    lay(&query, (unsigned char *)piece->values.at + part->values);
    return query;
}

/* Keeps a query that begins at `from`: 0, or -1 where there is no memory. */
static int keep(struct svm_piece *piece, const struct svm_query *query, struct svm_place from,
                uint64_t until)
{
    struct fault none = { FAULT_NONE, "" };
    size_t bytes = query_bytes(query);
    struct svm_part *part = buffer_for(&piece->part, piece->parts + 1, sizeof *part, &none);
    if (!part || !buffer_for(&piece->values, piece->used + bytes, 1, &none))
        return -1;
    part[piece->parts] = (struct svm_part){ *query, piece->used, from, until };
    struct svm_query kept = svm_piece_query(piece, piece->parts++);
    copy(&kept, query);
    piece->used += (bytes + 7) / 8 * 8;
    return 0;
}

/* Where the next query begins. */
static struct svm_place place(const struct svm *svm)
{
    const struct lines *lines = &svm->lines;
    if (!lines->again)
        return (struct svm_place){ lines->from, lines->number };
    return (struct svm_place){ (size_t)(lines->text - (const char *)lines->buffer.at),
                               lines->number - 1 };
}

void svm_piece_read(struct svm_piece *piece, struct svm *svm)
{
    struct fault none = { FAULT_NONE, "" };
    struct svm_query query;
    piece->parts = piece->used = 0;
    piece->stop = (struct svm_place){ 0, 0 };
    if (svm_text(svm, "", piece->text.at, piece->border.end, &none) < 0)
        return;
    while (piece->stop.at < piece->border.at && svm_next(svm, &query, &none) > 0) {
        struct svm_place next = place(svm);
        if (!svm->lines.again || keep(piece, &query, piece->stop, svm->lines.number) < 0)
            return;
        piece->stop = next;
    }
}

void svm_piece_close(struct svm_piece *piece)
{
    buffer_free(&piece->text);
    buffer_free(&piece->part);
    buffer_free(&piece->values);
}
