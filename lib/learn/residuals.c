#include "learn/residuals.h"

#include <math.h>

static const double width = 0.15; /* in units of sigma */

enum { COUNT, SQUARES };

void residuals_count(double *residuals, double e, double spread)
{
    residuals[COUNT]++;
    residuals[SQUARES] += e * e / spread;
}

bool residuals_finite(const double *residuals)
{
    return isfinite(residuals[COUNT]) && isfinite(residuals[SQUARES]);
}

double residuals_width(const double *residuals)
{
    return width * sqrt((1 + residuals[SQUARES]) / (1 + residuals[COUNT]));
}
