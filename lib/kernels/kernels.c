#include "kernels/kernels.h"

#include "kernels/vectors.h"

/* A processor that runs one kind runs those before it. */
static const struct kernels kinds[] = {
    { "portable", crc32c_portable, features_portable, dense_times_portable, dense_add_portable,
      dot_portable, add_times_portable, difference_portable, covariance_portable,
      variances_portable, nearness_portable, spread_portable,
      scale_dense_portable, products_portable, &directions_portable,
      siphash_eight_portable, sort_run_portable, SORT_RUN },
#if VECTORS_X86
    { "SSE4.2", crc32c_sse42, features_portable, dense_times_portable, dense_add_portable,
      dot_portable, add_times_portable, difference_portable, covariance_portable,
      variances_portable, nearness_portable, spread_portable,
      scale_dense_portable, products_portable, &directions_portable,
      siphash_eight_portable, sort_run_portable, SORT_RUN },
    { "AVX2", crc32c_sse42, features_avx2, dense_times_avx2, dense_add_avx2,
      dot_avx2, add_times_avx2, difference_avx2, covariance_avx2,
      variances_avx2, nearness_avx2, spread_avx2, scale_dense_avx2,
      products_avx2, &directions_avx2,
      siphash_eight_avx2, sort_run_avx2, SORT_RUN_AVX2 },
    { "AVX-512", crc32c_sse42, features_avx2, dense_times_avx512, dense_add_avx2,
      dot_avx512, add_times_avx2, difference_avx2, covariance_avx2,
      variances_avx512, nearness_avx512, spread_avx512, scale_dense_avx2,
      products_avx512, &directions_avx2,
      siphash_eight_avx512, sort_run_avx512, SORT_RUN_AVX512 },
#endif
};

/* How many kinds run here. */
static size_t count_kinds(void)
{
#if VECTORS_X86
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("pclmul"))
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return 2;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 4 : 3;
#else
    return 1;
#endif
}

const struct kernels *kernels_that_run(size_t i)
{
    return i < count_kinds() ? &kinds[i] : NULL;
}

/* Set before main: no call asks which processor this is. */
const struct kernels *kernels = kinds;

__attribute__((constructor)) static void choose(void)
{
    kernels = &kinds[count_kinds() - 1];
}
