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
#include "memory/memory_tables.h"

enum { DOCS = 40, PLACES = 13, ROUNDS = 60, TRIALS = 40, MANY = 30000 };

static unsigned long cases, wrong, stopped, listed;

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
    size_t doc;
    bool click;
    double expected; /* z.v */
};

struct shown {
    size_t places;
    struct impression at[PLACES];
};

static long double clamp(long double least, long double x, long double most)
{
    return fminl(fmaxl(x, least), most);
}

static long double a_of(int i)
{
    return 2 * powl(2, 0.5L * i);
}

static size_t k_of(size_t place)
{
    return place < 10 ? place : 9;
}

/* Of each impression what was known before its round, and whether its place counted. */
struct known {
    size_t k, places;
    bool click, after, counts, reached, is_new;
    long double n, S, m0, mean, theta;
};

/* What follows from the impressions so far, and n and S of the documents. */
struct batch {
    size_t seen;
    struct known known[ROUNDS * PLACES];
    long double likely[14], by_place, by_list, n[DOCS], S[DOCS];
};

/* The sums of the impressions before `end` that are chosen, at place k. */
struct sums {
    long double number, clicks, means, foretold;
};

enum chosen { ANY, FIRST, LATER, REACHED, COUNTING };

static struct sums sum_up(const struct batch *b, size_t end, size_t k, enum chosen chosen)
{
    struct sums sums = { 0, 0, 0, 0 };
    for (size_t i = 0; i < end; i++) {
        const struct known *at = &b->known[i];
        const bool is[] = { true, !at->after, at->after, at->reached, at->counts };
        if (at->k != k || !is[chosen])
            continue;
        sums.number++;
        sums.clicks += at->click;
        sums.means += at->mean;
        sums.foretold += at->theta * at->mean;
    }
    return sums;
}

/* kappa, which is `begun` at first: 1/2 for what is learnt, 1 for the gate. */
static long double kappa_from(const struct batch *b, long double begun)
{
    long double above = 5 * begun, below = 5;
    for (size_t k = 0; k < 10; k++) {
        struct sums first = sum_up(b, b->seen, k, FIRST), later = sum_up(b, b->seen, k, LATER);
        long double all = first.means + later.means;
        if (first.means > 0 && later.means > 0) {
            above += later.clicks * first.means / all;
            below += first.clicks * later.means / all;
        }
    }
    return above / below;
}

static long double kappa_of(const struct batch *b)
{
    return kappa_from(b, 0.5L);
}

