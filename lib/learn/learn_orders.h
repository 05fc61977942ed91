/* learn_orders: the order of a fixed list from clicks, by what was clicked on while another item,
 * shown in random order with it, was not: toprank and bubblerank. */
#ifndef RANKPIPE_LEARN_ORDERS_H
#define RANKPIPE_LEARN_ORDERS_H

#include "learn/learner.h"

extern const struct learner learn_toprank, learn_bubblerank;

#endif
