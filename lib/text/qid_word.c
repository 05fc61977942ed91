#include "text/qid_word.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Does this byte stand in a header as it is, not as %XX? */
static bool is_plain(unsigned char c)
{
    return c > ' ' && c < 127 && c != '%';
}

/* True, or false where the encoded word takes more than QID_BYTES. */
static bool encode(const char *word, size_t n, char encoded[QID_BYTES + 1])
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)word[i];
        if (used + (is_plain(c) ? 1 : 3) > QID_BYTES)
            return false;
        if (is_plain(c))
            encoded[used++] = (char)c;
        else
            used += (size_t)sprintf(encoded + used, "%%%02X", c);
    }
    encoded[used] = '\0';
    return true;
}

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool qid_word_decode(const char *encoded, char plain[QID_BYTES + 1])
{
    char *to = plain;
    for (; *encoded; encoded++) {
        if (*encoded == '%' && hex(encoded[1]) >= 0 && hex(encoded[2]) >= 0) {
            *to++ = (char)(16 * hex(encoded[1]) + hex(encoded[2]));
            encoded += 2;
        } else {
            *to++ = *encoded;
        }
    }
    *to = '\0';
    return strlen(plain) == (size_t)(to - plain);
}

const char *qid_word_read(struct lines *lines, const char *p, size_t n, size_t before,
                          const char *what, char encoded[QID_BYTES + 1], struct fault *fault)
{
    if (n == 0)
        lines_wrong(lines, p - before, before, fault, "a %s without a name", what);
    else if (!encode(p, n, encoded))
        lines_wrong(lines, p, n, fault, "a %s of more than %d bytes", what, QID_BYTES);
    else
        return p + n;
    return NULL;
}

bool qid_word_find(const char *line, char encoded[QID_BYTES + 1])
{
    for (const char *p = text_skip_blanks(line); *p && *p != '#'; p = text_skip_word(p))
        if (strncmp(p, "qid:", 4) == 0)
            return text_name_bytes(p + 4) > 0 &&
                   encode(p + 4, text_name_bytes(p + 4), encoded);
    return false;
}
