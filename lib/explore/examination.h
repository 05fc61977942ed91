/* examination: with what probability users examine each position of a list, from a table.
 *
 * A click at position k has the probability theta_k r, where r belongs to the document: the
 * position-based model (Craswell, Zoeter, Taylor & Ramsey 2008; Joachims, Swaminathan & Schnabel
 * 2017). theta is known up to a factor; with theta_1 = 1, r is the probability of a click at
 * position 1.
 *
 * A table is text, as judge -e prints it and anyone can write it: a line for each position, from 1
 * and without gaps, the position and theta_k first, divided by blanks. What follows on a line is
 * not read, and neither are empty lines, comments (#), and a first line that begins with a
 * letter. */
#ifndef RANKPIPE_EXAMINATION_H
#define RANKPIPE_EXAMINATION_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/fault.h"
#include "io/watch.h"

#define EXAMINATION_LEAST 1e-9 /* of theta_k, and the reciprocal the most */
enum { EXAMINATION_PLACES = 1000000 };

struct examination { /* all zero at first: no table */
    double *theta;   /* theta[places], in the buffer */
    size_t places;
    struct buffer buffer;
};

/* Reads the table of a file. 0, or a fault with the file and line. */
int examination_read(struct examination *examination, const char *path, struct watch *watch,
                     struct fault *fault);

/* Makes it a table of so many positions, whose theta[places] the caller fills in: returns them, or
 * NULL with a fault. Then 0, or a data fault where one is no theta. */
double *examination_new(struct examination *examination, size_t places, struct fault *fault);
int examination_check(const struct examination *examination, struct fault *fault);

/* 0, or a data fault where the table has fewer than so many places, of the column seen. */
int examination_covers(const struct examination *examination, size_t places, struct fault *fault);

void examination_close(struct examination *examination);

#endif
