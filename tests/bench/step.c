/* step: the floor of loop. Over rounds that lie in memory, again and again: scores their documents
 * by loop's own kernel, takes the ten best, and takes a step on the best one's row. No header, no
 * chance, no measure.
 *
 *     step rounds file */
#include "kernels/dense.h"
#include "lanes.h"
#include "stored.h"

enum { TOP = 10 };

static void score_dense(const struct bare *round, const double *w, double *s)
{
    const struct dense dense = { round->x, round->docs, round->dim, round->dim };
    dense_times(&dense, w, s);
}

static void score_sparse(const struct bare *round, const double *w, double *s)
{
    for (size_t i = 0; i < round->docs; i++) {
        double lane[LANES] = { 0 };
        size_t end = stored_u4(round->ptr + 4 * (i + 1));
        for (size_t e = stored_u4(round->ptr + 4 * i); e < end; e++) {
            size_t j = stored_u4(round->idx + 4 * e);
            lane[j % LANES] += (double)stored_f4(round->val + 4 * e) * w[j];
        }
        s[i] = 0;
        for (size_t l = 0; l < LANES; l++)
            s[i] += lane[l];
    }
}

/* The documents of the ten highest scores, best first, ties in document order. */
static size_t take_top(const double *s, size_t n, size_t top[TOP])
{
    size_t held = 0;
    for (size_t i = 0; i < n; i++) {
        if (held == TOP && !(s[i] > s[top[TOP - 1]]))
            continue;
        size_t at = held < TOP ? held++ : TOP - 1;
        for (; at > 0 && s[i] > s[top[at - 1]]; at--)
            top[at] = top[at - 1];
        top[at] = i;
    }
    return top[0];
}

WIDEST static void step_dense(const struct bare *round, size_t i, double a, double *w)
{
    const unsigned char *x = round->x + 4 * i * round->dim;
    for (size_t j = 0; j < round->dim; j++)
        w[j] += a * (double)stored_f4(x + 4 * j);
}

static void step_sparse(const struct bare *round, size_t i, double a, double *w)
{
    size_t end = stored_u4(round->ptr + 4 * (i + 1));
    for (size_t e = stored_u4(round->ptr + 4 * i); e < end; e++)
        w[stored_u4(round->idx + 4 * e)] += a * (double)stored_f4(round->val + 4 * e);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long rounds = strtoul(argv[1], NULL, 10);
    struct stored stored = stored_open(argv[2]);
    size_t dim = 0, docs = 0, top[TOP];
    for (size_t r = 0; r < stored.rounds; r++) {
        dim = stored.round[r].dim > dim ? stored.round[r].dim : dim;
        docs = stored.round[r].docs > docs ? stored.round[r].docs : docs;
    }
    double *w = calloc(dim, sizeof *w), *s = calloc(docs, sizeof *s);
    if (!w || !s)
        return 1;
    for (unsigned long t = 0; t < rounds; t++) {
        const struct bare *round = &stored.round[t % stored.rounds];
        (round->x ? score_dense : score_sparse)(round, w, s);
        size_t best = take_top(s, round->docs, top);
        double a = 1e-6 * ((double)stored_f4(round->label + 4 * best) - s[best]);
        (round->x ? step_dense : step_sparse)(round, best, a, w);
    }
    printf("%g\n", w[0]);
    return 0;
}
