/*
 * One step of slam (whole and cut), slam-ap and minimax, in random rounds.
 *
 * z is read off the step a learner takes, and held against the loss f_t as the perceptron paper
 * defines it (equations 9, 10, 11, 15, 24, 27 and 28), written here in long double over all pairs,
 * nothing sorted: against differences of f_t along each weight where it does not bend, against the
 * rule for ties anywhere, and as a subgradient. f_t is at least what the measure lacks to 1
 * (Theorem 4), and there is no step where it lacks nothing.
 */
#include "loss/surrogate_gradients.h"
#include "rounds.h"

enum { ROUNDS = 5000, WEIGHTS = 8, SPARE = 3 };

enum kind { NDCG, AP, MINIMAX };

static const struct tested {
    const char *name;
    enum kind kind;
    size_t cutoff; /* 0: none */
    double margin; /* 0: 1    */
} TESTED[] = {
    { "slam", NDCG, 0, 0 },   { "slam", NDCG, 1, 0 },  { "slam", NDCG, 2, 0 },
    { "slam", NDCG, 3, 0 },   { "slam", NDCG, 100, 0 }, { "slam-ap", AP, 0, 0 },
    { "minimax", MINIMAX, 0, 0 }, { "slam", NDCG, 0, 0.25 }, { "slam-ap", AP, 0, 2 },
    { "minimax", MINIMAX, 0, 0.5 },
};

/* A step so long that its rounding against the weight it starts from is nothing. */
static const double ETA = 0x1p300;

static const long double NEAR = 1e-12L;   /* for sums of a few doubles              */
static const long double H = 0x1p-8L;     /* f is straight, so that any h would do  */
static const long double STRAIGHT = 1e-14L;

/* A query under one of the losses. */
struct world {
    enum kind kind;
    size_t m, cutoff;
    long double margin;
    const struct query *query;
    long double gain[DOCS], discount[DOCS + 1]; /* D(i) at i, from 1; 0 beyond the cut */
};

static struct group_sizes {
    unsigned long rounds, stepped, straight, bent, tied, high, low;
    long double difference;
} counts;

/* ---- the losses ---- */

static long double grade(const struct world *at, size_t i)
{
    float R = at->query->label[i];
    return at->kind == AP ? R > 0 : R;
}

static struct world see(const struct tested *tested, const struct query *query)
{
    struct world at = { tested->kind, query->docs, tested->cutoff ? tested->cutoff : DOCS,
                        tested->margin > 0 ? tested->margin : 1, query, { 0 }, { 0 } };
    for (size_t i = 0; i < at.m; i++)
        at.gain[i] = exp2l(grade(&at, i)) - 1;
    for (size_t place = 1; place <= at.m && place <= at.cutoff; place++)
        at.discount[place] = 1 / log2l((long double)place + 1);
    return at;
}

static bool scores_before(const long double *s, size_t j, size_t i)
{
    return s[j] > s[i] || (s[j] == s[i] && j < i);
}

/* Places from 1: by score; and by grade, ties by score. */
static size_t place_exposed(const struct world *at, const long double *s, size_t i)
{
    size_t place = 1;
    for (size_t j = 0; j < at->m; j++)
        place += scores_before(s, j, i);
    return place;
}

static size_t place_sorted(const struct world *at, const long double *s, size_t i)
{
    size_t place = 1;
    for (size_t j = 0; j < at->m; j++)
        place += grade(at, j) > grade(at, i) ||
                 (grade(at, j) == grade(at, i) && scores_before(s, j, i));
    return place;
}

static long double ideal(const struct world *at, const long double *s)
{
    long double sum = 0;
    for (size_t i = 0; i < at->m; i++)
        sum += at->gain[i] * at->discount[place_sorted(at, s, i)];
    return sum;
}

static size_t relevant(const struct world *at)
{
    size_t n = 0;
    for (size_t i = 0; i < at->m; i++)
        n += at->query->label[i] > 0;
    return n;
}

static long double precision(const struct world *at, const long double *s)
{
    long double sum = 0;
    for (size_t i = 0; i < at->m; i++) {
        size_t place = place_exposed(at, s, i), n = 0;
        for (size_t j = 0; j < at->m; j++)
            n += grade(at, j) > 0 && place_exposed(at, s, j) <= place;
        sum += grade(at, i) > 0 ? (long double)n / (long double)place : 0;
    }
    return sum / (long double)relevant(at);
}

