/* mkstream round WORD ... [+ round WORD ...] ...: a stream made by hand, its end record included.
 * A word is a key (t=1), the head of a column (x:f4), or a value of the column before it (0.5, or
 * 0.5*1000 for a thousand of them). `model` for `round` makes a model. The word crc= after it gets
 * its digits. Nothing is checked. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a record of so many bytes. If its first key is crc=, its eight digits, which are zeros,
 * become the CRC-32C of the record, bit by bit as in rankpipe(5). */
static void put_checked(char *record, size_t n)
{
    char *word = n > 29 && strncmp(record + 16, " crc=", 5) == 0 ? record + 21 : NULL, digits[9];
    uint32_t left = 0xffffffff;
    for (size_t i = 0; word && i < n; i++) {
        left ^= (unsigned char)record[i];
        for (int bit = 0; bit < 8; bit++)
            left = left >> 1 ^ (left & 1 ? 0x82f63b78 : 0);
    }
    snprintf(digits, sizeof digits, "%08x", (unsigned)~left);
    if (word)
        memcpy(word, digits, 8);
    fwrite(record, 1, n, stdout);
}

/* Puts the value at the start of `word`. A u8 is read as a whole number, as a double would lose its
 * last digits. The machine is little-endian, so the first bytes of a number are its lowest. */
static void put(FILE *out, char type, size_t width, const char *word)
{
    double f8 = strtod(word, NULL);
    float f4 = (float)f8;
    uint64_t whole = type != 'u' ? 0 : width == 8 ? strtoull(word, NULL, 10) : (uint64_t)f8;
    const void *bytes = type == 'u' ? (void *)&whole : width == 4 ? (void *)&f4 : (void *)&f8;
    fwrite(bytes, width, 1, out);
}

/* How often the value in a word is meant, which follows a star. */
static unsigned long times(const char *word)
{
    const char *star = strchr(word, '*');
    return star ? strtoul(star + 1, NULL, 10) : 1;
}

/* The head of a column at `word`; the width of its type, or 0. */
static size_t column_width(const char *word)
{
    const char *colon = strchr(word, '=') ? NULL : strchr(word, ':');
    return colon ? (size_t)(colon[2] - '0') : 0;
}

/* Words up to a plus or the end; returns how many. */
static int put_record(int words, char **word)
{
    int n = 0, columns = 0;
    unsigned long bytes = 0;
    size_t width = 0;
    char *record;
    size_t size;
    FILE *out = open_memstream(&record, &size);
    if (!out)
        exit(1);
    fprintf(out, "rankpipe/1 %s", word[0]);
    while (n < words && strcmp(word[n], "+") != 0)
        n++;
    for (int i = 1; i < n; i++) {
        if (strchr(word[i], '='))
            fprintf(out, " %s%s", word[i], strcmp(word[i], "crc=") == 0 ? "00000000" : "");
        else if (column_width(word[i])) {
            unsigned long count = 0;
            for (int j = i + 1; j < n && !column_width(word[j]); j++)
                count += times(word[j]);
            width = column_width(word[i]);
            bytes += width * count;
            fprintf(out, "%s%s[%lu]", columns++ ? "," : " cols=", word[i], count);
        }
    }
    fprintf(out, " bytes=%lu\n", bytes);
    char type = 0;
    for (int i = 1; i < n; i++) {
        if (column_width(word[i])) {
            width = column_width(word[i]);
            type = strchr(word[i], ':')[1];
        } else if (!strchr(word[i], '=')) {
            for (unsigned long k = times(word[i]); k > 0; k--)
                put(out, type, width, word[i]);
        }
    }
    fclose(out);
    put_checked(record, size);
    free(record);
    return n;
}

int main(int argc, char **argv)
{
    int records = 0;
    for (int at = 1; at < argc; at++, records++)
        at += put_record(argc - at, argv + at);
    printf("rankpipe/1 end rounds=%d bytes=0\n", records);
    return fflush(stdout) != 0 || ferror(stdout);
}
