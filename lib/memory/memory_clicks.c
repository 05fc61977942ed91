#include "memory/memory_clicks.h"

#include <math.h>

#include "math/real.h"

/* Clicks, and expected ones, that each place has before the first; bounds of theta, of what a
 * document is expected to be worth, and of the probability of a click. */
static const double before = 5, theta_least = 0.02, theta_most = 1.5;
static const double mean_least = 0.001, prior_least = 0.02, p_least = 1e-3, p_most = 0.95;

/* Rounds of as many places that a rate of new queries has before the first; the usual mean before
 * the first; how much better a document is by its mean, in logarithms, and by how much at most. */
static const double new_before = 100, usual_first = 0.1, better_slope = 1.25, better_most = 1;

/* kappa before the first click; users go on above kappa_most; the share of the fall of clicks that
 * is due to examination; the lead from which on clicks foretell clicks, that of an older model, and
 * the greatest. */
static const double kappa_first = 0.5, kappa_most = 0.8, fall_share = 0.7;
static const double lead_needed = 8, lead_before = 20, lead_most = 100;

static const double ln_2 = 0.69314718055994531, sqrt_2 = 1.4142135623730951;

/* a_i */
static double strength(size_t i)
{
    return (double)((size_t)2 << i / 2) * (i % 2 ? sqrt_2 : 1);
}

/* The i of the greatest L_i - prior ln(a_i / 2)^2 / 2, the least of equals. */
static size_t likeliest(const struct memory_clicks *clicks, double prior)
{
    size_t best = 0;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < MEMORY_STRENGTHS; i++) {
        double l = (double)i * (ln_2 / 2);
        double value = clicks->number[MEMORY_LIKELY + i] - prior * (l * l / 2);
        best = value > most ? i : best;
        most = value > most ? value : most;
    }
    return best;
}

double memory_clicks_rho(const struct memory_clicks *clicks)
{
    return 1 / strength(likeliest(clicks, 1));
}

static double lead_at(const struct memory_clicks *clicks, size_t i)
{
    return clicks->number[MEMORY_LIKELY + i] - clicks->number[MEMORY_BY_PLACE] +
           clicks->number[MEMORY_BY_LIST];
}

double memory_clicks_lead(const struct memory_clicks *clicks)
{
    return lead_at(clicks, likeliest(clicks, 0));
}

bool memory_clicks_foretell(const struct memory_clicks *clicks)
{
    return memory_clicks_lead(clicks) >= lead_needed;
}

/* kappa, of users who at first go on so often after a click. */
static double kappa_from(const struct memory_clicks *clicks, double first)
{
    double R = first * before, S = before;
    for (size_t k = 0; k < MEMORY_PLACES; k++) {
        const double *number = clicks->number + k;
        double A = number[MEMORY_MEANS_LATER], B = number[MEMORY_MEANS_FIRST];
        if (!(A > 0) || !(B > 0))
            continue;
        R += number[MEMORY_LATER] * (B / (A + B));
        S += number[MEMORY_FIRST] * (A / (A + B));
    }
    return R / S;
}

double memory_clicks_kappa(const struct memory_clicks *clicks)
{
    return kappa_from(clicks, kappa_first);
}

/* Do users go on, as far as is learnt from their clicks? */
static bool go_on(const struct memory_clicks *clicks)
{
    return memory_clicks_kappa(clicks) > kappa_most;
}

static size_t shared_place(size_t place)
{
    return place < MEMORY_PLACES ? place : MEMORY_PLACES - 1;
}

/* F_k + D_k */
static double clicks_at(const struct memory_clicks *clicks, size_t k)
{
    return clicks->number[MEMORY_FIRST + k] + clicks->number[MEMORY_LATER + k];
}

/* p_0 */
static double place_rate(const struct memory_clicks *clicks, size_t k)
{
    return (clicks_at(clicks, k) + 0.5) / (clicks->number[MEMORY_COUNTING + k] + 1);
}

/* R_k */
static double ratio(const struct memory_clicks *clicks, size_t k)
{
    return (clicks->number[MEMORY_CLICKED + k] + before) /
           (clicks->number[MEMORY_EXPECTED + k] + before);
}

/* NaN becomes the least. */
static double within(double least, double x, double most)
{
    return x > least ? x < most ? x : most : least;
}

/* Sets theta[PLACES]. */
static void find_theta(const struct memory_clicks *clicks, double *theta)
{
    bool go = go_on(clicks);
    const double *shown = clicks->number + MEMORY_SHOWN;
    double first = (clicks_at(clicks, 0) + 1) / (shown[0] + 2), rate = first;
    for (size_t k = 0; k < MEMORY_PLACES; k++) {
        double above = rate * (double)k / (double)(k + 1); /* as if by 1 / k, at first */
        rate = k > 0 ? (clicks_at(clicks, k) + before * above) / (shown[k] + before) : rate;
        theta[k] = within(theta_least, go ? real_exp(fall_share * real_log(rate / first))
                                          : ratio(clicks, k) / ratio(clicks, 0), theta_most);
    }
}

