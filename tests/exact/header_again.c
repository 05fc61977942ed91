/* A header line like the one before is read as header_parse reads it, or left to it: lines of all
 * kinds, and each with other values, and with a byte that is changed, added or missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/header.h"

static const char *const lines[] = {
    "rankpipe/1 round t=9 qid=abc docs=2 dim=3 cols=label:f4[2],x:f4[6] bytes=32",
    "rankpipe/1 round t=10 qid=9 docs=2 dim=3 cols=label:f4[2],x:f4[6] bytes=32",
    "rankpipe/1 round t=10 qid=%20= docs=20 dim=0 cols=label:f4[1],x:f4[0] bytes=4",
    "rankpipe/1 round crc=0123abcd t=1 docs=1 dim=1 gamma=0.5 x-y=z cols=x:f4[1] bytes=4",
    "rankpipe/1 round crc=ffffffff t=2 docs=1 dim=1 gamma=1 x-y=1 cols=x:f4[1] bytes=4",
    "rankpipe/1 round crc=0123abcd t=1 bytes=0",
    "rankpipe/1 round t=1 bytes=0",
    "rankpipe/1 round t=1 cols=x:u1[999999999999999] bytes=999999999999999",
    "rankpipe/1 round t=1 cols=x:u1[1000000000000000] bytes=1000000000000000",
    "rankpipe/1 model learner=kl rounds=3 dim=2 cols=w:f8[2],keys:u8[0] bytes=16",
    "rankpipe/1 model crc=00000000 learner=kl rounds=33 dim=2 cols=w:f8[2],keys:u8[1] bytes=24",
    "rankpipe/1 end rounds=3 bytes=0",
};
enum { LINES = sizeof lines / sizeof *lines };

static struct record parsed, again;
static unsigned long wrong, accepted;

static void expect(int right, const char *line, const char *what)
{
    if (!right && wrong++ < 10)
        printf("header_again: %s: %s\n", line, what);
}

static int same_columns(void)
{
    if (parsed.columns != again.columns)
        return 0;
    for (size_t c = 0; c < parsed.columns; c++) {
        const struct column *a = &parsed.column[c], *b = &again.column[c];
        if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->count != b->count ||
            b->data || b->source)
            return 0;
    }
    return 1;
}

static int same_record(void)
{
    if (parsed.kind != again.kind || parsed.has_crc != again.has_crc ||
        (parsed.has_crc && parsed.crc != again.crc) || parsed.bytes != again.bytes ||
        parsed.keys != again.keys || parsed.used != again.used || again.spliced)
        return 0;
    for (size_t k = 0; k < parsed.keys; k++)
        if (strcmp(parsed.key[k].name, again.key[k].name) != 0 ||
            strcmp(parsed.key[k].value, again.key[k].value) != 0)
            return 0;
    return same_columns();
}

/* Is the line read at once, and if so, as it is? */
static int look(const struct header_again *last, const char *line, size_t n)
{
    struct fault fault = { FAULT_NONE, "" };
    int right = header_parse(&parsed, line, n, &fault) == 0;
    if (!header_again(last, &again, line, n))
        return 0;
    accepted++;
    expect(right, line, "taken, but header_parse refuses it");
    expect(!right || same_record(), line, "not what header_parse makes of it");
    return 1;
}

/* The line with byte i replaced, removed, or another one before it. */
static void change(const struct header_again *last, const char *line)
{
    static const char bytes[] = " ,:[]=%019abfux\n\t\x7f\x80";
    size_t n = strlen(line);
    char changed[HEADER_AGAIN_LINE];
    for (size_t i = 0; i <= n; i++) {
        memcpy(changed, line, i);
        for (const char *byte = bytes; *byte; byte++) {
            changed[i] = *byte;
            strcpy(changed + i + 1, line + i);
            look(last, changed, n + 1);
            if (i < n) {
                strcpy(changed + i + 1, line + i + 1);
                look(last, changed, n);
            }
        }
        if (i < n) {
            strcpy(changed + i, line + i + 1);
            look(last, changed, n - 1);
        }
        look(last, line, i);
    }
}

int main(void)
{
    static const int likes[][2] = { { 0, 1 }, { 3, 4 }, { 7, 7 }, { 9, 9 } };
    for (size_t i = 0; i < LINES; i++) {
        struct fault fault = { FAULT_NONE, "" };
        struct header_again last = { .keys = 0 };
        expect(!look(&last, lines[i], strlen(lines[i])), lines[i], "like nothing");
        header_remember(&last, &parsed, lines[i]);
        int takes = parsed.kind != RECORD_END && i != 8;
        expect(header_parse(&parsed, lines[i], strlen(lines[i]), &fault) == 0, lines[i], "wrong");
        expect(look(&last, lines[i], strlen(lines[i])) == takes, lines[i], "like itself");
        for (size_t j = 0; j < LINES; j++)
            look(&last, lines[j], strlen(lines[j]));
        for (size_t j = 0; j < LINES; j++)
            change(&last, lines[j]);
        for (size_t j = 0; j < sizeof likes / sizeof *likes; j++)
            if (likes[j][0] == (int)i)
                expect(look(&last, lines[likes[j][1]], strlen(lines[likes[j][1]])), lines[i],
                       "the next line is like this one");
    }
    if (accepted < 1000)
        printf("header_again: only %lu lines were like the one before\n", accepted);
    return wrong || accepted < 1000;
}
