#include "base/magic.h"

#include <string.h>

static const struct {
    const char *bytes, *words;
} kinds[] = {
    { "\x1f\x8b", "compressed by gzip: decompress it first, by 'gzip -dc'" },
    { "\xfd" "7zXZ", "compressed by xz: decompress it first, by 'xz -dc'" },
    { "BZh", "compressed by bzip2: decompress it first, by 'bzip2 -dc'" },
    { "\x28\xb5\x2f\xfd", "compressed by zstd: decompress it first, by 'zstd -dc'" },
    { "PK\x03\x04", "a zip archive: unpack it first, by 'unzip -p'" },
    { "\xef\xbb\xbf", "a byte-order mark comes first: remove it, by 'tail -c +4'" },
    { "\xff\xfe", "a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'" },
    { "\xfe\xff", "a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'" },
};

const char *magic_words(const void *bytes, size_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].bytes);
        if (n >= length && memcmp(bytes, kinds[i].bytes, length) == 0)
            return kinds[i].words;
    }
    return NULL;
}
