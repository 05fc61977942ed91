/* place: where this executable's programs, scripts and pages are, found from where it is itself. */
#ifndef RANKPIPE_PLACE_H
#define RANKPIPE_PLACE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/fault.h"

/* The folder that holds every program by its plain name: ../libexec/NAME beside the folder of the
 * executable, which is called NAME, or else that folder itself. `called` is argv[0], used where the
 * system does not say which file runs. Allocated; NULL with errno if that cannot be found out. */
char *place_programs(const char *called);

/* The name of script i; NULL: there are not so many. */
const char *place_script(size_t i);

/* Is this the name of a script that is run as `rankpipe NAME`? */
bool place_is_script(const char *name);

/* Runs the script argv[0] with its arguments, and with place_programs() first on its PATH. The
 * script is in ../share/NAME beside the executable's folder, or in ../cmd, in the source tree.
 * Returns only on failure, with exit status 1, once it has reported why. */
int place_run(const char *called, char **argv);

/* One line for each script: its name and what it does. */
void place_list(FILE *to);

/* Becomes man with the page of a program or a script; NULL: with rankpipe(7). Returns only to fail:
 * a usage fault for a name that has no page, or a fault of the system. */
int place_page(const char *called, const char *name, struct fault *fault);

#endif
