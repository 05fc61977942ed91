#include "relevance/estimate.h"

#include <math.h>
#include <string.h>

#include "relevance/within.h"
#include "text/print.h"

static const double STOPS = 0.6, READS = 0.9; /* of kappa */
static const double ALONE = 0.9 * WITHIN_PRIOR_ERROR;

static int check_clicks(const struct estimate *estimate, const struct evidence *evidence,
                        struct fault *fault)
{
    double top = 0, all = 0;
    bool missed = false; /* was something not clicked on? */
    for (size_t c = 0; c < evidence->first[evidence->pairs]; c++) {
        const struct impressions_counts *counts = &evidence->cell[c].counts;
        all += counts->clicks;
        missed = missed || counts->clicks < counts->n;
        if (evidence->cell[c].position == 0)
            top += counts->clicks;
    }
    if (all == 0)
        return fault_other(fault, "no clicks: nothing can be judged by this log");
    if (!missed)
        return fault_other(fault, "all documents shown were clicked on: a log of clicks alone, "
                           "which lacks what users passed over: log2bin -r adds it from the old "
                           "ranker's run (rankpipe-logs(7))");
    if (top == 0 && !estimate->given)
        return fault_other(fault, "no clicks at position 1, to which examination is compared: give "
                           "the examination of each position (-t)");
    return 0;
}

/* ---- which users ---- */

/* In doubt: both are fitted to a part of the queries, and compared on those left out. *stop:
 * which. 0 or a fault. */
static int compare(struct estimate *my, const struct evidence *evidence, bool *stop,
                   struct watch *watch, struct fault *fault)
{
    const struct held_out *held_out = &my->held_out;
    struct users other = { 0 };
    *stop = true;
    my->reason = BY_FEW;
    if (!held_out_tells(held_out))
        return 0;
    int result = users_fit(&my->part, true, evidence, held_out->others, my->given, NULL, watch,
                           fault);
    if (result == 0)
        result = users_fit(&other, false, evidence, held_out->others, my->given, NULL, watch,
                           fault);
    if (result == 0) {
        my->reason = BY_HELD_OUT;
        my->reading = held_out_likelihood(held_out, &other, &my->part);
        *stop = held_out_sign(held_out, &my->reading) <= 0;
    }
    struct users left = *stop ? other : my->part;
    if (!*stop)
        my->part = other;
    users_close(&left);
    return result;
}

/* ---- can it be believed? ---- */

bool estimate_is_alone(const struct estimate *estimate, size_t k)
{
    return !estimate->given && estimate->users.error[k] > ALONE;
}

int estimate_make(struct estimate *my, const struct evidence *evidence, struct watch *watch,
                  struct fault *fault)
{
    const struct stopping *stopping = &my->stopping;
    if (check_clicks(my, evidence, fault) < 0) return -1;
    stopping_measure(evidence, NULL, &my->stopping);
    if (held_out_open(&my->held_out, evidence, fault) < 0) return -1;

    const bool clickless = stopping->clickless > 0;
    bool stop = !clickless || stopping->kappa < STOPS;
    my->reason = clickless ? BY_KAPPA : BY_REQUESTS;
    if (my->reason == BY_KAPPA && !stop && !(stopping->kappa > READS) &&
        compare(my, evidence, &stop, watch, fault) < 0)
        return -1;

    bool checks = evidence->dim > 0 && held_out_tells(&my->held_out);
    if (checks && !my->part.theta && users_fit(&my->part, stop, evidence, my->held_out.others,
                                               my->given, NULL, watch, fault) < 0)
        return -1;
    if (users_fit(&my->users, stop, evidence, NULL, my->given, my->part.theta ? &my->part : NULL,
                  watch, fault) < 0)
        return -1;
    if (!checks)
        return 0;
    if (held_out_gain(&my->held_out, &my->part, &my->gain, fault) < 0) return -1;
    my->foretells = held_out_sign(&my->held_out, &my->gain);
    my->checked = true;
    return 0;
}

/* ---- the table ---- */

static void print_known(struct print *print, bool known, double value)
{
    print_byte(print, '\t');
    if (known && isfinite(value))
        print_double(print, value);
    else
        print_byte(print, '-');
}

struct total { /* of a position */
    struct impressions_counts counts;
    uint64_t pairs; /* that were shown there and elsewhere */
};

static void add_up(const struct evidence *evidence, struct total *total)
{
    memset(total, 0, evidence->positions * sizeof *total);
    for (size_t j = 0; j < evidence->pairs; j++) {
        size_t from = evidence->first[j], to = evidence->first[j + 1];
        for (size_t c = from; c < to; c++) {
            const struct impressions_counts *counts = &evidence->cell[c].counts;
            struct total *of = &total[evidence->cell[c].position];
            of->counts.n += counts->n;
            of->counts.clicks += counts->clicks;
            of->counts.after += counts->after;
            of->counts.after_clicks += counts->after_clicks;
            of->pairs += to - from > 1;
        }
    }
}

int estimate_print(const struct estimate *estimate, const struct evidence *evidence,
                   struct writer *out, struct fault *fault)
{
    struct print print;
    struct buffer memory = { 0 };
    const struct users *users = &estimate->users;
    struct total *total = buffer_for(&memory, evidence->positions, sizeof *total, fault);
    bool made = !estimate->given;
    if (!total) return -1;
    add_up(evidence, total);
    print_start(&print, out, fault);
    print_word(&print, "position\texamination\terror\tfirst\timpressions\tclicks\tpairs\tafter"
                       "\tafter-clicks\n");
    for (size_t k = 0; k < evidence->positions && print.failed == 0; k++) {
        const struct impressions_counts *counts = &total[k].counts;
        print_whole(&print, k + 1);
        print_known(&print, true, users->theta[k]);
        print_known(&print, made && counts->clicks > 0, users->theta[k] * users->error[k]);
        print_known(&print, made, users->first[k]);
        print_known(&print, true, counts->n);
        print_known(&print, true, counts->clicks);
        print_byte(&print, '\t');
        print_whole(&print, total[k].pairs);
        print_known(&print, true, counts->after);
        print_known(&print, true, counts->after_clicks);
        print_byte(&print, '\n');
    }
    buffer_free(&memory);
    return print_end(&print);
}

void estimate_close(struct estimate *estimate)
{
    users_close(&estimate->part);
    users_close(&estimate->users);
    held_out_close(&estimate->held_out);
}
