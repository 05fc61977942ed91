#include "relevance/stopping.h"

#include <math.h>

static const double LEAST = 0.5;

static double at_least(double value)
{
    return value > LEAST ? value : LEAST;
}

void stopping_measure(const struct evidence *evidence, const bool *keep, struct stopping *stopping)
{
    double R = 0, S = 0, V = 0;
    stopping->clickless = 0;
    for (size_t q = 0; q < evidence->queries; q++) {
        size_t from = evidence->first[evidence->query[q]];
        size_t to = evidence->first[evidence->query[q + 1]];
        for (size_t c = from; c < to && (!keep || keep[q]); c++) {
            const struct impressions_counts *counts = &evidence->cell[c].counts;
            double m = counts->after, n = counts->n - m, d = counts->after_clicks;
            double first = counts->clicks - d, t = counts->n;
            stopping->clickless += evidence->cell[c].position == 0 ? t : 0;
            stopping->clickless -= first;
            if (!(n > 0) || !(m > 0) || !(counts->clicks > 0))
                continue;
            R += d * n / t;
            S += first * m / t;
            V += counts->clicks * (n / t) * (m / t);
        }
    }
    R = at_least(R);
    S = at_least(S);
    stopping->kappa = R / S;
    stopping->error = sqrt(at_least(V) / (R * S));
}
