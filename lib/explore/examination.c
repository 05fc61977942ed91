#include "explore/examination.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text.h"
#include "explore/placement.h"
#include "explore/propensity.h"
#include "io/lines.h"

static bool is_theta(double theta)
{
    return theta >= EXAMINATION_LEAST && theta <= 1 / EXAMINATION_LEAST;
}

/* Adds a number. 0 or a fault (memory). */
static int add(struct examination *my, double theta, struct fault *fault)
{
    size_t room = 16;
    while (room <= my->places)
        room *= 2;
    my->theta = buffer_for(&my->buffer, room, sizeof *my->theta, fault);
    if (!my->theta) return -1;
    my->theta[my->places++] = theta;
    return 0;
}

/* The number that is the word at p, and where the next word begins; NULL: it is none. */
static const char *read_word(const char *p, double *number)
{
    char word[64];
    size_t n = text_word_bytes(p);
    if (n == 0 || n >= sizeof word)
        return NULL;
    memcpy(word, p, n);
    word[n] = '\0';
    return decimal_double(word, number) ? text_skip_word(p) : NULL;
}

static int read_line(struct examination *my, struct lines *lines, struct fault *fault)
{
    const char *p = text_skip_blanks(lines->text), *after;
    size_t n = strlen(p);
    double position, theta;
    if (!*p || *p == '#' || (my->places == 0 && !strchr("0123456789+-.", *p)))
        return 0;
    after = read_word(p, &position);
    if (!after || position != (double)(my->places + 1))
        return lines_wrong(lines, p, n, fault, "not the line of position %zu: a table has one for "
                           "each position, from 1 on: the position and its examination",
                           my->places + 1);
    if (!read_word(after, &theta) || !is_theta(theta))
        return lines_wrong(lines, p, n, fault, "the examination of position %zu must be a number "
                           "from %g to %g", my->places + 1, EXAMINATION_LEAST,
                           1 / EXAMINATION_LEAST);
    if (my->places == EXAMINATION_PLACES)
        return lines_wrong(lines, p, n, fault, "more than %d positions", EXAMINATION_PLACES);
    return add(my, theta, fault);
}

int examination_read(struct examination *my, const char *path, struct watch *watch,
                     struct fault *fault)
{
    char *const files[] = { (char *)path, NULL };
    struct lines lines;
    int got;
    my->places = 0;
    if (strcmp(path, "-") == 0)
        return fault_usage(fault, "the table of examination must be a file, as standard input has "
                           "the rounds");
    lines_open(&lines, files, watch);
    while ((got = lines_next(&lines, fault)) > 0)
        if (read_line(my, &lines, fault) < 0)
            break;
    lines_close(&lines);
    if (got == 0 && my->places == 0)
        return fault_data(fault, "%s: no position: a table has a line for each, from 1 on: the "
                          "position and its examination", path);
    return got == 0 ? 0 : -1;
}

double *examination_new(struct examination *my, size_t places, struct fault *fault)
{
    my->theta = buffer_for(&my->buffer, places, sizeof *my->theta, fault);
    my->places = my->theta ? places : 0;
    return my->theta;
}

int examination_check(const struct examination *my, struct fault *fault)
{
    for (size_t k = 0; k < my->places; k++)
        if (!is_theta(my->theta[k]))
            return fault_data(fault, "the examination of position %zu is %g, not a number from %g "
                              "to %g", k + 1, my->theta[k], EXAMINATION_LEAST,
                              1 / EXAMINATION_LEAST);
    return 0;
}

int examination_covers(const struct examination *my, size_t places, struct fault *fault)
{
    if (places <= my->places)
        return 0;
    return fault_data(fault, "seen covers %zu places, and the table of examination has %zu: add "
                      "lines to the table, or show fewer documents", places, my->places);
}

void examination_close(struct examination *my)
{
    buffer_free(&my->buffer);
}

/* ---- expected examination ---- */

