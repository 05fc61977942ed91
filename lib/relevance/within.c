#include "relevance/within.h"

#include <math.h>
#include <string.h>

#include "math/lbfgs.h"
#include "math/real.h"

static const double FLAT = 1e-7;
enum { STEPS = 500 };

struct search {
    const struct counts *counts;
    const double *prior;
    double *theta;  /* theta[positions], of the point tried last */
    double *gain;   /* gain[positions]: sum_j C_j n_jk theta_k / E_j */
    double *step;   /* step[positions]: C_k, of the pairs that say something */
    double clicks;  /* at least 1 */
};

/* Does the pair say something? */
static bool says(const struct counts *counts, size_t j)
{
    const struct evidence *evidence = counts->evidence;
    size_t shown = 0;
    for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
        shown += counts->n[c] > 0;
    return counts->of_pair[j] > 0 && shown > 1;
}

static double exposure(const struct search *my, size_t j)
{
    const struct evidence *evidence = my->counts->evidence;
    double E = 0;
    for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
        E += my->counts->n[c] * my->theta[evidence->cell[c].position];
    return E;
}

/* Less the sum above, divided by the clicks, at x = t_2 ... */
static double loss(void *of, const double *x, double *g)
{
    struct search *my = of;
    const struct evidence *evidence = my->counts->evidence;
    double value = 0;
    my->theta[0] = 1;
    for (size_t k = 1; k < evidence->positions; k++)
        my->theta[k] = real_exp(x[k - 1]);
    memset(my->gain, 0, evidence->positions * sizeof *my->gain);
    for (size_t j = 0; j < evidence->pairs; j++) {
        if (!says(my->counts, j))
            continue;
        double E = exposure(my, j), r = my->counts->of_pair[j] / E;
        value += my->counts->of_pair[j] * real_log(E);
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            size_t k = evidence->cell[c].position;
            my->gain[k] += r * my->counts->n[c] * my->theta[k];
        }
    }
    for (size_t k = 1; k < evidence->positions; k++) {
        double off = (x[k - 1] - my->prior[k]) / WITHIN_PRIOR_ERROR;
        value += off * off / 2 - my->step[k] * x[k - 1];
        g[k - 1] = (my->gain[k] - my->step[k] + off / WITHIN_PRIOR_ERROR) / my->clicks;
    }
    return value / my->clicks;
}

/* C_k of the pairs that say something; half a click where they were shown, and none was clicked. */
static void count_clicks(struct search *my)
{
    const struct counts *counts = my->counts;
    const struct evidence *evidence = counts->evidence;
    memset(my->step, 0, evidence->positions * sizeof *my->step);
    memset(my->gain, 0, evidence->positions * sizeof *my->gain);
    for (size_t j = 0; j < evidence->pairs; j++)
        for (size_t c = evidence->first[j]; says(counts, j) && c < evidence->first[j + 1]; c++) {
            my->step[evidence->cell[c].position] += counts->clicks[c];
            my->gain[evidence->cell[c].position] += counts->n[c];
        }
    my->clicks = 1;
    for (size_t k = 0; k < evidence->positions; k++) {
        my->clicks += my->step[k];
        if (my->gain[k] > 0 && !(my->step[k] > 0))
            my->step[k] = 0.5;
    }
}

/* ---- errors ---- */

/* H[n * n] of t_2 to t_(n + 1): the second derivatives, less their sign, but for the prior. share
 * is space for the positions. */
static void add_curvature(const struct search *my, size_t n, double *share, double *H)
{
    const struct counts *counts = my->counts;
    const struct evidence *evidence = counts->evidence;
    for (size_t j = 0; j < evidence->pairs; j++) {
        if (!says(counts, j))
            continue;
        double E = exposure(my, j), C = counts->of_pair[j];
        size_t from = evidence->first[j], to = evidence->first[j + 1];
        for (size_t c = from; c < to; c++)
            share[c - from] = counts->n[c] * my->theta[evidence->cell[c].position] / E;
        for (size_t c = from; c < to; c++) {
            size_t k = evidence->cell[c].position;
            if (k == 0 || k > n)
                continue;
            H[(k - 1) * n + k - 1] += C * share[c - from];
            for (size_t b = from; b < to; b++) {
                size_t other = evidence->cell[b].position;
                if (other > 0 && other <= n)
                    H[(k - 1) * n + other - 1] -= C * share[c - from] * share[b - from];
            }
        }
    }
}

/* A = L L', in the lower half; A is positive definite. */
static void decompose(size_t n, double *A)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
}

/* The diagonal of (L L')^-1 at i: the square of column i of L^-1. column has room for n. */
static double inverse_at(size_t n, const double *L, size_t i, double *column)
{
    double square = 0;
    for (size_t a = i; a < n; a++) {
        double sum = a == i ? 1 : 0;
        for (size_t k = i; k < a; k++)
            sum -= L[a * n + k] * column[k];
        column[a] = sum / L[a * n + a];
        square += column[a] * column[a];
    }
    return square;
}

static int find_errors(const struct search *my, double *error, struct fault *fault)
{
    size_t K = my->counts->evidence->positions, n = K - 1 < WITHIN_ERRORS ? K - 1 : WITHIN_ERRORS;
    struct buffer memory = { 0 };
    double *H = buffer_for(&memory, n * n + K, sizeof *H, fault);
    if (!H) return -1;
    double *room = H + n * n;
    memset(H, 0, n * n * sizeof *H);
    add_curvature(my, n, room, H);
    for (size_t i = 0; i < n; i++)
        H[i * n + i] += 1 / (WITHIN_PRIOR_ERROR * WITHIN_PRIOR_ERROR);
    decompose(n, H);
    error[0] = 0;
    for (size_t k = 1; k < K; k++)
        error[k] = k <= n ? sqrt(inverse_at(n, H, k - 1, room)) : NAN;
    buffer_free(&memory);
    return 0;
}

int within_fit(const struct counts *counts, const double *prior, double *theta, double *error,
               struct fault *fault)
{
    size_t K = counts->evidence->positions;
    struct buffer memory = { 0 };
    double *at = buffer_for(&memory, 3 * K, sizeof *at, fault);
    if (!at) return -1;
    struct search search = { .counts = counts, .prior = prior, .theta = theta, .gain = at + K,
                             .step = at + 2 * K };
    count_clicks(&search);
    memcpy(at, prior + 1, (K - 1) * sizeof *at);
    if (K > 1)
        (void)lbfgs_minimise(loss, &search, K - 1, at, FLAT, STEPS, fault);
    theta[0] = 1;
    for (size_t k = 1; k < K; k++)
        theta[k] = real_exp(at[k - 1]);
    int result = fault->kind == FAULT_NONE ? find_errors(&search, error, fault) : -1;
    buffer_free(&memory);
    return result;
}
