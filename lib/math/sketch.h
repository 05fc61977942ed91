/* sketch: the information matrix A = lambda I + sum of c z z' of a regression on many features,
 * kept as its diagonal and some directions, in place of n^2 numbers (Luo, Agarwal, Cesa-Bianchi &
 * Langford 2016; the diagonal as in SLANG, Mishkin et al. 2018):
 *
 *     A ~ D + V'V
 *
 * An observation z that counts c times adds the vector a = c^(1/2) z to V. When V has 32 vectors,
 * 16 take their place: Q'V, where the columns of Q are orthonormal, and come nearest to the leading
 * eigenvectors of S = V D^-1 V' by two steps of subspace iteration. What V loses of the diagonal, D
 * gains. So
 *
 *     the diagonal of D + V'V is that of A, but for rounding;
 *     D + V'V is positive, whatever is dropped;
 *     D + V'V is A up to the 31st observation.
 *
 * V has numbers only for the first 4,096 rows that an observation has: these have a slot. For all
 * other rows D is lambda + `counted`, the sum of c z^2, which the caller keeps. With K = I + S =
 * LL', and t = V D^-1 a,
 *
 *     (D + V'V)^-1 a = D^-1 (a - V' K^-1 t)
 *
 * All sums go through the slots in their order, and those of 32 numbers through 16 lanes
 * (kernels/vectors.h). So the bits are the same on every machine, and a sketch that was saved goes
 * on as if it had not been. */
#ifndef RANKPIPE_SKETCH_H
#define RANKPIPE_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"

enum { SKETCH_KEPT = 16, SKETCH_MOST = 32, SKETCH_SLOTS = 4096 };

/* All that a sketch is. Slots from `slots` on, and vectors from `vectors` on, are 0. */
struct sketch_numbers {
    uint32_t row[SKETCH_SLOTS]; /* each once */
    double d[SKETCH_SLOTS], part[SKETCH_SLOTS]; /* 1 / d */
    double v[SKETCH_SLOTS][SKETCH_MOST];
};

struct sketch { /* all zero at first */
    size_t slots, vectors; /* vectors: below SKETCH_MOST between calls */
    struct sketch_numbers *at;
    double *gain;             /* gain[slots]: of sketch_observe  */
    struct buffer numbers, work, slot; /* slot of each row, from 1; 0: none */
    size_t rows;
    double K[SKETCH_MOST][SKETCH_MOST], L[SKETCH_MOST][SKETCH_MOST]; /* lower triangles */
};

/* Makes room for `rows` rows, no fewer than before. 0 or a fault (memory). */
int sketch_reach(struct sketch *sketch, size_t rows, struct fault *fault);

/* The slot of a row, or SKETCH_SLOTS: it has none. */
size_t sketch_slot(const struct sketch *sketch, size_t row);

/* The numbers z[n] of the rows row[n], each once; those of all other rows are 0. */
struct sketch_observation {
    size_t n;
    const uint32_t *row;
    const double *z;
    double c;              /* above 0 */
    double lambda;
    const double *counted; /* counted[rows], before this observation */
    double *d;             /* d[n], filled in: lambda + counted of a row without a slot, and of
                            * others, and those with z = 0, 0 */
};

/* Returns b = 1 + a'A^-1 a, and sets gain[slots] to A^-1 a of the rows that have a slot; that of
 * another row is a / d. Then A is the one with this observation. If b is not finite, the sketch is
 * unusable. O(32 (n + slots)), and each 16th time O(800 slots). */
double sketch_observe(struct sketch *sketch, const struct sketch_observation *o);

/* Of x[rows], in place: A x, and A^-1 x; numbers of `counted` as above. O(rows + 64 slots). */
void sketch_times(const struct sketch *sketch, double lambda, const double *counted, double *x);
void sketch_solve(const struct sketch *sketch, double lambda, const double *counted, double *x);

/* Adds the observations of another sketch, which reaches as many rows and has the same lambda. The
 * caller then adds what is counted. */
struct sketch_counts {
    double lambda;
    const double *counted, *others; /* [rows]: the sum of c z^2 of each                     */
    const double *both;             /* both[rows]: what is in both sums, and shall count once */
};
void sketch_add(struct sketch *sketch, const struct sketch *share,
                const struct sketch_counts *counts);

/* Takes over slots and vectors, at most SKETCH_SLOTS and fewer than SKETCH_MOST: row[slots],
 * d[slots], v[vectors][slots], finite. The sketch is new. 0, or a fault: they are of no sketch of
 * so many rows, or there is no memory. */
struct sketch_parts {
    size_t slots, vectors;
    const double *row, *d, *v;
};
int sketch_load(struct sketch *sketch, size_t rows, struct sketch_parts parts, struct fault *fault);

/* The same numbers, in memory of the sketch's until it changes. 0 or a fault (memory). */
int sketch_save(struct sketch *sketch, struct sketch_parts *parts, struct fault *fault);

void sketch_close(struct sketch *sketch);

#endif
