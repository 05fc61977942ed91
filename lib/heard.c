#include "heard.h"

static int missing(struct fault *fault)
{
    return fault_data(fault, "needs seen or label: put feedback-mask before update");
}

static int check_enough(const struct round *round, const char *name, size_t least,
                        struct fault *fault)
{
    size_t k = round->places, m = round->docs;
    if (k == m)
        return 0;
    if (least == SIZE_MAX)
        return fault_data(fault, "seen has %zu relevance%s of %zu, %s needs them all: "
                          "feedback-mask -k all", k, k == 1 ? "" : "s", m, name);
    if (k < least)
        return fault_data(fault, "seen has %zu relevance%s, %s needs %zu: feedback-mask -k %zu",
                          k, k == 1 ? "" : "s", name, least, least);
    return 0;
}

int heard_documents(struct heard *heard, const struct round *round, const char *name, size_t least,
                    struct space *space, struct fault *fault)
{
    size_t m = round->docs, n = 0;
    double *by_doc, *relevance = space_for(space, m, 2 * sizeof(double) + sizeof(uint32_t), fault);
    if (!relevance)
        return -1;
    if (!round->seen && !round->label)
        return missing(fault);
    if (round->seen && check_enough(round, name, least, fault) < 0)
        return -1;
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
    *heard = (struct heard){ n, doc, relevance };
    return 0;
}

static int check_likely(const struct round *round, const char *name, struct fault *fault)
{
    size_t k = round->places, m = round->docs;
    if (k == m)
        return 0;
    if (round->in_block)
        return fault_data(fault, "block=: it was shown by explore -p blocks, for ftpl; %s learns "
                          "from %zu of %zu relevances behind explore -g", name, k, m);
    if (!round->explored)
        return fault_data(fault, "no gamma=: what %s learns from %zu of %zu relevances depends on "
                          "how likely they were seen: explore -g, before feedback-mask, says it",
                          name, k, m);
    if (round->gamma <= 0)
        return fault_data(fault, "gamma=0: what is never shown is never learnt; use explore -g "
                          "with more than 0, or feedback-mask -k all");
    return 0;
}

static void hear_all(const struct round *round, struct shown *shown, uint32_t *doc, double *R,
                     bool *greedy)
{
    shown->places = round->docs;
    for (size_t a = 0; a < round->docs; a++) {
        doc[a] = (uint32_t)a;
        R[a] = round->label[a];
        greedy[a] = true;
    }
}

/* The places seen; who of them would have been there by score alone is marked by document. */
static void hear_some(const struct round *round, struct shown *shown, uint32_t *doc, double *R,
                      bool *greedy, unsigned char *mark)
{
    const uint32_t *by_score = round->greedy ? round->greedy : round->order;
    size_t k = shown->places = round->places;
    for (size_t a = 0; a < k; a++)
        mark[round->order[a]] = 0;
    for (size_t a = 0; a < k; a++)
        mark[by_score[a]] = 1;
    for (size_t a = 0; a < k; a++) {
        doc[a] = round->order[a];
        R[a] = round->seen[a];
        greedy[a] = mark[doc[a]];
    }
}

int heard_places(struct shown *shown, const struct round *round, const char *name, size_t least,
                 struct space *space, struct fault *fault)
{
    size_t m = round->docs, each = sizeof(double) + sizeof(uint32_t) + sizeof(bool) + 1;
    double *R = space_for(space, m, each, fault);
    if (!R)
        return -1;
    uint32_t *doc = (uint32_t *)(R + m);
    bool *greedy = (bool *)(doc + m);
    *shown = (struct shown){ m, 0, round->gamma, doc, R, greedy };
    if (round->seen && (check_enough(round, name, least, fault) < 0 ||
                        check_likely(round, name, fault) < 0))
        return -1;
    if (round->seen)
        hear_some(round, shown, doc, R, greedy, (unsigned char *)(greedy + m));
    else if (round->label)
        hear_all(round, shown, doc, R, greedy);
    else
        return missing(fault);
    return 0;
}
