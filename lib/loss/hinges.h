/* hinges: the gradient of the hinge loss of all pairs of documents (Joachims 2002), by counting. */
#ifndef RANKPIPE_HINGES_H
#define RANKPIPE_HINGES_H

#include <stddef.h>
#include <stdint.h>

/* g[m]: for each document, how often it is the worse of a pair R_i > R_j with 1 + s_j > s_i, minus
 * how often it is the better. doc[a] is the document whose relevance is relevance[a]; each document
 * comes once. `scratch` has room for HINGES_SCRATCH * m numbers. Exact. O(m log m). */
enum { HINGES_SCRATCH = 4 };
void hinges_count(size_t m, const double *s, const uint32_t *doc, const double *relevance,
                  double *g, double *scratch);

#endif
