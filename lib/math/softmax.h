/* softmax: probabilities in proportion to the exponentials of scores. */
#ifndef RANKPIPE_SOFTMAX_H
#define RANKPIPE_SOFTMAX_H

#include <stddef.h>

/* weight[j] = exp((s[j] - max s) / epsilon), and returns their sum, from 1 to m. The largest weight
 * is 1, so that nothing overflows. m at least 1; s and weight may be one array. O(m). */
double softmax_weights(size_t m, const double *s, double epsilon, double *weight);

/* p = softmax(s / epsilon): p[j] = exp(s[j] / epsilon) / sum_i exp(s[i] / epsilon). Returns the log
 * of that sum. As above otherwise. */
double softmax(size_t m, const double *s, double epsilon, double *p);

#endif
