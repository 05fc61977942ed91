/* numbering: the number with which rounds go on after those of a spool folder. */
#ifndef RANKPIPE_NUMBERING_H
#define RANKPIPE_NUMBERING_H

#include <stdint.h>

#include "base/fault.h"

/* Finds the last round in the finished files of all logs of the folder: *next becomes the number
 * after it, or 1 where there is none. 0 or a fault. */
int numbering_next(const char *folder, uint64_t *next, struct fault *fault);

#endif
