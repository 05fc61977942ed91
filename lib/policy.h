/* policy: who is shown where, and with what probability (Chaudhuri & Tewari 2016, equation 1, with
 * every document's case and not the greedy one's alone). */
#ifndef RANKPIPE_POLICY_H
#define RANKPIPE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a user said about the first places of one round. With probability gamma its order was
 * drawn uniformly, else it was the greedy one. The arrays are the caller's. */
struct shown {
    size_t docs;   /* m                                                       */
    size_t places; /* k: relevances seen, at most docs                        */
    double gamma;  /* exploration rate; of no account where places == docs    */
    const uint32_t *doc;     /* doc[places]: who stood there                  */
    const double *relevance; /* relevance[places]: R of that document         */
    const bool *greedy;      /* greedy[places]: would it have been among the first `places` of the
                              * greedy order?                                 */
};

/* pi_j of the document at place a: the probability that it is among the first k. */
double policy_one(const struct shown *shown, size_t a);

/* pi_ij of the documents at places a and b: that both are. */
double policy_two(const struct shown *shown, size_t a, size_t b);

#endif
