#include "stream/record_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/unaligned.h"
#include "kernels/crc32c.h"
#include "stream/checksum.h"
#include "stream/header.h"

/* Bytes of each column that are made and written at once: few calls, in what a processor's cache
 * holds; most columns that are made together. */
enum { PIECE = 512 * 1024, TOGETHER = 4 };

struct file {
    int fd;
    const char *name;
    unsigned char *piece; /* [TOGETHER][PIECE] */
    uint64_t at;          /* of what comes next in the file */
    uint32_t crc;         /* of all before that             */
};

/* Where the rest of a column goes, and the CRC of what is there already. */
struct place {
    uint64_t at;
    uint32_t crc;
};

static int put(const struct file *file, uint64_t at, const void *bytes, size_t n,
               struct fault *fault)
{
    for (const unsigned char *from = bytes; n > 0;) {
        ssize_t wrote = pwrite(file->fd, from, n, (off_t)at);
        if (wrote < 0 && errno != EINTR)
            return fault_system(fault, "cannot write %s", file->name);
        size_t more = wrote > 0 ? (size_t)wrote : 0;
        from += more;
        at += more;
        n -= more;
    }
    return 0;
}

static int add(const struct file *file, struct place *place, const void *bytes, size_t n,
               struct fault *fault)
{
    if (put(file, place->at, bytes, n, fault) < 0)
        return -1;
    place->crc = crc32c(place->crc, bytes, n);
    place->at += n;
    return 0;
}

/* Writes `columns` columns, all of one walk, and lets their CRCs follow that of the file. */
static int write_together(struct file *file, const struct column *column, size_t columns,
                          struct fault *fault)
{
    struct column_source *source = column->source;
    const size_t bytes = column_bytes(column), most = PIECE / 8;
    struct place place[TOGETHER];
    uint64_t *values[TOGETHER];
    for (size_t c = 0; c < columns; c++) {
        place[c] = (struct place){ .at = file->at + c * bytes };
        values[c] = (uint64_t *)(void *)(file->piece + c * PIECE);
    }
    for (uint64_t from = 0, n; from < column->count; from += n) {
        n = column->count - from < most ? column->count - from : most;
        source->next_of_all(source, values, (size_t)n);
        for (size_t c = 0; c < columns; c++) {
            little_numbers(values[c], (size_t)n, 8);
            if (add(file, &place[c], values[c], 8 * (size_t)n, fault) < 0)
                return -1;
        }
    }
    source->again(source);
    for (size_t c = 0; c < columns; c++)
        file->crc = crc32c_join(file->crc, place[c].crc, bytes);
    file->at += columns * bytes;
    return 0;
}

static int write_column(struct file *file, const struct column *column, struct fault *fault)
{
    struct place place = { file->at, file->crc };
    size_t n = 0;
    int result = 0;
    if (!column->source && !LITTLE_SWAPS)
        result = add(file, &place, column->data, column_bytes(column), fault);
    else
        for (uint64_t from = 0; result == 0 && from < column->count; from += n) {
            n = column_piece(column, from, file->piece, PIECE);
            result = add(file, &place, file->piece, n * column_width(column->type), fault);
        }
    if (result == 0 && column->source)
        column->source->again(column->source);
    file->at = place.at;
    file->crc = place.crc;
    return result;
}

static int write_all(struct file *file, const struct record *record, struct fault *fault)
{
    char line[RECORD_LINE + 1], digits[CHECKSUM_DIGITS];
    struct place start = { 0, 0 };
    size_t n;
    if (header_print_open(record, line, &n, fault) < 0 || add(file, &start, line, n, fault) < 0)
        return -1;
    file->at = start.at;
    file->crc = start.crc;
    for (size_t c = 0; c < record->columns;) {
        const struct column *column = &record->column[c];
        size_t columns = column->source ? column->source->together : 0;
        if ((columns ? write_together(file, column, columns, fault)
                     : write_column(file, column, fault)) < 0)
            return -1;
        c += columns ? columns : 1;
    }
    checksum_print(digits, file->crc);
    if (record->has_crc == CRC_WANTED &&
        put(file, CHECKSUM_AT, digits, sizeof digits, fault) < 0)
        return -1;
    if (lseek(file->fd, (off_t)file->at, SEEK_SET) < 0)
        return fault_system(fault, "cannot write %s", file->name);
    return 0;
}

bool record_file_pays(const struct record *record)
{
    for (size_t c = 0; c < record->columns; c++)
        if (record->column[c].source && record->column[c].source->together)
            return true;
    return false;
}

int record_file_write(int fd, const char *name, const struct record *record, struct fault *fault)
{
    struct file file = { .fd = fd, .name = name, .piece = malloc(TOGETHER * PIECE) };
    int result = file.piece ? write_all(&file, record, fault)
                            : fault_no_room(fault, TOGETHER * PIECE);
    free(file.piece);
    return result;
}
