/* print: the floor of printing. Prints the features of stored rounds as bin2txt does: no label, no
 * qid, no check of the stream.
 *
 *     print file */
#include <unistd.h>

#include "stored.h"
#include "text/print.h"

enum { ROOM = 1 << 16 };

static char text[ROOM + 2 * DIGITS_ROOM + 2];

/* " index:value", after what is written where that is much. */
static inline char *print(char *to, size_t index, float value)
{
    if (to - text > ROOM) {
        if (write(STDOUT_FILENO, text, (size_t)(to - text)) < 0)
            exit(1);
        to = text;
    }
    *to = ' ';
    to = digits_whole(to + 1, index);
    *to = ':';
    return digits_nine(to + 1, value);
}

static char *print_round(char *to, const struct bare *round)
{
    size_t entries = round->x ? 0 : stored_u4(round->ptr + 4 * round->docs);
    for (size_t i = 0; round->x && i < round->docs; i++)
        for (size_t j = 0; j < round->dim; j++)
            to = print(to, j + 1, stored_f4(round->x + 4 * (i * round->dim + j)));
    for (size_t e = 0; e < entries; e++)
        to = print(to, (size_t)stored_u4(round->idx + 4 * e) + 1, stored_f4(round->val + 4 * e));
    return to;
}

int main(int argc, char **argv)
{
    char *to = text;
    if (argc != 2)
        return 2;
    struct stored stored = stored_open(argv[1]);
    for (size_t r = 0; r < stored.rounds; r++)
        to = print_round(to, &stored.round[r]);
    return write(STDOUT_FILENO, text, (size_t)(to - text)) < 0;
}
