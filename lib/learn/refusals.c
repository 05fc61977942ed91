#include "learn/refusals.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/sync.h"
#include "io/watch.h"

/* "NAME TAB REASON", with a LF: its bytes. */
static int print(char *line, size_t room, const struct round *round, const char *why)
{
    int n = round->request ? snprintf(line, room, "%s\t%s\n", round->request, why)
                           : snprintf(line, room, "%" PRIu64 "\t%s\n", round->t, why);
    for (char *p = strchr(line, '\t') + 1; p < line + n - 1; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    return n;
}

int refusals_add(const char *path, const struct round *round, bool ends, struct fault *fault)
{
    char line[ROUND_REQUEST + sizeof fault->text + 32];
    struct fault adding = { FAULT_NONE, "" };
    int n = print(line, sizeof line, round, fault->text);
    int fd = watch_open(NULL, path, O_WRONLY | O_CREAT | O_APPEND, 0666, &adding);
    if (fd < 0 || write(fd, line, (size_t)n) != n || sync_file(fd) < 0)
        (void)fault_system(&adding, "cannot write %s", path);
    if (fd >= 0)
        close(fd);
    if (adding.kind != FAULT_NONE)
        fault_also(fault, &adding);
    else if (!ends)
        *fault = (struct fault){ FAULT_NONE, "" };
    return fault->kind == FAULT_NONE ? 0 : -1;
}
