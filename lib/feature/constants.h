/* constants: the numbers of each feature over a collection by which the steps standard and range
 * scale it: its mean, deviation, least and largest value. They come from the text that bin2txt -f
 * scales prints, or from a model, which keeps them in columns. */
#ifndef RANKPIPE_CONSTANTS_H
#define RANKPIPE_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "feature/rows.h"
#include "io/watch.h"
#include "math/matrix.h"
#include "model/model.h"
#include "stream/round_fields.h"

enum constant { CONSTANT_MEAN, CONSTANT_DEVIATION, CONSTANT_LEAST, CONSTANT_LARGEST, CONSTANTS };

/* The names of these four, which are those of a model's columns; NULL after the last. */
extern const char *const constant_names[CONSTANTS + 1];

/* How the text begins, before the number of features, and before what made them. Then comes a line
 * for each feature: its number or name and the four constants, with tabs between; then the last
 * line, so that a cut is noticed wherever it is. */
#define CONSTANTS_HEAD "# rankpipe scales features="
#define CONSTANTS_MADE " made="
#define CONSTANTS_END "# end"

struct constants { /* all zero at first: of no features */
    size_t features;
    double *of[CONSTANTS];      /* of[...][features]                                */
    char made[ROUND_MADE + 1];  /* what made the features that they are of; "": raw */
    struct buffer numbers[CONSTANTS];
    struct buffer moved; /* constants_scale: the features whose 0 becomes another number, */
    struct rows in;      /* and the features of a round                                    */
};

/* Reads the text in a file: 0, or a fault that names file and line: it is no such text, or is cut,
 * or a number is not valid. */
int constants_read(struct constants *constants, const char *path, struct watch *watch,
                   struct fault *fault);

/* Copies those of a model, which are raw features': 1, 0 where it has none, or a data fault. */
int constants_load(struct constants *constants, const struct model *model, struct fault *fault);

/* Adds the columns to a model, which borrows them. 0 or a fault. */
int constants_save(const struct constants *constants, struct model *model, struct fault *fault);

/* Replaces `to` by a copy. 0 or a fault. */
int constants_copy(struct constants *to, const struct constants *from, struct fault *fault);

/* What tells constants from others: SipHash of the four arrays under a key of zeros, as 16 hex
 * digits in `sum`. */
enum { CONSTANTS_SUM = 16 };
void constants_sum(const struct constants *constants, char sum[CONSTANTS_SUM + 1]);

/* Points *y at a view of `out`: all features of the constants, of x scaled so. What a document does
 * not list is 0, and is scaled too. In double, rounded once to float. x is not MATRIX_UNIT, and not
 * a view of `out`. 0, or a fault: a value that is not 0 of a feature without constants, one that is
 * not finite, or too many. */
int constants_scale(struct constants *constants, bool range, const struct matrix *x,
                    struct rows *out, struct matrix *y, struct fault *fault);

void constants_close(struct constants *constants);

/* What the values of each feature are over a stream of rounds: mean, deviation, least and
 * largest. A value that a document does not store is 0, and counts. */

#define SCALES_FEATURES ((size_t)1 << 24) /* most features that are kept */

struct scales { /* all zero at first */
    uint64_t docs, not_finite; /* documents; values that are not, and count nowhere */
    size_t dim;                /* of the widest round                               */
    size_t width;              /* one more than the last feature that was stored    */
    struct buffer features;    /* struct scales_stored[width]                       */
};

/* Adds the documents of a round. 0, or a fault without a place: features reach further than
 * SCALES_FEATURES. O(features stored). Memory is 40 bytes for each feature up to the last. */
int scales_add(struct scales *scales, const struct matrix *x, struct fault *fault);

/* Of a feature, below dim. The deviation is that of all documents (divided by their number). All
 * are 0 of a feature that no document stores. */
struct scale {
    double mean, deviation, least, largest;
};
struct scale scales_of(const struct scales *scales, size_t feature);

void scales_close(struct scales *scales);

#endif
