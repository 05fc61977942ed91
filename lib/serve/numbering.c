#include "serve/numbering.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "stream/record.h"

/* Reads the digits before `end`, after `before`; *from becomes where the byte `before` stands. */
static bool read_back(const char *name, const char *end, char before, const char **from,
                      uint64_t *value)
{
    char digits[TEXT_DIGITS];
    const char *p = end;
    while (p > name && p[-1] >= '0' && p[-1] <= '9')
        p--;
    size_t n = (size_t)(end - p);
    if (n == 0 || n >= sizeof digits || p == name || p[-1] != before)
        return false;
    memcpy(digits, p, n);
    digits[n] = '\0';
    p = digits + strspn(digits, "0");
    *from = end - n - 1;
    return record_number(*p ? p : "0", RECORD_MOST - 1, value);
}

/* The number LAST of a name NAME.FIRST-LAST.bin, or 0. */
static uint64_t last_of(const char *name)
{
    uint64_t first, last;
    const char *end = name + strlen(name) - strlen(".bin"), *at;
    if (end <= name || strcmp(end, ".bin") != 0 || !read_back(name, end, '-', &at, &last) ||
        !read_back(name, at, '.', &at, &first) || at == name || first > last)
        return 0;
    return last;
}

int numbering_next(const char *folder, uint64_t *next, struct fault *fault)
{
    DIR *all = opendir(folder);
    *next = 1;
    if (!all)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot read the folder %s", folder);
    for (struct dirent *entry; errno = 0, (entry = readdir(all));) {
        uint64_t last = last_of(entry->d_name);
        if (last >= *next)
            *next = last + 1;
    }
    int result = errno ? fault_system(fault, "cannot read the folder %s", folder) : 0;
    closedir(all);
    return result;
}
