/* rankone: the floor of solar2. For each pair of documents of which one is more relevant, in
 * document order, that w does not rank by a margin of 1: v = Sigma x, Sigma -= v v' / b, w += a v.
 * Prints how many pairs those were. Rounds are dense, and of as many features.
 *
 *     rankone rounds file */
#include "lanes.h"
#include "stored.h"

#define TRADEOFF 1e4

/* v = Sigma x, Sigma being symmetric, by four of its rows at a time. */
INLINE void spread(const double *sigma, const double *x, size_t d, double *v)
{
    size_t i = 0;
    memset(v, 0, d * sizeof *v);
    for (; i + 4 <= d; i += 4, sigma += 4 * d)
        for (size_t j = 0; j < d; j++)
            v[j] = v[j] + x[i] * sigma[j] + x[i + 1] * sigma[d + j] + x[i + 2] * sigma[2 * d + j] +
                   x[i + 3] * sigma[3 * d + j];
    for (; i < d; i++, sigma += d)
        for (size_t j = 0; j < d; j++)
            v[j] += x[i] * sigma[j];
}

/* 1 where the pair took a step. */
WIDEST static int take_pair(const double *x, size_t d, double *w, double *sigma, double *v)
{
    double missing = 1 - lanes_doubles(x, w, d);
    if (missing <= 0)
        return 0;
    spread(sigma, x, d, v);
    double b = lanes_doubles(x, v, d) + TRADEOFF;
    for (size_t i = 0; i < d; i++) {
        double a = v[i] / b;
        w[i] += missing * a;
        for (size_t j = 0; j < d; j++)
            sigma[i * d + j] -= a * v[j];
    }
    return 1;
}

static unsigned long take_round(const struct bare *round, double *x, double *w, double *sigma,
                                double *v)
{
    unsigned long taken = 0;
    for (size_t i = 0; i < round->docs; i++) {
        for (size_t k = 0; k < round->docs; k++) {
            const unsigned char *a = round->x + 4 * i * round->dim;
            const unsigned char *b = round->x + 4 * k * round->dim;
            if (!(stored_f4(round->label + 4 * i) > stored_f4(round->label + 4 * k)))
                continue;
            for (size_t j = 0; j < round->dim; j++)
                x[j] = (double)stored_f4(a + 4 * j) - (double)stored_f4(b + 4 * j);
            taken += (unsigned long)take_pair(x, round->dim, w, sigma, v);
        }
    }
    return taken;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long rounds = strtoul(argv[1], NULL, 10), taken = 0;
    struct stored stored = stored_open(argv[2]);
    size_t d = stored.rounds ? stored.round[0].dim : 0;
    double *x = calloc(3 * d, sizeof *x), *sigma = calloc(d * d, sizeof *sigma);
    if (!x || !sigma)
        return 1;
    for (size_t j = 0; j < d; j++)
        sigma[j * d + j] = 1;
    for (unsigned long t = 0; t < rounds; t++)
        taken += take_round(&stored.round[t % stored.rounds], x, x + d, sigma, x + 2 * d);
    printf("%lu\n", taken);
    return 0;
}
