/* uncrc < stream: the stream without the keys crc=, each of which is checked: bit by bit, by the
 * words of rankpipe(5), with no code of the programs. Exit 1 where one is wrong, or missing from a
 * round. -m: models may lack it too, -r: rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, long record)
{
    fprintf(stderr, "uncrc: record %ld: %s\n", record, what);
    return 1;
}

static uint32_t add(uint32_t left, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        left ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            left = left >> 1 ^ (left & 1 ? 0x82f63b78 : 0);
    }
    return left;
}

/* The header line and the payload of `n` and `bytes` bytes, without the word crc= if they have it;
 * 0, or what is wrong. */
static const char *put_record(const char *line, size_t n, const char *payload, size_t bytes,
                              int may_lack)
{
    const char *word = strstr(line, " crc=");
    if (!word && !may_lack)
        return "no crc=";
    size_t before = word ? (size_t)(word - line) + 5 : n, after = word ? before + 8 : n;
    if (word) {
        uint32_t left = add(0xffffffff, line, before);
        left = add(add(left, "00000000", 8), line + after, n - after);
        char digits[9];
        snprintf(digits, sizeof digits, "%08x", (unsigned)~add(left, payload, bytes));
        if (memcmp(digits, word + 5, 8) != 0)
            return "a wrong crc=";
        before -= 5;
    }
    fwrite(line, 1, before, stdout);
    fwrite(line + after, 1, n - after, stdout);
    fwrite(payload, 1, bytes, stdout);
    return NULL;
}

int main(int argc, char **argv)
{
    static char line[5000], payload[1 << 26];
    int models = 0, rounds = 0;
    for (int i = 1; i < argc; i++)
        *(argv[i][1] == 'm' ? &models : &rounds) = 1;
    for (long record = 1; fgets(line, sizeof line, stdin); record++) {
        const char *size = strstr(line, " bytes=");
        size_t n = strlen(line), bytes = size ? strtoul(size + 7, NULL, 10) : 0;
        if (!size || bytes > sizeof payload || fread(payload, 1, bytes, stdin) != bytes)
            return fail("cut, or too large", record);
        int may_lack = strncmp(line + 11, "end ", 4) == 0 ||
                       (strncmp(line + 11, "model ", 6) == 0 ? models : rounds);
        const char *wrong = put_record(line, n, payload, bytes, may_lack);
        if (wrong)
            return fail(wrong, record);
    }
    return fflush(stdout) != 0 || ferror(stdout);
}
