/* nearness_body: nearness.h by one kind of vector. nearness.c includes it once for each kind, with
 * these defined:
 *
 *     KIND(name)   the name of a function of that kind
 *     TARGET       the attribute of functions for such machines
 *     WIDTH        others in a vector
 *     ROWS         documents at a time */

enum { KIND(sets) = NEARNESS_OTHERS / WIDTH };
typedef float KIND(floats) __attribute__((vector_size(WIDTH * sizeof(float))));
typedef double KIND(doubles) __attribute__((vector_size(WIDTH * sizeof(double))));
typedef uint32_t KIND(bits) __attribute__((vector_size(WIDTH * sizeof(float))));

/* clang-format off */ /* It takes the first parameter for a product. */
VECTORS_INLINE void KIND(load)(KIND(floats) *to, const void *from)
/* clang-format on */
{
    memcpy(to, from, sizeof *to);
}

/* t[1] becomes 2^-t. */
VECTORS_INLINE void KIND(weigh)(KIND(floats) t[])
{
    const KIND(floats) most = (KIND(floats)){ 0 } + MOST, shift = (KIND(floats)){ 0 } + SHIFT;
    KIND(bits) given = (KIND(bits))t[0], within = (KIND(bits))(t[0] < most);
    KIND(floats) y = -(KIND(floats))((given & within) | ((KIND(bits))most & ~within));
    KIND(floats) n = y + shift, f = y - (n - shift), p = (KIND(floats)){ 0 } + taylor[0];
    for (size_t i = 1; i < TERMS; i++)
        p = p * f + taylor[i];
    t[0] = (KIND(floats))((KIND(bits))p + ((KIND(bits))n << 23));
}

/* The sum of the lanes, by halves. */
VECTORS_INLINE float KIND(sum)(const KIND(floats) v[])
{
    float lane[NEARNESS_OTHERS];
    memcpy(lane, v, sizeof lane);
    for (size_t half = NEARNESS_OTHERS / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

/* `docs` documents from number i of the list on. */
VECTORS_INLINE void KIND(add)(const struct nearness *my, size_t docs, size_t i, double *a,
                              double *b)
{
    const unsigned char *x[ROWS];
    KIND(floats) r[ROWS][KIND(sets)], other[KIND(sets)], weight[KIND(sets)], said[KIND(sets)];
    for (size_t d = 0; d < docs; d++) {
        x[d] = my->rows.x + my->doc[i + d] * my->rows.stride * sizeof(float);
        for (size_t k = 0; k < KIND(sets); k++)
            r[d][k] = (KIND(floats)){ 0 };
    }
    for (size_t j = 0; j < my->rows.n; j++) {
        for (size_t k = 0; k < KIND(sets); k++)
            KIND(load)(&other[k], my->other + NEARNESS_OTHERS * j + WIDTH * k);
        for (size_t d = 0; d < docs; d++) {
            for (size_t k = 0; k < KIND(sets); k++) {
                KIND(floats) apart = other[k] - unaligned_f4(x[d] + j * sizeof(float));
                r[d][k] += apart * apart;
            }
        }
    }
    for (size_t d = 0; d < docs; d++) {
        for (size_t k = 0; k < KIND(sets); k++) {
            KIND(floats) e, counts;
            KIND(load)(&e, my->e + WIDTH * k);
            KIND(load)(&counts, my->counts + WIDTH * k);
            weight[k] = r[d][k] * my->scale;
            KIND(weigh)(&weight[k]);
            weight[k] *= counts;
            said[k] = weight[k] * e;
        }
        a[i + d] += (double)KIND(sum)(said);
        b[i + d] += (double)KIND(sum)(weight);
    }
}

TARGET void KIND(nearness)(const struct nearness *nearness, double *a, double *b)
{
    size_t i = 0;
    for (; i + ROWS <= nearness->docs; i += ROWS)
        KIND(add)(nearness, ROWS, i, a, b);
    for (; i < nearness->docs; i++)
        KIND(add)(nearness, 1, i, a, b);
}

/* sum += (x - mean)^2 for 16 features, those of the mask. */
VECTORS_INLINE void KIND(square)(KIND(floats) sum[], const void *x, const float *mean,
                                 const uint32_t *mask)
{
    for (size_t k = 0; k < KIND(sets); k++) {
        KIND(floats) from, to;
        KIND(bits) of;
        KIND(load)(&from, (const unsigned char *)x + WIDTH * k * sizeof(float));
        KIND(load)(&to, mean + WIDTH * k);
        from -= to;
        if (mask) {
            memcpy(&of, mask + WIDTH * k, sizeof of);
            from = (KIND(floats))((KIND(bits))from & of);
        }
        sum[k] += from * from;
    }
}

/* The last of a row's features are read with what follows them, where that is there. */
TARGET double KIND(spread)(const struct nearness_rows *rows, size_t docs, const float *mean)
{
    const size_t rest = rows->n % NEARNESS_OTHERS, whole = rows->n - rest;
    const size_t bytes = rows->stride * sizeof(float), from = whole * sizeof(float);
    float last[NEARNESS_OTHERS] = { 0 };
    uint32_t mask[NEARNESS_OTHERS];
    double lane[NEARNESS_OTHERS];
    KIND(doubles) all[KIND(sets)];
    for (size_t k = 0; k < KIND(sets); k++)
        all[k] = (KIND(doubles)){ 0 };
    for (size_t l = 0; l < NEARNESS_OTHERS; l++)
        mask[l] = l < rest ? UINT32_MAX : 0;
    for (size_t i = 0; i < docs; i++) {
        const unsigned char *x = rows->x + i * bytes;
        bool inside = (docs - i) * bytes >= from + sizeof last;
        KIND(floats) sum[KIND(sets)];
        for (size_t k = 0; k < KIND(sets); k++)
            sum[k] = (KIND(floats)){ 0 };
        for (size_t j = 0; j < whole; j += NEARNESS_OTHERS)
            KIND(square)(sum, x + j * sizeof(float), mean + j, NULL);
        if (!inside)
            memcpy(last, x + from, rest * sizeof(float));
        if (rest)
            KIND(square)(sum, inside ? x + from : (const unsigned char *)last, mean + whole, mask);
        for (size_t k = 0; k < KIND(sets); k++)
            all[k] += __builtin_convertvector(sum[k], KIND(doubles));
    }
    memcpy(lane, all, sizeof lane);
    return sum_lanes(lane);
}

#undef KIND
#undef TARGET
#undef WIDTH
#undef ROWS
