#include "log/troubles.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *trouble_name(enum trouble trouble)
{
    static const char *const names[TROUBLES] = {
        [ANSWER_MALFORMED] = "answer malformed",
        [ANSWER_FUTURE] = "answer from the future",
        [ANSWER_GRADE] = "answer above the top grade",
        [ANSWER_LENGTH] = "answer of the wrong length",
        [ANSWER_LATE] = "answer too late",
        [ANSWER_TWICE] = "second answer",
        [ANSWER_ROUNDLESS] = "answer without a round",
        [ROUND_MALFORMED] = "round malformed",
        [ROUND_NAMELESS] = "round without a request",
        [ROUND_TIMELESS] = "round without a time",
        [ROUND_FUTURE] = "round from the future",
        [ROUND_TWICE] = "second round of a request",
        [ROUND_UNSHOWN] = "round that was not shown",
        [ROUND_GONE] = "round that left its log",
        [ROUND_REFUSED] = "round that the learner refused",
        [LOG_DAMAGED] = "rest of a file of a log",
    };
    return names[trouble];
}

int troubles_open(struct troubles *troubles, const char *folder, struct fault *fault)
{
    return fresh_file_open_in(&troubles->file, folder, "quarantine", fault);
}

int troubles_add(struct troubles *troubles, enum trouble trouble, const char *where,
                 struct fault *fault, const char *format, ...)
{
    char reason[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    for (char *p = reason; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    troubles->count[trouble]++;
    troubles->lines++;
    struct writer *out = &troubles->file.writer;
    return writer_text(out, fault, "%s\t", trouble_name(trouble)) < 0 ||
           writer_bytes(out, where, strlen(where), fault) < 0
               ? -1 : writer_text(out, fault, "\t%s\n", reason);
}

int troubles_finish(struct troubles *troubles, struct fault *fault)
{
    return fresh_file_finish(&troubles->file, fault);
}

void troubles_close(struct troubles *troubles)
{
    fresh_file_close(&troubles->file);
}