double memory_clicks_theta(const struct memory_clicks *clicks, size_t place)
{
    double theta[MEMORY_PLACES];
    find_theta(clicks, theta);
    return theta[shared_place(place)];
}

double memory_clicks_prior(double expected)
{
    return expected < prior_least ? prior_least * real_exp(expected - prior_least) : expected;
}

/* ---- a round ---- */

/* The chances of what users did at the places so far, multiplied: by each strength, and q. */
struct chances {
    size_t places;
    double by[MEMORY_STRENGTHS + 1];
};

/* Adds them to L and G, and starts anew. */
static void end_chances(struct memory_clicks *clicks, struct chances *chances)
{
    for (size_t i = 0; chances->places > 0 && i < MEMORY_STRENGTHS; i++)
        clicks->number[MEMORY_LIKELY + i] += real_log(chances->by[i]);
    if (chances->places > 0)
        clicks->number[MEMORY_BY_PLACE] += real_log(chances->by[MEMORY_STRENGTHS]);
    chances->places = 0;
    for (size_t i = 0; i <= MEMORY_STRENGTHS; i++)
        chances->by[i] = 1;
}

static double chance(double p, bool click)
{
    p = within(p_least, p, p_most);
    return click ? p : 1 - p;
}

/* `best` is the i of the greatest L_i. */
static void foretell(struct memory_clicks *clicks, const struct memory_place *at, size_t k,
                     size_t best, struct chances *chances)
{
    double c = clicks_at(clicks, k) + 0.5, p_best = 1;
    double scale = c / (clicks->number[MEMORY_FORETOLD + k] + 0.5) * at->theta;
    for (size_t i = 0; i < MEMORY_STRENGTHS; i++) {
        double a = strength(i), mean = (a * at->prior + at->sum) / (a + at->n);
        double p = chance(scale * mean, at->click);
        chances->by[i] *= p;
        p_best = i == best ? p : p_best;
    }
    double p_0 = chance(place_rate(clicks, k), at->click);
    chances->by[MEMORY_STRENGTHS] *= 2 * p_0 * p_best / (p_0 + p_best);
    if (++chances->places == 64) /* the product is 1e-192 or more */
        end_chances(clicks, chances);
}

/* u_k */
static double usual(const struct memory_clicks *clicks, size_t k)
{
    const double *number = clicks->number + k;
    return (number[MEMORY_MEANS_FIRST] + number[MEMORY_MEANS_LATER] +
            before * usual_first) / (number[MEMORY_SHOWN] + before);
}

/* x_j */
static double better(const struct memory_clicks *clicks, const struct memory_place *at, size_t k)
{
    double by = better_slope * (at->mean - usual(clicks, k)) / usual(clicks, 0);
    return real_exp(within(-better_most, by, better_most));
}

/* Q, of a new query; before the round is counted. */
static void foretell_new(struct memory_clicks *clicks, const struct memory_place *at,
                         size_t places, size_t counts)
{
    size_t m = shared_place(places - 1) + 1;
    double *clicked = clicks->number + MEMORY_NEW_CLICKED + m * (m - 1) / 2;
    double *counting = clicks->number + MEMORY_NEW_COUNTING + m * (m - 1) / 2;
    double rate[MEMORY_PLACES], all = 0, rates = 0;
    for (size_t k = 0; k < m; k++)
        rate[k] = (clicked[k] + new_before * place_rate(clicks, k)) / (counting[k] + new_before);
    for (size_t a = 0; a < counts; a++) {
        size_t k = shared_place(a);
        all += rate[k] * better(clicks, &at[a], k);
        rates += rate[k];
    }
    for (size_t a = 0; a < counts; a++) {
        size_t k = shared_place(a);
        if (at[a].click)
            clicks->number[MEMORY_BY_LIST] +=
                real_log(better(clicks, &at[a], k) * (rates / all));
        clicked[k] += at[a].click;
        counting[k] += 1;
    }
}

/* A place, which counts, is down to the last click, and has a click above, or not. */
static void count_place(struct memory_clicks *clicks, const struct memory_place *at, size_t k,
                        bool counts, bool reached, bool after)
{
    double *number = clicks->number;
    if (counts) {
        number[MEMORY_COUNTING + k] += 1;
        number[MEMORY_FORETOLD + k] += at->theta * at->mean;
    }
    if (reached) {
        number[MEMORY_CLICKED + k] += at->click;
        number[MEMORY_EXPECTED + k] += at->mean;
    }
    number[MEMORY_SHOWN + k] += 1;
    number[(after ? MEMORY_LATER : MEMORY_FIRST) + k] += at->click;
    number[(after ? MEMORY_MEANS_LATER : MEMORY_MEANS_FIRST) + k] += at->mean;
}

