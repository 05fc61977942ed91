/* Makes small.svm: generated queries, so that everything can be tried. `make` runs it.
 *
 * Each query has 8 to 24 documents and a level of its own, which shifts all its features. The
 * relevance of a document is a hidden linear score plus noise. Four cuts make five grades of it;
 * high grades are rare. Three of the twelve features are noise only. */
#include <stdio.h>

#include "math/rng.h"

enum { QUERIES = 240, FEATURES = 12, SEED = 20161 };

static const double hidden[FEATURES] = { 1.0, 0.8, -0.6, 0.5, 0, 0.4, -0.3, 0.3, 0, 0.2, 0, 0.6 };

/* Nearly normal, of variance 1: twelve uniform draws. */
static double noise(struct rng *rng)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(rng);
    return sum;
}

static int grade_of(double relevance)
{
    static const double cuts[] = { 1.55, 1.85, 2.15, 2.45 };
    int grade = 0;
    while (grade < 4 && relevance > cuts[grade])
        grade++;
    return grade;
}

static void make_document(struct rng *rng, int query, double level)
{
    double x[FEATURES], relevance = 0.25 * noise(rng);
    for (int j = 0; j < FEATURES; j++) {
        double value = 0.5 + level + 0.22 * noise(rng);
        x[j] = value < 0 ? 0 : value > 1 ? 1 : value;
        relevance += hidden[j] * (x[j] - (j % 3 == 2 ? 0 : level / 2));
    }
    printf("%d qid:q%d", grade_of(relevance), query);
    for (int j = 0; j < FEATURES; j++)
        printf(" %d:%.3f", j + 1, x[j]);
    putchar('\n');
}

int main(void)
{
    for (int query = 1; query <= QUERIES; query++) {
        struct rng rng = rng_at(SEED, RNG_SAMPLE, (uint64_t)query);
        double level = 0.2 * (rng_unit(&rng) - 0.5);
        uint32_t documents = 8 + rng_below(&rng, 17);
        for (uint32_t i = 0; i < documents; i++)
            make_document(&rng, query, level);
    }
    return fflush(stdout) != 0;
}
