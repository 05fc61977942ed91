/*
 * evidence: what memory_clicks counts, again from the list of all impressions in long doubles:
 * theta of each place, the strengths' likelihoods, and the strength that is most probable. And of
 * users and rates that are drawn as the model says, theta and the strength come out as they were.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/rng.h"
#include "memory/memory_clicks.h"

enum { DOCS = 40, PLACES = 13, ROUNDS = 60, TRIALS = 40, MANY = 30000 };

static unsigned long cases, wrong;

static void near_to(const char *what, double got, long double want, long double within)
{
    cases++;
    if (fabsl((long double)got - want) <= within)
        return;
    if (wrong++ < 10)
        fprintf(stderr, "evidence: %s: %.17g, not %.17Lg\n", what, got, want);
}

/* ---- from the list ---- */

struct impression {
    size_t place, doc;
    bool click;
    double expected; /* z.v */
};

static long double clamp(long double least, long double x, long double most)
{
    return fminl(fmaxl(x, least), most);
}

static long double a_of(int i)
{
    return 2 * powl(2, 0.5L * i);
}

/* What follows from the impressions before one, and n and S of the rounds before. */
struct batch {
    long double clicked[10], expected[10], likely[14], n[DOCS], S[DOCS];
};

static long double theta_of(const struct batch *b, size_t place)
{
    size_t k = place < 10 ? place : 9;
    return clamp(0.02L, (b->clicked[k] + 5) / (b->expected[k] + 5) /
                            ((b->clicked[0] + 5) / (b->expected[0] + 5)), 1.5L);
}

/* The strength of the greatest posterior, whose prior has ln a normal about ln 2. */
static long double best_a(const struct batch *b)
{
    int best = 0;
    for (int i = 1; i < 14; i++) {
        long double here = logl(a_of(i) / 2), there = logl(a_of(best) / 2);
        if (b->likely[i] - here * here / 2 > b->likely[best] - there * there / 2)
            best = i;
    }
    return a_of(best);
}

static void add(struct batch *b, const struct impression *now)
{
    size_t k = now->place < 10 ? now->place : 9;
    long double z = now->expected, m0 = z < 0.02L ? 0.02L * expl(z - 0.02L) : z;
    long double n = b->n[now->doc], S = b->S[now->doc], theta = theta_of(b, now->place);
    long double a = best_a(b), mean = (a * m0 + S) / (a + n);
    b->clicked[k] += now->click;
    b->expected[k] += fmaxl(mean, 0.001L);
    for (int i = 0; n > 0 && i < 14; i++) {
        long double p = clamp(1e-6L, theta * (a_of(i) * m0 + S) / (a_of(i) + n), 0.999L);
        b->likely[i] += logl(now->click ? p : 1 - p);
    }
}

/* ---- the same by the library, round by round ---- */

struct learner {
    struct memory_clicks clicks;
    struct memory_entry pair[DOCS];
};

static void learn(struct learner *my, const struct impression *round, size_t places)
{
    double theta[PLACES];
    for (size_t a = 0; a < places; a++) {
        theta[a] = memory_clicks_theta(&my->clicks, a);
        memory_clicks_count(&my->clicks, memory_clicks_rho(&my->clicks), round[a].expected,
                            &my->pair[round[a].doc], a, theta[a], round[a].click);
    }
    for (size_t a = 0; a < places; a++) {
        my->pair[round[a].doc].n += theta[a];
        my->pair[round[a].doc].sum += round[a].click;
    }
}

