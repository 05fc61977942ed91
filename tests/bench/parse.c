/* parse: the floor of parsing. Reads a text and its features by the fastest reader for this
 * processor: no label, no query, no check, nothing written. Prints how many features there are.
 *
 *     parse file */
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "kernels/plain_features.h"
#include "stored.h"

enum { BLOCK = 1 << 17, LINE_MOST = 1 << 20 };

/* The features of the line from p to `end`, after its label and qid. */
static size_t parse(char *p, char *end, const char *ahead)
{
    static uint32_t idx[LINE_MOST];
    static float val[LINE_MOST];
    struct feature_row row = { .first = 1, .most = (uint64_t)1 << 31, .idx = idx, .val = val };
    *end = '\0';
    plain_features(&row, text_skip_word(text_skip_word(p)), end, ahead);
    return (size_t)(row.idx - idx);
}

int main(int argc, char **argv)
{
    static char text[BLOCK + LINE_MOST];
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    size_t held = 0, features = 0;
    ssize_t got;
    while (fd >= 0 && (got = read(fd, text + held, BLOCK)) > 0) {
        char *p = text, *until = text + held + got, *end;
        for (; (end = memchr(p, '\n', (size_t)(until - p))); p = end + 1)
            features += parse(p, end, until);
        held = (size_t)(until - p);
        if (held >= LINE_MOST)
            return 1;
        memmove(text, p, held);
    }
    printf("%zu\n", features);
    return fd < 0;
}
