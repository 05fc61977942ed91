/* kl: Kullback-Leibler divergence of two coins. */
#ifndef RANKPIPE_KL_H
#define RANKPIPE_KL_H

/* d(p, q) = p log(p / q) + (1 - p) log((1 - p) / (1 - q)) for p and q from 0 to 1; infinite where q
 * rules out what p allows. */
double kl_coins(double p, double q);

/* The largest q from p to 1 with d(p, q) <= most, to about 1e-15; p where most is below 0. */
double kl_upper(double p, double most);

#endif
