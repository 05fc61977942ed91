#include "text/svm_round.h"

#include <inttypes.h>
#include <string.h>

#include "stream/round_fingerprint.h"

/* Adds a column of values that a query has. */
static int put(struct round *round, enum round_column column, const void *values, size_t bytes,
               struct fault *fault)
{
    void *to = values ? round_new(round, column, fault) : NULL;
    if (to)
        memcpy(to, values, bytes);
    return !values || to ? 0 : -1;
}

int svm_round(struct svm *svm, const struct svm_query *query, uint64_t t,
              struct round *round, struct fault *fault)
{
    unsigned bits = svm->options.bits;
    if (query->x.form == MATRIX_UNIT && !query->label && query->docs > ROUND_BARE)
        return fault_data(fault, "%s: line %" PRIu64 ": the query that ends here has %zu documents "
                          "with neither features nor labels: at most %" PRIu64 " are allowed",
                          svm->lines.name, lines_number(&svm->lines), query->docs, ROUND_BARE);
    if (round_start(round, t, query->qid, query->docs, query->x.dim, fault) < 0 ||
        (query->request && round_set_text(round, KEY_REQUEST, query->request, fault) < 0))
        return -1;
    if (put(round, ROUND_LABEL, query->label, query->docs * sizeof *query->label, fault) < 0 ||
        (query->names && record_put(round->record, ROUND_NAMES, COLUMN_U1, query->name_bytes,
                                    query->names, fault) < 0) ||
        put(round, ROUND_FINGERPRINT, query->fingerprint,
            query->docs * sizeof *query->fingerprint, fault) < 0)
        return -1;
    if ((bits ? round_new_compact(round, &query->x, bits, fault)
              : round_new_features(round, &query->x, fault)) < 0)
        return -1;
    bool made = svm->options.scale && query->x.form != MATRIX_UNIT;
    return made ? round_set_text(round, KEY_MADE, "scale", fault) : 0;
}