static size_t last_click(const struct memory_place *at, size_t places)
{
    size_t last = places;
    while (last > 0 && !at[last - 1].click)
        last--;
    return last > 0 ? last : places;
}

/* Sets theta, m0 and mean of each place. Has no document of the round answers? */
static bool expect(const struct memory_clicks *clicks, double rho, struct memory_place *at,
                   size_t places)
{
    double theta[MEMORY_PLACES];
    bool unknown = true;
    find_theta(clicks, theta);
    for (size_t a = 0; a < places; a++) {
        at[a].theta = theta[shared_place(a)];
        at[a].prior = memory_clicks_prior(at[a].expected);
        at[a].mean = (at[a].prior + rho * at[a].sum) / (1 + rho * at[a].n);
        at[a].mean = at[a].mean < mean_least ? mean_least : at[a].mean;
        unknown = unknown && at[a].n == 0;
    }
    return unknown;
}

size_t memory_clicks_counting(const struct memory_clicks *clicks, const struct memory_place *at,
                              size_t places)
{
    return go_on(clicks) ? places : last_click(at, places);
}

double memory_clicks_count(struct memory_clicks *clicks, double rho, struct memory_place *at,
                           size_t places, size_t counts)
{
    bool after = false, unknown = expect(clicks, rho, at, places);
    size_t best = likeliest(clicks, 0), last = last_click(at, places);
    double lead = lead_at(clicks, best);
    counts = kappa_from(clicks, 1) > kappa_most ? places : counts; /* of the gate */
    struct chances chances = { 0 };
    end_chances(clicks, &chances);
    if (unknown && places > 0)
        foretell_new(clicks, at, places, counts);
    for (size_t a = 0; a < places; a++) {
        size_t k = shared_place(a);
        if (a < counts && at[a].n > 0)
            foretell(clicks, &at[a], k, best, &chances);
        count_place(clicks, &at[a], k, a < counts, a < last, after);
        after = after || at[a].click;
    }
    end_chances(clicks, &chances);
    return lead_at(clicks, best) - lead;
}

void memory_clicks_limit(struct memory_clicks *clicks, double excess)
{
    clicks->number[MEMORY_BY_PLACE] += excess;
    double lead = memory_clicks_lead(clicks);
    clicks->number[MEMORY_BY_PLACE] += lead > lead_most ? lead - lead_most : 0;
}

/* ---- models ---- */

int memory_clicks_save(const struct memory_clicks *clicks, struct model *model,
                       struct fault *fault)
{
    return clicks->known ? model_put(model, MEMORY_CLICKS_COLUMN, MEMORY_CLICKS, clicks->number,
                                     fault) : 0;
}

/* L are sums of logarithms, G and Q any numbers, and the others counts. */
static int check(const struct memory_clicks *clicks, struct fault *fault)
{
    for (size_t i = 0; i < MEMORY_CLICKS; i++) {
        bool falls = i < MEMORY_CLICKED, any = i == MEMORY_BY_PLACE || i == MEMORY_BY_LIST;
        if (!any && (falls ? clicks->number[i] > 0 : clicks->number[i] < 0))
            return fault_data(fault, "model: %s %zu is %g, %s 0", MEMORY_CLICKS_COLUMN, i,
                              clicks->number[i], falls ? "above" : "below");
    }
    return 0;
}

int memory_clicks_load(struct memory_clicks *clicks, const struct model *model,
                       struct fault *fault)
{
    const struct column *column = record_column(&model->record, MEMORY_CLICKS_COLUMN);
    bool older = column && column->count == MEMORY_CLICKS_OLDER;
    *clicks = (struct memory_clicks){ .known = column != NULL };
    if (column && model_array(model, MEMORY_CLICKS_COLUMN,
                              older ? MEMORY_CLICKS_OLDER : MEMORY_CLICKS, clicks->number,
                              fault) < 0)
        return -1;
    if (older)
        clicks->number[MEMORY_BY_PLACE] = memory_clicks_lead(clicks) - lead_before;
    return check(clicks, fault);
}

void memory_clicks_add(struct memory_clicks *clicks, const struct memory_clicks *share)
{
    double day = clicks->number[MEMORY_DAY], other = share->number[MEMORY_DAY];
    clicks->known = clicks->known || share->known;
    for (size_t i = 0; i < MEMORY_CLICKS; i++)
        clicks->number[i] += share->number[i];
    clicks->number[MEMORY_DAY] = day > other ? day : other;
    memory_clicks_limit(clicks, 0);
}
