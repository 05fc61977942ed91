#include "kernels/nearness.h"

#include <stdbool.h>
#include <string.h>

#include "base/unaligned.h"
#include "kernels/lanes.h"
#include "kernels/vectors.h"

/* 2^f is the sum of (f ln 2)^i / i!, here from i = 6 down. SHIFT is 1.5 * 2^23: a number added to
 * it is rounded to a whole one. */
#define MOST 120.0f
#define SHIFT 12582912.0f
enum { TERMS = 7 };
static const float taylor[TERMS] = { 1.5403530e-4f, 1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                                     2.4022651e-1f, 6.9314718e-1f, 1.0f };

#define KIND(name) name##_portable
#define TARGET
#define WIDTH 4
#define ROWS 1
#include "kernels/nearness_body.h"

#if VECTORS_X86
#define KIND(name) name##_avx2
#define TARGET VECTORS_AVX2
#define WIDTH 8
#define ROWS 4
#include "kernels/nearness_body.h"

#define KIND(name) name##_avx512
#define TARGET VECTORS_AVX512
#define WIDTH 16
#define ROWS 8
#include "kernels/nearness_body.h"
#endif
