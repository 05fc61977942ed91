#include "explore/click_models.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/decimal.h"
#include "explore/propensity.h"

enum { PEOPLE = 4, POSITION = PEOPLE, TRUST }; /* indices of names */

const char *const clicks_names[] = { "perfect", "navigational", "informational", "cascade",
                                     "position", "trust", NULL };
const char *const clicks_tops[CLICKS_TOPS + 1] = { "1", "2", "4", NULL };

static const double usual_eta = 1, usual_noise = 0.1;
static const double trusted = 0.98, misled = 0.65; /* P(click | examined, relevant or not) */

/* In the order of the names, then of the tops. */
static const struct clicks_grades people[PEOPLE][CLICKS_TOPS] = {
    {
        { 1, { 0, 1 }, { 0, 0 } },
        { 2, { 0, 0.5, 1 }, { 0, 0, 0 } },
        { 4, { 0, 0.2, 0.4, 0.8, 1 }, { 0, 0, 0, 0, 0 } },
    }, {
        { 1, { 0.05, 0.95 }, { 0.2, 0.9 } },
        { 2, { 0.05, 0.5, 0.95 }, { 0.2, 0.5, 0.9 } },
        { 4, { 0.05, 0.3, 0.5, 0.7, 0.95 }, { 0.2, 0.3, 0.5, 0.7, 0.9 } },
    }, {
        { 1, { 0.4, 0.9 }, { 0.1, 0.5 } },
        { 2, { 0.4, 0.7, 0.9 }, { 0.1, 0.3, 0.5 } },
        { 4, { 0.4, 0.6, 0.7, 0.8, 0.9 }, { 0.1, 0.2, 0.3, 0.4, 0.5 } },
    }, {
        { 1, { 0, 1 }, { 1, 1 } },
        { 2, { 0, 0.5, 1 }, { 1, 1, 1 } },
        { 4, { 0, 0.2, 0.4, 0.8, 1 }, { 1, 1, 1, 1, 1 } },
    },
};

/* The index of the name of n bytes, or PEOPLE + 2 with a usage fault. */
static size_t find_name(const char *text, size_t n, struct fault *fault)
{
    char word[NAMES_ROOM] = "", quoted[FAULT_QUOTE];
    struct names names = { 0 };
    size_t i = 0;
    if (n < sizeof word)
        memcpy(word, text, n);
    for (; clicks_names[i] && strcmp(word, clicks_names[i]) != 0; i++)
        names_offer(&names, word, clicks_names[i]);
    if (!clicks_names[i])
        (void)fault_usage(fault, "-c has no %s: %s", fault_quote(quoted, text, n),
                          names_advice(&names));
    return i;
}

/* The numbers :eta:noise, as many as there are. */
static int parse_numbers(const char *text, double *eta, double *noise, struct fault *fault)
{
    char number[NAMES_ROOM], quoted[FAULT_QUOTE];
    double *const to[] = { eta, noise };
    const char *rest = text;
    bool fits = true;
    for (size_t i = 0; fits && *rest; i++) {
        size_t n = strcspn(++rest, ":");
        snprintf(number, sizeof number, "%.*s", n < sizeof number ? (int)n : 0, rest);
        fits = i < sizeof to / sizeof *to && decimal_double(number, to[i]);
        rest += n;
    }
    if (fits && *eta >= 0 && *noise >= 0 && *noise <= 1)
        return 0;
    return fault_usage(fault, "-c position takes :eta:noise, eta 0 or more and noise from 0 to 1, "
                       "as in position:1:0.1, not %s", fault_quote(quoted, text, strlen(text)));
}

/* Attractiveness by grade. */
static void set_attraction(struct clicks_person *person, double noise)
{
    for (unsigned r = 0; r <= person->by.top; r++)
        person->by.click[r] = noise + (1 - noise) * ((double)(1u << r) - 1) /
                                       ((double)(1u << person->by.top) - 1);
}

int clicks_parse(struct clicks_person *person, const char *text, size_t top, struct fault *fault)
{
    size_t n = strcspn(text, ":"), name = find_name(text, n, fault);
    double noise = usual_noise;
    if (!clicks_names[name]) return -1;
    if (name != POSITION && text[n])
        return fault_usage(fault, "-c %s takes no numbers: only position does",
                           clicks_names[name]);
    if (name < PEOPLE) {
        *person = (struct clicks_person){ .by = people[name][top] };
        return 0;
    }
    *person = (struct clicks_person){ .by.top = people[0][top].top, .eta = usual_eta };
    person->bias = name == TRUST ? CLICKS_BY_TRUST : CLICKS_BY_POSITION;
    if (parse_numbers(text + n, &person->eta, &noise, fault) < 0) return -1;
    set_attraction(person, noise);
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

double clicks_chance(const struct clicks_person *person, size_t a, unsigned grade)
{
    double k = (double)a + 1, attraction = person->by.click[grade];
    if (person->bias == CLICKS_AS_EXAMINED)
        return attraction;
    if (person->bias == CLICKS_BY_TRUST)
        return (trusted * attraction + misled / k * (1 - attraction)) / k;
    return propensity_fall(a + 1, person->eta) * attraction;
}

void clicks_draw(const struct clicks_person *person, size_t places, const float *label,
                 struct rng *rng, float *click)
{
    bool looks = true;
    for (size_t a = 0; a < places; a++) {
        unsigned grade = (unsigned)label[a];
        double to_click = rng_unit(rng), to_stop = rng_unit(rng);
        bool clicks = looks && to_click < clicks_chance(person, a, grade);
        click[a] = clicks ? 1 : 0;
        looks = looks && !(clicks && to_stop < person->by.stop[grade]);
    }
}
