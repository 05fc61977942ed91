#include "math/present.h"

#include <string.h>

#include "base/unaligned.h"

/* The places of features below `reach`, of which none has one: the last round's are forgotten, and
 * new ones never had one. */
static uint32_t *clear_places(struct present *my, size_t reach, struct fault *fault)
{
    size_t had = my->places.bytes / sizeof(uint32_t);
    uint32_t *place = buffer_for(&my->places, reach, sizeof *place, fault);
    for (size_t k = 0; place && k < my->n; k++)
        place[my->feature[k]] = 0;
    size_t has = my->places.bytes / sizeof *place;
    if (place && has > had)
        memset(place + had, 0, (has - had) * sizeof *place);
    return place;
}

static void add(struct present *my, uint32_t *place, uint32_t *list, size_t j)
{
    if (place[j])
        return;
    list[my->n++] = (uint32_t)j;
    place[j] = (uint32_t)my->n;
}

int present_find(struct present *present, const struct matrix *x, size_t reach,
                 struct fault *fault)
{
    struct present *my = present;
    size_t entries = matrix_entries(x);
    uint32_t *place = clear_places(my, reach, fault);
    if (!place)
        return -1;
    my->n = 0;
    uint32_t *list = buffer_for(&my->list, entries < reach ? entries : reach, sizeof *list, fault);
    if (!list)
        return -1;
    my->place = place;
    my->feature = list;
    for (size_t i = 0, e = 0; x->form == MATRIX_DENSE && i < x->docs; i++)
        for (size_t j = 0; j < x->dim; j++, e++)
            if (j < reach && unaligned_f4(x->x + 4 * e) != 0)
                add(my, place, list, j);
    for (size_t e = 0; x->form == MATRIX_SPARSE && e < entries; e++) {
        size_t j = unaligned_u4(x->idx + 4 * e);
        if (j < reach && unaligned_f4(x->val + 4 * e) != 0)
            add(my, place, list, j);
    }
    for (size_t j = 0; x->form == MATRIX_UNIT && j < entries && j < reach; j++)
        add(my, place, list, j);
    return 0;
}

void present_close(struct present *present)
{
    buffer_free(&present->list);
    buffer_free(&present->places);
}
