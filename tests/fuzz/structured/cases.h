/* cases: the kinds of cases, one of which each number draws. */
#ifndef RANKPIPE_STRUCTURED_CASES_H
#define RANKPIPE_STRUCTURED_CASES_H

#include <stdint.h>

/* Runs case `number` in the folder at hand, which it leaves full of its files. Ends the process
 * where a check fails. Returns the digest of what was printed; 0 where that depends on the
 * clock. */
uint64_t case_run(uint64_t seed, uint64_t number);

#endif
