#include "math/kernel.h"

#include <stdint.h>
#include <string.h>

#include "math/real.h"

/* Room for a row of x as matrix_row writes it, and as a dense row of n numbers before it. */
static double *make_room(struct buffer *buffer, const struct matrix *x, size_t n,
                         struct fault *fault)
{
    size_t width = matrix_width(x);
    return buffer_for(buffer, (n > width ? n : width) + 1, 2 * sizeof(double) + sizeof(uint32_t),
                      fault);
}

static void write_row(const struct matrix *x, size_t i, size_t n, double *room, double *row)
{
    struct row values = matrix_row(x, i, room, (uint32_t *)(room + n));
    memset(row, 0, n * sizeof *row);
    for (size_t e = 0; e < values.n; e++)
        row[values.idx ? values.idx[e] : e] = values.val[e];
}

static double gauss(const double *x, size_t width, const double *y, size_t dim, double gamma)
{
    double square = 0;
    size_t both = width < dim ? width : dim;
    for (size_t j = 0; j < both; j++)
        square += (x[j] - y[j]) * (x[j] - y[j]);
    for (size_t j = both; j < width; j++)
        square += x[j] * x[j];
    for (size_t j = both; j < dim; j++)
        square += y[j] * y[j];
    return real_exp(-gamma * square);
}

int kernel_pairs(const struct matrix *x, size_t i, const double *kept, size_t pairs, size_t dim,
                 double gamma, double *s, struct buffer *buffer, struct fault *fault)
{
    size_t width = matrix_width(x);
    double *room = make_room(buffer, x, width, fault);
    if (!room)
        return -1;
    double *row = room + width + (width + 1) / 2;
    write_row(x, i, width, room, row);
    *s = 0;
    for (size_t p = 0; p < pairs; p++)
        *s += gauss(row, width, kept + 2 * p * dim, dim, gamma) -
              gauss(row, width, kept + (2 * p + 1) * dim, dim, gamma);
    return 0;
}

int kernel_keep(const struct matrix *x, size_t i, size_t dim, double *row, struct buffer *buffer,
                struct fault *fault)
{
    double *room = make_room(buffer, x, dim, fault);
    if (!room)
        return -1;
    write_row(x, i, dim, room, row);
    return 0;
}
