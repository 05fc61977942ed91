/* surrogate_options: what a caller says of a surrogate loss. */
#ifndef RANKPIPE_SURROGATE_OPTIONS_H
#define RANKPIPE_SURROGATE_OPTIONS_H

#include <stddef.h>

#include "io/watch.h"

struct surrogate_options {
    double epsilon; /* smoothdcg's                      */
    size_t cutoff;  /* slam's: SIZE_MAX is the whole list; smoothdcg's: SIZE_MAX is 1 */
    struct long_work *work; /* counts the steps of what is not linear in the documents; if it was
                             * stopped, the result is good for nothing; NULL: nothing counts */
};

#endif
