/* estimate: what a log says of examination and relevance, by both estimates, with their errors. */
#ifndef RANKPIPE_ESTIMATE_H
#define RANKPIPE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/watch.h"
#include "relevance/evidence.h"
#include "relevance/fixed.h"
#include "relevance/joint.h"
#include "relevance/resampled.h"
#include "stream/writer.h"

enum estimate_of_theta { BY_JOINT, BY_FIXED, BY_TABLE };

struct estimate { /* all zero at first */
    enum estimate_of_theta by; /* what the relevances are judged by; set by the caller */
    const double *given;       /* BY_TABLE: theta[positions], the caller's */
    bool compares;             /* make both estimates and their errors, even BY_TABLE; likewise */
    uint64_t seed;
    struct joint joint;        /* both estimates, if they are made */
    struct fixed fixed;
    struct resampled resampled;
    struct joint judged;       /* BY_FIXED and BY_TABLE: given their theta */
    const double *theta, *relevance; /* the outcome: theta[positions], relevance[pairs] */
    const double *error;       /* of theta; NULL: not known */
};

/* Makes the estimates. 0; or a fault: no clicks, none at position 1, positions that cannot be
 * compared BY_FIXED, memory, or a signal. */
int estimate_make(struct estimate *estimate, const struct evidence *evidence, struct watch *watch,
                  struct fault *fault);

/* The first position, from 0, that shares no document with position 1, directly or through others.
 * SIZE_MAX: there is none. */
size_t estimate_apart(const struct estimate *estimate, const struct evidence *evidence);

/* By how many standard errors of ln(joint / fixed) the two estimates differ at a position; 0 if it
 * is less than a thousandth, or if one of them is not known, or known from fewer than 30 clicks at
 * this position or at position 1. */
double estimate_errors_apart(const struct estimate *estimate, size_t k);

/* Prints the table of judge -e. 0 or a fault. */
int estimate_print(const struct estimate *estimate, const struct evidence *evidence,
                   struct writer *out, struct fault *fault);

void estimate_close(struct estimate *estimate);

#endif
