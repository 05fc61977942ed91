#include "counts.h"

#include <inttypes.h>
#include <string.h>

#include "record.h"

void counts_open(struct counts *counts, const char *file, struct watch *watch)
{
    memset(counts, 0, sizeof *counts);
    counts->file[0] = (char *)file;
    lines_open(&counts->lines, counts->file, watch);
}

void counts_close(struct counts *counts)
{
    lines_close(&counts->lines);
}

/* The line at hand: 1, 0 where it is blank, or a fault. */
static int read_count(struct counts *counts, struct fault *fault)
{
    struct lines *line = &counts->lines;
    uint64_t count;
    char digits[16] = "";
    const char *from = line->text + strspn(line->text, " \t");
    size_t n = strcspn(from, " \t");
    if (n == 0 && (size_t)(from - line->text) == line->bytes)
        return 0;
    if (n < sizeof digits)
        memcpy(digits, from, n);
    const char *end = from + n + strspn(from + n, " \t");
    if (end != line->text + line->bytes || !record_number(digits, UINT32_MAX, &count) || count == 0)
        return lines_wrong(line, line->text, line->bytes, fault, "not how many documents a query "
                           "has, a whole number from 1 to %" PRIu32, UINT32_MAX);
    counts->due = (size_t)count;
    counts->documents += count;
    counts->queries++;
    return 1;
}

int counts_next(struct counts *counts, struct fault *fault)
{
    int got = 0;
    counts->due = 0;
    while (got == 0) {
        int more = lines_next(&counts->lines, fault);
        if (more <= 0)
            return more;
        got = read_count(counts, fault);
    }
    return got < 0 ? -1 : 0;
}

int counts_short(const struct counts *counts, size_t docs, struct fault *fault)
{
    return fault_data(fault, "%s: line %" PRIu64 ": query %" PRIu64 " has %zu documents, but the "
                      "text ends after %zu of them", counts->lines.name, counts->lines.number,
                      counts->queries, counts->due, docs);
}
