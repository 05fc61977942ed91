/* features_avx2: features_portable with the vectors of AVX2. */
#ifndef RANKPIPE_FEATURES_AVX2_H
#define RANKPIPE_FEATURES_AVX2_H

#include <stdbool.h>

#include "text/feature.h"

/* Can this processor run features_avx2? No, where the compiler does not know these vectors: then
 * features_avx2 reads nothing. */
bool features_avx2_runs(void);

features_reader features_avx2;

#endif
