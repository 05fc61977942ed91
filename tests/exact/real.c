/*
 * Measures lib/math/real.c against the C library's long double functions, over random arguments of
 * many kinds, and checks its special cases and a few results to the bit.
 *
 * usage: real [POINTS]    (in all; default: ten million)
 */
#include "math/real.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loss/dcg.h"

#if LDBL_MANT_DIG == DBL_MANT_DIG
/* The reference may then be half an ulp and more away from the truth itself. */
static const long double ALLOWED = 2.0L;
#else
static const long double ALLOWED = 1.0L;
#endif

static const uint64_t DEFAULT_POINTS = 10000000;
static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1;
static const double SUBNORMAL = 0x0.0000000001000p-1022;

enum { EXP, EXP2, LOG, LOG2, FUNCTIONS };
enum { EDGES = 4, KINDS = 11, BIT_PATTERNS = 2 };

struct function {
    const char *name;
    double (*ours)(double);
    long double (*theirs)(long double);
    double low;
    double high;
    double period; /* of the reduction of the argument; 0 if that goes by powers of two */
    double edges[EDGES];
};

static const struct function FUNCTION[FUNCTIONS] = {
    [EXP] = {"exp", real_exp, expl, -746, 710, 0x1.62e42fefa39efp-1,
             {0x1.62e42fefa39efp+9, -0x1.6232bdd7abcd2p+9, -0x1.74910d52d3051p+9, 0x1p-53}},
    [EXP2] = {"exp2", real_exp2, exp2l, -1076, 1025, 1,
              {1024, -1022, -1075, 0x1p-53}},
    [LOG] = {"log", real_log, logl, 0, 1000, 0,
             {SUBNORMAL, DBL_MIN, DBL_MAX, SQRT_HALF}},
    [LOG2] = {"log2", real_log2, log2l, 0, 1000, 0,
              {SUBNORMAL, DBL_MIN, DBL_MAX, SQRT_HALF}},
};

struct known {
    int function;
    double argument;
    double want;
};

static const struct known SPECIAL[] = {
    {EXP, 0.0, 1.0},
    {EXP, -0.0, 1.0},
    {EXP, INFINITY, INFINITY},
    {EXP, -INFINITY, 0.0},
    {EXP, NAN, NAN},
    {EXP, -NAN, NAN},
    {EXP, DBL_MAX, INFINITY},
    {EXP, -DBL_MAX, 0.0},
    {EXP, DBL_MIN, 1.0},
    {EXP, -0x0.0000000000001p-1022, 1.0},
    {EXP, 0x1.62e42fefa39f0p+9, INFINITY},
    {EXP, -0x1.74910d52d3051p+9, 0x0.0000000000001p-1022},
    {EXP, -0x1.74910d52d3052p+9, 0.0},
    {EXP2, 0.0, 1.0},
    {EXP2, -0.0, 1.0},
    {EXP2, INFINITY, INFINITY},
    {EXP2, -INFINITY, 0.0},
    {EXP2, NAN, NAN},
    {EXP2, -NAN, NAN},
    {EXP2, DBL_MAX, INFINITY},
    {EXP2, -DBL_MAX, 0.0},
    {EXP2, DBL_MIN, 1.0},
    {EXP2, -0x0.0000000000001p-1022, 1.0},
    {EXP2, 1024.0, INFINITY},
    {EXP2, -1075.0, 0.0},
    {EXP2, -0x1.0cbffffffffffp+10, 0x0.0000000000001p-1022},
    {LOG, 1.0, 0.0},
    {LOG, 0.0, -INFINITY},
    {LOG, -0.0, -INFINITY},
    {LOG, INFINITY, INFINITY},
    {LOG, -INFINITY, NAN},
    {LOG, NAN, NAN},
    {LOG, -NAN, NAN},
    {LOG, -1.0, NAN},
    {LOG, -DBL_MAX, NAN},
    {LOG, -0x0.0000000000001p-1022, NAN},
    {LOG2, 1.0, 0.0},
    {LOG2, 0.0, -INFINITY},
    {LOG2, -0.0, -INFINITY},
    {LOG2, INFINITY, INFINITY},
    {LOG2, -INFINITY, NAN},
    {LOG2, NAN, NAN},
    {LOG2, -NAN, NAN},
    {LOG2, -1.0, NAN},
    {LOG2, -DBL_MAX, NAN},
    {LOG2, -0x0.0000000000001p-1022, NAN},
};

