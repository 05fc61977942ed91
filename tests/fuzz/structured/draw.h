/* draw: what a case draws, by its seed and number alone, and the memory that it takes. */
#ifndef RANKPIPE_STRUCTURED_DRAW_H
#define RANKPIPE_STRUCTURED_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

/* The draws of case `number` of a run: splitmix64, begun at a hash of both numbers. */
struct dice draw_start(uint64_t seed, uint64_t number);
uint64_t draw_bits(struct dice *draw);

/* A number from 0 to n - 1, where n is above 0; true once in n times. */
size_t draw_below(struct dice *draw, size_t n);
bool draw_one_in(struct dice *draw, size_t n);

/* One of a list that NULL ends. */
const char *draw_word(struct dice *draw, const char *const *words);

/* A number: mostly small, with a few decimals; drawn from the edges of float and double, NaN and
 * infinities included, once in `odd` times; never if odd is 0. */
double draw_number(struct dice *draw, size_t odd);

/* A whole number as text: small, or at a bound that a page names, or beyond it. */
const char *draw_whole(struct dice *draw, size_t odd);

/* Memory of a case, set to zeros; all of it is freed at once. Ends the program where there is
 * none. `memory_text` formats as printf does. */
void *memory_take(size_t n);
char *memory_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void memory_free(void);

#endif
