/* counts_text: the counts of a log as text, which judge -c writes, and judge adds up.
 *
 * The first line names the columns: qid, doc, position, impressions, clicks, after, after-clicks,
 * values. Tabs are between them. Each other line has the counts of one pair at one position, sorted
 * by qid, doc and position. The qid is as in a header line, with %XX. A line without values has as
 * many as clicks. Counts of still earlier versions lack the columns after, too, and may have clicks
 * that are no whole numbers. */
#ifndef RANKPIPE_COUNTS_TEXT_H
#define RANKPIPE_COUNTS_TEXT_H

#include "base/fault.h"
#include "io/watch.h"
#include "relevance/impressions.h"
#include "stream/writer.h"

/* Prints sorted counts. 0 or a fault. */
int counts_print(const struct impressions *impressions, struct writer *out, struct fault *fault);

/* Adds the counts of files, whose lines may have any order, "-" being standard input, and sets
 * impressions->older. 0, or a fault with file, line and text, also where some files are older and
 * others are not. O(bytes) on average. */
int counts_read(struct impressions *impressions, char *const *files, struct watch *watch,
                struct fault *fault);

#endif
