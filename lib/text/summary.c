#include "text/summary.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/unaligned.h"
#include "loss/dcg.h"

enum { CUTOFF = 10, LISTED = 10 };
static const double SCALE = 1000, UNUSUAL = 3; /* ratio of ranges; standard errors */

struct summary_range { /* of the values that are stored; least 0 and most 0 before the first */
    float least, most;
    uint64_t stored;
};

void summary_close(struct summary *summary)
{
    name_set_close(&summary->qids);
    buffer_free(&summary->ranges);
    buffer_free(&summary->gains);
}

/* ---- features ---- */

/* One more than the last feature that is stored. */
static size_t width_of(const struct matrix *x)
{
    size_t width = x->form == MATRIX_DENSE ? x->dim : 0;
    for (size_t e = 0; x->form == MATRIX_SPARSE && e < matrix_entries(x); e++) {
        size_t feature = unaligned_u4(x->idx + 4 * e);
        width = feature < width ? width : feature + 1;
    }
    return width;
}

static int reach(struct summary *summary, size_t width, struct fault *fault)
{
    if (width <= summary->width)
        return 0;
    if (width > SUMMARY_FEATURES)
        return fault_data(fault, "the round has %zu features, but a summary keeps the ranges of at "
                          "most %zu", width, SUMMARY_FEATURES);
    struct summary_range *range = buffer_for(&summary->ranges, width, sizeof *range, fault);
    if (!range)
        return -1;
    memset(range + summary->width, 0, (width - summary->width) * sizeof *range);
    summary->width = width;
    return 0;
}

static void add_value(struct summary *summary, size_t feature, float value)
{
    struct summary_range *range = (struct summary_range *)summary->ranges.at + feature;
    if (!isfinite(value)) {
        summary->not_finite++;
        return;
    }
    if (!range->stored || value < range->least)
        range->least = value;
    if (!range->stored || value > range->most)
        range->most = value;
    range->stored++;
}

static int add_features(struct summary *summary, const struct round *round, struct fault *fault)
{
    struct matrix x;
    if (round_matrix(round, &x, fault) < 0)
        return -1;
    if (x.form == MATRIX_UNIT)
        return 0;
    if (reach(summary, width_of(&x), fault) < 0)
        return -1;
    size_t entries = matrix_entries(&x);
    summary->entries += entries;
    summary->dim = round->dim > summary->dim ? round->dim : summary->dim;
    if (x.form == MATRIX_DENSE) {
        summary->dense++;
        for (size_t i = 0; i < x.docs; i++)
            for (size_t j = 0; j < x.dim; j++)
                add_value(summary, j, unaligned_f4(x.x + 4 * (i * x.dim + j)));
    } else {
        summary->sparse++;
        for (size_t e = 0; e < entries; e++)
            add_value(summary, unaligned_u4(x.idx + 4 * e), unaligned_f4(x.val + 4 * e));
    }
    return 0;
}

/* ---- labels ---- */

