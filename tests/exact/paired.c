/* paired: p values and intervals are those of scipy 1.10 and of closed forms, the randomisation
 * test is a plain enumeration of signs, Holm's correction is the one worked by hand; with the
 * argument "coverage", intervals of simulated pairs hold the truth as often as they say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rng.h"
#include "measure/paired.h"

enum { LONGEST = 2000 };

static unsigned long wrong;
static struct buffer scratch;
static struct fault fault;

static void near(double got, double want, double within, const char *what, double a, double b)
{
    if (!(fabs(got - want) <= within) && wrong++ < 20)
        fprintf(stderr, "%s(%g, %g) is %.17g, not %.17g\n", what, a, b, got, want);
}

/* d_i = ((7919 i + 13) mod 1000 - shift) / 1000. */
static void fill(double *d, int n, int shift)
{
    for (int i = 0; i < n; i++)
        d[i] = ((i * 7919 + 13) % 1000 - shift) / 1000.0;
}

/* Of these differences: their mean; by scipy.stats.ttest_1samp confidence_interval(0.95) and p; p
 * of permutation_test(permutation_type='samples'), by enumeration up to 16 and else of 200,000
 * draws; p of binomtest of those above 0. */
static const struct {
    int n, shift;
    double mean, low, high, p_t, p, p_signs;
} scipy[] = {
    { 2, 400, 0.0725, -5.76600107639055, 5.91100107639055, 0.900375295322582, 1, 1 },
    { 3, 300, 0.298666666666667, -0.965303839997, 1.56263717333033, 0.4162813186309, 0.5, 1 },
    { 8, 300, 0.3045, 0.0631142502820387, 0.545885749717961, 0.0204309235830553, 0.03125,
      0.0703125 },
    { 12, 300, 0.184166666666667, -0.00391385080475556, 0.372247184138089, 0.0541563380673919,
      0.05712890625, 0.3876953125 },
    { 16, 500, 0.0305, -0.143898296586171, 0.204898296586171, 0.714539537881744, 0.70538330078125,
      0.803619384765625 },
    { 50, 420, 0.0685, -0.0151529334467391, 0.152152933446739, 0.10625495643901, 0.105529472352638,
      0.322236320357547 },
    { 200, 470, 0.0335, -0.00718613856458795, 0.0741861385645879, 0.106030882303413,
      0.105539472302638, 0.358003090624503 },
    { 784, 480, 0.0217551020408163, 0.00148160132027168, 0.042028602761361, 0.0354824457311674,
      0.0355798221008895, 0.224319444801226 },
    { 2000, 490, 0.0095, -0.00316233763346748, 0.0221623376334675, 0.141349445142778,
      0.139959300203499, 0.407813092452425 },
};

static void check_scipy(void)
{
    static double d[LONGEST];
    const double draws = 200000;
    struct paired got;
    for (size_t i = 0; i < sizeof scipy / sizeof *scipy; i++) {
        const double n = scipy[i].n, shift = scipy[i].shift, p = scipy[i].p;
        /* two estimates from so many draws each, or two exact numbers */
        const double within = n <= 16 ? 1e-12 : 4.5 * sqrt(2 * p * (1 - p) / draws);
        fill(d, scipy[i].n, scipy[i].shift);
        wrong += paired_test(d, (size_t)n, (uint64_t)draws, 1, &scratch, &got, &fault) < 0;
        near(got.mean, scipy[i].mean, 1e-12, "mean", n, shift);
        /* scipy's quantile of 1 degree of freedom is 12.70620473643, the tables' 12.70620473617 */
        near(got.low, scipy[i].low, 1e-9, "low", n, shift);
        near(got.high, scipy[i].high, 1e-9, "high", n, shift);
        near(got.p_t, scipy[i].p_t, 1e-12, "p(t)", n, shift);
        near(got.p, p, within, "p", n, shift);
        near(got.p_signs, scipy[i].p_signs, 1e-12, "p(sign)", n, shift);
    }
}

/* Closed forms: one degree of freedom is Cauchy's law; two and four are algebraic. And those of
 * scipy.stats.t where it has those digits: far out, and with many degrees. */
