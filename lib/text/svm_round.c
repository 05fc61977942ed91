#include "text/svm_round.h"

#include <inttypes.h>
#include <string.h>

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
    float *label = query->label ? round_new(round, ROUND_LABEL, fault) : NULL;
    if (query->label && !label)
        return -1;
    if (label)
        memcpy(label, query->label, query->docs * sizeof *label);
    if (query->names && record_put(round->record, "name", COLUMN_U1, query->name_bytes,
                                   query->names, fault) < 0)
        return -1;
    if ((bits ? round_new_compact(round, &query->x, bits, fault)
              : round_new_features(round, &query->x, fault)) < 0)
        return -1;
    bool made = svm->options.scale && query->x.form != MATRIX_UNIT;
    return made ? round_set_text(round, KEY_MADE, "scale", fault) : 0;
}