static void add_label(struct summary *summary, float label)
{
    size_t i = 0;
    while (i < summary->labels && summary->label[i].label < label)
        i++;
    if (i == summary->labels || summary->label[i].label > label) {
        if (summary->labels == SUMMARY_LABELS) {
            summary->other_labels++;
            return;
        }
        memmove(summary->label + i + 1, summary->label + i,
                (summary->labels++ - i) * sizeof *summary->label);
        summary->label[i] = (struct summary_label){ label, 0 };
    }
    summary->label[i].docs++;
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Line order against every order being equally likely. With gains g and discounts d of all m
 * places, 0 from the cutoff on, the DCG is a sum of g d over a random permutation. Its mean is
 * sum g sum d / m, and its variance sum (g - mean g)^2 sum (d - mean d)^2 / (m - 1). */
static void judge_line_order(struct summary *summary, size_t m, double *gain)
{
    size_t k = m < CUTOFF ? m : CUTOFF;
    double line = 0, ideal = 0, g = 0, d = 0, vary_g = 0, vary_d = 0;
    for (size_t i = 0; i < k; i++)
        line += gain[i] * dcg_discount(i);
    qsort(gain, m, sizeof *gain, falling);
    for (size_t i = 0; i < k; i++) {
        ideal += gain[i] * dcg_discount(i);
        d += dcg_discount(i) / (double)m;
    }
    for (size_t i = 0; i < m; i++)
        g += gain[i] / ideal / (double)m;
    for (size_t i = 0; i < m; i++) {
        double of_g = gain[i] / ideal - g, of_d = (i < k ? dcg_discount(i) : 0) - d;
        vary_g += of_g * of_g;
        vary_d += of_d * of_d;
    }
    summary->line += line / ideal;
    summary->random += g * d * (double)m;
    if (m > 1)
        summary->variance += vary_g * vary_d / (double)(m - 1);
}

/* `first`: the first round of its qid, or one without. */
static int add_labels(struct summary *summary, const struct round *round, bool first,
                      struct fault *fault)
{
    double sum = 0, *gain = buffer_for(&summary->gains, round->docs, sizeof *gain, fault);
    if (!gain)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        add_label(summary, round->label[i]);
        sum += gain[i] = dcg_gain((double)round->label[i]);
    }
    if (!isfinite(sum))
        return fault_data(fault, "a label is too large: its gain, 2^label, overflows");
    summary->irrelevant += sum <= 0;
    summary->judged += first;
    if (first && sum > 0)
        judge_line_order(summary, round->docs, gain);
    return 0;
}

int summary_round(struct summary *summary, const struct round *round, bool named,
                  struct fault *fault)
{
    enum entered qid = round->qid ? name_set_enter(&summary->qids, round->qid, fault) : ENTERED_NEW;
    if (qid == ENTERED_FAULT)
        return -1;
    if (summary->rounds++ == 0 || round->docs < summary->fewest)
        summary->fewest = round->docs;
    if (round->docs > summary->most)
        summary->most = round->docs;
    summary->docs += round->docs;
    summary->unnamed += !round->qid;
    summary->named += named;
    summary->unlabelled += !round->label;
    if (round->label && add_labels(summary, round, qid == ENTERED_NEW, fault) < 0)
        return -1;
    return add_features(summary, round, fault);
}

/* ---- printing ---- */

/* A line. After a fault, which stays in `fault`, more lines change nothing. */
#define LINE(name, ...) \
    ((void)writer_text(out, fault, "%-18s", name), (void)writer_text(out, fault, __VA_ARGS__), \
     (void)writer_text(out, fault, "\n"))

struct scales { /* over the features that are not constant */
    double least, most;
    size_t of_least, of_most, varied, constant;
    float lowest, highest; /* values of all features */
    struct names listed;   /* the first constant ones, counted from 1 */
};

/* A feature that a document does not store is 0 there. */
static struct summary_range whole_range(const struct summary *summary, size_t j)
{
    struct summary_range range = ((const struct summary_range *)summary->ranges.at)[j];
    if (range.stored < summary->docs && range.least > 0)
        range.least = 0;
    if (range.stored < summary->docs && range.most < 0)
        range.most = 0;
    return range;
}

static void find_scales(const struct summary *summary, struct scales *scales)
{
    *scales = (struct scales){ .least = DBL_MAX, .lowest = FLT_MAX, .highest = -FLT_MAX };
    for (size_t j = 0; j < summary->width; j++) {
        struct summary_range range = whole_range(summary, j);
        double scale = (double)range.most - (double)range.least;
        scales->lowest = range.least < scales->lowest ? range.least : scales->lowest;
        scales->highest = range.most > scales->highest ? range.most : scales->highest;
        if (scale <= 0 && scales->constant++ < LISTED)
            names_add(&scales->listed, "%zu", j + 1);
        scales->varied += scale > 0;
        if (scale > 0 && scale < scales->least)
            scales->least = scale, scales->of_least = j + 1;
        if (scale > scales->most)
            scales->most = scale, scales->of_most = j + 1;
    }
    if (summary->width < summary->dim) { /* features that no document stores */
        scales->lowest = scales->lowest < 0 ? scales->lowest : 0;
        scales->highest = scales->highest > 0 ? scales->highest : 0;
    }
    for (size_t j = summary->width; j < summary->dim && scales->constant++ < LISTED; j++)
        names_add(&scales->listed, "%zu", j + 1);
    scales->constant = summary->dim - scales->varied;
}

