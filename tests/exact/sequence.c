/* sequence: the half width is where the normal mixture reaches 1 / alpha, by quadrature; the scale
 * and where it begins are worked by hand; and the evidence of wins and losses has the mean 1, and
 * ever reaches 20 with a probability of at most .05, both summed over all outcomes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/sequence.h"

enum { TRIALS = 12, LONG = 1500 };

static unsigned long wrong;
static struct fault fault;

static void near(double got, double want, double within, const char *what, double at)
{
    if (!(fabs(got - want) <= within * (1 + fabs(want))) && wrong++ < 20)
        fprintf(stderr, "%s of %g is %.17g, not %.17g\n", what, at, got, want);
}

static void add(struct sequence *my, size_t table, size_t cluster, double value)
{
    wrong += sequence_add(my, table, cluster, (double[]){ value, 0, 0 }, &fault) < 0;
    sequence_settle(my);
}

/* The mean of exp(l s - l^2 v / 2) over l ~ N(0, 1 / rho), by the trapezium rule: a mixture of
 * martingales that are 1 at first. */
static double mixture(double s, double v, double rho)
{
    double sum = 0, spread = 1 / sqrt(rho), h = spread / 400;
    for (double l = -40 * spread; l <= 40 * spread; l += h)
        sum += h * exp(l * s - l * l * (v + rho) / 2);
    return sum / (spread * sqrt(2 * acos(-1.0)));
}

/* Lines of 0 and of value, +1, -1 in turn, each of a client; 1 in 4 is not 0. */
static void check_mean(void)
{
    struct sequence my = { .tables = 1, .wait = SEQUENCE_FIRST };
    struct sequence_look look;
    for (size_t i = 0; i < 3000; i++) {
        add(&my, 0, i, i % 4 ? 0 : i % 8 ? -1 : 1);
        sequence_look(&my, &look);
        wrong += isnan(look.low) != (i < 97); /* line 97 brings the 25th; none is of it alone */
        if (i < 97 || i % 100)
            continue;
        double n = (double)i + 1, squares = floor((double)i / 4) + 1, y = i % 8 < 4;
        double v = squares - y * y / n, half = look.high - look.mean;
        near(look.mean, y / n, 1e-12, "mean", n);
        near(my.rho, (25 - 1.0 / 97) * 40 / 8.21, 1e-12, "rho", n);
        near(look.mean - look.low, half, 1e-12, "lower half", n);
        near(mixture(half * n, v, my.rho), 20, 1e-6, "mixture", n);
    }
    wrong += my.first != 97;
    sequence_close(&my);
}

/* A cluster whose sum is 0 again counts no more; one whose lines are many counts once. */
static void check_first(void)
{
    struct sequence my = { .tables = 1, .wait = SEQUENCE_FIRST };
    for (size_t i = 0; i < 100; i++)
        add(&my, 0, i % 24, 1 + (double)(i % 3));
    wrong += my.unequal != 24 || my.first != 0;
    add(&my, 0, 24, 1);
    wrong += my.unequal != 25 || my.first != 101;
    add(&my, 0, 24, -1);
    wrong += my.unequal != 24 || my.first != 101;
    sequence_close(&my);
}

/* Where it begins later, rho is that of 1,000 clusters all the same. */
static void check_wait(void)
{
    struct sequence my = { .tables = 1, .wait = SEQUENCE_FIRST_ESTIMATES };
    for (size_t i = 0; i < 300; i++)
        add(&my, 0, i, i % 2 ? 1 : -1);
    wrong += my.first != 250;
    near(my.rho, 1000 / 8.21, 1e-12, "rho", 250);
    sequence_close(&my);
}

/* While one cluster has most of the sum of squares there is no interval: of 30 clusters of 1 and
 * one of y it is like (30 + y^2)^2 / (30 + y^4) clusters: 5.2 for y = 4.7 and 4.6 for y = 5. */
static void check_even(void)
{
    for (int i = 0; i < 2; i++) {
        struct sequence my = { .tables = 1, .wait = SEQUENCE_FIRST };
        struct sequence_look look;
        for (size_t c = 0; c < 31; c++)
            add(&my, 0, c, c < 30 ? (c % 2 ? 1 : -1) : i ? 5 : 4.7);
        sequence_look(&my, &look);
        wrong += isnan(look.low) != (i == 1);
        sequence_close(&my);
    }
}

/* All lines are wins: V is 0, and the sum of squares is the scale. */
static void check_alike(void)
{
    struct sequence my = { .tables = 1, .wait = SEQUENCE_FIRST };
    struct sequence_look look;
    for (size_t i = 0; i < 26; i++)
        add(&my, 0, i, 0.1);
    near(my.rho, 25 * 0.01 * 40 / 8.21, 1e-12, "rho", 26);
    sequence_look(&my, &look);
    near(look.high - look.mean, sqrt(my.rho * log(400)) / 26, 1e-12, "half", 26);
    sequence_close(&my);
}

/* Two tables of the same clusters, a line each, are one table of their differences; equal ones do
 * not count for the first 25. */
