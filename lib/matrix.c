#include "matrix.h"

#include <math.h>
#include <string.h>

#include "load.h"

enum { LANES = 16 };

static double sum_lanes(double lane[LANES])
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static double dense_times(const unsigned char *row, const double *w, size_t n)
{
    double lane[LANES] = { 0 };
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        float x[LANES];
        memcpy(x, row + j * sizeof *x, sizeof x);
        for (size_t l = 0; l < LANES; l++)
            lane[l] += (double)x[l] * w[j + l];
    }
    for (size_t l = 0; j < n; j++, l++)
        lane[l] += (double)load_f4(row + j * sizeof(float)) * w[j];
    return sum_lanes(lane);
}

static double sparse_times(const struct matrix *x, size_t i, const double *w, size_t n)
{
    double lane[LANES] = { 0 };
    size_t end = load_u4(x->ptr + 4 * (i + 1));
    for (size_t e = load_u4(x->ptr + 4 * i); e < end; e++) {
        size_t j = load_u4(x->idx + 4 * e);
        if (j >= n)
            break;
        lane[j % LANES] += (double)load_f4(x->val + 4 * e) * w[j];
    }
    return sum_lanes(lane);
}

size_t matrix_width(const struct matrix *x)
{
    return x->form == MATRIX_UNIT ? x->docs : x->dim;
}

void matrix_times(const struct matrix *x, const double *w, size_t n, double *s)
{
    size_t reach = n < x->dim ? n : x->dim;
    for (size_t i = 0; i < x->docs; i++) {
        if (x->form == MATRIX_DENSE)
            s[i] = dense_times(x->x + i * x->dim * sizeof(float), w, reach);
        else if (x->form == MATRIX_SPARSE)
            s[i] = sparse_times(x, i, w, n);
        else
            s[i] = i < n ? w[i] : 0;
    }
}

static void add_row(const struct matrix *x, size_t i, double a, double *z)
{
    if (x->form == MATRIX_DENSE) {
        const unsigned char *row = x->x + i * x->dim * sizeof(float);
        for (size_t j = 0; j < x->dim; j++)
            z[j] += a * (double)load_f4(row + j * sizeof(float));
    } else if (x->form == MATRIX_SPARSE) {
        size_t end = load_u4(x->ptr + 4 * (i + 1));
        for (size_t e = load_u4(x->ptr + 4 * i); e < end; e++)
            z[load_u4(x->idx + 4 * e)] += a * (double)load_f4(x->val + 4 * e);
    } else {
        z[i] += a;
    }
}

void matrix_transposed_times(const struct matrix *x, const double *g, double *z)
{
    for (size_t i = 0; i < x->docs; i++)
        if (g[i] != 0)
            add_row(x, i, g[i], z);
}

double matrix_norm(const double *w, size_t n)
{
    double lane[LANES] = { 0 };
    for (size_t j = 0; j < n; j++)
        lane[j % LANES] += w[j] * w[j];
    return sqrt(sum_lanes(lane));
}
