#include "explore/feedback.h"

#include <float.h>
#include <inttypes.h>

#include "math/order.h"

static int missing(struct fault *fault)
{
    return fault_data(fault, "needs seen or label: put feedback-mask before update");
}

int feedback_masked(const struct round *round, struct fault *fault)
{
    if (!round->order || !round->label || round->seen)
        return 0;
    return fault_data(fault, "the round has an order and all labels: put feedback-mask before "
                      "update, or learn from all labels with -X");
}

static int check_enough(const struct round *round, const char *name, size_t least,
                        struct fault *fault)
{
    size_t k = round->places, m = round->docs;
    if (k == m)
        return 0;
    if (least == SIZE_MAX)
        return fault_data(fault, "seen has %zu of %zu relevances, and %s needs all: use "
                          "feedback-mask -k all", k, m, name);
    if (k < least)
        return fault_data(fault, "seen has %zu relevance%s, and %s needs %zu: use feedback-mask -k "
                          "%zu", k, k == 1 ? "" : "s", name, least, least);
    return 0;
}

int feedback_documents(struct feedback *feedback, const struct round *round, const char *name,
                       size_t least, struct buffer *buffer, struct fault *fault)
{
    size_t m = round->docs, n = 0;
    double *by_doc,
        *relevance = buffer_for(buffer, m, 2 * sizeof(double) + sizeof(uint32_t), fault);
    if (!relevance) return -1;
    if (!round->seen && !round->label)
        return missing(fault);
    if (round->seen && check_enough(round, name, least, fault) < 0) return -1;
    by_doc = relevance + m;
    uint32_t *doc = (uint32_t *)(by_doc + m);
    for (size_t i = 0; i < m; i++)
        by_doc[i] = round->seen ? -1 : (double)round->label[i];
    for (size_t a = 0; round->seen && a < round->places; a++)
        by_doc[round->order[a]] = round->seen[a];
    for (size_t i = 0; i < m; i++) {
        if (by_doc[i] >= 0) {
            doc[n] = (uint32_t)i;
            relevance[n++] = by_doc[i];
        }
    }
    *feedback = (struct feedback){ n, doc, relevance };
    return 0;
}

/* After explore -p swap: feedback must be on exactly the places that swap= names. */
static int check_swap(const struct round *round, const char *name, size_t least,
                      struct fault *fault)
{
    size_t k = round->places, m = round->docs;
    uint64_t swap = round->swap;
    if (k != swap)
        return fault_data(fault, "seen covers %zu of %zu places, but swap=%" PRIu64 " needs the "
                          "first %" PRIu64 ": use feedback-mask -k %" PRIu64, k, m, swap, swap,
                          swap);
    if (swap == 1 && round->gamma >= 1)
        return fault_data(fault, "with swap=1 and gamma=1, the document with the highest score is "
                          "never shown: use explore -p swap with -g below 1");
    if (least > 1 && (m > swap + 1 || (swap == 2 && round->gamma >= 1)))
        return fault_data(fault, "%s learns from pairs, but with swap=%" PRIu64 " two documents %s "
                          "the first %" PRIu64 " of the greedy order are never seen together: use "
                          "explore -p top -k %" PRIu64, name, swap, m > swap + 1 ? "below" : "of",
                          swap, swap);
    return 0;
}

/* After explore -p slot: the place must be among those with feedback. Of the documents from the
 * last of these on, two are never seen together. */
static int check_slot(const struct round *round, const char *name, size_t least,
                      struct fault *fault)
{
    if (round->places < round->slot)
        return fault_data(fault, "seen covers %zu of %zu places, but only place %" PRIu64 " was "
                          "open to chance (slot=%" PRIu64 "): use feedback-mask -k %" PRIu64 " or "
                          "more", round->places, round->docs, round->slot, round->slot,
                          round->slot);
    if (least > 1)
        return fault_data(fault, "%s learns from pairs, but with slot=%" PRIu64 " two documents "
                          "from place %zu on are never seen together: use explore -p top -k %zu",
                          name, round->slot, round->places, round->places);
    return 0;
}

/* Are the propensities known, and above 0? */
static int check_propensities(const struct round *round, const char *name, size_t least,
                        struct fault *fault)
{
    size_t k = round->places, m = round->docs;
    if (round->propensity) {
        if (least <= 1)
            return 0;
        return fault_data(fault, "the log has propensities of single documents, and %s learns from "
                          "several together: use a learner from single labels, such as squared",
                          name);
    }
    if (k == m)
        return 0;
    if (round->subset)
        return least <= 1 ? 0 : fault_data(fault, "%s learns from pairs, but with subset=%" PRIu64
                                           " two documents may never be seen together: use "
                                           "explore -p top -k %zu", name, round->subset, k);
    if (round->in_block)
        return fault_data(fault, "explore -p blocks drew the order (block=), for ftpl: to learn "
                          "from %zu of %zu relevances, %s needs explore -g", k, m, name);
    if (round->team)
        return fault_data(fault, "explore -p team-draft or probabilistic drew the order (team), "
                          "for dbgd: to learn from %zu of %zu relevances, %s needs explore -g", k,
                          m, name);
    if (round->logit && k > LUCE_PLACES)
        return fault_data(fault, "seen covers %zu of %zu places, but explore -p plackett-luce "
                          "gives propensities for at most %d: use feedback-mask -k %d", k, m,
                          LUCE_PLACES, LUCE_PLACES);
    if (round->logit)
        return 0;
    if (!round->explored)
        return fault_data(fault, "%s needs gamma to learn from partial feedback (%zu of %zu "
                          "relevances): add -g to explore%s before the users answer; for logs of "
                          "other systems see rankpipe-logs(7)", name, k, m,
                          round->base ? ", which excludes -B," : "");

