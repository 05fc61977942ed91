#include "text/svm_round.h"

#include <inttypes.h>
#include <string.h>

#include "stream/round_fingerprint.h"

static int put_label(struct round *round, const struct svm_query *query, struct fault *fault)
{
    float *label = round_new_label(round, fault);
    if (label)
        memcpy(label, query->label, query->docs * sizeof *label);
    return label ? 0 : -1;
}

static int put_fingerprint(struct round *round, const struct svm_query *query,
                           struct fault *fault)
{
    uint64_t *hash = round_new_fingerprint(round, fault);
    if (hash)
        memcpy(hash, query->fingerprint, query->docs * sizeof *hash);
    return hash ? 0 : -1;
}

/* The features, and that options.scale scaled them. */
static int put_features(const struct svm *svm, struct round *round, const struct matrix *x,
                        struct fault *fault)
{
    bool made = svm->options.scale && x->form != MATRIX_UNIT;
    unsigned bits = svm->options.bits;
    if ((bits ? round_new_compact(round, x, bits, fault) : round_new_features(round, x, fault)) < 0)
        return -1;
    return made ? round_set_made(round, "scale", fault) : 0;
}

static int put_columns(const struct svm *svm, const struct svm_query *query, struct round *round,
                       struct fault *fault)
{
    struct record *record = round->record;
    if ((query->label && put_label(round, query, fault) < 0) ||
        (query->names && record_put(record, ROUND_NAMES, COLUMN_U1, query->name_bytes, query->names,
                                    fault) < 0) ||
        (query->fingerprint && put_fingerprint(round, query, fault) < 0))
        return -1;
    return put_features(svm, round, &query->x, fault);
}

int svm_round(struct svm *svm, const struct svm_query *query, uint64_t t,
              struct round *round, struct fault *fault)
{
    if (query->x.form == MATRIX_UNIT && !query->label && query->docs > ROUND_BARE)
        return fault_data(fault, "%s: line %" PRIu64 ": the %zu documents before it have neither "
                          "features nor labels: at most %" PRIu64 " are allowed", svm->lines.name,
                          lines_number(&svm->lines), query->docs, ROUND_BARE);
    if (round_start(round, t, query->qid, query->docs, query->x.dim, fault) < 0 ||
        (query->request && round_set_request(round, query->request, fault) < 0))
        return -1;
    return put_columns(svm, query, round, fault);
}