static void check_list(struct rng *rng)
{
    struct learner my = { .clicks.known = true };
    struct batch batch = { .n = { 0 } };
    double rate = rng_unit(rng);
    for (size_t t = 0; t < ROUNDS; t++) {
        struct impression round[PLACES];
        uint32_t order[DOCS];
        long double theta[PLACES];
        rng_permutation(rng, order, DOCS);
        size_t places = 1 + rng_below(rng, PLACES);
        for (size_t a = 0; a < places; a++)
            round[a] = (struct impression){ a, order[a] % 10, rng_unit(rng) < rate,
                                            1.4 * rng_unit(rng) - 0.4 };
        for (size_t a = 0; a < places; a++) /* a document is shown once */
            for (size_t b = 0; b < a; b++)
                if (round[b].doc == round[a].doc)
                    round[a].doc = order[a];
        for (size_t a = 0; a < places; a++) {
            theta[a] = theta_of(&batch, a);
            add(&batch, &round[a]);
        }
        for (size_t a = 0; a < places; a++) {
            batch.n[round[a].doc] += theta[a];
            batch.S[round[a].doc] += round[a].click;
        }
        learn(&my, round, places);
    }
    for (size_t i = 0; i < 14; i++)
        near_to("a likelihood", my.clicks.number[MEMORY_LIKELY + i], batch.likely[i], 1e-9L);
    for (size_t k = 0; k < 10; k++) {
        near_to("clicks", my.clicks.number[MEMORY_CLICKED + k], batch.clicked[k], 0);
        near_to("clicks expected", my.clicks.number[MEMORY_EXPECTED + k], batch.expected[k], 1e-9L);
        near_to("theta", memory_clicks_theta(&my.clicks, k), theta_of(&batch, k), 1e-12L);
    }
    near_to("theta below", memory_clicks_theta(&my.clicks, 12), theta_of(&batch, 9), 1e-12L);
    near_to("a", 1 / memory_clicks_rho(&my.clicks), best_a(&batch), 1e-12L);
}

/* ---- users and rates as the model says ---- */

/* A draw of Beta(a, b) with whole a and b: of a + b - 1 uniform numbers the a-th. */
static double draw_rate(struct rng *rng, size_t a, size_t b)
{
    double u[64];
    for (size_t i = 0; i < a + b - 1; i++) {
        size_t at = i;
        double next = rng_unit(rng);
        for (; at > 0 && u[at - 1] > next; at--)
            u[at] = u[at - 1];
        u[at] = next;
    }
    return u[a - 1];
}

/* Rates have the mean 1/4 and the strength 4 or 16. Place k is examined with probability 1 / k, or
 * always: then Beta(a r, a (1 - r)) is the posterior, and the strength is found; else it is so
 * nearly, and the next one may be found. */
static void check_users(struct rng *rng, size_t strength, bool always)
{
    struct learner my = { .clicks.known = true };
    double rate[DOCS];
    for (size_t t = 0; t < MANY; t++) {
        struct impression round[4];
        uint32_t order[DOCS];
        for (size_t i = 0; t % 300 == 0 && i < DOCS; i++) { /* other documents */
            rate[i] = draw_rate(rng, strength / 4, strength - strength / 4);
            my.pair[i] = (struct memory_entry){ .key = 0 };
        }
        rng_permutation(rng, order, DOCS);
        for (size_t a = 0; a < 4; a++) {
            double click = rate[order[a]] / (double)(always ? 1 : a + 1);
            round[a] = (struct impression){ a, order[a], rng_unit(rng) < click, 0.25 };
        }
        learn(&my, round, 4);
    }
    for (size_t k = 0; k < 4; k++)
        near_to("examination", memory_clicks_theta(&my.clicks, k),
                always ? 1 : 1.0L / (k + 1), 0.03L);
    near_to("strength", log2(1 / memory_clicks_rho(&my.clicks)), log2((double)strength),
            always ? 1e-9L : 0.500001L);
}

int main(void)
{
    struct rng rng = rng_at(5, RNG_SAMPLE, 1);
    struct memory_clicks none = { .known = true };
    near_to("the first strength", 1 / memory_clicks_rho(&none), 2, 0);
    near_to("the first theta", memory_clicks_theta(&none, 3), 1, 0);
    for (size_t trial = 0; trial < TRIALS; trial++)
        check_list(&rng);
    for (int always = 0; always < 2; always++) {
        check_users(&rng, 4, always);
        check_users(&rng, 16, always);
    }
    printf("evidence: %lu comparisons\n", cases);
    return wrong ? 1 : 0;
}
