/* clusters: does the mean of a table's lines differ from 0, or from that of another table, where
 * lines come in clusters? The lines of one query or one client depend on each other; clusters do
 * not.
 *
 * Cluster c has the sum Y_c of its values, and N_c lines. Y and N are their sums over the C
 * clusters. Each line counts once, as traffic has them:
 *
 *   theta = Y / N,   e_c = Y_c - theta N_c,   V = sum of e_c^2
 *   se^2  = (C-1)/C sum of (e_c / (N - N_c))^2
 *
 * e_c / (N - N_c) is theta minus the mean without cluster c: se is that of the jackknife (Efron &
 * Stein 1981; Cameron & Miller 2015). theta / se has about Student's t with C - 1 degrees of
 * freedom.
 *
 * Of two tables, A and B, whose clusters may be the same, others or some of both,
 *
 *   theta = theta_B - theta_A,   e_c / (N - N_c) = e_cB / (N_B - N_cB) - e_cA / (N_A - N_cA)
 *   V     = M^2 sum of (e_cB / N_B - e_cA / N_A)^2,   1 / M = (1 / N_A + 1 / N_B) / 2
 *
 * where a table without the cluster adds 0, and C counts clusters of either. With one line for each
 * cluster in both, these are the mean and the error of the paired t test.
 *
 * The value of a line may be a ratio of three parts, as snips has them (offline.h): theta = A C / B
 * of the means A, B, C of a, b, c. To first order the line counts (C/B) (a - q b) + q c, q = A/B,
 * in place of a value: these have the mean theta, and all of the above holds for them. */
#ifndef RANKPIPE_CLUSTERS_H
#define RANKPIPE_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "measure/paired.h"

enum { CLUSTER_PARTS = 3 };
#define CLUSTER_LARGE 0.1 /* of the lines: from such a share on, one cluster makes errors unsure */

/* The sums of a cluster in a table: of its values, or of a, b and c; and how many lines it has. */
struct cluster {
    double part[CLUSTER_PARTS], lines;
};

struct clusters {
    const struct cluster *base, *at; /* of A and B, n each; base NULL: B against 0 */
    size_t n;
    bool ratio; /* of three parts; else part[0] alone counts */
};

struct clusters_sums {
    size_t clusters;   /* C */
    double base, at;   /* theta_A, 0 without a base; theta_B. NaN without a line, or if B is 0 */
    double mean;       /* theta */
    double lines;      /* N; of two tables M */
    double squares;    /* V; 0 where it is not more than rounding */
    double raw;        /* V with Y_c in place of e_c */
    double effective;  /* (sum of Y_c^2)^2 / sum of Y_c^4, of two tables of their differences of
                        * Y_c / N: C if all are equal; NaN if all are 0 */
    double error;      /* se; NaN where a table has fewer than two clusters */
    double largest;    /* of the lines of a table, the largest share that one cluster has */
    bool single;       /* is there one line of each cluster in each table? */
    bool joined;       /* is each cluster in all tables? */
};

/* b - a, or 0 where this is no more than rounding makes of the same values in another order. */
double clusters_differ(double a, double b);

/* O(n). */
void clusters_sum(const struct clusters *clusters, struct clusters_sums *sums);

/* Tests theta against 0. Where each cluster is one line, that is paired_test, of the differences.
 * Else the interval and p_t are those above, p changes the signs of Y_c (of Y_cB / N_B - Y_cA /
 * N_A), and above, below and same compare the means of clusters. p and p_signs are NaN, and above,
 * below and same are 0, where a cluster is in one table alone. `sums` has to be of the same
 * clusters. The rest is as paired_test has it. */
int clusters_test(const struct clusters *clusters, const struct clusters_sums *sums, uint64_t most,
                  uint64_t seed, struct buffer scratch[2], struct paired *result,
                  struct fault *fault);

#endif
