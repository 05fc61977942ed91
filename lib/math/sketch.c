#include "math/sketch.h"

#include <math.h>
#include <string.h>

#include "kernels/vectors.h"
#include "math/matrix.h"

enum { MOST = SKETCH_MOST, KEPT = SKETCH_KEPT, SLOTS = SKETCH_SLOTS, STEPS = 2 };

/* ---- room and slots ---- */

int sketch_reach(struct sketch *sketch, size_t rows, struct fault *fault)
{
    size_t had = sketch->rows;
    if (rows > UINT32_MAX)
        return fault_no_room(fault, SIZE_MAX);
    uint32_t *slot = buffer_for(&sketch->slot, rows, sizeof *slot, fault);
    bool fresh = !sketch->numbers.at;
    sketch->at = buffer_for(&sketch->numbers, 1, sizeof *sketch->at, fault);
    sketch->gain = buffer_for(&sketch->work, 2 * SLOTS, sizeof *sketch->gain, fault);
    if (!slot || !sketch->at || !sketch->gain) return -1;
    if (fresh)
        memset(sketch->at, 0, sizeof *sketch->at);
    if (rows > had)
        memset(slot + had, 0, (rows - had) * sizeof *slot);
    sketch->rows = rows > had ? rows : had;
    return 0;
}

size_t sketch_slot(const struct sketch *sketch, size_t row)
{
    uint32_t slot = ((const uint32_t *)sketch->slot.at)[row];
    return slot ? slot - 1 : SLOTS;
}

/* The slot of a row, which gets one if there is one left. */
static size_t admit(struct sketch *sketch, uint32_t row, double d)
{
    size_t s = sketch_slot(sketch, row);
    if (s < SLOTS || sketch->slots == SLOTS)
        return s;
    s = sketch->slots++;
    ((uint32_t *)sketch->slot.at)[row] = (uint32_t)s + 1;
    sketch->at->row[s] = row;
    sketch->at->d[s] = d;
    sketch->at->part[s] = 1 / d;
    return s;
}

/* ---- loops over the slots, in their order ---- */

enum { FOUR = 4 };
typedef double four __attribute__((vector_size(FOUR * sizeof(double))));

VECTORS_INLINE void take(four *to, const double *from)
{
    memcpy(to, from, sizeof *to);
}

VECTORS_INLINE void put(double *to, const four *from)
{
    memcpy(to, from, sizeof *from);
}

/* x in all lanes. */
VECTORS_INLINE void spread(four *to, double x)
{
    const double xs[FOUR] = { x, x, x, x };
    take(to, xs);
}

