/* loops: a pipeline in one process, and as processes: the same bytes. */
#ifndef RANKPIPE_STRUCTURED_LOOPS_H
#define RANKPIPE_STRUCTURED_LOOPS_H

#include "draw.h"

void case_loop(struct dice *draw);

#endif
