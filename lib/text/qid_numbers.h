/* qid_numbers: numbers in the place of qids, for readers that take nothing else; from 1, in the
 * order in which qids first come. */
#ifndef RANKPIPE_QID_NUMBERS_H
#define RANKPIPE_QID_NUMBERS_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "base/hash_table.h"
#include "stream/writer.h"

struct qid_numbers {       /* all zero at first                                   */
    struct writer *map;    /* the caller's: gets the lines "number TAB qid"; NULL: qids stay */
    struct hash_table table;
    struct buffer at, text; /* size_t[number]: where in `text` each qid begins, ended by NUL */
    uint64_t number;        /* of the last new one */
    size_t bytes;
};

/* The number of a qid, as a header line has it; of NULL a new one each time, with the qid "-". A
 * new one is written to the map. 0 after a fault. O(bytes of the qid) on average; memory is 24
 * bytes for a qid, and its own. */
uint64_t qid_numbers_of(struct qid_numbers *numbers, const char *qid, struct fault *fault);

void qid_numbers_close(struct qid_numbers *numbers);

#endif
