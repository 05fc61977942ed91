#include "explore/click_models.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/names.h"
#include "base/siphash.h"
#include "explore/propensity.h"

const char *const clicks_tops[CLICKS_TOPS + 1] = { "1", "2", "4", NULL };

static const double usual_noise = 0.1, attractive_bait = 0.9;
static const double trusted = 0.98, misled = 0.65; /* P(click | examined, relevant or not) */

/* By scale, in the order of the tops. */
static const struct clicks_grades perfect[CLICKS_TOPS] = {
    { 1, { 0, 1 }, { 0 } },
    { 2, { 0, 0.5, 1 }, { 0 } },
    { 4, { 0, 0.2, 0.4, 0.8, 1 }, { 0 } },
}, navigational[CLICKS_TOPS] = {
    { 1, { 0.05, 0.95 }, { 0.2, 0.9 } },
    { 2, { 0.05, 0.5, 0.95 }, { 0.2, 0.5, 0.9 } },
    { 4, { 0.05, 0.3, 0.5, 0.7, 0.95 }, { 0.2, 0.3, 0.5, 0.7, 0.9 } },
}, informational[CLICKS_TOPS] = {
    { 1, { 0.4, 0.9 }, { 0.1, 0.5 } },
    { 2, { 0.4, 0.7, 0.9 }, { 0.1, 0.3, 0.5 } },
    { 4, { 0.4, 0.6, 0.7, 0.8, 0.9 }, { 0.1, 0.2, 0.3, 0.4, 0.5 } },
}, answered[CLICKS_TOPS] = {
    { 1, { 0.05, 0.3 }, { 0.2, 0.5 } },
    { 2, { 0.05, 0.5, 0.15 }, { 0.2, 0.5, 0.5 } },
    { 4, { 0.05, 0.3, 0.5, 0.3, 0.15 }, { 0.2, 0.3, 0.5, 0.5, 0.5 } },
};

/* A user without probabilities by grade clicks with `flat`, whatever the grade; where that is 0,
 * with A. P(stop | click) is stop[0] + stop[1] r / L above that of the grade. The name takes at
 * least and at most so many numbers; what they are by default, and the words for them. */
enum user {
    PERFECT, NAVIGATIONAL, INFORMATIONAL, CASCADE, POSITION, TRUST, PLACE, NOISE, LEAVE, BAIT,
    ANSWERED, MIXED, SPARSE, NAMED, AT_THE_TOP, ANYWHERE
};
static const struct {
    const char *name;
    const struct clicks_grades *by;
    double flat, stop[2], leave;
    enum clicks_bias bias;
    size_t least, most;
    double number[2];
    const char *numbers;
} users[] = {
    [PERFECT] = { .name = "perfect", .by = perfect },
    [NAVIGATIONAL] = { .name = "navigational", .by = navigational },
    [INFORMATIONAL] = { .name = "informational", .by = informational },
    [CASCADE] = { .name = "cascade", .by = perfect, .stop = { 1 } },
    [POSITION] = { .name = "position", .bias = CLICKS_BY_POSITION, .most = 2, .number = { 1, 0.1 },
        .numbers = ":eta:noise, eta 0 or more and noise from 0 to 1, as in position:1:0.1" },
    [TRUST] = { .name = "trust", .bias = CLICKS_BY_TRUST },
    [PLACE] = { .name = "place", .flat = 1, .bias = CLICKS_BY_POSITION },
    [NOISE] = { .name = "noise", .flat = 0.3, .bias = CLICKS_BY_POSITION },
    [LEAVE] = { .name = "leave", .leave = 0.2,
        .stop = { 0.36, 0.48 } }, /* at a click, or then: 1 - (1 - .2 - .6 r / L) (1 - .2) */
    [BAIT] = { .name = "bait", .bias = CLICKS_BY_POSITION, .least = 1, .most = 2,
        .number = { 0, 1 },
        .numbers = ":share or :share:low, each from 0 to 1, as in bait:0.2:0.2" },
    [ANSWERED] = { .name = "answered", .by = answered, .most = 1,
        .numbers = ":share, from 0 to 1, as in answered:0.5" },
    [MIXED] = { .name = "mixed", .by = perfect },
    [SPARSE] = { .name = "sparse", .least = 1, .most = 1,
        .numbers = ":share:person, share from 0 to 1, as in sparse:0.1:navigational" },
    [AT_THE_TOP] = { .flat = 0.5, .stop = { 1 }, .leave = 1 },
    [ANYWHERE] = { .flat = 1, .stop = { 1 }, .bias = CLICKS_ANYWHERE },
};

static const struct {
    double below; /* of a number that is uniform on [0, 1) */
    enum user user;
} mix[] = {
    { 0.4, NAVIGATIONAL }, { 0.6, INFORMATIONAL }, { 0.8, POSITION }, { 0.9, AT_THE_TOP },
    { 1, ANYWHERE },
};

const char *clicks_name(size_t i)
{
    return users[i].name;
}

/* The numbers that follow the name of user i, as many as there are. Returns what follows them, or
 * NULL with a usage fault. */
static const char *parse_numbers(size_t i, const char *text, double *number, struct fault *fault)
{
    char word[NAMES_ROOM], quoted[FAULT_QUOTE];
    const char *rest = text;
    size_t got = 0;
    bool fits = true;
    for (; fits && got < users[i].most && *rest; got++) {
        size_t n = strcspn(++rest, ":");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, rest);
        fits = decimal_double(word, &number[got]) && number[got] >= 0 &&
               (number[got] <= 1 || (i == POSITION && got == 0));
        rest += n;
    }
    if (fits && got >= users[i].least && *rest == (i == SPARSE ? ':' : '\0'))
        return rest;
    (void)fault_usage(fault, "-c %s takes %s%s %s", users[i].name,
                      users[i].most ? users[i].numbers : "no numbers",
                      users[i].most ? ", not" : ": leave out",
                      fault_quote(quoted, text, strlen(text)));
    return NULL;
}