/* The sum of the lanes, as sum_lanes has it. */
VECTORS_INLINE double sum(four lane[4])
{
    const four s = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* v.x of MOST numbers. */
VECTORS_INLINE double dot(const double *v, const double *x)
{
    four lane[4], p, q;
    for (size_t l = 0; l < 4; l++) {
        take(&p, v + FOUR * l);
        take(&q, x + FOUR * l);
        lane[l] = p * q;
        take(&p, v + FOUR * (l + 4));
        take(&q, x + FOUR * (l + 4));
        lane[l] += p * q;
    }
    return sum(lane);
}

/* v.v of KEPT numbers. */
VECTORS_INLINE double square(four v[4])
{
    four lane[4];
    for (size_t l = 0; l < 4; l++)
        lane[l] = v[l] * v[l];
    return sum(lane);
}

/* t = V D^-1 a for a[slots]; returns a'D^-1 a. */
VECTORS_CLONES static double project(const struct sketch *sketch, const double *a, double t[MOST])
{
    const struct sketch_numbers *at = sketch->at;
    four s[MOST / FOUR] = { { 0 } }, v, x;
    double self = 0;
    for (size_t i = 0; i < sketch->slots; i++) {
        if (a[i] == 0)
            continue;
        double scaled = a[i] * at->part[i];
        spread(&x, scaled);
        for (size_t k = 0; k < MOST / FOUR; k++) {
            take(&v, at->v[i] + FOUR * k);
            s[k] += v * x;
        }
        self += a[i] * scaled;
    }
    for (size_t k = 0; k < MOST / FOUR; k++)
        put(t + FOUR * k, &s[k]);
    return self;
}

/* gain[slots] = D^-1 (a - V' beta) */
VECTORS_CLONES static void set_gain(const struct sketch *sketch, const double *a,
                                    const double beta[MOST], double *gain)
{
    const struct sketch_numbers *at = sketch->at;
    for (size_t i = 0; i < sketch->slots; i++)
        gain[i] = (a[i] - dot(at->v[i], beta)) * at->part[i];
}

/* The first 16 vectors of V become Q'V, and the others 0; D gains what the diagonal loses. */
VECTORS_CLONES static void fold(struct sketch *sketch, double q[MOST][KEPT])
{
    struct sketch_numbers *at = sketch->at;
    for (size_t i = 0; i < sketch->slots; i++) {
        four fresh[KEPT / FOUR] = { { 0 } }, x, by;
        double *v = at->v[i];
        for (size_t e = 0; e < MOST; e++) {
            spread(&x, v[e]);
            for (size_t k = 0; k < KEPT / FOUR; k++) {
                take(&by, q[e] + FOUR * k);
                fresh[k] += x * by;
            }
        }
        double lost = dot(v, v) - square(fresh);
        at->d[i] += lost > 0 ? lost : 0;
        at->part[i] = 1 / at->d[i];
        memset(v, 0, MOST * sizeof *v);
        for (size_t k = 0; k < KEPT / FOUR; k++)
            put(v + FOUR * k, &fresh[k]);
    }
}

/* product[i][k] = v_k'D^-1 v_i for k up to i, of the first n vectors, to the bit what project gives
 * for a = v_i. */
VECTORS_CLONES static void multiply(const struct sketch *sketch, size_t n,
                                    double product[MOST][MOST])
{
    const struct sketch_numbers *at = sketch->at;
    memset(product, 0, MOST * sizeof *product);
    for (size_t i = 0; i < sketch->slots; i++) {
        four v, p, x;
        for (size_t e = 0; e < n; e++) {
            spread(&x, at->v[i][e] * at->part[i]);
            for (size_t k = 0; k <= e / FOUR; k++) {
                take(&v, at->v[i] + FOUR * k);
                take(&p, product[e] + FOUR * k);
                p += v * x;
                put(product[e] + FOUR * k, &p);
            }
        }
    }
}

/* ---- the small matrices ---- */

/* y = L^-1 t, for the first n rows. */
static void forward(const struct sketch *sketch, size_t n, const double *t, double *y)
{
    for (size_t i = 0; i < n; i++) {
        double left = t[i];
        for (size_t k = 0; k < i; k++)
            left -= sketch->L[i][k] * y[k];
        y[i] = left / sketch->L[i][i];
    }
}

/* beta = L'^-1 y, for the first n rows; those from n on are 0. */
static void backward(const struct sketch *sketch, size_t n, const double *y, double beta[MOST])
{
    memset(beta, 0, MOST * sizeof *beta);
    for (size_t i = n; i-- > 0;) {
        double left = y[i];
        for (size_t k = i + 1; k < n; k++)
            left -= sketch->L[k][i] * beta[k];
        beta[i] = left / sketch->L[i][i];
    }
}

/* What rounding leaves of a sum that should be 0, in parts of its largest number. */
static const double noise = 1e-14;

/* Appends a vector a, with t = V D^-1 a and self = a'D^-1 a, to K and L. What is left of 1 + self
 * is at least 1, but for rounding, which must not look like what V lacks. Writes y = L^-1 t, and
 * returns that rest. */
static double append(struct sketch *sketch, const double t[MOST], double self, double y[MOST])
{
    size_t n = sketch->vectors++;
    double left = 1 + self;
    forward(sketch, n, t, y);
    for (size_t i = 0; i < n; i++) {
        sketch->K[n][i] = t[i];
        sketch->L[n][i] = y[i];
        left -= y[i] * y[i];
    }
    double least = noise * (1 + self) > 1 ? noise * (1 + self) : 1;
    left = left < least ? least : left;
    sketch->K[n][n] = 1 + self;
    sketch->L[n][n] = sqrt(left);
    return left;
}

/* t[MOST] += v x */
static void add_times(double *t, const double *v, double x)
{
    for (size_t i = 0; i < MOST; i++)
        t[i] += v[i] * x;
}

/* K and L of the first n vectors, from V and D. */
static void make_small(struct sketch *sketch, size_t n)
{
    double product[MOST][MOST], y[MOST];
    multiply(sketch, n, product);
    sketch->vectors = 0;
    for (size_t i = 0; i < n; i++)
        (void)append(sketch, product[i], product[i][i], y);
}

/* ---- fewer vectors ---- */

/* Makes q[KEPT][MOST] orthonormal, one after the other; one that depends on those before becomes
 * 0. */
static void orthonormalise(double q[KEPT][MOST])
{
    for (size_t k = 0; k < KEPT; k++) {
        double whole = dot(q[k], q[k]), left = whole;
        for (int again = 0; again < 2; again++)
            for (size_t l = 0; l < k; l++)
                add_times(q[k], q[l], -dot(q[k], q[l]));
        left = dot(q[k], q[k]);
        double by = left > 1e-20 * whole ? 1 / sqrt(left) : 0;
        for (size_t i = 0; i < MOST; i++)
            q[k][i] *= by;
    }
}

/* Q, as rows q[KEPT][MOST]: from each kept vector with a new one, STEPS times S q. S is divided by
 * its largest number, so that squares of large ones are finite. */
static void find_leading(const struct sketch *sketch, double q[KEPT][MOST])
{
    double S[MOST][MOST], next[KEPT][MOST], most = 1;
    for (size_t i = 0; i < MOST; i++)
        most = sketch->K[i][i] > most ? sketch->K[i][i] : most;
    for (size_t i = 0; i < MOST; i++)
        for (size_t k = 0; k < MOST; k++)
            S[i][k] = ((i < k ? sketch->K[k][i] : sketch->K[i][k]) - (i == k)) / most;
    memset(q, 0, KEPT * sizeof *q);
    for (size_t k = 0; k < KEPT; k++)
        q[k][k] = q[k][k + KEPT] = 1;
    for (int step = 0; step < STEPS; step++) {
        memset(next, 0, sizeof next);
        for (size_t k = 0; k < KEPT; k++)
            for (size_t i = 0; i < MOST; i++)
                add_times(next[k], S[i], q[k][i]);
        memcpy(q, next, sizeof next);
        orthonormalise(q);
    }
}

static void shrink(struct sketch *sketch)
{
    double q[KEPT][MOST], by[MOST][KEPT];
    find_leading(sketch, q);
    for (size_t i = 0; i < MOST; i++)
        for (size_t k = 0; k < KEPT; k++)
            by[i][k] = q[k][i];
    fold(sketch, by);
    make_small(sketch, KEPT);
}

/* ---- observations ---- */

/* Writes a of the rows that have a slot to a[SLOTS], and returns a'D^-1 a of the others. */
static double scatter(struct sketch *sketch, const struct sketch_observation *o, double *a)
{
    double outside = 0, root = sqrt(o->c);
    memset(a, 0, SLOTS * sizeof *a);
    for (size_t e = 0; e < o->n; e++) {
        if (e + MATRIX_AHEAD < o->n) {
            __builtin_prefetch((const uint32_t *)sketch->slot.at + o->row[e + MATRIX_AHEAD]);
            __builtin_prefetch(&o->counted[o->row[e + MATRIX_AHEAD]], 1);
        }
        double d = o->lambda + o->counted[o->row[e]], value = root * o->z[e];
        size_t s = value != 0 ? admit(sketch, o->row[e], d) : SLOTS;
        o->d[e] = value != 0 && s == SLOTS ? d : 0;
        if (s < SLOTS)
            a[s] = value;
        else
            outside += value * value / d;
    }
    return outside;
}

/* Observes a[SLOTS], and sets gain. Returns 1 + a'A^-1 a of these rows. */
static double observe(struct sketch *sketch, const double *a)
{
    double t[MOST], y[MOST], beta[MOST];
    size_t n = sketch->vectors;
    double self = project(sketch, a, t);
    double b = append(sketch, t, self, y);
    backward(sketch, n, y, beta);
    set_gain(sketch, a, beta, sketch->gain);
    for (size_t s = 0; s < sketch->slots; s++)
        sketch->at->v[s][n] = a[s];
    if (sketch->vectors == MOST)
        shrink(sketch);
    return b;
}

double sketch_observe(struct sketch *sketch, const struct sketch_observation *o)
{
    double *a = sketch->gain + SLOTS;
    double outside = scatter(sketch, o, a);
    return observe(sketch, a) + outside;
}

/* ---- sums ---- */

void sketch_times(const struct sketch *sketch, double lambda, const double *counted, double *x)
{
    double t[MOST] = { 0 };
    const struct sketch_numbers *at = sketch->at;
    for (size_t s = 0; s < sketch->slots; s++)
        add_times(t, at->v[s], x[at->row[s]]);
    for (size_t r = 0; r < sketch->rows; r++) {
        size_t s = sketch_slot(sketch, r);
        x[r] = s < SLOTS ? at->d[s] * x[r] + dot(at->v[s], t) : (lambda + counted[r]) * x[r];
    }
}

void sketch_solve(const struct sketch *sketch, double lambda, const double *counted, double *x)
{
    double t[MOST] = { 0 }, y[MOST], beta[MOST];
    const struct sketch_numbers *at = sketch->at;
    for (size_t s = 0; s < sketch->slots; s++)
        add_times(t, at->v[s], x[at->row[s]] * at->part[s]);
    forward(sketch, sketch->vectors, t, y);
    backward(sketch, sketch->vectors, y, beta);
    for (size_t r = 0; r < sketch->rows; r++) {
        size_t s = sketch_slot(sketch, r);
        x[r] = s < SLOTS ? (x[r] - dot(at->v[s], beta)) * at->part[s]
                         : x[r] / (lambda + counted[r]);
    }
}

/* A row without a slot here has in D all that the other sketch has of it, and the reverse. */
void sketch_add(struct sketch *sketch, const struct sketch *share,
                const struct sketch_counts *counts)
{
    double *a = sketch->gain + SLOTS, lambda = counts->lambda;
    for (size_t s = 0; s < share->slots; s++)
        (void)admit(sketch, share->at->row[s], lambda + counts->counted[share->at->row[s]]);
    for (size_t s = 0; s < sketch->slots; s++) {
        size_t row = sketch->at->row[s], of = sketch_slot(share, row);
        double more = of < SLOTS ? share->at->d[of] - lambda : counts->others[row];
        sketch->at->d[s] += more - counts->both[row];
        sketch->at->part[s] = 1 / sketch->at->d[s];
    }
    make_small(sketch, sketch->vectors);
    for (size_t k = 0; k < share->vectors; k++) {
        for (size_t s = 0; s < sketch->slots; s++) {
            size_t of = sketch_slot(share, sketch->at->row[s]);
            a[s] = of < SLOTS ? share->at->v[of][k] : 0;
        }
        (void)observe(sketch, a);
    }
}

/* ---- models ---- */

int sketch_load(struct sketch *sketch, size_t rows, struct sketch_parts parts, struct fault *fault)
{
    if (sketch_reach(sketch, rows, fault) < 0) return -1;
    for (size_t s = 0; s < parts.slots; s++) {
        double row = parts.row[s];
        if (!(row >= 0 && row < (double)rows && row == floor(row)) ||
            sketch_slot(sketch, (size_t)row) < SLOTS)
            return fault_data(fault, "model: row %zu of its sketch is %.17g: it is not a whole "
                              "number below %zu, or comes twice", s, row, rows);
        if (!(parts.d[s] > 0))
            return fault_data(fault, "model: number %zu of its diagonal is %g, not above 0", s,
                              parts.d[s]);
        (void)admit(sketch, (uint32_t)row, parts.d[s]);
        for (size_t k = 0; k < parts.vectors; k++)
            sketch->at->v[s][k] = parts.v[k * parts.slots + s];
    }
    make_small(sketch, parts.vectors);
    return 0;
}

int sketch_save(struct sketch *sketch, struct sketch_parts *parts, struct fault *fault)
{
    size_t n = sketch->slots;
    double *row = buffer_for(&sketch->work, 2 * SLOTS + n * (MOST + 2), sizeof *row, fault);
    if (!row || sketch_reach(sketch, sketch->rows, fault) < 0) return -1;
    row += 2 * SLOTS;
    double *d = row + n, *v = d + n;
    for (size_t s = 0; s < n; s++) {
        row[s] = sketch->at->row[s];
        d[s] = sketch->at->d[s];
        for (size_t k = 0; k < sketch->vectors; k++)
            v[k * n + s] = sketch->at->v[s][k];
    }
    *parts = (struct sketch_parts){ n, sketch->vectors, row, d, v };
    return 0;
}

void sketch_close(struct sketch *sketch)
{
    buffer_free(&sketch->numbers);
    buffer_free(&sketch->work);
    buffer_free(&sketch->slot);
}