static void check_tails(void)
{
    static const struct { double t, freedom, p; } far[] = {
        { 2, 783, 0.0458452419825549 }, { 12, 9, 7.69988622298564e-07 },
        { 30, 100, 8.38033255868834e-52 }, { 1, 99999, 0.317312927588307 },
    };
    for (double t = 0; t < 1e6; t = t * 1.37 + 0.01) {
        double u = t / sqrt(4 + t * t);
        near(tails_student(t, 1), 1 - 2 / acos(-1.0) * atan(t), 1e-14, "tails", t, 1);
        near(tails_student(-t, 2), 1 - t / sqrt(2 + t * t), 1e-14, "tails", -t, 2);
        near(tails_student(t, 4), 1 - u * (3 - u * u) / 2, 1e-14, "tails", t, 4);
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        near(tails_student(far[i].t, far[i].freedom) / far[i].p, 1, 1e-10, "tails / scipy's",
             far[i].t, far[i].freedom);
    for (double freedom = 1; freedom < 1e7; freedom *= 3)
        for (double p = 1; p > 1e-9; p /= 7)
            near(tails_student(tails_student_quantile(p, freedom), freedom) / p, 1, 1e-9,
                 "tails(quantile) / p", p, freedom);
    wrong += tails_student(INFINITY, 5) != 0 || !isnan(tails_student(NAN, 5)) ||
             !isnan(tails_student(1, 0));
}

/* Coins by adding whole binomial coefficients; of many coins the tail is scipy's. */
static void check_coins(void)
{
    double choose[51] = { 1 };
    for (size_t n = 1; n <= 50; n++) {
        for (size_t k = n; k > 0; k--)
            choose[k] += choose[k - 1];
        for (size_t k = 0; k <= n; k++) {
            double tail = 0, all = ldexp(1, (int)n);
            for (size_t i = 0; i <= (k < n - k ? k : n - k); i++)
                tail += 2 * choose[i];
            near(tails_coins(k, n - k), tail < all ? tail / all : 1, 1e-14, "coins", (double)k,
                 (double)(n - k));
        }
    }
    near(tails_coins(0, 0), 1, 0, "coins", 0, 0);
    near(tails_coins(49500, 50500), 0.00158235987885152, 1e-12, "coins", 49500, 50500);
    near(tails_coins(0, 100000), 0, 0, "coins", 0, 100000);
}

/* All choices of signs of small whole numbers, among them 0 and many equal sums. */
static void check_enumeration(void)
{
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    for (int trial = 0; trial < 2000; trial++) {
        int n = 1 + (int)rng_below(&rng, 10), whole[10], total = 0;
        double d[10], count = 0;
        struct paired got;
        for (int i = 0; i < n; i++) {
            whole[i] = (int)rng_below(&rng, 7) - 2;
            d[i] = whole[i] / 10.0;
            total += whole[i];
        }
        for (int signs = 0; signs < 1 << n; signs++) {
            int sum = 0;
            for (int i = 0; i < n; i++)
                sum += signs >> i & 1 ? -whole[i] : whole[i];
            count += (sum < 0 ? -sum : sum) >= (total < 0 ? -total : total);
        }
        wrong += paired_test(d, (size_t)n, 1 << 10, 1, &scratch, &got, &fault) < 0;
        near(got.p, count / (1 << n), 1e-15, "p by enumeration", n, total);
        wrong += got.above + got.below + got.same != (size_t)n;
    }
}

/* (count + 1) / (N + 1) is at least 1 / (N + 1); the seed draws, and nothing else does. */
static void check_draws(void)
{
    double d[64];
    struct paired got, again, other;
    for (size_t i = 0; i < 64; i++)
        d[i] = 1 + (double)i / 64;
    wrong += paired_test(d, 64, 999, 1, &scratch, &got, &fault) < 0;
    near(got.p, 1 / 1000.0, 0, "p of all above", 64, 999);
    fill(d, 64, 450);
    wrong += paired_test(d, 64, 999, 1, &scratch, &got, &fault) < 0 ||
             paired_test(d, 64, 999, 1, &scratch, &again, &fault) < 0 ||
             paired_test(d, 64, 999, 2, &scratch, &other, &fault) < 0;
    wrong += memcmp(&got, &again, sizeof got) != 0 || got.p == other.p;
    near(got.p, other.p, 0.1, "p by another seed", 64, 999);
}

static void check_holm(void)
{
    static const struct { size_t n; double p[4], want[4]; } cases[] = {
        { 1, { 0.3 }, { 0.3 } },
        { 2, { 0.02, 0.02 }, { 0.04, 0.04 } },
        /* .005 * 4, .01 * 3, .03 * 2, and .04 * 1, which is less than the one before */
        { 4, { 0.01, 0.04, 0.03, 0.005 }, { 0.03, 0.06, 0.06, 0.02 } },
        { 4, { 0.5, 0.001, 0.9, 0.5 }, { 1, 0.004, 1, 1 } },
        { 3, { 0.03, 0.02, 0.01 }, { 0.04, 0.04, 0.03 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double got[4];
        paired_holm(cases[c].p, cases[c].n, got);
        for (size_t i = 0; i < cases[c].n; i++)
            near(got[i], cases[c].want[i], 1e-15, "holm", (double)c, (double)i);
    }
}

/* A difference of two bounded, skewed values whose mean is `mean`: most are 0, as of rankers that
 * agree on most queries; and a normal one, by twelve uniform numbers. */
static double skewed(struct rng *rng, double mean)
{
    double a = rng_unit(rng), b = rng_unit(rng);
    return mean + (rng_unit(rng) < 0.4 ? a * a - b * b * b - 1.0 / 12 : 0);
}

static double normal(struct rng *rng, double mean)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    return mean + sum;
}

static double lognormal(struct rng *rng, double mean)
{
    struct normals normals = { .rng = *rng };
    double value = exp(normal_draw(&normals)) - exp(0.5) + mean;
    *rng = normals.rng;
    return value;
}

static double more_skewed(struct rng *rng, double mean)
{
    struct normals normals = { .rng = *rng };
    double value = exp(1.25 * normal_draw(&normals)) - exp(1.25 * 1.25 / 2) + mean;
    *rng = normals.rng;
    return value;
}

/* Of 4000 samples of n pairs: how many intervals hold the mean, and with the mean 0, how many p are
 * at most 0.05, and how many are called skewed. A fair share is within 1.6 standard errors of what
 * it should be. */
static void check_coverage(double (*draw)(struct rng *, double), size_t n, const char *name,
                           double share)
{
    enum { SAMPLES = 4000 };
    double d[200], held = 0, small = 0, called = 0;
    struct paired got;
    for (uint64_t sample = 0; sample < SAMPLES; sample++) {
        struct rng rng = rng_at(n, RNG_SAMPLE, sample);
        for (size_t i = 0; i < n; i++)
            d[i] = draw(&rng, 0.03);
        wrong += paired_test(d, n, 1, 1, &scratch, &got, &fault) < 0;
        held += got.low <= 0.03 && got.high >= 0.03;
        called += paired_skewed(&got);
        for (size_t i = 0; i < n; i++)
            d[i] -= 0.03;
        wrong += paired_test(d, n, 199, sample, &scratch, &got, &fault) < 0;
        small += got.p <= 0.05;
    }
    printf("%s, %zu queries: %.1f of 100 intervals hold the mean, %.1f of 100 p are at most .05, "
           "%.1f of 100 are called skewed\n", name, n, 100 * held / SAMPLES, 100 * small / SAMPLES,
           100 * called / SAMPLES);
    near(held / SAMPLES, share, 0.02, name, (double)n, share);
    if (share == 0.95)
        near(small / SAMPLES, 0.05, 0.02, name, (double)n, 0.05);
    wrong += called / SAMPLES > 0.1 && share == 0.95;
}

/* The skewness by hand: of 0 0 0 4 it is 2 / sqrt(3), and 0 where all are equal; of nine 0 and a -1
 * it is -8/3, which is called skewed: its square is above 1, and above a tenth of ten. */
static void check_skew(void)
{
    double d[10] = { 0, 0, 0, 4 };
    struct paired got;
    wrong += paired_test(d, 4, 1, 1, &scratch, &got, &fault) < 0;
    near(got.skew, 2 / sqrt(3), 1e-14, "skewness", 4, 0);
    wrong += paired_test(d, 2, 1, 1, &scratch, &got, &fault) < 0;
    wrong += got.skew != 0 || paired_skewed(&got);
    d[1] = 2; /* 0 2 0: the skewness is .71, whose square is above .3, but not above 1 */
    wrong += paired_test(d, 3, 1, 1, &scratch, &got, &fault) < 0;
    near(got.skew, sqrt(0.5), 1e-14, "skewness", 3, 0);
    wrong += paired_skewed(&got);
    memset(d, 0, sizeof d);
    d[9] = -1;
    wrong += paired_test(d, 10, 1, 1, &scratch, &got, &fault) < 0;
    near(got.skew, -8 / 3.0, 1e-14, "skewness", 10, 0);
    wrong += !paired_skewed(&got);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "coverage") == 0) {
        check_coverage(normal, 10, "normal", 0.95);
        check_coverage(normal, 50, "normal", 0.95);
        check_coverage(skewed, 50, "skewed", 0.95);
        check_coverage(skewed, 200, "skewed", 0.95);
        for (size_t i = 0; i < 3; i++) { /* as compare(1) says */
            static const size_t n[] = { 10, 30, 100 };
            check_coverage(lognormal, n[i], "lognormal", (double[]){ 0.84, 0.88, 0.91 }[i]);
            check_coverage(more_skewed, n[i], "and 1.25", (double[]){ 0.78, 0.84, 0.89 }[i]);
        }
    } else {
        check_scipy();
        check_tails();
        check_coins();
        check_enumeration();
        check_draws();
        check_holm();
        check_skew();
    }
    buffer_free(&scratch);
    return wrong != 0;
}
