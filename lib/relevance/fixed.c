#include "relevance/fixed.h"

#include <math.h>
#include <string.h>

static const double STILL = 1e-7;

/* The least position joined to k. */
static uint32_t root_of(uint32_t *part, uint32_t k)
{
    while (part[k] != k)
        k = part[k] = part[part[k]];
    return k;
}

static void join(uint32_t *part, uint32_t a, uint32_t b)
{
    a = root_of(part, a);
    b = root_of(part, b);
    if (a < b)
        part[b] = a;
    else
        part[a] = b;
}

/* Takes in pair j of query q. */
static void enter(struct fixed *fixed, const struct evidence *evidence, size_t q, size_t j)
{
    size_t from = evidence->first[j], to = evidence->first[j + 1];
    if (to - from < 2)
        return;
    for (size_t c = from; c < to; c++)
        fixed->shared[evidence->cell[c].position]++;
    if (!(evidence->clicks[j] > 0))
        return;
    for (size_t c = from + 1; c < to; c++)
        join(fixed->part, evidence->cell[from].position, evidence->cell[c].position);
    fixed->pair[fixed->pairs] = j;
    fixed->of[fixed->pairs++] = q;
}

int fixed_open(struct fixed *fixed, const struct evidence *evidence, struct fault *fault)
{
    size_t J = evidence->pairs, K = evidence->positions;
    size_t each = 3 * sizeof(double) + sizeof(uint64_t) + sizeof(uint32_t);
    char *at = buffer_for(&fixed->memory, 2 * J * sizeof(size_t) + K * each + 1, 1, fault);
    if (!at) return -1;
    fixed->theta = (double *)at;
    fixed->clicks = fixed->theta + K;
    fixed->sum = fixed->clicks + K;
    fixed->shared = (uint64_t *)(fixed->sum + K);
    fixed->pair = (size_t *)(fixed->shared + K);
    fixed->of = fixed->pair + J;
    fixed->part = (uint32_t *)(fixed->of + J);
    fixed->pairs = 0;
    for (uint32_t k = 0; k < K; k++) {
        fixed->part[k] = k;
        fixed->shared[k] = 0;
        fixed->theta[k] = 1 / (double)(k + 1);
    }
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++)
            enter(fixed, evidence, q, j);
    for (uint32_t k = 0; k < K; k++)
        fixed->part[k] = root_of(fixed->part, k);
    return 0;
}

void fixed_close(struct fixed *fixed)
{
    buffer_free(&fixed->memory);
}

/* C_k and sum_j n_jk r_j, by theta. */
static void add_up(struct fixed *fixed, const struct evidence *evidence, const double *weight)
{
    size_t K = evidence->positions;
    memset(fixed->clicks, 0, K * sizeof *fixed->clicks);
    memset(fixed->sum, 0, K * sizeof *fixed->sum);
    for (size_t i = 0; i < fixed->pairs; i++) {
        size_t j = fixed->pair[i], from = evidence->first[j], to = evidence->first[j + 1];
        const struct evidence_cell *cell = evidence->cell;
        double E = 0, u = weight ? weight[fixed->of[i]] : 1;
        for (size_t c = from; c < to; c++)
            E += cell[c].n * fixed->theta[cell[c].position];
        if (!(E > 0) || u == 0)
            continue;
        double r = u * evidence->clicks[j] / E;
        for (size_t c = from; c < to; c++) {
            fixed->clicks[cell[c].position] += u * cell[c].clicks;
            fixed->sum[cell[c].position] += cell[c].n * r;
        }
    }
}

void fixed_fit(struct fixed *fixed, const struct evidence *evidence, const double *weight,
               unsigned most)
{
    double changed = INFINITY;
    for (size_t k = 0; k < evidence->positions; k++)
        if (fixed->part[k] != 0)
            fixed->theta[k] = NAN;
    for (unsigned time = 0; time < most && changed > STILL; time++) {
        changed = 0;
        add_up(fixed, evidence, weight);
        double top = fixed->clicks[0] / fixed->sum[0];
        for (size_t k = 0; k < evidence->positions; k++) {
            double theta = fixed->clicks[k] / fixed->sum[k] / top;
            if (fixed->part[k] != 0 || isnan(theta))
                continue;
            if (!(fabs(theta - fixed->theta[k]) <= changed))
                changed = fabs(theta - fixed->theta[k]);
            fixed->theta[k] = theta;
        }
    }
}