/*
 * Whatever the machine.  The first three of each function were searched for: they come out
 * otherwise where the compiler has fused multiplications with additions.
 */
static const struct known PINNED[] = {
    {EXP, -0x1.9ef9209ef3890p-2, 0x1.55685fec4956dp-1},
    {EXP, 0x1.16d1862924489p+9, 0x1.6a09e664bab5ep+804},
    {EXP, 0x1.f425815ff8d2fp-1, 0x1.53fa31978ba61p+1},
    {EXP, 1.0, 0x1.5bf0a8b145769p+1},
    {EXP, -736.0, 0x0.0000000001215p-1022},
    {EXP, 0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023},
    {EXP2, -0x1.d3468f5168b08p-2, 0x1.752aa7e2c7decp-1},
    {EXP2, 0x1.0efffffff8e68p+7, 0x1.6a09e66478ed9p+135},
    {EXP2, 0x1.4c246418fa656p-1, 0x1.9159761ecf9e7p+0},
    {EXP2, 0.5, 0x1.6a09e667f3bcdp+0},
    {EXP2, -1040.25, 0x0.000035d13f32bp-1022},
    {EXP2, 0x1.fffffffffffffp+9, 0x1.ffffffffffd3ap+1023},
    {LOG, 0x1.5c63cbf2a08f3p+0, 0x1.3b8a42d586b1bp-2},
    {LOG, 0x1.6a97a29563fbfp-1, -0x1.61539b2d250d6p-2},
    {LOG, 0x1.6a02da84eb9f0p+0, 0x1.62d0419464028p-2},
    {LOG, 10.0, 0x1.26bb1bbb55516p+1},
    {LOG, DBL_MAX, 0x1.62e42fefa39efp+9},
    {LOG, 0x0.0000000000001p-1022, -0x1.74385446d71c3p+9},
    {LOG2, 0x1.34fcb982fe0d6p+0, 0x1.15eabe8cdbd76p-2},
    {LOG2, 0x1.6acb3647248eap-1, -0x1.fcec002f11e99p-2},
    {LOG2, 0x1.7235d743dbf64p+0, 0x1.107cafdf62d38p-1},
    {LOG2, 10.0, 0x1.a934f0979a371p+1},
    {LOG2, 0x1.0000000000001p+0, 0x1.71547652b82fdp-52},
    {LOG2, 0x0.0000000000003p-1022, -0x1.0c1a8ff971811p+10},
};

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t random_bits(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1D;
}

/* Small enough, often enough, for the edges and halfway points it is added to. */
static double random_nudge(double fraction, uint64_t bits)
{
    double size = ldexp(fraction, -(int)(bits % 54));

    return bits >> 63 ? size : -size;
}

/* Where the reduced argument is as large as it gets, and with it the error. */
static double seam(const struct function *f, double whole, double nudge, uint64_t bits)
{
    if (f->period > 0)
        return (whole + 0.5 + 0.5 * nudge) * f->period;
    return ldexp(SQRT_HALF + 0.5 * nudge, (int)(bits % 7) - 3);
}

static double random_argument(const struct function *f, uint64_t kind, uint64_t *state)
{
    uint64_t bits = random_bits(state);
    double fraction = (double)(random_bits(state) >> 11) * 0x1p-53;
    double even = f->low + fraction * (f->high - f->low);
    double nudge = random_nudge(fraction, bits);
    double edge = f->edges[bits / 64 % EDGES];

    switch (kind % KINDS) {
    case 0:
        return even;
    case 1:
        return 2 * fraction - 1;
    case BIT_PATTERNS:
        return from_bits(bits);
    case 3:
        return nudge;
    case 4:
        return ldexp(nudge, -(int)(bits / 64 % 1075));
    case 5:
        return 1 + nudge;
    case 6:
        return from_bits(bits_of(edge) + bits / 256 % 2001 - 1000);
    case 7:
        return edge + edge * nudge;
    case 8:
        return trunc(even);
    case 9:
        return ldexp(bits & 64 ? 1 : -1, (int)(bits / 256 % 2098) - 1074);
    default:
        return seam(f, trunc(even), nudge, bits);
    }
}

