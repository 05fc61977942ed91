/* click_models: simulated clicks, by the dependent click model (Guo, Liu & Wang 2009) with the
 * three users of Hofmann, Whiteson & de Rijke 2013. Their probabilities by grade are those of
 * Oosterhuis & de Rijke 2018. And the cascade model (Craswell, Zoeter, Taylor & Ramsey 2008): the
 * perfect user, who stops at the first click.
 *
 * Besides these, two users whom the position alone biases, and who never stop. With grade r, top
 * grade L, position k from 1, and the attractiveness A = noise + (1 - noise) (2^r - 1) / (2^L - 1):
 *
 *     position  P(click) = k^-eta A                                  (Joachims, Swaminathan &
 *                                                                    Schnabel 2017, section 6)
 *     trust     P(click) = k^-1 (.98 A + .65 / k (1 - A))            (Agarwal, Wang, Li, Bendersky
 *                                                                    & Najork 2019), noise .1 */
#ifndef RANKPIPE_CLICK_MODELS_H
#define RANKPIPE_CLICK_MODELS_H

#include <stddef.h>

#include "base/fault.h"
#include "math/rng.h"

enum { CLICKS_TOP = 4, CLICKS_TOPS = 3 }; /* the highest grade of all; the number of scales */

struct clicks_person {
    struct clicks_grades {
        unsigned top;                 /* grades are 0 to top                                   */
        double click[CLICKS_TOP + 1]; /* P(click | grade) of a document that is examined; or A */
        double stop[CLICKS_TOP + 1];  /* P(stop | grade, click): nothing below is examined     */
    } by;
    enum { CLICKS_AS_EXAMINED, CLICKS_BY_POSITION, CLICKS_BY_TRUST } bias;
    double eta; /* by position */
};

/* The persons' names; and the top grades of the scales, in rising order, for each of which every
 * person has probabilities. Both end with NULL. */
extern const char *const clicks_names[];
extern const char *const clicks_tops[CLICKS_TOPS + 1];

/* The person of a name for grades 0 to clicks_tops[top]. After the name position may come :eta, a
 * number from 0 on, by default 1, and :noise, from 0 to 1, by default .1. 0, or a usage fault. */
int clicks_parse(struct clicks_person *person, const char *text, size_t top, struct fault *fault);

/* P(click) on a document of that grade at place a, from 0, which the person examines or, by
 * position, may examine. */
double clicks_chance(const struct clicks_person *person, size_t a, unsigned grade);

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
