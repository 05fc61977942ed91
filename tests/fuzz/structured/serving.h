/* serving: serve answers any bytes, and ends when it is asked to. */
#ifndef RANKPIPE_STRUCTURED_SERVING_H
#define RANKPIPE_STRUCTURED_SERVING_H

#include "draw.h"

void case_serve(struct dice *draw);

#endif
