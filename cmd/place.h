/* place: where this executable's programs and scripts are, found from where the executable is. */
#ifndef RANKPIPE_PLACE_H
#define RANKPIPE_PLACE_H

#include <stdbool.h>
#include <stdio.h>

/* The folder that holds every program by its plain name: ../libexec/NAME beside the folder of the
 * executable, which is called NAME, or else that folder itself. `called` is argv[0], used where the
 * system does not say which file runs. Allocated; NULL if the executable cannot be found. */
char *place_programs(const char *called);

/* Is this the name of a script that is run as `rankpipe NAME`? */
bool place_is_script(const char *name);

/* Runs the script argv[0] with its arguments, and with place_programs() first on its PATH. The
 * script is in ../share/NAME beside the executable's folder, or in ../examples, in the source tree.
 * Returns only on failure, with exit status 1, once it has reported why. */
int place_run(const char *called, char **argv);

/* One line for each script: its name and what it does. */
void place_list(FILE *to);

#endif
