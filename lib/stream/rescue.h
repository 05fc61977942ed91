/* rescue: the whole records of a stream that is cut or damaged. */
#ifndef RANKPIPE_RESCUE_H
#define RANKPIPE_RESCUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/reader.h"
#include "stream/record.h"

/* A record is whole if all of its bytes are there, and have its crc=; without crc=, if a header
 * line or the end follows it, or no header line begins in its payload.
 *
 * A payload may have been made by somebody who wants a record of his own to be found in it. So
 * nothing is taken from within the payload of a damaged record that is followed by a header line
 * or by the end. Of a record that was cut, and of which the payload therefore ends in what was
 * appended, the bytes that it announces may still be its own: there a record is only taken if it
 * and those after it are whole, one after the other, to the end of those bytes or of the input. */
struct rescue { /* all zero at first, but reader */
    struct reader *reader; /* the caller's */
    uint64_t skipped;      /* bytes since the last whole record that belong to none */
    uint64_t until;        /* where the payload of a cut record would end, in the input */
    uint64_t since;        /* whole records since the last end record or loss */
    bool ended, broken;    /* the last whole record was an end record; a loss came after it */
};

/* Reads on to the next record that is a round or a model, and binds it to a payload that is valid
 * until the next call. 1; 0 at the end; or -1 with a fault where the input cannot be read. With 1
 * either *whole is true and the record is there, or, before the next record or the end, *lost bytes
 * belong to no whole record; 0 where whole records are missing, or an end record. Memory grows with
 * the largest record, or with what a damaged header line announces and the input has. */
int rescue_next(struct rescue *rescue, struct record *record, bool *whole, uint64_t *lost,
                struct fault *fault);

#endif
