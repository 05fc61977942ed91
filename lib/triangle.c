#include "triangle.h"

#include <string.h>

#include "vectors.h"

/* Numbers at a time, and rows. */
enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

VECTORS_INLINE double sum(const four *s)
{
    return ((*s)[0] + (*s)[2]) + ((*s)[1] + (*s)[3]);
}

VECTORS_INLINE void take(four *to, const double *from)
{
    memcpy(to, from, sizeof *to);
}

VECTORS_INLINE void repeat(four *to, double x)
{
    *to = (four){ x, x, x, x };
}

/* The first n numbers of four rows, n a multiple of four: y += their transpose times by[], and
 * dot[] their products with x, number j in lane j mod 4. */
VECTORS_INLINE void four_rows(const double *const row[FOUR], size_t n, const double *x,
                              const double by[FOUR], double *y, double dot[FOUR])
{
    four s[FOUR] = { { 0 } }, b[FOUR], p[FOUR], xj, yj;
    for (size_t r = 0; r < FOUR; r++)
        repeat(&b[r], by[r]);
    for (size_t j = 0; j < n; j += FOUR) {
        take(&xj, x + j);
        take(&yj, y + j);
        for (size_t r = 0; r < FOUR; r++) {
            take(&p[r], row[r] + j);
            s[r] += p[r] * xj;
            yj += p[r] * b[r];
        }
        memcpy(y + j, &yj, sizeof yj);
    }
    for (size_t r = 0; r < FOUR; r++)
        dot[r] = sum(&s[r]);
}

/* The same for one row. */
VECTORS_INLINE double one_row(const double *row, size_t n, const double *x, double by, double *y)
{
    four s = { 0 }, b, p, xj, yj;
    repeat(&b, by);
    for (size_t j = 0; j < n; j += FOUR) {
        take(&xj, x + j);
        take(&yj, y + j);
        take(&p, row + j);
        s += p * xj;
        yj += p * b;
        memcpy(y + j, &yj, sizeof yj);
    }
    return sum(&s);
}

/* Row i from column `from` on, to the diagonal. */
VECTORS_INLINE void corner(const double *row, size_t from, size_t i, const double *x, double *y)
{
    for (size_t j = from; j < i; j++) {
        y[i] += row[j] * x[j];
        y[j] += row[j] * x[i];
    }
    y[i] += row[i] * x[i];
}

VECTORS_INLINE void times(const double *a, size_t n, const double *x, double *y)
{
    const double *row[FOUR];
    size_t i = 0, whole = n - n % FOUR;
    for (; i < whole; i += FOUR) {
        for (size_t r = 0; r < FOUR; r++)
            row[r] = a + triangle_size(i + r);
        four_rows(row, i, x, x + i, y, y + i);
        for (size_t r = 0; r < FOUR; r++)
            corner(row[r], i, i + r, x, y);
    }
    for (; i < n; i++) {
        y[i] = one_row(a + triangle_size(i), whole, x, x[i], y);
        corner(a + triangle_size(i), whole, i, x, y);
    }
}

VECTORS_INLINE void less(double *restrict a, size_t n, const double *restrict v)
{
    for (size_t i = 0; i < n; a += ++i)
        for (size_t j = 0; j <= i; j++)
            a[j] -= v[i] * v[j];
}

VECTORS_WIDE static void times_wide(const double *a, size_t n, const double *x, double *y)
{
    times(a, n, x, y);
}

VECTORS_WIDE static void less_wide(double *a, size_t n, const double *v)
{
    less(a, n, v);
}

void triangle_times(const double *a, size_t n, const double *x, double *y)
{
    if (vectors_wide())
        times_wide(a, n, x, y);
    else
        times(a, n, x, y);
}

void triangle_less(double *a, size_t n, const double *v)
{
    if (vectors_wide())
        less_wide(a, n, v);
    else
        less(a, n, v);
}
