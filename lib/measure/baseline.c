#include "measure/baseline.h"

#include <string.h>

#include "kernels/covariance.h"

static const double ridge = 10;

/* The rows of P, the constant's too. */
static size_t rows(size_t dim)
{
    return 1 + regression_rows(dim, false);
}

/* numbers[from..until - 1] = 0 in a buffer that has the others. */
static double *grow(struct buffer *buffer, size_t from, size_t until, struct fault *fault)
{
    double *numbers = buffer_for(buffer, until, sizeof *numbers, fault);
    if (numbers)
        memset(numbers + from, 0, (until - from) * sizeof *numbers);
    return numbers;
}

static int reach(struct baseline *my, size_t width, struct fault *fault)
{
    struct regression *r = &my->regression;
    size_t old = r->inverse ? rows(r->dim) : 0, dim = r->dim;
    if (r->inverse && width <= dim)
        return 0;
    if (width > BASELINE_DIM)
        return fault_data(fault, "it has %zu features, but dr: takes at most %d: use ips: or "
                          "snips:", width, BASELINE_DIM);
    r->w = grow(&my->w, dim, width + 1, fault);
    r->level = grow(&my->level, dim, width + 1, fault);
    double *inverse = grow(&my->inverse, udu_size(old), udu_size(rows(width)), fault);
    if (!r->w || !r->level || !inverse) return -1;
    for (size_t i = old; i < rows(width); i++)
        inverse[udu_size(i + 1) - 1] = 1;
    r->inverse = inverse;
    r->dim = width;
    r->lambda = ridge;
    r->constant = &my->constant;
    return 0;
}

int baseline_round(struct baseline *my, const struct matrix *x, struct fault *fault)
{
    return reach(my, matrix_width(x), fault) < 0 ? -1 : regression_round(&my->regression, x, fault);
}

double baseline_expect(struct baseline *my, size_t i)
{
    double worth = regression_expect(&my->regression, i);
    return worth > my->top ? my->top : worth > 0 ? worth : 0;
}

int baseline_learn(struct baseline *my, size_t i, double worth, double much, struct fault *fault)
{
    my->top = worth * much > my->top ? worth * much : my->top;
    if (regression_learn(&my->regression, i, worth, much, fault) < 0) return -1;
    return regression_check(&my->regression, fault);
}

void baseline_close(struct baseline *my)
{
    regression_close(&my->regression);
    buffer_free(&my->w);
    buffer_free(&my->level);
    buffer_free(&my->inverse);
}
