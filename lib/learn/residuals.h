/* residuals: how far answers are from what a regression expected of them, which is the unit of a
 * width of exploration that nobody gave. */
#ifndef RANKPIPE_RESIDUALS_H
#define RANKPIPE_RESIDUALS_H

#include <stdbool.h>

/* The number of answers, and the sum of their squares: the array's name in models, and its length.
 * At first all 0. */
#define RESIDUALS_COLUMN "residuals"
enum { RESIDUALS = 2 };

/* Counts an answer that was e more than expected. `spread` is 1 + z'(Z'Z + lambda I)^-1 z, its
 * variance in units of sigma^2, before it was learnt. */
void residuals_count(double *residuals, double e, double spread);

/* Are they finite? Residuals whose squares are no finite numbers make them infinite. */
bool residuals_finite(const double *residuals);

/* 0.15 sigma, where sigma^2 is estimated as the mean of e^2 / spread over the answers and one 1. So
 * it follows the scale of the answers, and documents are explored before the first. Chosen on
 * MQ2008 and two games among 0.1, 0.15, 0.25 and 0.4, with and without the 1. */
double residuals_width(const double *residuals);

#endif
