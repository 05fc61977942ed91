/* estimate: what a log says of examination and relevance: which users it has, and whether what was
 * learnt from it can be believed. */
#ifndef RANKPIPE_ESTIMATE_H
#define RANKPIPE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "io/watch.h"
#include "relevance/evidence.h"
#include "relevance/held_out.h"
#include "relevance/stopping.h"
#include "relevance/users.h"
#include "stream/writer.h"

/* Why users are taken to stop at clicks, or not. */
enum estimate_reason {
    BY_KAPPA,    /* below 0.6 they stop, above 0.9 they do not                               */
    BY_HELD_OUT, /* by `reading`: in doubt they stop                                         */
    BY_FEW,      /* in doubt, and too few queries to compare: they stop                      */
    BY_REQUESTS  /* the log has no request without a click, so kappa says nothing: they stop */
};

struct estimate { /* all zero at first */
    const double *given; /* theta[positions], the caller's; NULL: it is estimated */
    struct stopping stopping;
    enum estimate_reason reason;
    struct ahead reading;    /* BY_HELD_OUT: likelihood of users who do not stop over that of users
                              * who do */
    struct held_out held_out;
    struct users part, users; /* fitted to all queries but those left out; to all */
    bool checked;             /* gain is known */
    struct ahead gain;        /* held_out_gain */
    int foretells;            /* held_out_sign of it: are clicks on other queries foretold? */
};

/* Makes the estimate. 0; or a fault: no clicks, nothing but clicks, no clicks at position 1,
 * memory, or a signal. */
int estimate_make(struct estimate *estimate, const struct evidence *evidence, struct watch *watch,
                  struct fault *fault);

/* Is theta of the position known by its prior alone: no document that moved says anything of it? */
bool estimate_is_alone(const struct estimate *estimate, size_t k);

/* Prints the table of judge -e. 0 or a fault. */
int estimate_print(const struct estimate *estimate, const struct evidence *evidence,
                   struct writer *out, struct fault *fault);

void estimate_close(struct estimate *estimate);

#endif
