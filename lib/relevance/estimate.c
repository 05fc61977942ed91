#include "relevance/estimate.h"

#include <math.h>
#include <string.h>

#include "math/real.h"
#include "text/print.h"

enum { TIMES = 40, ROUNDS_OF_FIXED = 2000 };
enum { ENOUGH_CLICKS = 30 }; /* for a standard error that means something */
static const double LEAST_RATIO = 1e-3; /* its log */

/* C_1 and all clicks. */
static void count(const struct evidence *evidence, double *top, double *all)
{
    *top = *all = 0;
    for (size_t c = 0; c < evidence->first[evidence->pairs]; c++) {
        *all += evidence->cell[c].clicks;
        if (evidence->cell[c].position == 0)
            *top += evidence->cell[c].clicks;
    }
}

static int check_clicks(const struct estimate *estimate, const struct evidence *evidence,
                        struct fault *fault)
{
    double top, all;
    count(evidence, &top, &all);
    if (all == 0)
        return fault_other(fault, "no clicks: nothing can be judged by this log");
    if (top == 0 && estimate->by != BY_TABLE)
        return fault_other(fault, "no clicks at position 1, to which examination is compared: give "
                           "the examination of each position (-t)");
    return 0;
}

/* The relevances for a theta that is known. 0 or a fault. */
static int judge(struct estimate *estimate, const struct evidence *evidence, const double *theta,
                 struct watch *watch, struct fault *fault)
{
    struct joint *judged = &estimate->judged;
    if (joint_open(judged, evidence, fault) < 0) return -1;
    memcpy(judged->theta, theta, evidence->positions * sizeof *theta);
    if (joint_fit(judged, evidence, NULL, true, false, JOINT_PASSES, watch, fault) < 0) return -1;
    estimate->theta = judged->theta;
    estimate->relevance = judged->mean;
    return 0;
}

/* By fixed, every position must be known. 0 or a fault. */
static int check_fixed(const struct estimate *estimate, const struct evidence *evidence,
                       struct fault *fault)
{
    for (size_t k = 0; k < evidence->positions; k++)
        if (isnan(estimate->fixed.theta[k]))
            return fault_other(fault, "position %zu shares no document with position 1, directly "
                               "or through others, on which there was a click: use -a joint",
                               k + 1);
    return 0;
}

static int make_both(struct estimate *estimate, const struct evidence *evidence,
                     struct watch *watch, struct fault *fault)
{
    struct joint *joint = &estimate->joint;
    if (joint_open(joint, evidence, fault) < 0 ||
        joint_fit(joint, evidence, NULL, false, false, JOINT_PASSES, watch, fault) < 0 ||
        fixed_open(&estimate->fixed, evidence, fault) < 0)
        return -1;
    fixed_fit(&estimate->fixed, evidence, NULL, ROUNDS_OF_FIXED);
    return resampled_errors(&estimate->resampled, evidence, joint, &estimate->fixed, TIMES,
                            estimate->seed, watch, fault);
}

int estimate_make(struct estimate *estimate, const struct evidence *evidence, struct watch *watch,
                  struct fault *fault)
{
    if (check_clicks(estimate, evidence, fault) < 0) return -1;
    if (estimate->by != BY_TABLE)
        estimate->compares = true;
    if (estimate->compares && make_both(estimate, evidence, watch, fault) < 0) return -1;
    if (estimate->by == BY_TABLE)
        return judge(estimate, evidence, estimate->given, watch, fault);
    if (estimate->by == BY_FIXED) {
        estimate->error = estimate->resampled.error[RESAMPLED_FIXED];
        return check_fixed(estimate, evidence, fault) < 0
                   ? -1 : judge(estimate, evidence, estimate->fixed.theta, watch, fault);
    }
    estimate->theta = estimate->joint.theta;
    estimate->relevance = estimate->joint.mean;
    estimate->error = estimate->resampled.error[RESAMPLED_JOINT];
    return 0;
}

size_t estimate_apart(const struct estimate *estimate, const struct evidence *evidence)
{
    for (size_t k = 0; estimate->compares && k < evidence->positions; k++)
        if (estimate->fixed.part[k] != 0)
            return k;
    return SIZE_MAX;
}

double estimate_errors_apart(const struct estimate *estimate, size_t k)
{
    double ratio = estimate->compares ? real_log(estimate->joint.theta[k]) -
                                            real_log(estimate->fixed.theta[k]) : 0;
    bool known = estimate->compares && estimate->fixed.clicks[k] >= ENOUGH_CLICKS &&
                 estimate->fixed.clicks[0] >= ENOUGH_CLICKS;
    return known && fabs(ratio) > LEAST_RATIO && isfinite(ratio)
               ? fabs(ratio) / estimate->resampled.error[RESAMPLED_RATIO][k] : 0;
}

/* ---- the table ---- */

static void print_estimate(struct print *print, const double *value, size_t k)
{
    print_byte(print, '\t');
    if (value && isfinite(value[k]))
        print_double(print, value[k]);
    else
        print_byte(print, '-');
}

/* A position without a click has the examination by which half a click would be expected: readers
 * of the table divide by it. */
static double positive(double theta, double n, double expected)
{
    return theta > 0 || !(n > 0) || !(expected > 0) ? theta : 0.5 / expected;
}

struct total {
    double n, clicks, expected; /* expected: sum of n_jk relevance_j */
};

static void add_up(const struct estimate *estimate, const struct evidence *evidence,
                   struct total *total)
{
    memset(total, 0, evidence->positions * sizeof *total);
    for (size_t j = 0; j < evidence->pairs; j++)
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            const struct evidence_cell *cell = &evidence->cell[c];
            total[cell->position].n += cell->n;
            total[cell->position].clicks += cell->clicks;
            total[cell->position].expected += cell->n * estimate->relevance[j];
        }
}

int estimate_print(const struct estimate *estimate, const struct evidence *evidence,
                   struct writer *out, struct fault *fault)
{
    struct print print;
    struct buffer memory = { 0 };
    struct total *total = buffer_for(&memory, evidence->positions, sizeof *total, fault);
    bool both = estimate->compares;
    if (!total) return -1;
    add_up(estimate, evidence, total);
    print_start(&print, out, fault);
    print_word(&print, "position\texamination\terror\tjoint\tjoint-error\tfixed\tfixed-error"
                       "\timpressions\tclicks\tpairs\n");
    for (size_t k = 0; k < evidence->positions && print.failed == 0; k++) {
        double theta = positive(estimate->theta[k], total[k].n, total[k].expected);
        print_whole(&print, k + 1);
        print_estimate(&print, &theta, 0);
        print_estimate(&print, estimate->error, k);
        print_estimate(&print, both ? estimate->joint.theta : NULL, k);
        print_estimate(&print, both ? estimate->resampled.error[RESAMPLED_JOINT] : NULL, k);
        print_estimate(&print, both ? estimate->fixed.theta : NULL, k);
        print_estimate(&print, both ? estimate->resampled.error[RESAMPLED_FIXED] : NULL, k);
        print_byte(&print, '\t');
        print_double(&print, total[k].n);
        print_byte(&print, '\t');
        print_double(&print, total[k].clicks);
        print_byte(&print, '\t');
        if (both)
            print_whole(&print, estimate->fixed.shared[k]);
        else
            print_byte(&print, '-');
        print_byte(&print, '\n');
    }
    buffer_free(&memory);
    return print_end(&print);
}

void estimate_close(struct estimate *estimate)
{
    joint_close(&estimate->joint);
    joint_close(&estimate->judged);
    fixed_close(&estimate->fixed);
    resampled_close(&estimate->resampled);
}
