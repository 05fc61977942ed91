#include "text/request_name.h"

#include <string.h>

#include "base/text.h"

static const char start[] = "request:";

bool request_name_is(const char *p)
{
    return strncmp(p, start, sizeof start - 1) == 0;
}

int request_name_read(struct lines *lines, const char *p, char name[QID_BYTES + 1],
                      struct fault *fault)
{
    const char *id = text_skip_blanks(p + sizeof start - 1);
    const char *end = qid_word_read(lines, id, text_word_bytes(id), (size_t)(id - p), "request",
                                    name, fault);
    if (end && *text_skip_blanks(end))
        return lines_wrong(lines, p, strlen(p), fault, "a request's name must be one word");
    return end ? 0 : -1;
}
