/* variance: the floor of linucb. For each round, with U upper triangular of 2 d columns and z of
 * 2 d numbers for each document: U'z of all documents, as many at a time as registers hold, and its
 * squares summed. Nothing is learnt, no half of z is shared, and sums go in any order.
 *
 *     variance rounds docs d */
#include <stdio.h>
#include <stdlib.h>

#include "lanes.h"

enum { ABREAST = 16, COLUMNS = 4 };

/* f[r][e] = sum over i < n of column r and z, of 16 documents. */
INLINE void product(const double *const column[COLUMNS], size_t n, const double *z,
                    many f[COLUMNS][2])
{
    many lane[COLUMNS][2] = { { { 0 } } }, zi[2];
    for (size_t i = 0; i < n; i++) {
        memcpy(zi, z + ABREAST * i, sizeof zi);
        for (size_t r = 0; r < COLUMNS; r++) {
            lane[r][0] += zi[0] * column[r][i];
            lane[r][1] += zi[1] * column[r][i];
        }
    }
    for (size_t r = 0; r < COLUMNS; r++) {
        f[r][0] = lane[r][0];
        f[r][1] = lane[r][1];
    }
}

WIDEST static double variances(const double *a, size_t n, const double *z)
{
    many sum[2] = { { 0 } }, f[COLUMNS][2];
    for (size_t c = 0; c + COLUMNS <= n; c += COLUMNS) {
        const double *column[COLUMNS] = { a + c * (c + 1) / 2 };
        for (size_t r = 1; r < COLUMNS; r++)
            column[r] = column[r - 1] + c + r;
        product(column, c + 1, z, f);
        for (size_t r = 0; r < COLUMNS; r++) {
            sum[0] += f[r][0] * f[r][0];
            sum[1] += f[r][1] * f[r][1];
        }
    }
    sum[0] += sum[1];
    return sum[0][0] + sum[0][7];
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    unsigned long rounds = strtoul(argv[1], NULL, 10), docs = strtoul(argv[2], NULL, 10);
    size_t n = 2 * strtoul(argv[3], NULL, 10), size = n * (n + 1) / 2;
    double *a = calloc(size, sizeof *a), *z = calloc(ABREAST * n, sizeof *z), sum = 0;
    if (!a || !z)
        return 1;
    for (size_t i = 0; i < size; i++)
        a[i] = 1e-3 * (double)(i % 7);
    for (size_t i = 0; i < ABREAST * n; i++)
        z[i] = 1e-3 * (double)(i % 11);
    for (unsigned long t = 0; t < rounds; t++)
        for (unsigned long i = 0; i < docs; i += ABREAST)
            sum += variances(a, n, z);
    printf("%g\n", sum);
    return 0;
}
