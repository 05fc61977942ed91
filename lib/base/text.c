#include "base/text.h"

char *text_from_number(char digits[TEXT_DIGITS], uint64_t value)
{
    char *first = digits + TEXT_DIGITS - 1;
    *first = '\0';
    do
        *--first = (char)('0' + value % 10);
    while (value /= 10);
    return first;
}

static const struct {
    const char *bytes, *words;
} not_text[] = {
    { "\x1f\x8b", "compressed by gzip: decompress it first, by 'gzip -dc'" },
    { "\xfd" "7zXZ", "compressed by xz: decompress it first, by 'xz -dc'" },
    { "BZh", "compressed by bzip2: decompress it first, by 'bzip2 -dc'" },
    { "\x28\xb5\x2f\xfd", "compressed by zstd: decompress it first, by 'zstd -dc'" },
    { "PK\x03\x04", "a zip archive: unpack it first, by 'unzip -p'" },
    { "\xef\xbb\xbf", "a byte-order mark comes first: remove it, by 'tail -c +4'" },
    { "\xff\xfe", "a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'" },
    { "\xfe\xff", "a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'" },
};

const char *text_not(const void *bytes, size_t n)
{
    for (size_t i = 0; i < sizeof not_text / sizeof *not_text; i++) {
        size_t length = strlen(not_text[i].bytes);
        if (n >= length && memcmp(bytes, not_text[i].bytes, length) == 0)
            return not_text[i].words;
    }
    return NULL;
}
