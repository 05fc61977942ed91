/* feature_names: the names of features, from a file of a user or from a model, which keeps them. */
#ifndef RANKPIPE_FEATURE_NAMES_H
#define RANKPIPE_FEATURE_NAMES_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"
#include "model/model.h"

enum { FEATURE_NAME = 255, FEATURE_NAMES_SUM = 16 }; /* bytes of a name; of a checksum */
#define FEATURE_NAMES_MOST ((size_t)1 << 24)

struct feature_names { /* all zero at first: there are none */
    size_t features;
    struct buffer at;   /* size_t[features]: where in `text` each begins */
    struct buffer text; /* each ended by NUL                             */
    size_t bytes;
    char sum[FEATURE_NAMES_SUM + 1]; /* "": there are none */
};

/* Reads a file: lines "number name", with the numbers 1 to d, or 0 to d - 1, in their order, which
 * may be followed by a type (q, i, int, float), as xgboost has it; or lines of a name alone. Names
 * are words of ASCII. # begins a comment. 0, or a fault that names file and line: also for names
 * that are equal. */
int feature_names_read(struct feature_names *names, const char *path, struct watch *watch,
                       struct fault *fault);

/* Copies those of a model: 1, 0 where it has none, or a data fault. Adds them to one, which borrows
 * them: 0 or a fault. */
int feature_names_load(struct feature_names *names, const struct model *model,
                       struct fault *fault);
int feature_names_save(const struct feature_names *names, struct model *model,
                       struct fault *fault);

/* Replaces `to` by a copy. 0 or a fault. */
int feature_names_copy(struct feature_names *to, const struct feature_names *from,
                       struct fault *fault);

/* The name of a feature, from 0, or NULL. Of those that steps made, which are named as raw ones: a
 * base, which comes before them, is "base". `made` is as in steps.h; NULL: raw. */
const char *feature_names_of(const struct feature_names *names, size_t feature);
const char *feature_names_made(const struct feature_names *names, const char *made,
                               size_t feature);

/* 0, or a data fault: a round's or a model's key named= is another checksum than that of these
 * names. NULL: there is no such key. */
#define FEATURE_NAMES_KEY "named"
int feature_names_check(const struct feature_names *names, const char *named, const char *whose,
                        struct fault *fault);

void feature_names_close(struct feature_names *names);

#endif
