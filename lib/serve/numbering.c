#include "serve/numbering.h"

#include <string.h>

#include "log/spool_folder.h"

int numbering_next(const char *folder, uint64_t *next, struct fault *fault)
{
    char name[SPOOL_NAME + 1], before[SPOOL_NAME + 1];
    const char *after = NULL;
    uint64_t last;
    int got;
    *next = 1;
    while ((got = spool_next_name(folder, after, name, fault)) > 0) {
        if (spool_last(folder, name, &last, fault) < 0)
            return -1;
        *next = last >= *next ? last + 1 : *next;
        after = strcpy(before, name);
    }
    return got;
}
