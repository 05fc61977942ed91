/* state_file: a file of the state of a learner in service: lines of fields between tabs. The last
 * line, "end TAB n", says how many came before it, so that a file that was cut is noticed.
 *
 *     struct fresh_file file;
 *     int result = fresh_file_open_in(&file, "state/next", "place", fault);
 *     if (result == 0)
 *         result = writer_text(&file.writer, fault, "log\t%d\n", 17);
 *     if (result == 0)
 *         result = state_file_finish(&file, 1, fault);
 *     fresh_file_close(&file); */
#ifndef RANKPIPE_STATE_FILE_H
#define RANKPIPE_STATE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/fresh_file.h"

enum { STATE_FIELDS = 8 }; /* most fields of a line */

/* One line: its fields, text[fields]. 0 or a data fault without a place. */
typedef int state_line(void *self, const char *const *text, size_t fields, struct fault *fault);

/* Calls `line` for each line of FOLDER/NAME. 1; 0 where there is no such file; or a fault. */
int state_file_read(const char *folder, const char *name, state_line *line, void *self,
                    struct fault *fault);

/* The same for a file to which lines are added one by one, and which has no last line. */
int state_lines_read(const char *folder, const char *name, state_line *line, void *self,
                     struct fault *fault);

/* Ends a file of so many lines, and puts it in its place. 0 or a fault. */
int state_file_finish(struct fresh_file *file, uint64_t lines, struct fault *fault);

/* Is the field a whole number from 0 to 2^53? */
int state_number(const char *text, uint64_t *value, struct fault *fault);

#endif
