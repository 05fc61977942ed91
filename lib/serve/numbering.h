/* numbering: the number with which rounds go on after those of a spool folder. */
#ifndef RANKPIPE_NUMBERING_H
#define RANKPIPE_NUMBERING_H

#include <stdint.h>

#include "base/fault.h"

/* Finds the largest LAST in the names NAME.FIRST-LAST.bin of a folder: *next becomes the number
 * after it, or 1 where there is no such name or no such folder. 0 or a fault. */
int numbering_next(const char *folder, uint64_t *next, struct fault *fault);

#endif
