#include "measure/sequence.h"

#include <math.h>
#include <string.h>

#include "math/real.h"

enum { NARROWEST = 1000, PRIOR = 25, STEPS = 200 };

static const double ALPHA = 0.05;
static const double EVEN = 5; /* clusters that the sum of squares is like */
static const double BEST = 8.21; /* V / rho where the half width is least for this alpha */
static const double MOST = 1e6;  /* times: later is never */

/* ---- the lines ---- */

static const struct cluster *of_table(const struct sequence *my, size_t table)
{
    return my->cluster[table].at;
}

static bool is_unequal(const struct sequence *my, size_t cluster)
{
    const struct cluster *a = of_table(my, 0) + cluster;
    const struct cluster *b = my->tables > 1 ? of_table(my, 1) + cluster : NULL;
    if (b && a->lines > 0 && b->lines > 0)
        return clusters_differ(a->part[0] / a->lines, b->part[0] / b->lines) != 0;
    return a->part[0] != 0 || (b && b->part[0] != 0);
}

int sequence_add(struct sequence *my, size_t table, size_t cluster,
                 const double part[CLUSTER_PARTS], struct fault *fault)
{
    for (size_t i = 0; i < my->tables; i++) {
        struct cluster *at = buffer_for(&my->cluster[i], cluster + 1, sizeof *at, fault);
        if (!at) return -1;
        if (cluster >= my->clusters)
            memset(at + my->clusters, 0, (cluster + 1 - my->clusters) * sizeof *at);
    }
    my->clusters = cluster >= my->clusters ? cluster + 1 : my->clusters;

    struct cluster *at = (struct cluster *)my->cluster[table].at + cluster;
    my->unequal -= is_unequal(my, cluster);
    for (size_t i = 0; i < CLUSTER_PARTS; i++)
        at->part[i] += part[i];
    at->lines++;
    my->unequal += is_unequal(my, cluster);
    my->lines[table]++;
    return 0;
}

static void sum(const struct sequence *my, struct clusters_sums *sums)
{
    const struct clusters clusters = { my->tables > 1 ? of_table(my, 0) : NULL,
                                       of_table(my, my->tables - 1), my->clusters, my->ratio };
    clusters_sum(&clusters, sums);
}

void sequence_settle(struct sequence *my)
{
    struct clusters_sums sums;
    if (my->first > 0 || my->unequal < my->wait || my->lines[my->tables - 1] == 0 ||
        my->lines[0] == 0)
        return;
    sum(my, &sums);
    double squares = sums.squares > 0 ? sums.squares : sums.raw;
    if (!(squares > 0)) /* of a ratio, also without a weight */
        return;
    my->rho = squares * NARROWEST / (double)my->wait / BEST;
    my->first = my->lines[0] + my->lines[1];
}

void sequence_close(struct sequence *my)
{
    buffer_free(&my->cluster[0]);
    buffer_free(&my->cluster[1]);
}

/* ---- the normal mixture ---- */

static double half_width(double squares, double lines, double rho)
{
    double v = squares + rho;
    return sqrt(v * real_log(v / (rho * ALPHA * ALPHA))) / lines;
}

/* A look as a function of how many times the lines there are: is it decided? */
struct rate {
    double mean, squares, lines, rho; /* of a mean; lines 0: */
    double wins, losses;              /* of wins and losses */
};

static bool is_decided(const struct rate *rate, double times)
{
    return rate->lines > 0
               ? half_width(times * rate->squares, times * rate->lines, rate->rho) <=
                     fabs(rate->mean)
               : sequence_evidence(times * rate->wins, times * rate->losses, 0.5) >=
                     -real_log(ALPHA);
}

static double find_times(const struct rate *rate)
{
    double low = 1, high = 1;
    while (high < MOST && !is_decided(rate, high)) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < STEPS && high < MOST; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (is_decided(rate, middle))
            high = middle;
        else
            low = middle;
    }
    return high < MOST ? high : INFINITY;
}

void sequence_look(const struct sequence *my, struct sequence_look *look)
{
    struct clusters_sums sums;
    *look = (struct sequence_look){ NAN, NAN, NAN, NAN };
    if (my->lines[0] == 0 || my->lines[my->tables - 1] == 0)
        return;
    sum(my, &sums);
    look->mean = sums.mean;
    if (my->first == 0 || my->lines[0] + my->lines[1] == my->first || sums.effective < EVEN)
        return;
    double half = half_width(sums.squares, sums.lines, my->rho);
    const struct rate rate = { .mean = sums.mean, .squares = sums.squares, .lines = sums.lines,
                               .rho = my->rho };
    look->low = sums.mean - half;
    look->high = sums.mean + half;
    look->times = find_times(&rate);
}

/* ---- wins and losses ---- */

static double log_beta(double a, double b)
{
    return real_log_gamma(a) + real_log_gamma(b) - real_log_gamma(a + b);
}

double sequence_evidence(double wins, double losses, double share)
{
    return log_beta(PRIOR + wins, PRIOR + losses) - log_beta(PRIOR, PRIOR) -
           wins * real_log(share) - losses * real_log(1 - share);
}

/* The share between `in`, where log E is below -log alpha, and `out`, 0 or 1, at which it is not;
 * `in` where that is `out`, as all lines are alike. */
static double find_edge(double wins, double losses, double in, double out)
{
    for (int i = 0; i < STEPS; i++) {
        double middle = in + (out - in) / 2;
        if (middle == in || middle == out)
            break;
        if (sequence_evidence(wins, losses, middle) < -real_log(ALPHA))
            in = middle;
        else
            out = middle;
    }
    return in;
}

void sequence_wins(double wins, double losses, struct sequence_look *look)
{
    const double all = wins + losses, share = wins / all;
    const struct rate rate = { .wins = wins, .losses = losses };
    *look = (struct sequence_look){ NAN, NAN, NAN, NAN };
    if (!(all > 0))
        return;
    look->mean = (wins - losses) / all;
    look->low = 2 * find_edge(wins, losses, share, 0) - 1;
    look->high = 2 * find_edge(wins, losses, share, 1) - 1;
    look->times = find_times(&rate);
}
