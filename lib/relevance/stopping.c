#include "relevance/stopping.h"

#include <math.h>

static const double LEAST = 0.5;

struct sums {
    double R, S, V;
};

static void add_cell(const struct impressions_counts *counts, struct sums *sums)
{
    double m = counts->after, n = counts->n - m, d = counts->after_clicks;
    double c = counts->clicks - d, t = counts->n;
    if (!(n > 0) || !(m > 0) || !(counts->clicks > 0))
        return;
    sums->R += d * n / t;
    sums->S += c * m / t;
    sums->V += counts->clicks * (n / t) * (m / t);
}

static double at_least(double value)
{
    return value > LEAST ? value : LEAST;
}

void stopping_measure(const struct evidence *evidence, const bool *keep, struct stopping *stopping)
{
    struct sums sums = { 0, 0, 0 };
    stopping->clickless = 0;
    for (size_t q = 0; q < evidence->queries; q++) {
        size_t from = evidence->first[evidence->query[q]];
        size_t to = evidence->first[evidence->query[q + 1]];
        for (size_t c = from; c < to && (!keep || keep[q]); c++) {
            const struct evidence_cell *cell = &evidence->cell[c];
            add_cell(&cell->counts, &sums);
            stopping->clickless += cell->position == 0 ? cell->counts.n : 0;
            stopping->clickless -= cell->counts.clicks - cell->counts.after_clicks;
        }
    }
    double R = at_least(sums.R), S = at_least(sums.S);
    stopping->kappa = R / S;
    stopping->error = sqrt(at_least(sums.V) / (R * S));
}
