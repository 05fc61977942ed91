#include "relevance/evidence.h"

void evidence_exposure(const struct evidence *evidence, const double *theta, double *E)
{
    for (size_t j = 0; j < evidence->pairs; j++) {
        E[j] = 0;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
            E[j] += evidence->cell[c].n * theta[evidence->cell[c].position];
    }
}
