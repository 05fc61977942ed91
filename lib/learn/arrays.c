#include <math.h>
#include <string.h>

#include "kernels/covariance.h"
#include "learn/learner.h"
#include "math/matrix.h"
#include "math/regression.h"

/* Is there an array i? */
static bool is_array(const struct arrays *arrays, size_t i)
{
    return i < ARRAYS_MOST && arrays->row[i].name;
}

size_t arrays_add(struct arrays *arrays, struct array_row row)
{
    size_t i = 0;
    while (is_array(arrays, i))
        i++;
    arrays->row[i] = row;
    return i;
}

/* The rows of an ARRAY_UDU. */
static size_t udu_rows(const struct array_row *row, const struct settings *settings, size_t dim)
{
    size_t rows = regression_rows(dim, settings->set[row->n]);
    bool constant = row->shape == ARRAY_UDU_CONSTANT || row->shape == ARRAY_ROWS_CONSTANT;
    return constant && rows < SIZE_MAX ? rows + 1 : rows;
}

static struct extent extent_of(const struct array_row *row, const struct settings *settings,
                               size_t dim)
{
    size_t n = row->n != SETTINGS ? (size_t)settings->value[row->n] : row->numbers;
    n = n ? n : 1;
    switch (row->shape) {
    case ARRAY_ABSENT: return (struct extent){ 0, 0 };
    case ARRAY_COUNT: return (struct extent){ 1, 1 };
    case ARRAY_NUMBERS: return (struct extent){ 1, n };
    case ARRAY_VECTORS: return (struct extent){ n, dim };
    case ARRAY_TWO_VECTORS:
        return settings->set[SETTING_CUTOFF]
                   ? (struct extent){ 2 * n * (size_t)settings->value[SETTING_CUTOFF], dim + 1 }
                   : (struct extent){ 2 * n, dim };
    case ARRAY_SQUARE: return (struct extent){ dim, dim };
    case ARRAY_ROWS:
    case ARRAY_ROWS_CONSTANT: return (struct extent){ 1, udu_rows(row, settings, dim) };
    default: return (struct extent){ 1, udu_size(udu_rows(row, settings, dim)) };
    }
}

/* The size of an extent in numbers, or SIZE_MAX where its bytes overflow. */
static size_t numbers_of(struct extent e)
{
    bool over = e.columns && e.rows > SIZE_MAX / sizeof(double) / e.columns;
    return over ? SIZE_MAX : e.rows * e.columns;
}

double *arrays_grow(struct buffer *numbers, struct extent from, struct extent to,
                    struct fault *fault)
{
    if (numbers_of(to) == SIZE_MAX) {
        fault_no_room(fault, SIZE_MAX);
        return NULL;
    }
    double *array = buffer_for(numbers, numbers_of(to), sizeof *array, fault);
    for (size_t r = to.rows; array && r-- > 0;) {
        size_t here = r < from.rows ? from.columns : 0;
        if (r > 0)
            memmove(array + r * to.columns, array + r * from.columns, here * sizeof *array);
        memset(array + r * to.columns + here, 0, (to.columns - here) * sizeof *array);
    }
    return array;
}

/* What an array has that is not 0 at first: ones on the diagonal, from weight `from` on. */
static void set_diagonal(const struct array_row *row, const struct settings *settings,
                         double *array, bool fresh, size_t dim, size_t width)
{
    for (size_t j = fresh ? 0 : dim; row->shape == ARRAY_SQUARE && j < width; j++)
        array[j * width + j] = 1;
    if (row->shape != ARRAY_UDU && row->shape != ARRAY_UDU_CONSTANT)
        return;
    for (size_t i = fresh ? 0 : udu_rows(row, settings, dim); i < udu_rows(row, settings, width);
         i++)
        array[udu_size(i + 1) - 1] = 1;
}

