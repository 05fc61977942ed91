/* variances_body: the variances of eight documents by one kind of vector. variances.c includes it
 * once for each kind, having defined
 *
 *     KIND(name)   the name of a function of that kind
 *     TARGET       the attribute of functions for such machines
 *     WIDTH        documents in a vector, 2, 4 or 8
 *     COLUMNS      columns at a time, 1, 2 or 4, and SHARING where half of the lanes are shared */

typedef double KIND(docs) __attribute__((vector_size(WIDTH * sizeof(double))));

/* f[r] of n columns from number c on, of at most `columns`; step 2: without lanes 1 and 3. */
VECTORS_INLINE void KIND(project)(const double *const *column, size_t columns, size_t c, size_t n,
                                  const double *z, const double *shared, size_t step,
                                  KIND(docs) *f)
{
    size_t top = c - c % LANES_OF_FOUR;
    KIND(docs) lane[LANES_OF_FOUR][LANES_OF_FOUR] = { { { 0 } } }, zi;
    for (size_t i = 0; i < top; i += LANES_OF_FOUR) {
        for (size_t l = 0; l < LANES_OF_FOUR; l += step) {
            memcpy(&zi, z + VARIANCES_ABREAST * (i + l), sizeof zi);
            for (size_t r = 0; r < columns; r++)
                lane[r][l] += zi * column[r][i + l];
        }
    }
    for (size_t r = 0; r < n; r++) {
        f[r] = lane[r][0] + lane[r][2];
        if (step == 1)
            f[r] += lane[r][1] + lane[r][3];
        else
            f[r] += shared[c + r];
        for (size_t i = top; i <= c + r; i++) {
            memcpy(&zi, z + VARIANCES_ABREAST * i, sizeof zi);
            f[r] += i < c + r ? zi * column[r][i] : zi;
        }
    }
}

/* v[WIDTH], for the documents from z on. */
VECTORS_INLINE void KIND(sum)(const double *a, size_t n, const double *z, const double *shared,
                              size_t columns, size_t step, double *v)
{
    KIND(docs) sum = { 0 }, f[LANES_OF_FOUR];
    for (size_t c = 0; c < n; c += columns) {
        const double *column[LANES_OF_FOUR], *at = a + c * (c + 1) / 2;
        size_t real = n - c < columns ? n - c : columns;
        for (size_t r = 0; r < columns; r++) { /* in place of one that is missing, the last */
            column[r] = at;
            at += r + 1 < real ? c + r + 1 : 0;
        }
        KIND(project)(column, columns, c, real, z, shared, step, f);
        for (size_t r = 0; r < real; r++)
            sum += f[r] * f[r] * column[r][c + r];
    }
    memcpy(v, &sum, sizeof sum);
}

TARGET static void KIND(abreast)(const double *a, size_t n, const double *z, const double *shared,
                                 double v[VARIANCES_ABREAST])
{
    for (size_t d = 0; d < VARIANCES_ABREAST; d += WIDTH) {
        if (shared)
            KIND(sum)(a, n, z + d, shared, SHARING, 2, v + d);
        else
            KIND(sum)(a, n, z + d, NULL, COLUMNS, 1, v + d);
    }
}

#undef KIND
#undef TARGET
#undef WIDTH
#undef COLUMNS
#undef SHARING
