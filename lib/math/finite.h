/* finite: are numbers finite, as weights must be, and scores for a ranking? */
#ifndef RANKPIPE_FINITE_H
#define RANKPIPE_FINITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/* Are n numbers f8, perhaps unaligned, finite? O(n). */
bool finite_numbers(size_t n, const void *numbers);

/* The place of the first of them that is not finite; n where all are. O(n). */
size_t finite_until(size_t n, const void *numbers);

/* 0 where s[m], the scores of a round's documents, are finite; else a fault that names the first
 * document that is not and then says `cause`: "document 3 scores inf: cause". O(m). */
int finite_scores(size_t m, const double *s, const char *cause, struct fault *fault);

#endif
