#include "relevance/evidence.h"

#include <string.h>

static const double NO_CLICK = 0.5; /* what a position without a click counts */

/* Of one cell, what the model counts. */
static void count(const struct impressions_counts *from, enum counts_of what, double share,
                  double *n, double *clicks)
{
    bool first = what == COUNTS_FIRST;
    *n = what == COUNTS_ALL ? from->n : from->n - from->after + (first ? 0 : share * from->after);
    *clicks = first ? from->clicks - from->after_clicks : from->clicks;
}

static void add_query(struct counts *counts, size_t q, enum counts_of what, double share,
                      double *shown)
{
    const struct evidence *evidence = counts->evidence;
    for (size_t j = evidence->query[q]; j < evidence->query[q + 1]; j++)
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++) {
            const struct evidence_cell *cell = &evidence->cell[c];
            count(&cell->counts, what, share, &counts->n[c], &counts->clicks[c]);
            counts->of_pair[j] += counts->clicks[c];
            counts->at[cell->position] += counts->clicks[c];
            shown[cell->position] += counts->n[c];
            counts->query[q] = counts->query[q] || counts->n[c] > 0;
        }
}

int counts_make(struct counts *counts, const struct evidence *evidence, enum counts_of what,
                const double *share, const bool *keep, struct fault *fault)
{
    size_t cells = evidence->first[evidence->pairs], J = evidence->pairs, K = evidence->positions;
    size_t numbers = 2 * cells + J + 2 * K, bytes = numbers * sizeof(double) + evidence->queries;
    double *at = buffer_for(&counts->memory, bytes + 1, 1, fault);
    if (!at) return -1;
    memset(at, 0, bytes);
    counts->evidence = evidence;
    counts->n = at;
    counts->clicks = at + cells;
    counts->of_pair = at + 2 * cells;
    counts->at = counts->of_pair + J;
    double *shown = counts->at + K;
    counts->query = (bool *)(shown + K);
    for (size_t q = 0; q < evidence->queries; q++)
        if (!keep || keep[q])
            add_query(counts, q, what, share ? share[q] : 0, shown);
    for (size_t k = 0; k < K; k++)
        if (shown[k] > 0 && !(counts->at[k] > 0))
            counts->at[k] = NO_CLICK;
    return 0;
}

void counts_by_value(struct counts *counts)
{
    const struct evidence *evidence = counts->evidence;
    for (size_t q = 0; q < evidence->queries; q++)
        for (size_t j = evidence->query[q]; counts->query[q] && j < evidence->query[q + 1]; j++)
            for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
                counts->of_pair[j] -= evidence->cell[c].counts.lack / IMPRESSIONS_WHOLE;
}

void counts_exposure(const struct counts *counts, const double *theta, double *E)
{
    const struct evidence *evidence = counts->evidence;
    for (size_t j = 0; j < evidence->pairs; j++) {
        E[j] = 0;
        for (size_t c = evidence->first[j]; c < evidence->first[j + 1]; c++)
            E[j] += counts->n[c] * theta[evidence->cell[c].position];
    }
}

void counts_close(struct counts *counts)
{
    buffer_free(&counts->memory);
}
