/* click_models: simulated clicks, by the dependent click model (Guo, Liu & Wang 2009) with the
 * three users of Hofmann, Whiteson & de Rijke 2013. Their probabilities by grade are those of
 * Oosterhuis & de Rijke 2018. And the cascade model (Craswell, Zoeter, Taylor & Ramsey 2008): the
 * perfect user, who stops at the first click.
 *
 * Besides these, users whom the position alone biases, and who never stop. With grade r, top grade
 * L, position k from 1, and the attractiveness A = noise + (1 - noise) (2^r - 1) / (2^L - 1):
 *
 *     position  P(click) = k^-eta A                                  (Joachims, Swaminathan &
 *                                                                    Schnabel 2017, section 6)
 *     place     position with eta and noise 1: P(click) = 1 / k
 *     noise     P(click) = .3 / k
 *     trust     P(click) = k^-1 (.98 A + .65 / k (1 - A))            (Agarwal, Wang, Li, Bendersky
 *                                                                    & Najork 2019), noise .1
 *     bait      position, but .9 is in place of A for a share of the documents of each query. A
 *               click on one of these is worth 1 with probability A, else LOW
 *
 * and users made of others, or like them:
 *
 *     leave     clicks with A, stops at a click with .2 + .6 r / L; then leaves with .2 at each
 *               place, clicked or not
 *     answered  navigational, but what the user looks for is in what the list shows of a document:
 *               seldom a click on the best. Where navigational would have clicked and answered did
 *               not, the document has answered: in a SHARE of the searches the first that did is
 *               a click
 *     mixed     of the searches .4 are navigational, .2 informational, .2 position; .1 look at
 *               place 1, and click with .5; .1 click at one of the page's places at random
 *     sparse    a SHARE of the searches are those of another user; the others have no click */
#ifndef RANKPIPE_CLICK_MODELS_H
#define RANKPIPE_CLICK_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "math/rng.h"

enum { CLICKS_TOP = 4, CLICKS_TOPS = 3 }; /* the highest grade of all; the number of scales */
enum { CLICKS_PAGE = 10 };                /* places of a page of results, as in the papers    */

struct clicks_person {
    struct clicks_grades {
        unsigned top;                 /* grades are 0 to top                                   */
        double click[CLICKS_TOP + 1]; /* P(click | grade) of a document that is examined; or A */
        double stop[CLICKS_TOP + 1];  /* P(stop | grade, click): nothing below is examined     */
    } by;
    enum clicks_bias {
        CLICKS_AS_EXAMINED, CLICKS_BY_POSITION, CLICKS_BY_TRUST, CLICKS_ANYWHERE
    } bias;
    size_t scale;     /* of by: an index of clicks_tops                                         */
    double eta;       /* by position                                                            */
    double leave;     /* P(stop | no click)                                                     */
    double share;     /* of the searches that have clicks                                       */
    double bait, low; /* the share of the documents that are bait; what a click on bait is worth */
    double posts;     /* the share of the searches that post what answered                      */
    bool mixed;
};

/* What a person looks at. */
struct clicks_page {
    size_t places, docs;   /* places that are examined at most; documents of the list           */
    const uint32_t *order; /* order[places]: the number of the document at each place; for bait */
    uint64_t query;        /* of clicks_query; for bait                                         */
    double search;         /* uniform on [0, 1): whose search it is                             */
};

/* The name of person i, NULL after the last; and the top grades of the scales, in rising order, for
 * each of which every person has probabilities, ended by NULL. */
const char *clicks_name(size_t i);
extern const char *const clicks_tops[CLICKS_TOPS + 1];

/* The person of a text for grades 0 to clicks_tops[top]: a name, and what it takes, as
 * feedback-mask(1) says: position:eta:noise, bait:share:low, answered:share, sparse:share:person.
 * 0, or a usage fault. */
int clicks_parse(struct clicks_person *person, const char *text, size_t top, struct fault *fault);

/* P(click) at place a, from 0, which a person other than mixed examines or, by position, may
 * examine; by.click of the document's grade is the attraction. */
double clicks_chance(const struct clicks_person *person, size_t a, double attraction);

/* The number of a query, which draws its bait. qid NULL: none. */
uint64_t clicks_query(uint64_t seed, const char *qid);

/* 0 if each of label[n] is a grade of the person's scale, else a data fault that names the first
 * label that is not. */
int clicks_check(const struct clicks_person *person, size_t n, const float *label,
                 struct fault *fault);

/* The person examines the page from the top; label[a], which is checked, is the grade of the
 * document at place a, from 0. click[a] is 1 for a click, or what it is worth, else 0, also below
 * the place where the person stopped. label and click may be the same array. The draws for place a
 * are number 2a and 2a + 1 of the rng, from 0, whatever happened above. */
void clicks_draw(const struct clicks_person *person, const struct clicks_page *page,
                 const float *label, struct rng *rng, float *click);

#endif