/* place[docs]: the positions of the greedy order, from 0. */
static int find_by_gamma(const struct round *round, const double *theta, struct buffer *room,
                         double *pi, struct fault *fault)
{
    const uint32_t *greedy = round->greedy ? round->greedy : round->order;
    size_t m = round->docs, K = round->places;
    double (*explored)(const struct placement *p, size_t g) =
        round->swap ? placement_swap : round->slot ? placement_slot : placement_top;
    uint64_t T = round->swap ? round->swap : round->slot ? round->slot : round->top;
    struct placement p = { .docs = m, .places = K, .weight = theta, .T = T < m ? (size_t)T : m };
    size_t few = explored == placement_top && p.T < K ? p.T + 1 : 1;
    p.chance = buffer_for(room, few * sizeof(double) + m * sizeof(uint32_t), 1, fault);
    if (!p.chance) return -1;
    uint32_t *place = (uint32_t *)(p.chance + few);
    placement_start(&p);
    for (size_t g = 0; g < m; g++)
        place[greedy[g]] = (uint32_t)g;
    for (size_t a = 0; a < K; a++) {
        size_t g = place[round->order[a]];
        pi[a] = (1 - round->gamma) * (g < K ? theta[g] : 0) + round->gamma * explored(&p, g);
    }
    return 0;
}

/* Plackett-Luce, of which the first two places are known. */
static int find_by_logit(const struct round *round, const double *theta, struct buffer *room,
                         double *pi, struct fault *fault)
{
    struct luce one, two = { { 0 }, 0 };
    size_t m = round->docs, K = round->places;
    double *weight = buffer_for(room, m, sizeof *weight, fault);
    if (!weight) return -1;
    if (K > LUCE_PLACES)
        return fault_data(fault, "seen covers %zu places, but after explore -p plackett-luce "
                          "examination is known for at most %d: use feedback-mask -k %d, or "
                          "explore -g", K, LUCE_PLACES, LUCE_PLACES);
    if (K == LUCE_PLACES)
        propensity_luce(m, round->logit, 2, round->order, weight, &two);
    for (size_t a = 0; a < K; a++) {
        propensity_luce(m, round->logit, 1, &round->order[a], weight, &one);
        pi[a] = one.one[0] * theta[0];
        if (K == LUCE_PLACES && two.one[a] > one.one[0])
            pi[a] += (two.one[a] - one.one[0]) * theta[1];
    }
    return 0;
}

static int check(const struct round *round, const char *name, struct fault *fault)
{
    if (round->in_block || round->team || round->subset)
        return fault_data(fault, "explore -p %s drew the order, and %s does not know with what "
                          "probabilities: use explore -g", round->subset ? "subset" :
                          round->team ? "team-draft or probabilistic" : "blocks", name);
    if (round->swap) {
        size_t K = round->places, m = round->docs;
        uint64_t T = round->swap;
        if (T >= m || (K >= T && !(T == 1 && K == 1 && round->gamma >= 1)))
            return 0;
        return fault_data(fault, "with swap=%" PRIu64 " and gamma=%g, documents of the greedy "
                          "order are never seen at the first %zu places: use feedback-mask -k %"
                          PRIu64 " or more, and explore -g below 1", T, round->gamma, K, T);
    }
    if (round->slot) {
        if (round->slot >= round->docs || round->places >= round->slot)
            return 0;
        return fault_data(fault, "with slot=%" PRIu64 ", documents of the greedy order are never "
                          "seen at the first %zu places: use feedback-mask -k %" PRIu64 " or more",
                          round->slot, round->places, round->slot);
    }
    if (round->explored || round->logit || round->propensity)
        return 0;
    return fault_data(fault, "%s needs to know how the order was drawn (gamma=, logit or "
                      "propensity%s): a log of clicks alone estimates no other ranking; "
                      "rankpipe-logs(7) says how to give it propensities", name,
                      round->base ? "; explore -B writes none of them" : "");
}

int expected_examination(const struct round *round, const struct examination *examination,
                         const char *name, struct buffer *room, double *pi, enum support *support,
                         struct fault *fault)
{
    const double *theta = examination->theta;
    size_t K = round->places;
    if (examination_covers(examination, K, fault) < 0 || check(round, name, fault) < 0) return -1;
    if (round->propensity) {
        memcpy(pi, round->propensity, K * sizeof *pi);
        *support = SUPPORT_UNKNOWN;
        return 0;
    }
    uint64_t open = round->swap ? round->swap : round->slot; /* 0: every document may come up */
    bool chance = round->logit || (round->gamma > 0 && open < round->docs);
    *support = chance ? SUPPORT_ALL : SUPPORT_SHOWN;
    if ((round->logit ? find_by_logit(round, theta, room, pi, fault)
                      : find_by_gamma(round, theta, room, pi, fault)) < 0)
        return -1;
    for (size_t a = 0; a < round->places; a++) /* reciprocals must be finite */
        if (!(pi[a] >= DBL_MIN))
            return fault_data(fault, "document %" PRIu32 " at position %zu has expected "
                              "examination %g: it was shown where it could not be",
                              round->order[a], a + 1, pi[a]);
    return 0;
}
