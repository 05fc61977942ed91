#include "feature/base_rank.h"

#include <string.h>

#include "loss/dcg.h"

/* D(1) to D(m). */
static const double *discounts(struct base_rank *my, size_t m, struct fault *fault)
{
    double *D = buffer_for(&my->discount, m, sizeof *D, fault);
    for (; D && my->known < m; my->known++)
        D[my->known] = dcg_discount(my->known);
    return D;
}

/* g of each document, or NULL with a fault. */
static const float *find_feature(struct base_rank *my, const uint32_t *base, size_t m,
                                 struct fault *fault)
{
    const double *D = discounts(my, m, fault);
    float *g = buffer_for(&my->feature, m, sizeof *g, fault);
    if (!D || !g)
        return NULL;
    for (size_t a = 0; a < m; a++)
        g[base[a]] = m > 1 ? (float)((D[a] - D[m - 1]) / (D[0] - D[m - 1])) : 0;
    return g;
}

/* Of dense features: their sums, where they are known, move with them. */
static int insert_dense(const float *g, const struct matrix *x, struct rows *out, struct matrix *y,
                        struct fault *fault)
{
    size_t m = x->docs, d = x->dim + 1;
    if (rows_start(out, d, (uint64_t)m * d, fault) < 0) return -1;
    float *made = buffer_for(&out->dense, m * d, sizeof *made, fault);
    double *sum = buffer_for(&out->ranges, d, sizeof *sum, fault);
    if (!made || !sum) return -1;
    sum[0] = 0;
    for (size_t i = 0; i < m; i++) {
        made[i * d] = g[i];
        memcpy(made + i * d + 1, x->x + i * x->dim * sizeof *made, x->dim * sizeof *made);
        sum[0] += (double)g[i];
    }
    if (x->sum)
        memcpy(sum + 1, x->sum, x->dim * sizeof *sum);
    *y = (struct matrix){ .kind = MATRIX_DENSE, .docs = m, .dim = d,
                          .x = (const unsigned char *)made, .sum = x->sum ? sum : NULL };
    return 0;
}

static int insert_sparse(const float *g, const struct rows *in, size_t dim, struct rows *out,
                         struct matrix *y, struct fault *fault)
{
    const uint32_t *ptr = in->ptr.at, *idx = in->idx.at;
    const float *val = in->val.at;
    if (rows_start(out, (uint64_t)dim + 1, (uint64_t)in->docs + in->entries, fault) < 0) return -1;
    for (size_t i = 0; i < in->docs; i++) {
        if (rows_document(out, ptr[i + 1] - ptr[i] + 1, fault) < 0) return -1;
        if (g[i] > 0)
            rows_feature(out, 0, g[i]);
        for (size_t e = ptr[i]; e < ptr[i + 1]; e++)
            rows_feature(out, idx[e] + 1, val[e]);
    }
    return rows_matrix(out, dim + 1, y, fault);
}

int base_rank_insert(struct base_rank *my, const uint32_t *base, const struct matrix *x,
                     struct rows *in, struct rows *out, struct matrix *y, struct fault *fault)
{
    const float *g = find_feature(my, base, x->docs, fault);
    if (!g) return -1;
    if (x->kind == MATRIX_DENSE)
        return insert_dense(g, x, out, y, fault);
    return rows_take(in, x, fault) < 0 ? -1 : insert_sparse(g, in, x->dim, out, y, fault);
}

void base_rank_close(struct base_rank *my)
{
    buffer_free(&my->discount);
    buffer_free(&my->feature);
}
