#include "memory/memory_clicks.h"

#include <math.h>

#include "math/real.h"

/* Clicks, and expected ones, that each place has before the first; bounds of theta, of what a
 * document is expected to be worth, and of the probability of a click. */
static const double before = 5, theta_least = 0.02, theta_most = 1.5;
static const double mean_least = 0.001, prior_least = 0.02, p_least = 1e-6, p_most = 0.999;

static const double ln_2 = 0.69314718055994531, sqrt_2 = 1.4142135623730951;

/* a_i */
static double strength(size_t i)
{
    return (double)((size_t)2 << i / 2) * (i % 2 ? sqrt_2 : 1);
}

double memory_clicks_rho(const struct memory_clicks *clicks)
{
    size_t best = 0;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < MEMORY_STRENGTHS; i++) {
        double l = (double)i * (ln_2 / 2), value = clicks->number[MEMORY_LIKELY + i] - l * l / 2;
        best = value > most ? i : best;
        most = value > most ? value : most;
    }
    return 1 / strength(best);
}

static size_t shared_place(size_t place)
{
    return place < MEMORY_PLACES ? place : MEMORY_PLACES - 1;
}

/* R_k */
static double ratio(const struct memory_clicks *clicks, size_t k)
{
    return (clicks->number[MEMORY_CLICKED + k] + before) /
           (clicks->number[MEMORY_EXPECTED + k] + before);
}

double memory_clicks_theta(const struct memory_clicks *clicks, size_t place)
{
    double theta = ratio(clicks, shared_place(place)) / ratio(clicks, 0);
    return theta < theta_least ? theta_least : theta > theta_most ? theta_most : theta;
}

double memory_clicks_prior(double expected)
{
    return expected < prior_least ? prior_least * real_exp(expected - prior_least) : expected;
}

void memory_clicks_count(struct memory_clicks *clicks, double rho, double expected,
                         const struct memory_entry *entry, size_t place, double theta, bool click)
{
    size_t k = shared_place(place);
    double m0 = memory_clicks_prior(expected), n = entry->n, sum = entry->sum;
    double mean = (m0 + rho * sum) / (1 + rho * n);
    clicks->number[MEMORY_CLICKED + k] += click;
    clicks->number[MEMORY_EXPECTED + k] += mean < mean_least ? mean_least : mean;
    for (size_t i = 0; n > 0 && i < MEMORY_STRENGTHS; i++) {
        double a = strength(i), p = theta * ((a * m0 + sum) / (a + n));
        p = p > p_most ? p_most : p < p_least ? p_least : p;
        clicks->number[MEMORY_LIKELY + i] += real_log(click ? p : 1 - p);
    }
}

int memory_clicks_save(const struct memory_clicks *clicks, struct model *model,
                       struct fault *fault)
{
    return clicks->known ? model_put(model, MEMORY_CLICKS_COLUMN, MEMORY_CLICKS, clicks->number,
                                     fault) : 0;
}

int memory_clicks_load(struct memory_clicks *clicks, const struct model *model,
                       struct fault *fault)
{
    bool known = record_column(&model->record, MEMORY_CLICKS_COLUMN) != NULL;
    *clicks = (struct memory_clicks){ .known = known };
    if (known && model_array(model, MEMORY_CLICKS_COLUMN, MEMORY_CLICKS, clicks->number, fault) < 0)
        return -1;
    for (size_t i = 0; i < MEMORY_CLICKS; i++)
        if (i < MEMORY_CLICKED ? clicks->number[i] > 0 : clicks->number[i] < 0)
            return fault_data(fault, "model: %s %zu is %g, %s 0", MEMORY_CLICKS_COLUMN, i,
                              clicks->number[i], i < MEMORY_CLICKED ? "above" : "below");
    return 0;
}

void memory_clicks_add(struct memory_clicks *clicks, const struct memory_clicks *share)
{
    clicks->known = clicks->known || share->known;
    for (size_t i = 0; i < MEMORY_CLICKS; i++)
        clicks->number[i] += share->number[i];
}
