/* features_avx512: features_portable with the vectors of AVX-512, four words at once. */
#ifndef RANKPIPE_FEATURES_AVX512_H
#define RANKPIPE_FEATURES_AVX512_H

#include <stdbool.h>

#include "text/feature.h"

/* Can this processor run features_avx512? No, where the compiler does not know these vectors: then
 * features_avx512 reads nothing. */
bool features_avx512_runs(void);

features_reader features_avx512;

#endif
