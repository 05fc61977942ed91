/* nearness: what documents learn from others that are like them, and how far apart they are. All is
 * in floats, so that twice as many fit into a vector.
 *
 * The squared distance r of a document to another one is the sum of the squared differences of
 * their features, from the first on. It counts as K = 2^-t with t = scale r, at most 120: n is the
 * whole number next to -t, 2^(-t - n) is Taylor's polynomial of degree 6, and n is added to its
 * exponent. So K is within 4e-7 of its value. Sums over 16 numbers are added by halves, 8-4-2-1. So
 * the bits are the same whatever vectors the machine has. */
#ifndef RANKPIPE_NEARNESS_H
#define RANKPIPE_NEARNESS_H

#include <stddef.h>
#include <stdint.h>

enum { NEARNESS_OTHERS = 16 };

/* Rows of `stride` floats, perhaps unaligned, of which the first n are used. */
struct nearness_rows {
    const unsigned char *x;
    size_t stride, n;
};

struct nearness {
    struct nearness_rows rows;
    size_t docs;
    const uint32_t *doc; /* doc[docs]: numbers of rows                            */
    const float *other;  /* other[n][16]: feature j of all others, side by side   */
    const float *e;      /* e[16]: what each says                                 */
    const float *counts; /* counts[16]: 1, or 0 where there is no such other      */
    float scale;         /* at least 0, finite                                    */
};

/* a[docs] += the sum of K e, b[docs] += the sum of K, over the others that count. O(docs n). */
void nearness_add(const struct nearness *nearness, double *a, double *b);

/* The sum of the squared distances of rows 0 to docs - 1 from `mean`, which has zeros from n on, up
 * to a multiple of 16. Feature j is in lane j mod 16; lanes of all rows are added as doubles. */
double nearness_spread(const struct nearness_rows *rows, size_t docs, const float *mean);

#endif
