/* steps: a list of steps that make new features, read from words and written as words:
 * "scale,fourier:150:0.02:1". The words alone determine what the steps make of a round. */
#ifndef RANKPIPE_STEPS_H
#define RANKPIPE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "feature/fourier.h"
#include "feature/rows.h"
#include "feature/split.h"
#include "math/matrix.h"
#include "stream/round.h"

enum { STEPS_MOST = 8 };
#define STEPS_SEPARATOR ","

/* What fourier takes where its word has no parameters. */
struct step_defaults {
    uint64_t number, seed;
    double gamma;
};
extern const struct step_defaults steps_usual;
enum { STEPS_NUMBER_MOST = 1 << 20 }; /* of `number`, which is at least 1 */

struct feature_step {
    const struct step_kind *kind;
    struct step_defaults draw; /* of fourier */
    struct split split;
    struct fourier fourier;
};

struct steps { /* all zero at first: no steps */
    size_t number;
    struct feature_step step[STEPS_MOST];
    char words[ROUND_MADE + 1]; /* complete, with all parameters: what reads back as the same */
    bool defaulted;             /* a word lacked parameters, so `defaults` counted */
    bool started;
    struct rows in, out[2]; /* what the steps in turn make lies in `out` */
};

/* The name of step i, from 0, or NULL after the last. */
const char *steps_name(size_t i);

/* Does one of the steps look at the whole list of documents, so that a document that leaves it
 * changes the features of the others? */
bool steps_see_list(const struct steps *steps);

/* Reads the steps of a list. 0, or a usage fault that quotes the word at fault. */
int steps_parse(struct steps *steps, const char *list, const struct step_defaults *defaults,
                struct fault *fault);

/* Points *y at the features that the steps make of x, one step after the other; good until the next
 * call. x is not MATRIX_UNIT, and not a result of these steps. Each result is rounded once to
 * float. Memory: see fourier.h. 0, or a fault: too many features, or one that is not finite. */
int steps_apply(struct steps *steps, const struct matrix *x, struct matrix *y,
                struct fault *fault);

void steps_close(struct steps *steps);

#endif
