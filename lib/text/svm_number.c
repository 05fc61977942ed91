#include "text/svm_number.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

const char *svm_number_slowly(struct lines *lines, const char *token, const char *p,
                              const char *what, float *value, struct fault *fault)
{
    const char *end = decimal_end(p);
    if (end == p || !text_ends_number(*end)) {
        lines_wrong(lines, token, text_word_bytes(token), fault, "%s is not a number", what);
        return NULL;
    }
    *value = strtof(p, NULL);
    if (isinf(*value)) {
        lines_wrong(lines, token, text_word_bytes(token), fault, "%s is too large for a float",
                    what);
        return NULL;
    }
    return end;
}
