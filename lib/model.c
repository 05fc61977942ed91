#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "load.h"

static int read_number(const struct record *record, const char *name, uint64_t most,
                       uint64_t *value, struct fault *fault)
{
    const char *text = record_key(record, name);
    if (!text || !record_number(text, most, value))
        return fault_data(fault, "model: %s=%.40s is not a whole number up to %" PRIu64, name,
                          text ? text : "", most);
    return 0;
}

int model_header(struct model *model, struct fault *fault)
{
    uint64_t dim;
    const struct record *record = &model->record;
    const struct column *w = record_column(record, "w");
    model->learner = record_key(record, "learner");
    if (!model->learner)
        return fault_data(fault, "model: no key learner=");
    if (read_number(record, "rounds", RECORD_MOST - 1, &model->rounds, fault) < 0 ||
        read_number(record, "dim", (uint64_t)1 << 32, &dim, fault) < 0)
        return -1;
    if (!w || w->type != COLUMN_F8 || w->count != dim)
        return fault_data(fault, "model: no column w:f8[%" PRIu64 "] for dim=%" PRIu64, dim, dim);
    model->dim = (size_t)dim;
    model->w = w->data;
    return 0;
}

int model_read(struct model *model, struct fault *fault)
{
    if (model_header(model, fault) < 0)
        return -1;
    bool finite = load_finite(model->w, model->dim);
    for (size_t j = 0; !finite && j < model->dim; j++) {
        double weight = load_f8((const unsigned char *)model->w + j * sizeof weight);
        if (!isfinite(weight))
            return fault_data(fault, "model: weight %zu is %g", j, weight);
    }
    return 0;
}

int model_start(struct model *model, const char *learner, uint64_t rounds, size_t dim,
                const double *w, struct fault *fault)
{
    record_start(&model->record, RECORD_MODEL);
    model->learner = learner;
    model->rounds = rounds;
    model->dim = dim;
    model->w = w;
    if (record_set(&model->record, 0, "learner", learner, fault) < 0 ||
        record_set_number(&model->record, 1, "rounds", rounds, fault) < 0 ||
        record_set_number(&model->record, 2, "dim", dim, fault) < 0)
        return -1;
    return record_put(&model->record, 0, "w", COLUMN_F8, dim, w, fault);
}

int model_set(struct model *model, const char *name, const char *value, struct fault *fault)
{
    return record_set(&model->record, model->record.keys, name, value, fault);
}

int model_put(struct model *model, const char *name, size_t n, const double *data,
              struct fault *fault)
{
    return record_put(&model->record, model->record.columns, name, COLUMN_F8, n, data, fault);
}

bool model_has(const struct model *model, const char *name, size_t n, struct fault *fault)
{
    const struct column *column = record_column(&model->record, name);
    if (column && column->type == COLUMN_F8 && column->count == n)
        return true;
    fault_data(fault, "model: no column %s:f8[%zu], which %s keeps", name, n, model->learner);
    return false;
}

int model_array(const struct model *model, const char *name, size_t n, double *data,
                struct fault *fault)
{
    const struct column *column = record_column(&model->record, name);
    if (!model_has(model, name, n, fault))
        return -1;
    if (n)
        memcpy(data, column->data, n * sizeof *data);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(data[i]))
            return fault_data(fault, "model: %s %zu is %g", name, i, data[i]);
    return 0;
}

void model_weights(const struct model *model, double *w)
{
    if (model->dim)
        memcpy(w, model->w, model->dim * sizeof *w);
}
