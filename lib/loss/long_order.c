#include "loss/long_order.h"

#include "math/order.h"

static bool goes_on(void *work, size_t steps)
{
    return long_work_goes_on(work, steps);
}

bool long_order(struct long_work *work, size_t m, const double *score, uint32_t *order,
                uint32_t *scratch)
{
    return order_in_pieces(m, score, order, scratch, goes_on, work);
}
