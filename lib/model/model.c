#include "model/model.h"

#include <inttypes.h>
#include <string.h>

#include "base/unaligned.h"
#include "math/matrix.h"

/* A model without numbers yet. */
static void clear(struct model *model)
{
    model->w = model->index = model->value = model->shared = NULL;
    model->changes = 0;
    model->form = 0;
    model->scale = 1;
}

static int read_number(const struct record *record, const char *name, uint64_t most,
                       uint64_t *value, struct fault *fault)
{
    const char *text = record_key(record, name);
    if (!text || !record_number(text, most, value))
        return fault_data(fault, "model: %s=%.40s is not a whole number up to %" PRIu64, name,
                          text ? text : "", most);
    return 0;
}

/* Reads the keys. `dim` is at most 2^32. */
static int read_keys(struct model *model, struct fault *fault)
{
    uint64_t dim;
    const struct record *record = &model->record;
    model->learner = record_key(record, "learner");
    if (!model->learner)
        return fault_data(fault, "model: key learner= is missing");
    if (read_number(record, "rounds", RECORD_MOST - 1, &model->rounds, fault) < 0 ||
        read_number(record, "dim", (uint64_t)1 << 32, &dim, fault) < 0)
        return -1;
    model->dim = (size_t)dim;
    clear(model);
    return 0;
}

static int find_weights(struct model *model, const char *name, struct fault *fault)
{
    const struct column *w = record_column(&model->record, name);
    if (!w || w->type != COLUMN_F8 || w->count != model->dim)
        return fault_data(fault, "model: no column %s:f8[%zu] for dim=%zu", name, model->dim,
                          model->dim);
    model->w = w->data;
    return 0;
}

int model_header(struct model *model, struct fault *fault)
{
    return read_keys(model, fault) < 0 ? -1 : find_weights(model, "w", fault);
}

static int find_changes(struct model *model, struct fault *fault)
{
    const struct column *index = record_column(&model->record, "index");
    const struct column *value = record_column(&model->record, "value");
    if (!index || !value || index->type != COLUMN_U4 || value->type != COLUMN_F8 ||
        index->count != value->count || index->count > model->dim)
        return fault_data(fault, "model: needs the column w, or direction, or the columns "
                          "index:u4[n] and value:f8[n] with n up to dim=%zu", model->dim);
    model->index = index->data;
    model->value = value->data;
    model->changes = (size_t)index->count;
    return 0;
}

int model_message_header(struct model *model, struct fault *fault)
{
    const struct record *record = &model->record;
    if (read_keys(model, fault) < 0) return -1;
    if (record_column(record, "w"))
        return find_weights(model, "w", fault);
    if (record_column(record, "scale") && !model_has(model, "scale", 1, fault)) return -1;
    return record_column(record, "direction") ? find_weights(model, "direction", fault)
                                              : find_changes(model, fault);
}

static int check_finite(const void *weights, size_t n, struct fault *fault)
{
    size_t j = finite_until(n, weights);
    return j == n ? 0 : fault_data(fault, "model: weight %zu is %g", j,
                                   unaligned_f8((const unsigned char *)weights + 8 * j));
}

int model_read(struct model *model, struct fault *fault)
{
    return model_header(model, fault) < 0 ? -1 : check_finite(model->w, model->dim, fault);
}

static int check_changes(const struct model *model, struct fault *fault)
{
    for (size_t i = 0; i < model->changes; i++) {
        uint32_t j = unaligned_u4((const unsigned char *)model->index + i * sizeof j);
        if (j >= model->dim)
            return fault_data(fault, "model: index %zu is %u, not below dim=%zu", i, j,
                              model->dim);
    }
    return check_finite(model->value, model->changes, fault);
}

int model_read_message(struct model *model, struct fault *fault)
{
    if (model_message_header(model, fault) < 0) return -1;
    if (!record_column(&model->record, "w") && record_column(&model->record, "scale") &&
        model_array(model, "scale", 1, &model->scale, fault) < 0)
        return -1;
    if (!(model->scale > 0))
        return fault_data(fault, "model: scale is %g, not above 0", model->scale);
    return model->w ? check_finite(model->w, model->dim, fault) : check_changes(model, fault);
}

int model_start(struct model *model, const char *learner, uint64_t rounds, size_t dim,
                struct fault *fault)
{
    record_start(&model->record, RECORD_MODEL);
    model->learner = learner;
    model->rounds = rounds;
    model->dim = dim;
    clear(model);
    if (record_set(&model->record, 0, "learner", learner, fault) < 0 ||
        record_set_number(&model->record, 1, "rounds", rounds, fault) < 0)
        return -1;
    return record_set_number(&model->record, 2, "dim", dim, fault);
}

int model_put_weights(struct model *model, const double *w, struct fault *fault)
{
    model->w = w;
    return model_put(model, "w", model->dim, w, fault);
}

int model_put_scaled(struct model *model, const double *direction, const double *scale,
                     struct fault *fault)
{
    model->w = direction;
    model->scale = *scale;
    if (model_put(model, "direction", model->dim, direction, fault) < 0) return -1;
    return model_put(model, "scale", 1, scale, fault);
}

int model_put_changes(struct model *model, size_t n, const uint32_t *index, const double *value,
                      const double *scale, struct fault *fault)
{
    model->index = index;
    model->value = value;
    model->changes = n;
    model->scale = scale ? *scale : 1;
    if (record_put(&model->record, "index", COLUMN_U4, n, index, fault) < 0 ||
        model_put(model, "value", n, value, fault) < 0)
        return -1;
    return scale ? model_put(model, "scale", 1, scale, fault) : 0;
}

int model_set(struct model *model, const char *name, const char *value, struct fault *fault)
{
    return record_set(&model->record, model->record.keys, name, value, fault);
}

int model_put(struct model *model, const char *name, size_t n, const double *data,
              struct fault *fault)
{
    return record_put(&model->record, name, COLUMN_F8, n, data, fault);
}

bool model_has(const struct model *model, const char *name, size_t n, struct fault *fault)
{
    const struct column *column = record_column(&model->record, name);
    if (column && column->type == COLUMN_F8 && column->count == n)
        return true;
    fault_data(fault, "model: no column %s:f8[%zu], which %s needs", name, n, model->learner);
    return false;
}

int model_find(const struct model *model, const char *name, size_t n, const void **data,
               struct fault *fault)
{
    const struct column *column = record_column(&model->record, name);
    if (!model_has(model, name, n, fault)) return -1;
    *data = column->data;
    size_t i = finite_until(n, *data);
    return i == n ? 0 : fault_data(fault, "model: %s %zu is %g", name, i,
                                   unaligned_f8((const unsigned char *)*data + 8 * i));
}

int model_array(const struct model *model, const char *name, size_t n, double *data,
                struct fault *fault)
{
    const void *from;
    if (model_find(model, name, n, &from, fault) < 0) return -1;
    if (n)
        memcpy(data, from, n * sizeof *data);
    return 0;
}

void model_weights(const struct model *model, double *w)
{
    if (model->w && model->dim)
        memcpy(w, model->w, model->dim * sizeof *w);
    for (size_t i = 0; i < model->changes; i++)
        w[unaligned_u4((const unsigned char *)model->index + i * sizeof(uint32_t))] =
            unaligned_f8((const unsigned char *)model->value + i * sizeof *w);
}
