#include "draw.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t draw_bits(struct dice *draw)
{
    uint64_t z = draw->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct dice draw_start(uint64_t seed, uint64_t number)
{
    struct dice draw = { seed };
    draw.state = draw_bits(&draw) + number;
    draw.state = draw_bits(&draw);
    return draw;
}

size_t draw_below(struct dice *draw, size_t n)
{
    return (size_t)(draw_bits(draw) % n);
}

bool draw_one_in(struct dice *draw, size_t n)
{
    return draw_below(draw, n) == 0;
}

const char *draw_word(struct dice *draw, const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return words[draw_below(draw, n)];
}

double draw_number(struct dice *draw, size_t odd)
{
    static const double edges[] = {
        -0.0, -1, 1e-45, 1e-38, 1e-320, DBL_MIN, DBL_EPSILON, 1e-5, 16777217, 3.4e38, -3.4e38, 1e39,
        DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN, 1e150, -1e150, 1e300, 4294967296.0,
    };
    if (odd && draw_one_in(draw, odd))
        return edges[draw_below(draw, sizeof edges / sizeof *edges)];
    if (draw_one_in(draw, 4))
        return (double)draw_below(draw, 3);
    return (double)draw_below(draw, 800) / 100 - 4;
}

const char *draw_whole(struct dice *draw, size_t odd)
{
    static const char *const edges[] = {
        "0", "1", "255", "256", "4096", "65535", "65536", "65537", "2147483647", "2147483648",
        "2147483649", "4294967295", "4294967296", "4294967297", "9007199254740991",
        "9007199254740992", "9007199254740993", "18446744073709551615", "18446744073709551616",
        "-1", "-0", "+1", "01", "1.0", "1e3", "", "x", "nan", "inf", "0x10", " 1", "1 ",
        "99999999999999999999999999999999", NULL,
    };
    if (odd && draw_one_in(draw, odd))
        return draw_word(draw, edges);
    return memory_text("%zu", draw_one_in(draw, 3) ? draw_below(draw, 40) : draw_below(draw, 6));
}

/* Blocks in a list, the newest first. */
struct block {
    struct block *before;
};
static struct block *newest;

void *memory_take(size_t n)
{
    struct block *block = calloc(1, sizeof *block + 16 + n);
    if (!block) {
        fprintf(stderr, "structured: no memory\n");
        exit(1);
    }
    block->before = newest;
    newest = block;
    return (char *)block + 16;
}

char *memory_text(const char *format, ...)
{
    va_list list, twice;
    va_start(list, format);
    va_copy(twice, list);
    int n = vsnprintf(NULL, 0, format, list);
    char *text = memory_take((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, twice);
    va_end(list);
    va_end(twice);
    return text;
}

void memory_free(void)
{
    while (newest) {
        struct block *before = newest->before;
        free(newest);
        newest = before;
    }
}
