#include "loss/hinge_pairs.h"

#include <stdint.h>
#include <string.h>

#include "math/order.h"

/* Documents counted by grade, the grades numbered from 1, so that the number in grades 1 to n is
 * found or changed in O(log m) (Fenwick 1994). */
struct counts {
    uint32_t *at; /* at[grades + 1] */
    size_t grades, all;
};

static void add(struct counts *counts, uint32_t grade)
{
    for (size_t n = grade; n <= counts->grades; n += n & -n)
        counts->at[n]++;
    counts->all++;
}

static size_t up_to(const struct counts *counts, uint32_t grade)
{
    size_t sum = 0;
    for (size_t n = grade; n > 0; n -= n & -n)
        sum += counts->at[n];
    return sum;
}

static void clear(struct counts *counts)
{
    memset(counts->at, 0, (counts->grades + 1) * sizeof *counts->at);
    counts->all = 0;
}

/* grade[m]: the number of each document's relevance, from 1 for the lowest. Returns how many there
 * are. */
static uint32_t number_grades(size_t m, const double *R, uint32_t *grade, uint32_t *order,
                              uint32_t *scratch)
{
    uint32_t n = 0;
    order_by_score(m, R, order, scratch);
    for (size_t a = m; a-- > 0;) {
        n += a + 1 == m || R[order[a]] != R[order[a + 1]];
        grade[order[a]] = n;
    }
    return n;
}

/* As 1 + s does not fall where s rises, both sides of a comparison are taken in the order of s. */
void hinge_pairs(size_t m, const double *s, const double *R, double *g, double *scratch)
{
    uint32_t *order = (uint32_t *)scratch, *grade = order + m, *spare = grade + m;
    struct counts counts = { .at = spare + m };
    counts.grades = number_grades(m, R, grade, order, spare);
    order_by_score(m, s, order, spare);
    clear(&counts);
    for (size_t a = 0, b = 0; a < m; a++) { /* document i, and those j with 1 + s_j > s_i */
        uint32_t i = order[a];
        for (; b < m && 1 + s[order[b]] > s[i]; b++)
            add(&counts, grade[order[b]]);
        g[i] = 0 - (double)up_to(&counts, grade[i] - 1);
    }
    clear(&counts);
    for (size_t a = m, b = m; a-- > 0;) { /* document j, and those i with 1 + s_j > s_i */
        uint32_t j = order[a];
        for (; b > 0 && 1 + s[j] > s[order[b - 1]]; b--)
            add(&counts, grade[order[b - 1]]);
        g[j] += (double)(counts.all - up_to(&counts, grade[j]));
    }
}