/* NDCG, at the cut for slam, or AP; 1 where nothing is relevant. */
static long double measure(const struct world *at, const long double *s)
{
    long double sum = 0;
    if (relevant(at) == 0)
        return 1;
    if (at->kind == AP)
        return precision(at, s);
    for (size_t i = 0; i < at->m; i++)
        sum += at->gain[i] * at->discount[place_exposed(at, s, i)];
    return sum / ideal(at, s);
}

static bool wrongly_ranked(const struct world *at, const long double *s)
{
    return measure(at, s) < 1 - 1e-12L;
}

static void weigh(const struct world *at, const long double *s, long double *v)
{
    for (size_t i = 0; i < at->m; i++)
        v[i] = at->kind == AP ? grade(at, i) / (long double)relevant(at)
                              : at->gain[i] * at->discount[place_sorted(at, s, i)] / ideal(at, s);
}

static long double hinge(const struct world *at, const long double *s, size_t i)
{
    long double most = 0;
    for (size_t j = 0; j < at->m; j++)
        if (grade(at, i) > grade(at, j))
            most = fmaxl(most, at->margin + s[j] - s[i]);
    return most;
}

/* phi of scores s, for slam with the weights v. */
static long double phi(const struct world *at, const long double *s, const long double *v)
{
    long double sum = 0, most = 0;
    for (size_t i = 0; i < at->m; i++) {
        sum += v[i] * hinge(at, s, i);
        most = fmaxl(most, hinge(at, s, i));
    }
    return at->kind == MINIMAX ? most : sum;
}

static void score(const struct world *at, const long double *w, long double *s)
{
    for (size_t i = 0; i < at->m; i++) {
        s[i] = 0;
        for (size_t j = 0; j < at->query->dim; j++)
            s[i] += at->query->x[i][j] * w[j];
    }
}

/* phi of the weights w, where v is what it was at another: convex, as the paper has it. */
static long double phi_at(const struct world *at, const long double *w, const long double *v)
{
    long double s[DOCS] = { 0 };
    score(at, w, s);
    return phi(at, s, v);
}

/* ---- the rule, ties and all ---- */

/* Of the documents of lower grades the one that scores most; of equal ones the one of the higher
 * grade, then of the lower number (minimax: of the lower number); m: none. */
static size_t find_rival(const struct world *at, const long double *s, size_t i)
{
    size_t best = at->m;
    for (size_t j = 0; j < at->m; j++) {
        if (!(grade(at, j) < grade(at, i)))
            continue;
        counts.tied += best < at->m && s[j] == s[best];
        if (best == at->m || s[j] > s[best] ||
            (s[j] == s[best] && at->kind != MINIMAX && grade(at, j) > grade(at, best)))
            best = j;
    }
    return best;
}

/* g += v (e_j - e_i) where the hinge is open. */
static void push(const struct world *at, const long double *s, size_t i, long double v,
                 long double *g)
{
    size_t j = find_rival(at, s, i);
    if (j == at->m || !(at->margin + s[j] - s[i] > 0))
        return;
    g[j] += v;
    g[i] -= v;
}

static void rule(const struct world *at, const long double *s, const long double *v,
                 long double *z)
{
    long double g[DOCS] = { 0 };
    size_t first = 0;
    for (size_t i = 0; i < at->m; i++)
        first = hinge(at, s, i) > hinge(at, s, first) ? i : first;
    for (size_t i = 0; i < at->m; i++)
        if (at->kind != MINIMAX || i == first)
            push(at, s, i, at->kind == MINIMAX ? 1 : v[i], g);
    for (size_t j = 0; j < at->query->dim; j++) {
        z[j] = 0;
        for (size_t i = 0; i < at->m; i++)
            z[j] += g[i] * at->query->x[i][j];
    }
}

/* ---- against what a learner does ---- */