static long double theta_of(const struct batch *b, size_t place)
{
    struct sums first = sum_up(b, b->seen, 0, ANY);
    long double r1 = (first.clicks + 1) / (first.number + 2), r = r1;
    if (kappa_of(b) > 0.8L) {
        for (size_t k = 1; k <= k_of(place); k++) {
            struct sums at = sum_up(b, b->seen, k, ANY);
            r = (at.clicks + 5 * r * (long double)k / (long double)(k + 1)) / (at.number + 5);
        }
        return clamp(0.02L, powl(r / r1, 0.7L), 1.5L);
    }
    struct sums top = sum_up(b, b->seen, 0, REACHED);
    struct sums at = sum_up(b, b->seen, k_of(place), REACHED);
    return clamp(0.02L, (at.clicks + 5) / (at.means + 5) / ((top.clicks + 5) / (top.means + 5)),
                 1.5L);
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

static int likeliest(const struct batch *b)
{
    int best = 0;
    for (int i = 1; i < 14; i++)
        best = b->likely[i] > b->likely[best] ? i : best;
    return best;
}

/* By the place alone: the rate of the clicks where place k counted, before impression `end`. */
static long double rate_of(const struct batch *b, size_t end, size_t k)
{
    return (sum_up(b, end, k, ANY).clicks + 0.5L) / (sum_up(b, end, k, COUNTING).number + 1);
}

/* `most` is the likeliest strength before the round. */
static void foretell(struct batch *b, const struct known *at, size_t end, int most)
{
    long double c = sum_up(b, end, at->k, ANY).clicks + 0.5L;
    long double scale = c / (sum_up(b, end, at->k, COUNTING).foretold + 0.5L) * at->theta;
    long double p0 = clamp(0.001L, rate_of(b, end, at->k), 0.95L), chance[14];
    p0 = at->click ? p0 : 1 - p0;
    for (int i = 0; i < 14; i++) {
        long double mean = (a_of(i) * at->m0 + at->S) / (a_of(i) + at->n);
        long double p = clamp(0.001L, scale * mean, 0.95L);
        chance[i] = at->click ? p : 1 - p;
        b->likely[i] += logl(chance[i]);
    }
    b->by_place += logl(chance[most]) - logl((chance[most] / p0 + 1) / 2);
}

/* The rates of the places of a list of new documents, by lists of as many places: a hundred of them
 * as the rates of all lists are. */
static long double rate_among(const struct batch *b, size_t k, size_t places)
{
    long double number = 100, clicks = 100 * rate_of(b, b->seen, k);
    for (size_t i = 0; i < b->seen; i++) {
        const struct known *at = &b->known[i];
        bool same = at->is_new && at->counts && at->k == k;
        if (same && k_of(at->places - 1) == k_of(places - 1)) {
            number++;
            clicks += at->click;
        }
    }
    return clicks / number;
}

/* What is expected of documents at a place, by the mean of all so far; five of 0.1 come first. */
static long double usual_at(const struct batch *b, size_t k)
{
    struct sums at = sum_up(b, b->seen, k, ANY);
    return (at.means + 0.5L) / (at.number + 5);
}

/* The clicks on a list of new documents: by the documents, against by the places alone. */
static void foretell_new(struct batch *b, const struct known *list, size_t counts)
{
    long double rates = 0, all = 0, better[PLACES];
    for (size_t a = 0; a < counts; a++) {
        long double rate = rate_among(b, list[a].k, list[a].places);
        long double by = (list[a].mean - usual_at(b, list[a].k)) / usual_at(b, 0);
        better[a] = expl(clamp(-1, 1.25L * by, 1));
        rates += rate;
        all += rate * better[a];
    }
    for (size_t a = 0; a < counts; a++)
        if (list[a].click)
            b->by_list += logl(better[a] * rates / all);
}

/* Adds a round; returns how many of its places count. */
static size_t add(struct batch *b, const struct shown *round)
{
    size_t last = 0, before = b->seen, places = round->places;
    bool go_on = kappa_of(b) > 0.8L, all = kappa_from(b, 1) > 0.8L;
    bool after = false, is_new = true;
    struct known *list = b->known + before;
    for (size_t a = 0; a < places; a++) {
        last = round->at[a].click ? a + 1 : last;
        is_new = is_new && b->n[round->at[a].doc] == 0;
    }
    last = last ? last : places;
    int most = likeliest(b);
    for (size_t a = 0; a < places; a++) {
        size_t i = round->at[a].doc;
        long double z = round->at[a].expected, m0 = z < 0.02L ? 0.02L * expl(z - 0.02L) : z;
        long double mean = (best_a(b) * m0 + b->S[i]) / (best_a(b) + b->n[i]);
        list[a] = (struct known){ k_of(a), places, round->at[a].click, after,
                                  all || go_on || a < last, a < last, is_new, b->n[i], b->S[i],
                                  m0, fmaxl(mean, 0.001L), theta_of(b, a) };
        after = after || round->at[a].click;
    }
    size_t counts = go_on ? places : last, by_gate = all ? places : counts;
    if (is_new)
        foretell_new(b, list, by_gate);
    for (size_t a = 0; a < by_gate; a++)
        if (list[a].n > 0)
            foretell(b, &list[a], before + a, most);
    for (size_t a = 0; a < counts; a++) {
        b->n[round->at[a].doc] += list[a].theta;
        b->S[round->at[a].doc] += list[a].click;
    }
    b->seen += places;
    return counts;
}

/* ---- the same by the library, round by round ---- */

struct learner {
    struct memory_clicks clicks;
    struct memory_entry pair[DOCS];
    double gain;
    size_t counts;
};

static void learn(struct learner *my, const struct shown *round)
{
    struct memory_place at[PLACES];
    for (size_t a = 0; a < round->places; a++) {
        const struct memory_entry *pair = &my->pair[round->at[a].doc];
        at[a] = (struct memory_place){ .click = round->at[a].click, .n = pair->n, .sum = pair->sum,
                                       .expected = round->at[a].expected };
    }
    my->counts = memory_clicks_counting(&my->clicks, at, round->places);
    my->gain = memory_clicks_count(&my->clicks, memory_clicks_rho(&my->clicks), at, round->places,
                                   my->counts);
    for (size_t a = 0; a < my->counts; a++) {
        my->pair[round->at[a].doc].n += at[a].theta;
        my->pair[round->at[a].doc].sum += at[a].click;
    }
}

/* Users who stop at a click, or do not; one document in two rounds is new. */
static void draw(struct rng *rng, size_t t, double rate, bool stop, struct shown *round)
{
    uint32_t order[DOCS];
    rng_permutation(rng, order, DOCS);
    round->places = 1 + rng_below(rng, PLACES);
    for (size_t a = 0, clicks = 0; a < round->places; a++) {
        size_t doc = t % 2 ? order[a] % 15 : (order[a] + t * PLACES) % DOCS;
        bool click = rng_unit(rng) < rate / (double)(1 + a / 2) && !(stop && clicks);
        round->at[a] = (struct impression){ doc, click, 1.4 * rng_unit(rng) - 0.4 };
        clicks += click;
        for (size_t b = 0; b < a; b++) /* a document is shown once */
            if (round->at[b].doc == doc)
                round->at[a].doc = order[a];
    }
    for (size_t a = 0; a < round->places; a++)
        for (size_t b = 0; b < a; b++)
            if (round->at[b].doc == round->at[a].doc)
                round->places = a;
}

static void check_list(struct rng *rng, bool stop)
{
    static struct batch batch;
    struct learner my = { .clicks.known = true };
    double rate = 0.2 + 0.8 * rng_unit(rng);
    batch = (struct batch){ .seen = 0 };
    for (size_t t = 0; t < ROUNDS; t++) {
        struct shown round;
        draw(rng, t, rate, stop, &round);
        int i = likeliest(&batch);
        long double lead = batch.likely[i] - batch.by_place + batch.by_list;
        size_t counts = add(&batch, &round);
        learn(&my, &round);
        near_to("places that count", (double)my.counts, (long double)counts, 0);
        near_to("gain", my.gain, batch.likely[i] - batch.by_place + batch.by_list - lead, 1e-9L);
    }
    for (size_t i = 0; i < 14; i++)
        near_to("a likelihood", my.clicks.number[MEMORY_LIKELY + i], batch.likely[i], 1e-9L);
    near_to("by place", my.clicks.number[MEMORY_BY_PLACE], batch.by_place, 1e-9L);
    near_to("by list", my.clicks.number[MEMORY_BY_LIST], batch.by_list, 1e-9L);
    near_to("lead", memory_clicks_lead(&my.clicks),
            batch.likely[likeliest(&batch)] - batch.by_place + batch.by_list, 1e-9L);
    near_to("kappa", memory_clicks_kappa(&my.clicks), kappa_of(&batch), 1e-12L);
    for (size_t k = 0; k < 13; k++)
        near_to("theta", memory_clicks_theta(&my.clicks, k), theta_of(&batch, k), 1e-12L);
    near_to("a", 1 / memory_clicks_rho(&my.clicks), best_a(&batch), 1e-12L);
    stopped += kappa_of(&batch) <= 0.8L;
    listed += batch.by_list != 0;
}

/* ---- limits ---- */

/* A query or a client, of six, gains or loses at most 2 in a day, in any order. */
static void check_limits(struct rng *rng)
{
    struct memory_table day = { .used = 0 };
    struct memory_clicks clicks = { .known = true };
    struct fault fault = { FAULT_NONE, "" };
    long double sum[6] = { 0 }, lead = 0;
    for (size_t t = 0; t < 500; t++) {
        uint64_t key[2] = { 1 + rng_below(rng, 3), 4 + rng_below(rng, 3) };
        size_t keys = 1 + rng_below(rng, 2);
        double gain = 6 * rng_unit(rng) - 3 + 2 * sin((double)t / 40), excess;
        long double want = gain;
        for (size_t i = 0; i < keys; i++)
            want = clamp(-2 - sum[key[i] - 1], want, 2 - sum[key[i] - 1]);
        for (size_t i = 0; i < keys; i++)
            sum[key[i] - 1] += want;
        near_to("a fault", memory_gains_take(&day, key, keys, gain, &excess, &fault), 0, 0);
        near_to("what is above", excess, gain - want, 1e-12L);
        clicks.number[MEMORY_BY_LIST] += gain;
        memory_clicks_limit(&clicks, excess);
        lead += want;
        near_to("lead, limited", memory_clicks_lead(&clicks), lead, 1e-9L);
    }
    memory_table_close(&day);
    clicks.number[MEMORY_BY_LIST] += 1000;
    memory_clicks_limit(&clicks, 0);
    near_to("the greatest lead", memory_clicks_lead(&clicks), 100, 1e-9L);
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
 * always, and users go on. If always, Beta(a r, a (1 - r)) is the posterior, and the strength is
 * found; else it is so nearly, and the next one may be found. */
static void check_users(struct rng *rng, size_t strength, bool always)
{
    struct learner my = { .clicks.known = true };
    double rate[DOCS];
    for (size_t t = 0; t < MANY; t++) {
        struct shown round = { .places = 4 };
        uint32_t order[DOCS];
        for (size_t i = 0; t % 300 == 0 && i < DOCS; i++) { /* other documents */
            rate[i] = draw_rate(rng, strength / 4, strength - strength / 4);
            my.pair[i] = (struct memory_entry){ .key = 0 };
        }
        rng_permutation(rng, order, DOCS);
        for (size_t a = 0; a < 4; a++) {
            double click = rate[order[a]] / (double)(always ? 1 : a + 1);
            round.at[a] = (struct impression){ order[a], rng_unit(rng) < click, 0.25 };
        }
        learn(&my, &round);
    }
    for (size_t k = 0; k < 4; k++)
        near_to("examination", memory_clicks_theta(&my.clicks, k),
                always ? 1 : powl((long double)k + 1, -0.7L), 0.03L);
    near_to("strength", log2(1 / memory_clicks_rho(&my.clicks)), log2((double)strength),
            always ? 1e-9L : 0.500001L);
}

int main(void)
{
    struct rng rng = rng_at(5, RNG_SAMPLE, 1);
    struct memory_clicks none = { .known = true };
    near_to("the first strength", 1 / memory_clicks_rho(&none), 2, 0);
    near_to("the first theta", memory_clicks_theta(&none, 3), 1, 1e-15L);
    near_to("the first kappa", memory_clicks_kappa(&none), 0.5, 0);
    for (size_t trial = 0; trial < TRIALS; trial++)
        check_list(&rng, trial % 2);
    near_to("trials where users stopped, at least", stopped >= TRIALS / 4, 1, 0);
    near_to("trials with new queries, at least", listed >= TRIALS / 2, 1, 0);
    check_limits(&rng);
    for (int always = 0; always < 2; always++) {
        check_users(&rng, 4, always);
        check_users(&rng, 16, always);
    }
    printf("evidence: %lu comparisons\n", cases);
    return wrong ? 1 : 0;
}
