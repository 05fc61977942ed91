#include "learners/fixed_list.h"

int fixed_list_check(const struct state *state, const struct matrix *x, double items,
                     struct fault *fault)
{
    const char *name = state->learner->name;
    if (x->kind != MATRIX_UNIT)
        return fault_data(fault, "dim=%zu, but %s learns a fixed list of items without features: "
                          "use another learner", x->dim, name);
    if (items != 0 && (double)x->docs != items)
        return fault_data(fault, "docs=%zu, but the model has %.0f items: %s learns one fixed list",
                          x->docs, items, name);
    return 0;
}

void fixed_list_begin(struct state *state, const struct matrix *x, double *items)
{
    state->begun = true;
    *items = (double)x->docs;
}
