/* page: opens a manual page, from the folder that belongs to this executable if it is there. */
#ifndef RANKPIPE_PAGE_H
#define RANKPIPE_PAGE_H

#include "base/fault.h"

/* Becomes man with the page of a program or a script; NULL: with rankpipe(7). Returns only to fail:
 * a usage fault for a name that has no page, or a fault of the system. */
int page_open(const char *argv0, const char *name, struct fault *fault);

#endif
