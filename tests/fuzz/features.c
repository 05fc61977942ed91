/* features: the reader of features that this processor gets reads what the portable one does from a
 * line, and stops at the same place. The first byte chooses the range of indices, the second how
 * many bytes may be read after the line, which ends at the first NUL or LF. */
#include "base/text.h"
#include "kernels/plain_features.h"
#include "target.h"

enum { LINE_MOST = 2048 };

struct output {
    uint32_t idx[LINE_MOST];
    float val[LINE_MOST];
};

static void check(struct feature_row row, const char *line, size_t n, size_t ahead)
{
    static struct output right, other;
    struct feature_row want = row, got = row;
    want.idx = right.idx, want.val = right.val;
    got.idx = other.idx, got.val = other.val;
    const char *end = plain_features_portable(&want, line, line + n, line + ahead);
    const char *stop = plain_features(&got, line, line + n, line + ahead);
    size_t read = (size_t)(want.idx - right.idx);
    hold(end >= line && end <= line + n, "it stops within the line");
    hold(stop == end, "it stops at the same place");
    hold((size_t)(got.idx - other.idx) == read && (size_t)(got.val - other.val) == read &&
         got.least == want.least, "it reads as many");
    hold(memcmp(right.idx, other.idx, read * sizeof *right.idx) == 0, "the indices are the same");
    hold(memcmp(right.val, other.val, read * sizeof *right.val) == 0, "the values are the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < 2 || n - 2 >= LINE_MOST)
        return 0;
    struct feature_row row = { .first = bytes[0] & 1, .least = bytes[0] >> 1 & 3,
                                 .most = bytes[0] & 8 ? 40 : (uint64_t)1 << 31 };
    size_t more = bytes[1] % 128, text = n - 2, line = 0;
    while (line < text && bytes[2 + line] && bytes[2 + line] != '\n')
        line++;
    size_t ahead = line + 1 + more < text ? line + 1 + more : text < line + 1 ? line + 1 : text;
    char *copy = malloc(ahead); /* of its very length: a step too far is noticed */
    hold(copy != NULL, "there is memory");
    memcpy(copy, bytes + 2, ahead < text ? ahead : text);
    copy[line] = '\0';
    size_t blanks = (size_t)(text_skip_blanks(copy) - copy);
    check(row, copy + blanks, line - blanks, ahead - blanks);
    free(copy);
    return 0;
}
