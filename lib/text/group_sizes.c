#include "text/group_sizes.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "stream/record.h"

void group_sizes_open(struct group_sizes *sizes, const char *file, struct watch *watch)
{
    memset(sizes, 0, sizeof *sizes);
    sizes->file[0] = (char *)file;
    lines_open(&sizes->lines, sizes->file, watch);
}

void group_sizes_close(struct group_sizes *sizes)
{
    lines_close(&sizes->lines);
}

int group_sizes_next(struct group_sizes *sizes, struct fault *fault)
{
    struct lines *line = &sizes->lines;
    uint64_t count;
    char digits[16] = "";
    size_t n = 0;
    sizes->due = 0;
    while (n == 0) { /* blank lines count for nothing */
        int more = lines_next(line, fault);
        if (more <= 0)
            return more;
        n = text_word_bytes(text_skip_blanks(line->text));
    }
    const char *from = text_skip_blanks(line->text);
    if (n < sizeof digits)
        memcpy(digits, from, n);
    if (*text_skip_word(from) || !record_number(digits, UINT32_MAX, &count) || count == 0)
        return lines_wrong(line, line->text, line->bytes, fault, "the number of documents of a "
                           "query must be a whole number from 1 to %" PRIu32 ", not", UINT32_MAX);
    sizes->due = (size_t)count;
    sizes->documents += count;
    sizes->queries++;
    return 0;
}

int group_sizes_short(const struct group_sizes *sizes, size_t docs, struct fault *fault)
{
    return fault_data(fault, "%s: line %" PRIu64 ": query %" PRIu64 " has %zu documents, but the "
                      "text ends after %zu of them", sizes->lines.name, sizes->lines.number,
                      sizes->queries, sizes->due, docs);
}