/* Along each weight, where f_t does not bend within H. */
static void check_differences(const struct world *at, const char *name, const long double *w,
                              const long double *v, const long double *z)
{
    long double to[WEIGHTS], here = phi_at(at, w, v);
    for (size_t j = 0; j < at->query->dim; j++) {
        memcpy(to, w, sizeof to);
        to[j] = w[j] + H;
        long double up = phi_at(at, to, v);
        to[j] = w[j] - H;
        long double down = phi_at(at, to, v);
        if (fabsl(up + down - 2 * here) > STRAIGHT) {
            counts.bent++;
            continue;
        }
        long double slope = (up - down) / (2 * H);
        counts.straight++;
        counts.difference = fmaxl(counts.difference, fabsl(slope - z[j]));
        hold(fabsl(slope - z[j]) <= NEAR, name, "z against a difference", z[j], slope);
    }
}

/* phi lies above its tangent, near and far. */
static void check_tangent(const struct world *at, const char *name, struct rng *rng,
                          const long double *w, const long double *v, const long double *z)
{
    long double to[WEIGHTS], here = phi_at(at, w, v);
    for (int far = -8; far <= 4; far += 4) {
        long double tangent = here;
        for (size_t j = 0; j < at->query->dim; j++) {
            to[j] = w[j] + ldexpl(2 * rng_unit(rng) - 1, far);
            tangent += z[j] * (to[j] - w[j]);
        }
        long double there = phi_at(at, to, v);
        hold(there >= tangent - NEAR, name, "phi below its tangent", there, tangent);
    }
}

/* The loss itself, and what it is to be above. */
static void check_loss(const struct world *at, const struct tested *tested, const long double *s)
{
    double scratch[SURROGATE_SCRATCH * DOCS], score_of[DOCS], R[DOCS];
    const struct surrogate_options options = {
        .cutoff = tested->cutoff ? tested->cutoff : SIZE_MAX
    };
    long double v[DOCS] = { 0 }, near[DOCS] = { 0 };
    for (size_t i = 0; i < at->m; i++) {
        near[i] = score_of[i] = (double)s[i];
        R[i] = at->query->label[i];
    }
    double loss = surrogate_find(tested->name)->loss(at->m, score_of, R, &options, scratch);
    if (relevant(at))
        weigh(at, near, v);
    long double want = wrongly_ranked(at, near) ? phi(at, near, v) : 0;
    hold(fabsl(loss - want) <= NEAR, tested->name, "the loss", loss, want);
    hold(loss >= 1 - measure(at, near) - NEAR, tested->name, "a loss below the measure's", loss,
         1 - measure(at, near));
}

/* |z|^2 <= 4 m R^2 v f (Lemma 5, whose m is the cutoff where there is one: Theorem 8), and for
 * minimax 4 R^2 f (Theorem 10): R is the length of the longest features, v the largest ratio of two
 * weights above 0, and f the loss. */
static void check_length(const struct world *at, const char *name, const long double *s,
                         const long double *v, const long double *z)
{
    long double square = 0, longest = 0, most = 0, least = INFINITY;
    size_t docs = at->cutoff < at->m ? at->cutoff : at->m;
    for (size_t j = 0; j < at->query->dim; j++)
        square += z[j] * z[j];
    for (size_t i = 0; i < at->m; i++) {
        long double length = 0;
        for (size_t j = 0; j < at->query->dim; j++)
            length += (long double)at->query->x[i][j] * at->query->x[i][j];
        longest = fmaxl(longest, length);
        most = fmaxl(most, v[i]);
        least = v[i] > 0 ? fminl(least, v[i]) : least;
    }
    long double bound = 4 * longest * phi(at, s, v);
    if (at->kind != MINIMAX)
        bound *= (long double)docs * most / least;
    bound /= at->margin; /* the loss is that many times the loss with margin 1 */
    hold(square <= bound * (1 + NEAR), name, "a step longer than Lemma 5 says", square, bound);
}