/* In units of the last place that a double near want has, subnormals' included. */
static long double error_in_ulps(double got, long double want)
{
    int exponent;

    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (isinf(got) || isinf((double)want))
        return got == (double)want ? 0 : INFINITY;
    frexpl(want, &exponent);
    if (want == 0 || exponent < DBL_MIN_EXP)
        exponent = DBL_MIN_EXP;
    return ldexpl(fabsl(got - want), DBL_MANT_DIG - exponent);
}

static void report(const struct function *f, double argument, double got, double want)
{
    fprintf(stderr, "FAIL: %s(%a) gave %a, want %a\n", f->name, argument, got, want);
}

static int measure(const struct function *f, uint64_t points, uint64_t seed)
{
    uint64_t state = seed;
    long double largest = 0;
    double worst = 0;

    for (uint64_t i = 0; i < points; i++) {
        double x = random_argument(f, i, &state);

        /* Bit patterns are negative often enough to show that a logarithm is then a NaN. */
        if (f->low == 0 && i % KINDS != BIT_PATTERNS)
            x = fabs(x);

        long double error = error_in_ulps(f->ours(x), f->theirs(x));

        if (error > largest) {
            largest = error;
            worst = x;
        }
    }
    printf("%s: %llu points, largest error %.3Lf ulp\n", f->name, (unsigned long long)points,
           largest);
    if (largest <= ALLOWED)
        return 0;
    report(f, worst, f->ours(worst), (double)f->theirs(worst));
    return 1;
}

static int same_bits(const struct function *f, double argument, double want)
{
    double got = f->ours(argument);

    if (bits_of(got) == bits_of(want))
        return 1;
    report(f, argument, got, want);
    return 0;
}

static int check_known(const struct known *known, size_t count)
{
    int failures = 0;

    for (size_t i = 0; i < count; i++)
        failures += !same_bits(&FUNCTION[known[i].function], known[i].argument, known[i].want);
    return failures;
}

static int check_powers_of_two(void)
{
    int failures = 0;

    for (int n = DBL_MIN_EXP - DBL_MANT_DIG; n < DBL_MAX_EXP; n++) {
        failures += !same_bits(&FUNCTION[EXP2], n, ldexp(1, n));
        failures += !same_bits(&FUNCTION[LOG2], ldexp(1, n), n);
    }
    return failures;
}

static int parse_count(const char *text, uint64_t *count)
{
    char *end;

    errno = 0;
    *count = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

/* Exact for cubes, and within one ulp for every horizon that a person would type. */
static int check_cube_roots(void)
{
    for (double root = 1; root <= 100000; root++) {
        if (real_cbrt(root * root * root) != root) {
            printf("cbrt: %.17g gives %.17g\n", root * root * root, real_cbrt(root * root * root));
            return 1;
        }
    }
    for (double x = 1; x < 0x1p53; x = x * 1.0001 + 1) {
        double got = real_cbrt(x), want = (double)cbrtl((long double)x);
        if (fabs(got - want) > want * 0x1p-52) {
            printf("cbrt: %a gives %a, not %a\n", x, got, want);
            return 1;
        }
    }
    return 0;
}

/* Those of the first places, which are a table, are computed like the others. */
static int check_discounts(void)
{
    int failures = 0;
    for (size_t i = 0; i < 20; i++) {
        if (dcg_discount(i) == 1 / real_log2((double)i + 2))
            continue;
        printf("dcg_discount(%zu) is %.17g\n", i, dcg_discount(i));
        failures++;
    }
    return failures;
}

int main(int argc, char **argv)
{
    uint64_t points = DEFAULT_POINTS;
    int failures = 0;

    if (argc > 2 || (argc == 2 && !parse_count(argv[1], &points))) {
        fprintf(stderr, "usage: %s [POINTS]\n", argv[0]);
        return 2;
    }
    if (LDBL_MANT_DIG == DBL_MANT_DIG)
        printf("long double is no longer than double here: compared with double, to 2 ulp\n");

    failures += check_known(SPECIAL, sizeof SPECIAL / sizeof *SPECIAL);
    failures += check_known(PINNED, sizeof PINNED / sizeof *PINNED);
    failures += check_powers_of_two();
    failures += check_cube_roots();
    failures += check_discounts();
    for (unsigned i = 0; i < FUNCTIONS; i++)
        failures += measure(&FUNCTION[i], points / FUNCTIONS + (i < points % FUNCTIONS), i + 1);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
