#include "explore/clicks.h"

#include <stdbool.h>

const char *const clicks_names[] = { "perfect", "navigational", "informational", "cascade", NULL };
const char *const clicks_tops[CLICKS_TOPS + 1] = { "1", "2", "4", NULL };

/* In the order of the names, then of the tops. */
static const struct clicks_person people[][CLICKS_TOPS] = {
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

const struct clicks_person *clicks_person(size_t name, size_t top)
{
    return &people[name][top];
}

int clicks_check(const struct clicks_person *person, size_t n, const float *label,
                 struct fault *fault)
{
    for (size_t i = 0; i < n; i++) {
        if (label[i] > (float)person->top)
            return fault_data(fault, "label %g of document %zu is above %u, the top grade of the "
                              "click model: use a larger -L, up to %d", (double)label[i], i,
                              person->top, CLICKS_TOP);
        if (label[i] != (float)(unsigned)label[i])
            return fault_data(fault, "label %g of document %zu is not a whole grade from 0 to %u, "
                              "which the click model needs", (double)label[i], i, person->top);
    }
    return 0;
}

void clicks_draw(const struct clicks_person *person, size_t places, const float *label,
                 struct rng *rng, float *click)
{
    bool looks = true;
    for (size_t a = 0; a < places; a++) {
        unsigned grade = (unsigned)label[a];
        double to_click = rng_unit(rng), to_stop = rng_unit(rng);
        bool clicks = looks && to_click < person->click[grade];
        click[a] = clicks ? 1 : 0;
        looks = looks && !(clicks && to_stop < person->stop[grade]);
    }
}
