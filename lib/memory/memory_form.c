#include "memory/memory_form.h"

/* The columns of a sketch. */
static const char rows_column[] = "rows", diagonal_column[] = "diagonal";
static const char sketch_column[] = "sketch";

/* Does the full P give way when the state grows to `width`? */
static bool gives_way(const struct memory_form *form, const struct state *state, size_t width)
{
    return !form->arrays.sketch && width > state->dim && width > MEMORY_FULL_MOST &&
           width > form->full;
}

static void set_form(struct memory_form *form, struct state *state, bool is_wide)
{
    struct array_row *row = &state->arrays.row[form->arrays.inverse];
    if (!form->arrays.sketch)
        form->shape = row->shape;
    row->shape = is_wide ? ARRAY_ABSENT : form->shape;
    form->arrays.sketch = is_wide ? &form->wide.sketch : NULL;
}

/* A P that gave way keeps its numbers until the round has learnt: if that fails, P is back. */
static void choose(struct memory_form *form, struct state *state, size_t width,
                   const struct model *model)
{
    if (model) {
        bool is_wide = record_column(&model->record, sketch_column) != NULL;
        form->full = is_wide ? 0 : width;
        set_form(form, state, is_wide);
    } else if (gives_way(form, state, width)) {
        form->kept = true;
        form->full = state->dim;
        set_form(form, state, true);
    } else if (form->kept && width == form->full) {
        form->kept = false;
        set_form(form, state, false);
    }
}

/* P gives way for good. Sums were made of it, so they are made again of what takes its place. */
static int give_way(struct memory_form *form, struct state *state, struct fault *fault)
{
    bool open = form->open;
    if (open && memory_form_sums(form, state, SUMS_CLOSE, fault) < 0) return -1;
    form->kept = true;
    set_form(form, state, true);
    memory_form_settle(form, state);
    return open ? memory_form_sums(form, state, SUMS_OPEN, fault) : 0;
}

int memory_form_shape(struct memory_form *form, struct state *state, size_t width,
                      const struct model *model, struct fault *fault)
{
    if (form->open && !model && gives_way(form, state, width))
        return give_way(form, state, fault);
    choose(form, state, width, model);
    return 0;
}

int memory_form_sums(struct memory_form *form, struct state *state, enum summing how,
                     struct fault *fault)
{
    form->open = how == SUMS_OPEN;
    return regression_sums(state, form->arrays, how, fault);
}

int memory_form_add(struct memory_form *form, struct state *state, struct memory_form *other,
                    struct state *share, struct regression_share begun, size_t except,
                    struct fault *fault)
{
    if ((form->arrays.sketch && !other->arrays.sketch && give_way(other, share, fault) < 0) ||
        (!form->arrays.sketch && other->arrays.sketch && give_way(form, state, fault) < 0))
        return -1;
    begun.state = share;
    begun.sketch = &other->wide.sketch;
    return regression_sums_add(state, form->arrays, &begun, except, fault);
}

void memory_form_regression(struct memory_form *form, const struct state *state,
                            struct regression *regression)
{
    const struct regression_arrays *arrays = &form->arrays;
    learner_regression(regression, state, arrays->level, arrays->inverse);
    regression->constant = arrays->has_constant ? state->arrays.at[arrays->constant] : NULL;
    regression->counted = state->arrays.at[arrays->counted];
    regression->wide = arrays->sketch ? &form->wide : NULL;
}

void memory_form_settle(struct memory_form *form, struct state *state)
{
    if (!form->kept)
        return;
    form->kept = false;
    buffer_free(&state->arrays.buffer[form->arrays.inverse]);
    state->arrays.at[form->arrays.inverse] = NULL;
}

int memory_form_save(struct memory_form *form, struct model *model, struct fault *fault)
{
    struct sketch_parts parts;
    if (!form->arrays.sketch)
        return 0;
    if (sketch_save(&form->wide.sketch, &parts, fault) < 0 ||
        model_put(model, rows_column, parts.slots, parts.row, fault) < 0 ||
        model_put(model, diagonal_column, parts.slots, parts.d, fault) < 0)
        return -1;
    return model_put(model, sketch_column, parts.slots * parts.vectors, parts.v, fault);
}

/* How many numbers a column has; 0 where there is none, or this machine cannot hold them. */
static size_t count_of(const struct model *model, const char *name)
{
    const struct column *column = record_column(&model->record, name);
    return column && column->count <= SIZE_MAX / 8 ? (size_t)column->count : 0;
}

int memory_form_load(struct memory_form *form, struct state *state, const struct model *model,
                     struct fault *fault)
{
    if (!form->arrays.sketch)
        return 0;
    size_t n = count_of(model, rows_column), numbers = count_of(model, sketch_column);
    size_t vectors = n ? numbers / n : 0;
    if (n > SKETCH_SLOTS || vectors >= SKETCH_MOST)
        return fault_data(fault, "model: its sketch has %zu rows and %zu vectors, but may have %d "
                          "and %d", n, vectors, SKETCH_SLOTS, SKETCH_MOST - 1);
    double *row = buffer_for(&state->scratch, n * (2 + vectors), sizeof *row, fault);
    if (!row || model_array(model, rows_column, n, row, fault) < 0 ||
        model_array(model, diagonal_column, n, row + n, fault) < 0 ||
        model_array(model, sketch_column, n * vectors, row + 2 * n, fault) < 0)
        return -1;
    size_t rows = regression_rows(state->dim, state->settings.set[SETTING_PLAIN]);
    const struct sketch_parts parts = { n, vectors, row, row + n, row + 2 * n };
    return sketch_load(&form->wide.sketch, rows + form->arrays.has_constant, parts, fault);
}

void memory_form_close(struct memory_form *form)
{
    wide_close(&form->wide);
}
