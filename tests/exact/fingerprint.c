/*
 * fingerprint: hashes of features are the sums of their definition;
 * dense and sparse features, listed zeros and more features make no difference; one bit does.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "math/fingerprint.h"
#include "math/rng.h"

enum { DOCS = 40, DIM = 37, WIDER = 50 };

static unsigned long wrong;
static struct buffer scratch;

static void hold(bool right, const char *what, size_t at)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "fingerprint: %s, at %zu\n", what, at);
}

/* Number j + 1 of splitmix64 after the seed 0, step by step. */
static uint64_t drawn(size_t j)
{
    uint64_t state = 0, z = 0;
    for (size_t i = 0; i <= j; i++) {
        state += 0x9e3779b97f4a7c15u;
        z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
    }
    return z;
}

static void make(const struct matrix *x, uint64_t hash[DOCS])
{
    struct fault fault = { FAULT_NONE, "" };
    hold(fingerprint_rows(x, &scratch, hash, &fault) == 0, fault.text, 0);
}

static struct matrix dense(const float *x, size_t dim)
{
    return (struct matrix){ .kind = MATRIX_DENSE, .docs = DOCS, .dim = dim,
                            .x = (const unsigned char *)x };
}

/* The same features as rows that list each of them, or those that are not 0. */
static void check_sparse(const float *x, const uint64_t want[DOCS], bool zeros)
{
    static uint32_t ptr[DOCS + 1], idx[DOCS * DIM];
    static float val[DOCS * DIM];
    uint64_t hash[DOCS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < DOCS; ptr[++i] = n)
        for (uint32_t j = 0; j < DIM; j++)
            if (zeros || x[DIM * i + j] != 0) {
                idx[n] = j;
                val[n++] = x[DIM * i + j];
            }
    const struct matrix sparse = { .kind = MATRIX_SPARSE, .docs = DOCS, .dim = DIM,
                                   .ptr = (unsigned char *)ptr, .idx = (unsigned char *)idx,
                                   .val = (unsigned char *)val };
    make(&sparse, hash);
    hold(memcmp(hash, want, sizeof hash) == 0, "sparse features differ", zeros);
}

int main(void)
{
    static float x[DOCS * DIM], wider[DOCS * WIDER];
    struct rng rng = rng_at(1, RNG_MEMORY, 0);
    uint64_t want[DOCS] = { 0 }, hash[DOCS];
    for (size_t i = 0; i < DOCS * DIM; i++) {
        uint64_t bits = rng_bits(&rng);
        x[i] = bits % 3 == 0 ? 0 : bits % 3 == 1 ? -0.0f : (float)(bits >> 40) / 64 - 1000;
    }
    for (size_t i = 0; i < DOCS; i++)
        for (size_t j = 0; j < DIM; j++) {
            uint32_t bits;
            memcpy(&bits, &x[DIM * i + j], sizeof bits);
            want[i] += x[DIM * i + j] != 0 ? bits * drawn(j) : 0;
            wider[WIDER * i + j] = x[DIM * i + j];
        }
    const struct matrix narrow = dense(x, DIM), wide = dense(wider, WIDER);
    make(&narrow, hash);
    hold(memcmp(hash, want, sizeof hash) == 0, "not the definition", 0);
    make(&wide, hash);
    hold(memcmp(hash, want, sizeof hash) == 0, "wider features differ", 0);
    check_sparse(x, want, false);
    check_sparse(x, want, true);
    for (size_t i = 0; i < DOCS * DIM; i++) {
        float before = x[i];
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bits ^= 1u << i % 31;
        memcpy(&x[i], &bits, sizeof bits);
        make(&narrow, hash);
        hold(hash[i / DIM] != want[i / DIM], "a bit makes no difference", i);
        x[i] = before;
    }
    buffer_free(&scratch);
    return wrong ? 1 : 0;
}
