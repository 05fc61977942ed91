/* variances_body: the variances of several documents by one kind of vector. variances.c includes it
 * once for each kind, having defined
 *
 *     KIND(name)   the name of a function of that kind
 *     TARGET       the attribute of functions for such machines
 *     WIDTH        documents in a vector
 *     SETS         vectors at a time
 *     COLUMNS      columns at a time, 1, 2 or 4; and SHARING, where two lanes of four are shared */

typedef double KIND(docs) __attribute__((vector_size(WIDTH * sizeof(double))));

/* clang-format off */ /* It takes the first parameter for a product. */
VECTORS_INLINE void KIND(load)(KIND(docs) *to, const double *z, size_t i, size_t k)
/* clang-format on */
{
    memcpy(to, z + VARIANCES_ABREAST * i + WIDTH * k, sizeof *to);
}

/* f[r] of `columns` columns from number c on; step 2: lanes 1 and 3 are shared. */
VECTORS_INLINE void KIND(project)(const double *const *column, size_t columns, size_t c,
                                  const double *z, const double *shared, size_t step,
                                  KIND(docs) f[][SETS])
{
    const size_t top = c - c % FOUR, under = columns == FOUR ? 0 : c - top;
    KIND(docs) lane[FOUR][FOUR][SETS], zi;
    for (size_t r = 0; r < columns; r++)
        for (size_t l = 0; l < FOUR / step; l++)
            for (size_t k = 0; k < SETS; k++)
                lane[r][l][k] = (KIND(docs)){ 0 };
    for (size_t i = 0; i < top; i += FOUR) {
        for (size_t l = 0; l < FOUR / step; l++) {
            for (size_t k = 0; k < SETS; k++) {
                KIND(load)(&zi, z, i + step * l, k);
                for (size_t r = 0; r < columns; r++)
                    lane[r][l][k] += zi * column[r][i + step * l];
            }
        }
    }
    for (size_t r = 0; r < columns; r++) {
        for (size_t k = 0; k < SETS; k++) {
            f[r][k] = step == 1 ? (lane[r][0][k] + lane[r][2][k]) + (lane[r][1][k] + lane[r][3][k])
                                : (lane[r][0][k] + lane[r][1][k]) + shared[c + r];
            for (size_t i = 0; i < under + r; i++) {
                KIND(load)(&zi, z, top + i, k);
                f[r][k] += zi * column[r][top + i];
            }
            KIND(load)(&zi, z, c + r, k);
            f[r][k] += zi;
        }
    }
}

/* sum += D f^2 of `columns` columns. */
VECTORS_INLINE void KIND(add_columns)(const double *a, size_t columns, size_t c, const double *z,
                                      const double *shared, size_t step, KIND(docs) sum[SETS])
{
    const double *column[FOUR] = { a + c * (c + 1) / 2 };
    KIND(docs) f[FOUR][SETS];
    for (size_t r = 1; r < columns; r++)
        column[r] = column[r - 1] + c + r;
    KIND(project)(column, columns, c, z, shared, step, f);
    for (size_t r = 0; r < columns; r++)
        for (size_t k = 0; k < SETS; k++)
            sum[k] += f[r][k] * f[r][k] * column[r][c + r];
}

/* v[SETS * WIDTH], for the documents from z on. */
VECTORS_INLINE void KIND(sum_columns)(const double *a, size_t n, const double *z,
                                      const double *shared, size_t columns, size_t step, double *v)
{
    KIND(docs) sum[SETS];
    size_t c = 0;
    for (size_t k = 0; k < SETS; k++)
        sum[k] = (KIND(docs)){ 0 };
    for (; c + columns <= n; c += columns)
        KIND(add_columns)(a, columns, c, z, shared, step, sum);
    for (; c < n; c++)
        KIND(add_columns)(a, 1, c, z, shared, step, sum);
    for (size_t k = 0; k < SETS; k++)
        memcpy(v + WIDTH * k, &sum[k], sizeof sum[k]);
}

TARGET void KIND(variances)(const double *a, size_t n, const double *z, const double *shared,
                            double v[VARIANCES_ABREAST])
{
    for (size_t d = 0; d < VARIANCES_ABREAST; d += SETS * WIDTH) {
        if (shared)
            KIND(sum_columns)(a, n, z + d, shared, SHARING, 2, v + d);
        else
            KIND(sum_columns)(a, n, z + d, NULL, COLUMNS, 1, v + d);
    }
}

#undef KIND
#undef TARGET
#undef WIDTH
#undef SETS
#undef COLUMNS
#undef SHARING