static void print_features(const struct summary *summary, struct writer *out, struct fault *fault)
{
    struct scales scales;
    if (!summary->dim) {
        LINE("features", "none");
        return;
    }
    find_scales(summary, &scales);
    LINE("features", "%zu, %s, %.3g stored in a document", summary->dim,
         !summary->sparse ? "dense" : !summary->dense ? "sparse" : "dense or sparse by round",
         (double)summary->entries / (double)summary->docs);
    LINE("feature values", "%.6g to %.6g", (double)scales.lowest, (double)scales.highest);
    LINE("constant features", "%zu%s%s%s", scales.constant, scales.constant ? ": " : "",
         scales.listed.text, scales.constant > LISTED ? " ..." : "");
    if (scales.most > 0)
        LINE("feature ranges", "%.6g (feature %zu) to %.6g (feature %zu)", scales.least,
             scales.of_least, scales.most, scales.of_most);
    if (scales.most > SCALE * scales.least)
        LINE("", "features have very different ranges: most learners need update -x scale");
    if (summary->not_finite)
        LINE("not finite", "%" PRIu64 " feature values", summary->not_finite);
}

static void print_labels(const struct summary *summary, struct writer *out, struct fault *fault)
{
    if (summary->unlabelled == summary->rounds) {
        LINE("labels", "none");
        return;
    }
    for (size_t i = 0; i < summary->labels; i++)
        LINE(i ? "" : "labels", "%.9g: %" PRIu64, (double)summary->label[i].label,
             summary->label[i].docs);
    if (summary->other_labels)
        LINE("", "others: %" PRIu64, summary->other_labels);
    if (summary->unlabelled)
        LINE("without labels", "%" PRIu64 " of %" PRIu64 " rounds", summary->unlabelled,
             summary->rounds);
    LINE("none relevant", "%" PRIu64 " of %" PRIu64 " rounds", summary->irrelevant,
         summary->rounds);
}

static void print_line_order(const struct summary *summary, struct writer *out,
                             struct fault *fault)
{
    double n = (double)summary->judged, error = sqrt(summary->variance);
    double apart = summary->line - summary->random;
    if (!summary->judged)
        return;
    LINE("line order", "NDCG@10 %.4f, random order %.4f, standard error %.2g", summary->line / n,
         summary->random / n, error / n);
    if (fabs(apart) > UNUSUAL * error)
        LINE("", "it tells relevance: %.3g standard errors %s than random order",
             fabs(apart) / error, apart > 0 ? "better" : "worse");
}

int summary_print(const struct summary *summary, struct writer *out, struct fault *fault)
{
    LINE("rounds", "%" PRIu64, summary->rounds);
    if (summary->unnamed)
        LINE("queries", "%zu; %" PRIu64 " of %" PRIu64 " rounds have no qid",
             summary->qids.table.used, summary->unnamed, summary->rounds);
    else
        LINE("queries", "%zu", summary->qids.table.used);
    if (summary->rounds > 0) {
        LINE("documents", "%" PRIu64 ", %zu to %zu a round, mean %.3g", summary->docs,
             summary->fewest, summary->most, (double)summary->docs / (double)summary->rounds);
        if (summary->named == summary->rounds || summary->named == 0)
            LINE("document names", "%s", summary->named ? "yes" : "none");
        else
            LINE("document names", "in %" PRIu64 " of %" PRIu64 " rounds", summary->named,
                 summary->rounds);
        print_features(summary, out, fault);
        print_labels(summary, out, fault);
        print_line_order(summary, out, fault);
    }
    return fault->kind == FAULT_NONE ? 0 : -1;
}
