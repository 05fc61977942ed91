/* sort_run: sorts a few documents by score, highest first, ties in document order. */
#ifndef RANKPIPE_SORT_RUN_H
#define RANKPIPE_SORT_RUN_H

#include <stddef.h>
#include <stdint.h>

/* Sorts order[n], which are n documents in a row. O(n^2). */
typedef void sort_run_kernel(const double *score, uint32_t *order, size_t n);
sort_run_kernel sort_run_portable, sort_run_avx2, sort_run_avx512;

/* Longer runs than these are merged from several faster. */
enum { SORT_RUN = 16, SORT_RUN_AVX2 = 64, SORT_RUN_AVX512 = 128 };

#endif
