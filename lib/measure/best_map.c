#include "measure/best_map.h"

void best_map_add(size_t m, const double *share, double *pair)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; share[i] > 0 && j < m; j++)
            if (share[j] > 0)
                pair[i * m + j] += share[i];
}

/* What item i adds, at the position just after the other items of `set`, times that position. */
static double added(size_t m, const double *pair, size_t set, size_t i)
{
    double sum = 0;
    for (size_t j = 0; j < m; j++)
        if (set >> j & 1)
            sum += pair[i * m + j];
    return sum;
}

static size_t size_of(size_t set)
{
    size_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* best[set]: of the rankings whose first positions hold these items, the largest sum there. */
double best_map_value(size_t m, const double *pair, double *best)
{
    size_t sets = (size_t)1 << m;
    best[0] = 0;
    for (size_t set = 1; set < sets; set++) {
        double place = (double)size_of(set);
        best[set] = 0;
        for (size_t i = 0; i < m; i++) {
            if (!(set >> i & 1))
                continue;
            double sum = best[set ^ (size_t)1 << i] + added(m, pair, set, i) / place;
            if (sum > best[set])
                best[set] = sum;
        }
    }
    return best[sets - 1];
}
