/* dtrmm: how long linucb's variances of a round take, beside the product U'Z of OpenBLAS, which is
 * a part of that work. With U upper triangular of 2 d columns, and 2 d numbers for each document.
 * Half of them are the same for all documents, as in linucb; with "all" that is not made use of.
 *
 *     OPENBLAS_NUM_THREADS=1 dtrmm docs d [all]
 *
 * Prints the microseconds of both, dtrmm's divided by ours (medians of 101 pairs), and the kernel
 * that OpenBLAS chose for this processor. Exits with 77 where there is no OpenBLAS. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/covariance.h"

enum { PAIRS = 101 };
enum { COLUMNS_FIRST = 102, LEFT = 141, UPPER = 121, TRANSPOSED = 112, ANY_DIAGONAL = 131 };

typedef void dtrmm_function(int order, int side, int half, int transposed, int diagonal, int rows,
                            int columns, double scale, const double *a, int a_rows, double *b,
                            int b_rows);
typedef char *corename_function(void);

struct problem {
    size_t docs, n;
    double *packed, *square; /* U: column c is packed[c (c + 1) / 2 ...], square[c n ...] */
    double *z;               /* number i of document j is z[j n + i]                      */
    double *abreast, *b, *v;
    double *shared; /* NULL: nothing is shared */
};

static void *room(size_t count)
{
    void *at = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
    if (!at)
        exit(1);
    memset(at, 0, count * sizeof(double));
    return at;
}

static size_t blocks(const struct problem *p)
{
    return (p->docs + COVARIANCE_ABREAST - 1) / COVARIANCE_ABREAST;
}

static void make(struct problem *p)
{
    size_t n = p->n;
    p->packed = room(n * (n + 1) / 2);
    p->square = room(n * n);
    p->z = room(n * p->docs);
    p->b = room(n * p->docs);
    p->abreast = room(n * COVARIANCE_ABREAST * blocks(p));
    p->v = room(COVARIANCE_ABREAST * blocks(p));
    for (size_t c = 0; c < n; c++)
        for (size_t i = 0; i <= c; i++)
            p->square[c * n + i] = p->packed[c * (c + 1) / 2 + i] =
                i == c ? 1 + 1e-3 * (double)(c % 5) : 1e-3 * (double)((i * 31 + c) % 17);
    for (size_t j = 0; j < p->docs; j++)
        for (size_t i = 0; i < n; i++)
            p->z[j * n + i] = 1e-3 * (double)(i % 2 ? i % 11 : (i + 7 * j) % 13);
    for (size_t j = 0; j < p->docs; j++)
        for (size_t i = 0; i < n; i++)
            p->abreast[(j / COVARIANCE_ABREAST * n + i) * COVARIANCE_ABREAST +
                       j % COVARIANCE_ABREAST] = p->z[j * n + i];
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static double time_ours(const struct problem *p)
{
    double from = microseconds();
    if (p->shared)
        covariance_shared(p->packed, p->n, p->z, p->shared);
    for (size_t k = 0; k < blocks(p); k++)
        covariance_variances(p->packed, p->n, p->abreast + k * p->n * COVARIANCE_ABREAST, p->shared,
                          p->v + k * COVARIANCE_ABREAST);
    return microseconds() - from;
}

static double time_theirs(const struct problem *p, dtrmm_function *dtrmm)
{
    memcpy(p->b, p->z, p->n * p->docs * sizeof *p->b);
    double from = microseconds();
    dtrmm(COLUMNS_FIRST, LEFT, UPPER, TRANSPOSED, ANY_DIAGONAL, (int)p->n, (int)p->docs, 1,
          p->square, (int)p->n, p->b, (int)p->n);
    return microseconds() - from;
}

/* Do both compute the same? The diagonal of U is 1 in ours, with D apart, which is `packed`'s. */
static int agree(const struct problem *p)
{
    for (size_t j = 0; j < p->docs; j++) {
        double sum = 0;
        for (size_t c = 0; c < p->n; c++) {
            double d = p->square[c * p->n + c], z = p->z[j * p->n + c];
            double f = p->b[j * p->n + c] - d * z + z;
            sum += d * f * f;
        }
        if (!(p->v[j] > 0.999999 * sum && p->v[j] < 1.000001 * sum))
            return 0;
    }
    return 1;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[PAIRS])
{
    qsort(values, PAIRS, sizeof *values, by_size);
    return values[PAIRS / 2];
}

int main(int argc, char **argv)
{
    double ours[PAIRS], theirs[PAIRS], ratio[PAIRS];
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    dtrmm_function *dtrmm;
    corename_function *corename;
    if (argc < 3)
        return 2;
    if (!library)
        return 77;
    *(void **)&dtrmm = dlsym(library, "cblas_dtrmm");
    *(void **)&corename = dlsym(library, "openblas_get_corename");
    struct problem p = { .docs = strtoul(argv[1], NULL, 10), .n = 2 * strtoul(argv[2], NULL, 10) };
    if (!dtrmm || !corename)
        return 77;
    make(&p);
    p.shared = argc > 3 ? NULL : room(p.n);
    for (size_t i = 0; i < PAIRS; i++) {
        ours[i] = time_ours(&p);
        theirs[i] = time_theirs(&p, dtrmm);
        ratio[i] = theirs[i] / ours[i];
    }
    if (!agree(&p))
        return 1;
    printf("%.1f %.1f %.2f %s\n", median(ours), median(theirs), median(ratio), corename());
    return 0;
}
