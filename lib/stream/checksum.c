#include "stream/checksum.h"

#include <inttypes.h>
#include <string.h>

#include "base/unaligned.h"
#include "kernels/crc32c.h"

static const char hexadecimal[] = "0123456789abcdef";

void checksum_print(char digits[CHECKSUM_DIGITS], uint32_t crc)
{
    for (size_t i = CHECKSUM_DIGITS; i-- > 0; crc >>= 4)
        digits[i] = hexadecimal[crc & 15];
}

/* Without branches, for no one can foretell whether a digit is a letter. */
bool checksum_parse(const char digits[CHECKSUM_DIGITS], uint32_t *crc)
{
    char again[CHECKSUM_DIGITS];
    *crc = 0;
    for (size_t i = 0; i < CHECKSUM_DIGITS; i++)
        *crc = *crc << 4 | (((unsigned)digits[i] & 15) + ((unsigned)digits[i] >> 6 & 1) * 9);
    checksum_print(again, *crc);
    return memcmp(again, digits, CHECKSUM_DIGITS) == 0;
}

/* That of n bytes which begin with a header line. */
static uint32_t from_line(const char *line, size_t n)
{
    enum { AFTER = CHECKSUM_AT + CHECKSUM_DIGITS };
    char start[AFTER];
    memcpy(start, line, CHECKSUM_AT);
    memset(start + CHECKSUM_AT, '0', CHECKSUM_DIGITS);
    return crc32c(crc32c(0, start, AFTER), line + AFTER, n - AFTER);
}

/* Adds values that are made now, or whose bytes are swapped, a piece at a time. */
static uint32_t add_made(uint32_t crc, const struct column *column)
{
    uint64_t piece[512];
    size_t n;
    for (uint64_t from = 0; (n = column_piece(column, from, piece, sizeof piece)) > 0; from += n)
        crc = crc32c(crc, piece, n * column_width(column->type));
    if (column->source)
        column->source->again(column->source);
    return crc;
}

uint32_t checksum_of(const struct record *record, const char *line, size_t n)
{
    uint32_t crc = from_line(line, n);
    for (size_t c = 0; c < record->columns; c++) {
        const struct column *column = &record->column[c];
        crc = column->source || LITTLE_SWAPS
                  ? add_made(crc, column)
                  : crc32c(crc, column->data, column_bytes(column));
    }
    return crc;
}

int checksum_check(const struct record *record, const void *stored, size_t n, struct fault *fault)
{
    if (record->has_crc != CRC_KEPT)
        return 0;
    uint32_t crc = from_line(stored, n + (size_t)record->bytes);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    crc = record->crc; /* a fuzzer does not guess it, and is to find what is wrong after it */
#endif
    if (crc == record->crc)
        return 0;
    return fault_data(fault, "damaged: its bytes have crc=%08" PRIx32 ", not %08" PRIx32
                      ": read another copy, or what salvage keeps of it", crc, record->crc);
}