    /* Could every document have been seen, given gamma=, top=, swap= and slot=? */
    if (round->gamma <= 0)
        return fault_data(fault, "with gamma=0, nothing is learnt about documents that are never "
                          "shown: use explore -g above 0, or feedback-mask -k all");
    if (round->top && round->places > round->top)
        return fault_data(fault, "seen covers %zu places, but explore explored only the first %"
                          PRIu64 " (top=%" PRIu64 "): use explore -k %zu", round->places,
                          round->top, round->top, round->places);
    return round->swap   ? check_swap(round, name, least, fault)
           : round->slot ? check_slot(round, name, least, fault) : 0;
}

/* Propensities must be normal doubles, so that their reciprocals are finite. */
static int expose_luce(const struct round *round, struct exposure *exposure, size_t least,
                       double *weight, struct fault *fault)
{
    exposure->draw = DRAW_LUCE;
    propensity_luce(round->docs, round->logit, exposure->places, exposure->doc, weight,
                &exposure->luce);
    for (size_t a = 0; a < exposure->places; a++)
        if (!(exposure->luce.one[a] >= DBL_MIN))
            return fault_data(fault, "document %" PRIu32 " with logit %g has propensity %g, too "
                              "small to learn from: use explore with a larger -H", exposure->doc[a],
                              round->logit[exposure->doc[a]], exposure->luce.one[a]);
    if (least > 1 && !(exposure->luce.two >= DBL_MIN))
        return fault_data(fault, "documents %" PRIu32 " and %" PRIu32 " have joint propensity %g, "
                          "too small to learn from: use explore with a larger -H",
                          exposure->doc[0], exposure->doc[1], exposure->luce.two);
    return 0;
}

int feedback_subset(struct exposure *exposure, const struct round *round, struct buffer *buffer,
                    struct fault *fault)
{
    size_t m = round->docs, n = (size_t)round->subset, k = round->places < n ? round->places : n;
    double *R = buffer_for(buffer, m, 3 * sizeof *R, fault);
    if (!R) return -1;
    double *pi = R + m, *q = pi + m;
    uint32_t *by_score = (uint32_t *)R;
    order_by_score(m, round->score, by_score, by_score + m);
    propensity_subset(m, round->score, by_score, n, q);
    for (size_t a = 0; a < k; a++) {
        R[a] = round->seen[a];
        pi[a] = q[round->order[a]] * (double)k / (double)n;
    }
    *exposure = (struct exposure){ .docs = m, .places = k, .doc = round->order, .relevance = R,
                                   .draw = DRAW_LOGGED, .logged = pi };
    return 0;
}

int feedback_exposure(struct exposure *exposure, const struct round *round, const char *name,
                      size_t least, struct buffer *buffer, struct fault *fault)
{
    size_t m = round->docs, each = 2 * sizeof(double) + sizeof(uint32_t) + sizeof(bool) + 1;
    double *R = buffer_for(buffer, m, each, fault);
    if (!R) return -1;
    double *weight = R + m;
    uint32_t *doc = (uint32_t *)(weight + m);
    bool *greedy = (bool *)(doc + m);
    *exposure = (struct exposure){ .docs = m, .gamma = round->gamma, .doc = doc, .relevance = R,
                                   .greedy = greedy,
                                   .logged = round->propensity,
                                   .draw = round->propensity ? DRAW_LOGGED
                                           : round->swap ? DRAW_SWAP
                                           : round->slot ? DRAW_SLOT : DRAW_UNIFORM };
    if (round->seen && (check_enough(round, name, least, fault) < 0 ||
                        check_propensities(round, name, least, fault) < 0))
        return -1;
    if (round->seen && round->subset && round->places < m)
        return feedback_subset(exposure, round, buffer, fault);
    if (round->seen) {
        /* The places seen. Would the greedy order have shown each document there? */
        unsigned char *mark = (unsigned char *)(greedy + m);
        const uint32_t *by_score = round->greedy ? round->greedy : round->order;
        size_t k = exposure->places = round->places;
        exposure->slot = (size_t)round->slot;
        exposure->last = k > 0 ? by_score[k - 1] : 0;
        for (size_t a = 0; a < k; a++)
            mark[round->order[a]] = 0;
        for (size_t a = 0; a < k; a++)
            mark[by_score[a]] = 1;
        for (size_t a = 0; a < k; a++) {
            doc[a] = round->order[a];
            R[a] = round->seen[a];
            greedy[a] = mark[doc[a]];
        }
    } else if (round->label) {
        /* Labels that were never masked: feedback on all documents. */
        exposure->places = round->docs;
        for (size_t a = 0; a < round->docs; a++) {
            doc[a] = (uint32_t)a;
            R[a] = round->label[a];
            greedy[a] = true;
        }
    } else {
        return missing(fault);
    }
    if (round->seen && round->logit && exposure->places < m)
        return expose_luce(round, exposure, least, weight, fault);
    return 0;
}

int feedback_clicks(const struct round *round, const char *name, size_t least, struct fault *fault)
{
    size_t k = round->places;
    if (!round->seen)
        return fault_data(fault, "%s learns from clicks, and needs the column seen: put "
                          "feedback-mask -c before update", name);
    for (size_t a = 0; a < k; a++)
        if (round->seen[a] != 0 && round->seen[a] != 1)
            return fault_data(fault, "seen %zu is %g, but %s learns from clicks, which are 1 or 0: "
                              "use feedback-mask -c, or give log2bin -g their values", a,
                              (double)round->seen[a], name);
    if (k < least && k < round->docs)
        return fault_data(fault, "seen has %zu place%s, but %s needs clicks on at least %zu: use "
                          "feedback-mask -c with a larger -k (default 10)", k, k == 1 ? "" : "s",
                          name, least);
    return 0;
}
