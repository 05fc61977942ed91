#include "io/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/watch.h"

int sync_file(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result < 0 && errno == EINTR);
    return result;
}

int sync_folder(const char *folder)
{
    struct fault ignored = { FAULT_NONE, "" };
    int fd = watch_open(NULL, folder, O_RDONLY | O_DIRECTORY, 0, &ignored);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    bool failed = sync_file(fd) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
    int why = errno;
    close(fd);
    errno = why;
    return failed ? -1 : 0;
}

int sync_folder_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    char *folder = n > 0 ? strndup(path, n) : strdup(".");
    int result = folder ? sync_folder(folder) : -1;
    free(folder);
    return result;
}
