#include "triangle.h"

#include <stdint.h>
#include <string.h>

#include "vectors.h"

/* Numbers at a time, and rows. */
enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

size_t triangle_size(size_t n)
{
    size_t a = n % 2 ? n : n / 2, b = n % 2 ? n / 2 + 1 : n + 1;
    return n == SIZE_MAX || a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

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

/* Four numbers of a row: what they add to its product with x, and to its part of y. */
VECTORS_INLINE void use(const double *row, const four *x, const four *by, four *dot, four *y)
{
    four p;
    take(&p, row);
    *dot += p * *x;
    *y += p * *by;
}

/* The first n numbers of four rows, n a multiple of four: y += their transpose times by[], and
 * dot[] their products with x, number j in lane j mod 4. */
VECTORS_INLINE void four_rows(const double *const row[FOUR], size_t n, const double *x,
                              const double by[FOUR], double *y, double dot[FOUR])
{
    four k = { 0 }, l = { 0 }, m = { 0 }, o = { 0 }, xj, yj;
    const double *p = row[0], *q = row[1], *r = row[2], *s = row[3];
    four by_p, by_q, by_r, by_s;
    repeat(&by_p, by[0]);
    repeat(&by_q, by[1]);
    repeat(&by_r, by[2]);
    repeat(&by_s, by[3]);
    for (size_t j = 0; j < n; j += FOUR) {
        take(&xj, x + j);
        take(&yj, y + j);
        use(p + j, &xj, &by_p, &k, &yj);
        use(q + j, &xj, &by_q, &l, &yj);
        use(r + j, &xj, &by_r, &m, &yj);
        use(s + j, &xj, &by_s, &o, &yj);
        memcpy(y + j, &yj, sizeof yj);
    }
    dot[0] = sum(&k);
    dot[1] = sum(&l);
    dot[2] = sum(&m);
    dot[3] = sum(&o);
}

/* The same for one row. */
VECTORS_INLINE double one_row(const double *row, size_t n, const double *x, double by, double *y)
{
    four s = { 0 }, b, xj, yj;
    repeat(&b, by);
    for (size_t j = 0; j < n; j += FOUR) {
        take(&xj, x + j);
        take(&yj, y + j);
        use(row + j, &xj, &b, &s, &yj);
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
        for (size_t r = 0; r < FOUR; a += i + ++r)
            row[r] = a;
        four_rows(row, i, x, x + i, y, y + i);
        for (size_t r = 0; r < FOUR; r++)
            corner(row[r], i, i + r, x, y);
    }
    for (; i < n; a += ++i) {
        y[i] = one_row(a, whole, x, x[i], y);
        corner(a, whole, i, x, y);
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