static void check_round(struct state *state, const struct tested *tested, struct rng *rng,
                        const struct query *query, const double *from)
{
    static struct made made;
    struct world at = see(tested, query);
    long double w[WEIGHTS] = { 0 }, z[WEIGHTS] = { 0 }, want[WEIGHTS] = { 0 }, s[DOCS], v[DOCS];
    size_t dim = query->dim;
    memcpy(reach(state, WEIGHTS + SPARE), from, (WEIGHTS + SPARE) * sizeof *from);
    learn_round(state, make_round(&made, query, 1, (enum form)rng_below(rng, FORMS)));
    hold(memcmp(state->w + dim, from + dim, (WEIGHTS + SPARE - dim) * sizeof *from) == 0,
         tested->name, "a weight of no feature moved", state->w[dim], from[dim]);
    for (size_t j = 0; j < dim; j++) {
        w[j] = from[j];
        z[j] = ((long double)from[j] - state->w[j]) / ETA;
    }
    score(&at, w, s);
    if (at.margin == 1)
        check_loss(&at, tested, s);
    counts.rounds++;
    counts.stepped += wrongly_ranked(&at, s);
    if (wrongly_ranked(&at, s)) {
        weigh(&at, s, v);
        rule(&at, s, v, want);
        check_length(&at, tested->name, s, v, z);
        check_differences(&at, tested->name, w, v, z);
        check_tangent(&at, tested->name, rng, w, v, z);
    }
    for (size_t j = 0; j < dim; j++)
        hold(fabsl(z[j] - want[j]) <= (at.kind == MINIMAX ? 0 : 1e-14L), tested->name,
             "z against the rule", z[j], want[j]);
}

/* Halves are for ties, and for margins that are 1 to the bit; units for slopes. */
static void draw(struct rng *rng, struct query *query, double *w)
{
    bool halves = rng_below(rng, 2), zero = rng_below(rng, 8) == 0;
    draw_features(rng, query, 1 + rng_below(rng, DOCS), 1 + rng_below(rng, WEIGHTS),
                  halves ? draw_half : draw_unit);
    draw_labels(rng, query, 1 + 3 * rng_below(rng, 2));
    for (size_t i = 0; i < query->docs && rng_below(rng, 4) == 0; i++)
        query->label[i] /= 3;
    for (size_t j = 0; j < WEIGHTS + SPARE; j++)
        w[j] = zero ? 0 : halves ? 2 * draw_half(rng) : 2 * draw_unit(rng);
}

static void start_tested(struct state *state, const struct tested *tested)
{
    struct settings settings = { .set = { false } };
    set(&settings, SETTING_ETA, ETA);
    if (tested->cutoff)
        set(&settings, SETTING_CUTOFF, (double)tested->cutoff);
    if (tested->margin > 0)
        set(&settings, SETTING_MARGIN, tested->margin);
    start(state, tested->name, &settings);
}

/* "< 1" is below 1 - 1e-12. The two worst documents are the wrong way round, and one of them is
 * hardly relevant. */
static void check_nearly_right(struct state *state, const struct tested *tested, struct rng *rng)
{
    static const double w[WEIGHTS + SPARE] = { 1 };
    struct query query = { 3, 1, { { 4 }, { 2 }, { 1 } }, { 4, 0, 0 } };
    for (int e = -45; e <= -20; e++) {
        query.label[2] = ldexpf(1, e);
        check_round(state, tested, rng, &query, w);
        counts.low += state->w[0] == w[0];
        counts.high += state->w[0] != w[0];
    }
}

static void check(const struct tested *tested)
{
    struct state state;
    struct rng rng = rng_at(1, RNG_SAMPLE, 1);
    memset(&counts, 0, sizeof counts);
    start_tested(&state, tested);
    for (size_t n = 0; n < ROUNDS; n++) {
        struct query query;
        double w[WEIGHTS + SPARE];
        draw(&rng, &query, w);
        check_round(&state, tested, &rng, &query, w);
    }
    check_nearly_right(&state, tested, &rng);
    learner_close(&state);
    printf("%s@%zu: %lu rounds, %lu with a step, %lu ties; %lu slopes to %.1Le, %lu bends\n",
           tested->name, tested->cutoff, counts.rounds, counts.stepped, counts.tied,
           counts.straight, counts.difference, counts.bent);
    bool enough = counts.stepped > ROUNDS / 5 && counts.stepped < counts.rounds - ROUNDS / 5 &&
                  counts.tied > ROUNDS / 5 && counts.straight > ROUNDS / 2 &&
                  counts.bent > ROUNDS / 5;
    hold(enough, tested->name, "too few cases", counts.stepped, ROUNDS);
    hold(tested->kind == AP || tested->cutoff == 1 || (counts.low && counts.high), tested->name,
         "nearly right is not put to the test", counts.low, counts.high);
}

int main(void)
{
    for (size_t i = 0; i < COUNT(TESTED); i++)
        check(&TESTED[i]);
    return wrong ? 1 : 0;
}
