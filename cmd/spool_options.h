/* spool_options: what spool takes on its command line, for parsing, usage and completion. */
#ifndef RANKPIPE_SPOOL_OPTIONS_H
#define RANKPIPE_SPOOL_OPTIONS_H

#include "run/options.h"

/* By letter, ended by 0; and what the operands are. */
extern const struct option spool_options[], spool_operand;

#endif