int arrays_reach(struct arrays *arrays, const struct settings *settings, size_t dim, size_t width,
                 struct fault *fault)
{
    for (size_t i = 0; is_array(arrays, i); i++) {
        const struct array_row *row = &arrays->row[i];
        bool fresh = !arrays->at[i];
        struct extent none = { 0, 0 };
        double *array = arrays_grow(&arrays->buffer[i],
                                    fresh ? none : extent_of(row, settings, dim),
                                    extent_of(row, settings, width), fault);
        if (!array) return -1;
        set_diagonal(row, settings, array, fresh, dim, width);
        arrays->at[i] = array;
    }
    return 0;
}

void arrays_shrink(struct arrays *arrays, const struct settings *settings, size_t width,
                   size_t dim)
{
    for (size_t i = 0; dim < width && is_array(arrays, i); i++) {
        struct extent from = extent_of(&arrays->row[i], settings, width);
        struct extent to = extent_of(&arrays->row[i], settings, dim);
        for (size_t r = 1; r < to.rows && to.columns; r++)
            memmove(arrays->at[i] + r * to.columns, arrays->at[i] + r * from.columns,
                    to.columns * sizeof(double));
    }
}

/* Does the model lack the array, being older, or of a form that has none? */
static bool is_missing(const struct array_row *row, const struct model *model)
{
    return row->shape == ARRAY_ABSENT ||
           (row->later && !record_column(&model->record, row->name));
}

int arrays_check(const struct arrays *arrays, const struct settings *settings,
                 const struct model *model, struct fault *fault)
{
    for (size_t i = 0; is_array(arrays, i); i++) {
        size_t n = numbers_of(extent_of(&arrays->row[i], settings, model->dim));
        if (n == SIZE_MAX)
            return fault_no_room(fault, SIZE_MAX);
        if (!is_missing(&arrays->row[i], model) &&
            !model_has(model, arrays->row[i].name, n, fault))
            return -1;
    }
    return 0;
}

int arrays_load(struct arrays *arrays, const struct settings *settings, const struct model *model,
                struct fault *fault)
{
    for (size_t i = 0; is_array(arrays, i); i++) {
        const struct array_row *row = &arrays->row[i];
        double *number = arrays->at[i];
        size_t n = numbers_of(extent_of(row, settings, model->dim));
        if (is_missing(row, model))
            continue;
        if (model_array(model, row->name, n, number, fault) < 0) return -1;
        double most = row->n == SETTINGS ? (double)RECORD_MOST : settings->value[row->n];
        if (row->shape == ARRAY_COUNT &&
            !(*number >= 0 && *number <= most && *number == floor(*number)))
            return fault_data(fault, "model: %s is %.17g, not a whole number from 0 to %.0f",
                              row->name, *number, most);
    }
    return 0;
}

int arrays_put(const struct arrays *arrays, size_t i, const struct settings *settings, size_t dim,
               struct model *model, struct fault *fault)
{
    const struct array_row *row = &arrays->row[i];
    return model_put(model, row->name, numbers_of(extent_of(row, settings, dim)), arrays->at[i],
                     fault);
}

int arrays_save(const struct arrays *arrays, const struct settings *settings, size_t dim,
                struct model *model, struct fault *fault)
{
    for (size_t i = 0; is_array(arrays, i); i++) {
        size_t n = numbers_of(extent_of(&arrays->row[i], settings, dim));
        if (arrays->row[i].shape == ARRAY_ABSENT)
            continue;
        if (!finite_numbers(n, arrays->at[i]))
            return fault_other(fault, "the model is not saved, because values of its column %s are "
                               "not finite", arrays->row[i].name);
        if (arrays_put(arrays, i, settings, dim, model, fault) < 0) return -1;
    }
    return 0;
}

void arrays_sum(struct arrays *arrays, size_t i, const struct arrays *others,
                const struct settings *settings, size_t dim)
{
    size_t n = numbers_of(extent_of(&arrays->row[i], settings, dim));
    for (size_t e = 0; e < n; e++)
        arrays->at[i][e] += others->at[i][e];
}

void arrays_close(struct arrays *arrays)
{
    for (size_t i = 0; i < ARRAYS_MOST; i++)
        buffer_free(&arrays->buffer[i]);
}
