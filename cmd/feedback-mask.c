/* feedback-mask: labels become what a user says of, or clicks on, the first k documents shown. */
#include <float.h>
#include <string.h>

#include "explore/click_models.h"
#include "math/rng.h"
#include "run/filter.h"

/* -n: relevance rises by so many standard deviations, so that hardly any falls below 0. */
static const double rise = 5;

struct mask {
    struct host *host;
    uint64_t places, seed;
    double noise;                       /* standard deviation; 0: none                */
    size_t top;                         /* of -L, as an index */
    const char *clicks;                 /* of -c; NULL: the user tells relevance */
    struct clicks_person person;        /* who clicks */
};

static const char *top_word(size_t i)
{
    return clicks_tops[i];
}

static const struct option options_known[] = {
    { 'L', "grade", top_word, "with -c: top grade of the labels (default 4)",
      OPTION_WORD(mask, top) },
    { 'c', "person", clicks_name, "give clicks by this click model; position:eta:noise, "
                                  "bait:share:low, answered:share and sparse:share:person take "
                                  "numbers (default: give relevance)", OPTION_TEXT(mask, clicks) },
    { 'k', "places", NULL, "positions that get feedback, 1 or more, or all (default 1; with -c "
                           "10)", OPTION_PLACES(mask, places, ROUND_DOCS) },
    { 'n', "noise", NULL, "add Gaussian noise of this standard deviation, above 0 (default: "
                          "none)", OPTION_POSITIVE(mask, noise) },
    { 's', "seed", NULL, "seed of the clicks or of the noise, a whole number, 0 or more (default "
                         "1)", OPTION_WHOLE(mask, seed, 0, RECORD_MOST) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct mask *my = self;
    const bool *given = options->given;
    struct fault *fault = options->fault;
    my->host = host;
    my->seed = 1;
    my->top = CLICKS_TOPS - 1;
    int letter = options_read(options);
    if (letter < 0)
        return letter;
    if (given['L'] && !given['c'])
        return fault_usage(fault, "-L needs -c: the click model uses the top grade");
    if (given['c'] && given['n'])
        return fault_usage(fault, "-n and -c exclude each other: -n adds noise to relevance, -c "
                           "gives clicks");
    if (!given['k'])
        my->places = given['c'] ? CLICKS_PAGE : 1;
    if (given['c'] && clicks_parse(&my->person, my->clicks, my->top, fault) < 0) return -1;
    return options_no_operands(options);
}

static enum outcome each(void *self, struct round *round)
{
    struct mask *my = self;
    struct fault *fault = my->host->fault;
    if (!round->label)
        return fault_data(fault, "needs the column label, which is missing, or was removed by "
                          "another feedback-mask");
    if (!round->order)
        return fault_data(fault, "needs order: put explore before feedback-mask");
    if (my->clicks && clicks_check(&my->person, round->docs, round->label, fault) < 0) return FAIL;
    size_t places = my->places < round->docs ? (size_t)my->places : round->docs;
    float *seen = round_new_seen(round, places, fault);
    if (!seen) return FAIL;
    for (size_t a = 0; a < places; a++)
        seen[a] = round->label[round->order[a]];
    if (my->clicks) {
        if (round_set(round, KEY_CLICKS, 1, fault) < 0) return FAIL;
        struct rng rng = rng_at(my->seed, RNG_CLICKS, round->t);
        struct rng searches = rng_at(my->seed, RNG_SEARCHES, round->t);
        const struct clicks_page page = { places, round->docs, round->order,
                                          clicks_query(my->seed, round->qid),
                                          rng_unit(&searches) };
        clicks_draw(&my->person, &page, seen, &rng, seen);
    }
    if (my->noise > 0) {
        /* Noise depends on seed, t and place alone. */
        struct normals normals = { .rng = rng_at(my->seed, RNG_NOISE, round->t) };
        for (size_t a = 0; a < places; a++) {
            double noisy = seen[a] + my->noise * (rise + normal_draw(&normals));
            if (noisy > FLT_MAX)
                return fault_data(fault, "relevance %g becomes too large with the noise: use a "
                                  "smaller -n", seen[a]);
            seen[a] = noisy > 0 ? (float)noisy : 0;
        }
    }
    round_drop_labels(round);
    return PASS;
}

const struct filter feedback_mask = {
    .name = "feedback-mask",
    .usage = "[-L grade] [-c person | -n noise] [-k places] [-s seed]",
    .line = "hides labels except those of the first documents shown",
    .options = options_known,
    .size = sizeof(struct mask),
    .no_features = true,
    .kind = FILTER,
    .parse = parse,
    .each = each,
};
