/* page: opens a manual page, from the folder that belongs to this executable if it is there. */
#ifndef RANKPIPE_PAGE_H
#define RANKPIPE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/* The folder of the executable that argv[0] names, as a real path; false if it is not found, or the
 * path is longer than size - 1 bytes. */
bool page_folder(const char *argv0, char *folder, size_t size);

/* Becomes man with the page of a program; NULL: with rankpipe(7). Returns only to fail: a usage
 * fault for a name that has no page, or a fault of the system. */
int page_open(const char *argv0, const char *name, struct fault *fault);

#endif
