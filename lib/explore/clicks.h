/* clicks: simulated clicks, by the dependent click model (Guo, Liu & Wang 2009) with the three
 * users of Hofmann, Whiteson & de Rijke 2013. Their probabilities by grade are those of Oosterhuis
 * & de Rijke 2018. And the cascade model (Craswell, Zoeter, Taylor & Ramsey 2008): the perfect
 * user, who stops at the first click. */
#ifndef RANKPIPE_CLICKS_H
#define RANKPIPE_CLICKS_H

#include <stddef.h>

#include "base/fault.h"
#include "math/rng.h"

enum { CLICKS_TOP = 4, CLICKS_TOPS = 3 }; /* the highest grade of all; the number of scales */

struct clicks_person {
    unsigned top;                 /* grades are 0 to top                                    */
    double click[CLICKS_TOP + 1]; /* P(click | grade) of a document that is examined        */
    double stop[CLICKS_TOP + 1];  /* P(stop | grade, click): no document below is examined  */
};

/* The persons' names; and the top grades of the scales, in rising order, for each of which every
 * person has probabilities. Both end with NULL. */
extern const char *const clicks_names[];
extern const char *const clicks_tops[CLICKS_TOPS + 1];

/* The person clicks_names[name] for grades 0 to clicks_tops[top]. A constant. */
const struct clicks_person *clicks_person(size_t name, size_t top);

/* 0 if each of label[n] is a grade of the person's scale, else a data fault that names the first
 * label that is not. */
int clicks_check(const struct clicks_person *person, size_t n, const float *label,
                 struct fault *fault);

/* The person examines `places` documents from the top; label[a], which is checked, is the grade of
 * the document at place a, from 0. click[a] is 1 for a click, else 0, also below the place where
 * the person stopped. label and click may be the same array. The draws for place a are number 2a
 * and 2a + 1 of the rng, from 0, whatever happened above. */
void clicks_draw(const struct clicks_person *person, size_t places, const float *label,
                 struct rng *rng, float *click);

#endif