/* User i, with these numbers. */
static struct clicks_person make_person(size_t i, size_t scale, const double *number)
{
    struct clicks_person person = {
        .by = users[i].by ? users[i].by[scale] : perfect[scale], .scale = scale,
        .bias = users[i].bias, .leave = users[i].leave, .share = 1, .mixed = i == MIXED,
        .eta = i == POSITION ? number[0] : 1, .posts = i == ANSWERED ? number[0] : 0,
        .bait = i == BAIT ? number[0] : 0, .low = i == BAIT ? number[1] : 1,
    };
    double noise = i == POSITION ? number[1] : usual_noise, flat = users[i].flat;
    for (unsigned r = 0; r <= person.by.top; r++) {
        if (!users[i].by)
            person.by.click[r] = flat > 0 ? flat : noise + (1 - noise) * ((double)(1u << r) - 1) /
                                                           ((double)(1u << person.by.top) - 1);
        person.by.stop[r] += users[i].stop[0] + users[i].stop[1] * r / person.by.top;
    }
    return person;
}

int clicks_parse(struct clicks_person *person, const char *text, size_t top, struct fault *fault)
{
    double share = 1, number[2];
    const char *rest = text;
    size_t i;
    do {
        char word[NAMES_ROOM] = "", quoted[FAULT_QUOTE];
        struct names names = { 0 };
        size_t n = strcspn(rest, ":");
        if (n < sizeof word)
            memcpy(word, rest, n);
        for (i = 0; users[i].name && strcmp(word, users[i].name) != 0; i++)
            names_offer(&names, word, users[i].name);
        if (!users[i].name)
            return fault_usage(fault, "-c has no %s: %s", fault_quote(quoted, rest, n),
                               names_advice(&names));
        memcpy(number, users[i].number, sizeof number);
        rest = parse_numbers(i, rest + n, number, fault);
        if (!rest) return -1;
        if (i == SPARSE) {
            share *= number[0];
            rest++;
        }
    } while (i == SPARSE);
    *person = make_person(i, top, number);
    person->share = share;
    return 0;
}

int clicks_check(const struct clicks_person *person, size_t n, const float *label,
                 struct fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        if (label[i] > (float)person->by.top)
            return fault_data(fault, "label %g of document %zu is above %u, the top grade of the "
                              "click model: use a larger -L, up to %d", (double)label[i], i,
                              person->by.top, CLICKS_TOP);
        if (label[i] != (float)(unsigned)label[i])
            return fault_data(fault, "label %g of document %zu is not a whole grade from 0 to %u, "
                              "which the click model needs", (double)label[i], i, person->by.top);
    }
    return 0;
}

double clicks_chance(const struct clicks_person *person, size_t a, double attraction)
{
    double k = (double)a + 1;
    if (person->bias == CLICKS_BY_TRUST)
        return (trusted * attraction + misled / k * (1 - attraction)) / k;
    return (person->bias == CLICKS_BY_POSITION ? propensity_fall(a + 1, person->eta) : 1) *
           attraction;
}

uint64_t clicks_query(uint64_t seed, const char *qid)
{
    struct siphash hash = siphash_start(seed, RNG_BAIT);
    siphash_add(&hash, qid ? qid : "", qid ? strlen(qid) : 0);
    return siphash_end(&hash);
}

static bool is_bait(const struct clicks_person *person, const struct clicks_page *page, size_t a)
{
    struct rng rng;
    if (person->bait <= 0)
        return false;
    rng = rng_at(page->query, RNG_BAIT, page->order[a]);
    return rng_unit(&rng) < person->bait;
}

/* The one of the mixed whose search it is, by u, which is uniform on [0, 1). */
static struct clicks_person mixed_person(const struct clicks_person *person, double u)
{
    size_t i = 0;
    while (mix[i].below < 1 && u >= mix[i].below)
        i++;
    return make_person(mix[i].user, person->scale, users[mix[i].user].number);
}

void clicks_draw(const struct clicks_person *person, const struct clicks_page *page,
                 const float *label, struct rng *rng, float *click)
{
    double u = page->search / person->share;
    const struct clicks_person user = person->mixed ? mixed_person(person, u) : *person;
    size_t shown = page->docs < CLICKS_PAGE ? page->docs : CLICKS_PAGE;
    bool looks = page->search < person->share, posts = u < user.posts;
    for (size_t a = 0; a < page->places; a++) {
        unsigned grade = (unsigned)label[a];
        double to_click = rng_unit(rng), to_stop = rng_unit(rng), A = user.by.click[grade];
        bool bait = is_bait(&user, page, a);
        double p = user.bias == CLICKS_ANYWHERE ? 1 / ((double)shown - (double)a)
                                          : clicks_chance(&user, a, bait ? attractive_bait : A);
        bool clicks = looks && to_click < p;
        bool posted = posts && looks && !clicks && to_click < navigational[user.scale].click[grade];
        click[a] = posted ? 1 : !clicks ? 0 : bait && to_stop >= A ? (float)user.low : 1;
        posts = posts && !posted;
        looks = looks && to_stop >= (clicks ? user.by.stop[grade] : user.leave);
    }
}
