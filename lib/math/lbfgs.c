#include "math/lbfgs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"

enum { PAIRS = 8, TRIALS = 40 };
static const double FALLS = 1e-4, FLATTENS = 0.9, ENOUGH = 1e-9;

struct search {
    lbfgs_function *f;
    void *of;
    size_t n;
    double *x, *g;             /* where it is, and the gradient there */
    double *next, *next_g;     /* the point on trial */
    double *direction;
    double *s[PAIRS], *y[PAIRS]; /* the last steps, and by what the gradient changed */
    double curvature[PAIRS];     /* s.y, above 0 */
    unsigned pairs, newest;
    double value;
};

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(size_t n, double factor, const double *a, double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * a[i];
}

/* direction = - H g by the two loops over the last pairs. */
static void find_direction(struct search *my)
{
    double alpha[PAIRS];
    size_t n = my->n;
    double *d = my->direction;
    for (size_t i = 0; i < n; i++)
        d[i] = -my->g[i];
    for (unsigned k = 0; k < my->pairs; k++) {
        unsigned p = (my->newest + PAIRS - k) % PAIRS;
        alpha[p] = dot(n, my->s[p], d) / my->curvature[p];
        add(n, -alpha[p], my->y[p], d);
    }
    if (my->pairs > 0) {
        const double *y = my->y[my->newest];
        double scale = my->curvature[my->newest] / dot(n, y, y);
        for (size_t i = 0; i < n; i++)
            d[i] *= scale;
    }
    for (unsigned k = my->pairs; k-- > 0;) {
        unsigned p = (my->newest + PAIRS - k) % PAIRS;
        add(n, alpha[p] - dot(n, my->y[p], d) / my->curvature[p], my->s[p], d);
    }
}

/* Finds a step along the direction. False: none lowers f. */
static bool find_step(struct search *my, double first, double *value)
{
    double low = 0, high = INFINITY, step = first;
    double slope = dot(my->n, my->g, my->direction);
    if (!(slope < 0))
        return false;
    for (int trial = 0; trial < TRIALS; trial++) {
        memcpy(my->next, my->x, my->n * sizeof *my->x);
        add(my->n, step, my->direction, my->next);
        *value = my->f(my->of, my->next, my->next_g);
        if (!(*value <= my->value + FALLS * step * slope))
            high = step;
        else if (dot(my->n, my->next_g, my->direction) < FLATTENS * slope)
            low = step;
        else
            return true;
        step = isinf(high) ? 2 * low : (low + high) / 2;
    }
    return *value < my->value;
}

/* Remembers the step from x to next, and goes there. */
static void take_step(struct search *my, double value)
{
    unsigned p = my->pairs ? (my->newest + 1) % PAIRS : 0;
    for (size_t i = 0; i < my->n; i++) {
        my->s[p][i] = my->next[i] - my->x[i];
        my->y[p][i] = my->next_g[i] - my->g[i];
    }
    my->curvature[p] = dot(my->n, my->s[p], my->y[p]);
    my->newest = p;
    if (!(my->curvature[p] > 0)) /* rounding alone: begin anew */
        my->pairs = 0;
    else if (my->pairs < PAIRS)
        my->pairs++;
    memcpy(my->x, my->next, my->n * sizeof *my->x);
    memcpy(my->g, my->next_g, my->n * sizeof *my->g);
    my->value = value;
}

static double largest(size_t n, const double *g)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs(g[i]) > most ? fabs(g[i]) : most;
    return most;
}

double lbfgs_minimise(lbfgs_function *f, void *of, size_t n, double *x, double least,
                      unsigned steps, struct fault *fault)
{
    struct buffer memory = { 0 };
    double *at = buffer_for(&memory, n, (4 + 2 * PAIRS) * sizeof *at, fault), value;
    if (!at)
        return NAN;
    struct search my = { .f = f, .of = of, .n = n, .x = x, .g = at, .next = at + n,
                         .next_g = at + 2 * n, .direction = at + 3 * n };
    for (size_t p = 0; p < PAIRS; p++) {
        my.s[p] = at + (4 + p) * n;
        my.y[p] = at + (4 + PAIRS + p) * n;
    }
    my.value = f(of, x, my.g);
    for (unsigned step = 0; step < steps && largest(n, my.g) > least; step++) {
        find_direction(&my);
        double first = my.pairs ? 1 : 1 / (1 + sqrt(dot(n, my.g, my.g)));
        double was = my.value;
        if (!find_step(&my, first, &value))
            break;
        take_step(&my, value);
        if (was - value <= ENOUGH * (fabs(was) > 1 ? fabs(was) : 1))
            break;
    }
    buffer_free(&memory);
    return my.value;
}
