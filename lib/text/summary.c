#include "text/forms.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "loss/dcg.h"
#include "text/print.h"

enum { CUTOFF = 10, LISTED = 10 };
static const double SCALE = 1000, UNUSUAL = 3; /* ratio of ranges; standard errors */
static const double TAIL_SIZE = 10, TAIL_APART = 20;

void summary_close(struct summary *summary)
{
    name_table_close(&summary->qids);
    scales_close(&summary->scales);
    buffer_free(&summary->gains);
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
static void add_line_order(struct summary *summary, size_t m, double *gain)
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

int summary_round(struct summary *summary, const struct round *round, bool named,
                  struct fault *fault)
{
    const char *qid = round->qid;
    int first = qid ? name_table_enter(&summary->qids, qid, strlen(qid), fault) : 1;
    if (first < 0) return -1;
    if (summary->rounds++ == 0 || round->docs < summary->fewest)
        summary->fewest = round->docs;
    if (round->docs > summary->most)
        summary->most = round->docs;
    summary->docs += round->docs;
    summary->unnamed += !round->qid;
    summary->named += named;
    summary->unlabelled += !round->label;
    if (round->label) {
        double sum = 0, *gain = buffer_for(&summary->gains, round->docs, sizeof *gain, fault);
        if (!gain) return -1;
        for (size_t i = 0; i < round->docs; i++) {
            add_label(summary, round->label[i]);
            sum += gain[i] = dcg_gain((double)round->label[i]);
        }
        if (!isfinite(sum))
            return fault_data(fault, "a label is too large: its gain, 2^label, overflows");
        summary->irrelevant += sum <= 0;
        summary->lists += first > 0;
        if (first > 0 && sum > 0)
            add_line_order(summary, round->docs, gain);
    }

    struct matrix x;
    if (round_matrix(round, &x, fault) < 0) return -1;
    if (x.kind == MATRIX_UNIT)
        return 0;
    summary->entries += matrix_entries(&x);
    summary->dense += x.kind == MATRIX_DENSE;
    summary->sparse += x.kind == MATRIX_SPARSE;
    return scales_add(&summary->scales, &x, fault);
}

/* ---- printing ---- */

#define LINE(name, ...) \
    (print_text(out, "%-18s", name), print_text(out, __VA_ARGS__), print_byte(out, '\n'))

struct ranges { /* over the features that are not constant */
    double least, most;
    size_t of_least, of_most, varied, constant, tailed;
    double lowest, highest; /* values of all features */
    struct names listed;    /* the first constant ones, counted from 1 */
    struct names tails;     /* the first ones with long tails */
};

/* Is a value over TAIL_SIZE in size, and more than TAIL_APART deviations from the mean? */
static bool has_tail(const struct scale *scale)
{
    double apart = TAIL_APART * scale->deviation;
    return (scale->largest > TAIL_SIZE && scale->largest - scale->mean > apart) ||
           (scale->least < -TAIL_SIZE && scale->mean - scale->least > apart);
}

static void print_features(const struct summary *summary, struct print *out)
{
    struct ranges ranges;
    const struct scales *scales = &summary->scales;
    if (!scales->dim) {
        LINE("features", "none");
        return;
    }
    ranges = (struct ranges){ .least = DBL_MAX, .lowest = DBL_MAX, .highest = -DBL_MAX };
    for (size_t j = 0; j < scales->width; j++) {
        const struct scale of = scales_of(scales, j);
        double range = of.largest - of.least;
        ranges.lowest = of.least < ranges.lowest ? of.least : ranges.lowest;
        ranges.highest = of.largest > ranges.highest ? of.largest : ranges.highest;
        if (range <= 0 && ranges.constant++ < LISTED)
            names_add(&ranges.listed, "%zu", j + 1);
        if (has_tail(&of) && ranges.tailed++ < LISTED)
            names_add(&ranges.tails, "%zu", j + 1);
        ranges.varied += range > 0;
        if (range > 0 && range < ranges.least)
            ranges.least = range, ranges.of_least = j + 1;
        if (range > ranges.most)
            ranges.most = range, ranges.of_most = j + 1;
    }
    if (scales->width < scales->dim) { /* features that no document stores */
        ranges.lowest = ranges.lowest < 0 ? ranges.lowest : 0;
        ranges.highest = ranges.highest > 0 ? ranges.highest : 0;
    }
    for (size_t j = scales->width; j < scales->dim && ranges.constant++ < LISTED; j++)
        names_add(&ranges.listed, "%zu", j + 1);
    ranges.constant = scales->dim - ranges.varied;
    LINE("features", "%zu, %s, %.3g stored in a document", scales->dim,
         !summary->sparse ? "dense" : !summary->dense ? "sparse" : "dense or sparse by round",
         (double)summary->entries / (double)summary->docs);
    LINE("feature values", "%.6g to %.6g", ranges.lowest, ranges.highest);
    LINE("constant features", "%zu%s%s%s", ranges.constant, ranges.constant ? ": " : "",
         ranges.listed.text, ranges.constant > LISTED ? " ..." : "");
    if (ranges.most > 0)
        LINE("feature ranges", "%.6g (feature %zu) to %.6g (feature %zu)", ranges.least,
             ranges.of_least, ranges.most, ranges.of_most);
    if (ranges.most > SCALE * ranges.least)
        LINE("", "features have very different ranges: most learners need update -x scale");
    if (ranges.tailed)
        LINE("long tails", "%zu: %s%s: try update -x log,scale", ranges.tailed, ranges.tails.text,
             ranges.tailed > LISTED ? " ..." : "");
    if (scales->not_finite)
        LINE("not finite", "%" PRIu64 " feature values", scales->not_finite);
}

static void print_labels(const struct summary *summary, struct print *out)
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

static void print_line_order(const struct summary *summary, struct print *out)
{
    double n = (double)summary->lists, error = sqrt(summary->variance);
    double apart = summary->line - summary->random;
    if (!summary->lists)
        return;
    LINE("line order", "NDCG@10 %.4f, random order %.4f, standard error %.2g", summary->line / n,
         summary->random / n, error / n);
    if (fabs(apart) > UNUSUAL * error)
        LINE("", "it tells relevance: %.3g standard errors %s than random order",
             fabs(apart) / error, apart > 0 ? "better" : "worse");
}

int summary_print(const struct summary *summary, struct writer *writer, struct fault *fault)
{
    struct print print, *const out = &print;
    print_start(out, writer, fault);
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
        print_features(summary, out);
        print_labels(summary, out);
        print_line_order(summary, out);
    }
    return print_end(out);
}
