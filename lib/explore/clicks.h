/* clicks: what a simulated person clicks on: the dependent click model of Guo, Liu & Wang 2009,
 * with the three people of Hofmann, Whiteson & de Rijke 2013, whose numbers go by grade and are
 * those of Oosterhuis & de Rijke 2018. */
#ifndef RANKPIPE_CLICKS_H
#define RANKPIPE_CLICKS_H

#include <stddef.h>

#include "base/fault.h"
#include "math/rng.h"

enum { CLICKS_TOP = 4, CLICKS_TOPS = 3 }; /* the highest grade there are numbers for; scales */

struct clicks_person {
    unsigned top;                 /* grades are 0 to top                                   */
    double click[CLICKS_TOP + 1]; /* P(click | grade), of a document that is looked at     */
    double stop[CLICKS_TOP + 1];  /* P(stop | grade, click): nothing below it is looked at */
};

/* The people's names, and the top grades of the scales that each has numbers for, in rising order;
 * both ended by NULL. */
extern const char *const clicks_names[];
extern const char *const clicks_tops[CLICKS_TOPS + 1];

/* The person clicks_names[name] for grades 0 to clicks_tops[top]; a constant. */
const struct clicks_person *clicks_person(size_t name, size_t top);

/* Is each of label[n] a grade that the person knows? 0, or a data fault that says which is not. */
int clicks_check(const struct clicks_person *person, size_t n, const float *label,
                 struct fault *fault);

/* The person goes down places documents, label[a] being the grade of the one at place a, from 0,
 * all of them checked: click[a] is 1 where he clicks, and 0 where he does not or no longer looks.
 * label and click may be the same array. The draws for place a are the rng's 2a-th and next,
 * from 0, whatever happened above. */
void clicks_draw(const struct clicks_person *person, size_t places, const float *label,
                 struct rng *rng, float *click);

#endif
