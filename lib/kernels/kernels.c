#include "kernels/kernels.h"

#include <stdbool.h>

#include "kernels/vectors.h"

static const struct kernels portable = {
    .name = "portable", .crc32c = crc32c_portable, .features = features_portable,
    .dense_times = dense_times_portable, .dense_add = dense_add_portable,
    .observe = observe_portable, .variances = variances_portable,
    .scale_dense = scale_dense_portable, .sort_run = sort_run_portable, .run = SORT_RUN,
};

/* Constant from main on, so that no call asks which processor this is. */
const struct kernels *kernels = &portable;

#if VECTORS_X86
static const struct kernels sse42 = {
    .name = "SSE4.2", .crc32c = crc32c_sse42, .features = features_portable,
    .dense_times = dense_times_portable, .dense_add = dense_add_portable,
    .observe = observe_portable, .variances = variances_portable,
    .scale_dense = scale_dense_portable, .sort_run = sort_run_portable, .run = SORT_RUN,
};

static const struct kernels avx2 = {
    .name = "AVX2", .crc32c = crc32c_sse42, .features = features_avx2,
    .dense_times = dense_times_avx2, .dense_add = dense_add_avx2,
    .observe = observe_avx2, .variances = variances_avx2,
    .scale_dense = scale_dense_avx2, .sort_run = sort_run_avx2, .run = SORT_RUN_AVX2,
};

static const struct kernels avx512 = {
    .name = "AVX-512", .crc32c = crc32c_sse42, .features = features_avx2,
    .dense_times = dense_times_avx512, .dense_add = dense_add_avx2,
    .observe = observe_avx2, .variances = variances_avx512,
    .scale_dense = scale_dense_avx2, .sort_run = sort_run_avx512, .run = SORT_RUN_AVX512,
};

/* A processor that runs one kind runs those before it. */
static const struct kernels *const kinds[] = { &portable, &sse42, &avx2, &avx512 };

static size_t count_kinds(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("pclmul"))
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return 2;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? 4 : 3;
}

__attribute__((constructor)) static void choose(void)
{
    kernels = kinds[count_kinds() - 1];
}
#else
static const struct kernels *const kinds[] = { &portable };

static size_t count_kinds(void)
{
    return 1;
}
#endif

const struct kernels *kernels_that_run(size_t i)
{
    return i < count_kinds() ? kinds[i] : NULL;
}