static void check_pairs(void)
{
    struct sequence two = { .tables = 2, .wait = SEQUENCE_FIRST };
    struct sequence one = { .tables = 1, .wait = SEQUENCE_FIRST };
    struct sequence_look pair, single;
    for (size_t i = 0; i < 500; i++) {
        double a = (double)(i * 7 % 10), b = i % 3 ? a : (double)(i * 3 % 10);
        wrong += sequence_add(&two, 0, i, (double[]){ a, 0, 0 }, &fault) < 0;
        wrong += sequence_add(&two, 1, i, (double[]){ b, 0, 0 }, &fault) < 0;
        sequence_settle(&two);
        add(&one, 0, i, b - a);
        sequence_look(&two, &pair);
        sequence_look(&one, &single);
        wrong += two.first != 2 * one.first || isnan(pair.low) != isnan(single.low);
        if (isnan(pair.low))
            continue;
        near(pair.mean, single.mean, 1e-10, "mean", (double)i);
        near(pair.low, single.low, 1e-10, "low", (double)i);
        near(pair.high, single.high, 1e-10, "high", (double)i);
    }
    wrong += one.first == 0;
    sequence_close(&two);
    sequence_close(&one);
}

/* With so many times the lines of the same kind, the half width is the mean. */
static void check_times(void)
{
    struct sequence my = { .tables = 1, .wait = SEQUENCE_FIRST };
    struct sequence_look look, later;
    for (size_t i = 0; i < 400; i++)
        add(&my, 0, i, i % 40 == 39 ? 0.5 : i % 2 ? 1.01 : -1);
    sequence_look(&my, &look);
    wrong += !(look.times > 10) || isinf(look.times);
    size_t whole = (size_t)ceil(look.times);
    for (size_t i = 400; i < 400 * whole; i++)
        add(&my, 0, i, i % 40 == 39 ? 0.5 : i % 2 ? 1.01 : -1);
    sequence_look(&my, &later);
    double edge = look.mean > 0 ? later.low : later.high;
    near(look.mean, later.mean, 1e-12, "mean", (double)whole);
    wrong += !(fabs(edge) < fabs(look.mean) / (double)whole);
    sequence_close(&my);
}

static double choose(unsigned n, unsigned k)
{
    return k == 0 ? 1 : choose(n - 1, k - 1) * n / k;
}

/* The mean of E over all outcomes is 1; the interval ends where E is 20. */
static void check_evidence(void)
{
    for (double share = 0.1; share < 1; share += 0.2) {
        double mean = 0;
        for (unsigned wins = 0; wins <= TRIALS; wins++)
            mean += choose(TRIALS, wins) * pow(share, wins) * pow(1 - share, TRIALS - wins) *
                    exp(sequence_evidence(wins, TRIALS - wins, share));
        near(mean, 1, 1e-11, "mean of E", share);
    }
    for (double wins = 0; wins < 200; wins += 13) {
        struct sequence_look look;
        sequence_wins(wins, 100, &look);
        near(look.mean, (wins - 100) / (wins + 100), 1e-14, "mean of wins", wins);
        near(exp(sequence_evidence(wins, 100, (1 + look.high) / 2)), 20, 1e-9, "E at high", wins);
        if (wins > 0)
            near(exp(sequence_evidence(wins, 100, (1 + look.low) / 2)), 20, 1e-9, "E at low", wins);
        wrong += wins == 0 && look.low != -1;
        double logs = sequence_evidence(look.times * wins, look.times * 100, 0.5);
        near(logs, look.low <= 0 && look.high >= 0 ? log(20) : fmax(log(20), logs), 1e-9,
             "log E later", wins);
    }
    near(exp(sequence_evidence(2, 0, 0.5)), 4 * 25.0 * 26 / (50.0 * 51), 1e-12, "E of wins", 2);
    struct sequence_look none;
    sequence_wins(700, 700, &none);
    wrong += !isinf(none.times);
    sequence_wins(0, 0, &none);
    wrong += !isnan(none.mean) || !isnan(none.low) || !isnan(none.times);
}

/* The probability that E(1/2) reaches 20 within so many fair lines. */
static void check_ville(void)
{
    static double chance[LONG + 1];
    double alarm = 0;
    chance[0] = 1;
    for (size_t n = 1; n <= LONG; n++) {
        for (size_t wins = n; wins > 0; wins--)
            chance[wins] = chance[wins] / 2 + chance[wins - 1] / 2;
        chance[0] /= 2;
        for (size_t wins = 0; wins <= n; wins++)
            if (chance[wins] > 0 &&
                sequence_evidence((double)wins, (double)(n - wins), 0.5) >= log(20)) {
                alarm += chance[wins];
                chance[wins] = 0;
            }
    }
    if (!(alarm > 0.01 && alarm <= 0.05) && wrong++ < 20)
        fprintf(stderr, "%d fair lines reach 20 with a probability of %g\n", LONG, alarm);
}

int main(void)
{
    check_mean();
    check_first();
    check_wait();
    check_even();
    check_alike();
    check_pairs();
    check_times();
    check_evidence();
    check_ville();
    return wrong != 0;
}
