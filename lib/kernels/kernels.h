/* kernels: the loops that gain from wider vectors than every machine has. Each is written in
 * portable C, and again for some processors; all give the same bits. Which are called is chosen
 * here, once, before main. */
#ifndef RANKPIPE_KERNELS_H
#define RANKPIPE_KERNELS_H

#include <stddef.h>

#include "kernels/crc32c.h"
#include "kernels/dense.h"
#include "kernels/directions.h"
#include "kernels/doubles.h"
#include "kernels/features.h"
#include "kernels/covariance.h"
#include "kernels/nearness.h"
#include "kernels/products.h"
#include "kernels/scale_dense.h"
#include "kernels/siphash_eight.h"
#include "kernels/sort_run.h"
#include "kernels/variances.h"

struct kernels {
    const char *name; /* of the processors that they are for */
    crc32c_kernel *crc32c;
    features_kernel *features;
    dense_times_kernel *dense_times;
    dense_add_kernel *dense_add;
    dot_kernel *dot;
    add_times_kernel *add_times;
    difference_kernel *difference;
    covariance_kernel *observe;
    variances_kernel *variances;
    nearness_kernel *nearness;
    spread_kernel *spread;
    scale_dense_kernel *scale_dense;
    products_kernel *products;
    const struct directions_kernels *directions;
    siphash_eight_kernel *siphash_eight;
    sort_run_kernel *sort_run;
    size_t run; /* documents that sort_run sorts best */
};

/* The fastest for this processor. Only tests change it. */
extern const struct kernels *kernels;

/* Those that run here, from the portable ones, i = 0, to the fastest; then NULL. */
const struct kernels *kernels_that_run(size_t i);

#endif
