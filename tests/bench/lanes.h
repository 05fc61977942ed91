/* lanes: a product in 16 lanes of double, widened first, by the widest vectors this machine has. */
#ifndef RANKPIPE_LANES_H
#define RANKPIPE_LANES_H

#include <stddef.h>
#include <string.h>

enum { LANES = 16 };

/* A function so marked is compiled for each width, and the loader takes the widest that runs. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

#define INLINE static inline __attribute__((always_inline))

typedef double many __attribute__((vector_size(64)));

/* The lanes and what came after them. */
INLINE double lanes_sum(const many lane[2], double sum)
{
    many both = lane[0] + lane[1];
    for (size_t l = 0; l < 8; l++)
        sum += both[l];
    return sum;
}

/* x.w of n doubles. */
INLINE double lanes_doubles(const double *x, const double *w, size_t n)
{
    many lane[2] = { 0 }, of, by;
    size_t j = 0;
    for (; j + 8 <= n; j += 8) {
        memcpy(&of, x + j, sizeof of);
        memcpy(&by, w + j, sizeof by);
        lane[j / 8 % 2] += of * by;
    }
    double rest = 0;
    for (; j < n; j++)
        rest += x[j] * w[j];
    return lanes_sum(lane, rest);
}

#endif
