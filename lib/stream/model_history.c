#include "stream/model_history.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/record.h"

/* path.ROUND, to be freed; or NULL and a fault. */
static char *name_of(const char *path, uint64_t rounds, struct fault *fault)
{
    size_t room = strlen(path) + 24;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%s.%" PRIu64, path, rounds);
    else
        fault_no_room(fault, room);
    return name;
}

int model_history_add(const char *path, const char *new_path, uint64_t rounds,
                      struct fault *fault)
{
    char *name = name_of(path, rounds, fault);
    if (!name)
        return -1;
    int result = unlink(name) < 0 && errno != ENOENT ? -1 : link(new_path, name);
    if (result < 0)
        result = fault_system(fault, "cannot keep the model as %s", name);
    free(name);
    return result;
}

struct kept { /* models up to some round */
    uint64_t count, oldest;
};

/* Counts the models in an open folder, whose names begin with the n bytes at `base`. */
static int count_models(DIR *folder, const char *base, uint64_t rounds, struct kept *kept)
{
    const size_t n = strlen(base);
    uint64_t round;
    *kept = (struct kept){ 0, 0 };
    rewinddir(folder);
    errno = 0;
    for (struct dirent *entry; (entry = readdir(folder)); errno = 0) {
        const char *name = entry->d_name;
        if (strncmp(name, base, n) != 0 || name[n] != '.' ||
            !record_number(name + n + 1, rounds, &round))
            continue;
        if (kept->count++ == 0 || round < kept->oldest)
            kept->oldest = round;
    }
    return errno ? -1 : 0;
}

static int trim(DIR *folder, const char *path, uint64_t rounds, uint64_t keep,
                struct fault *fault)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct kept kept;
    for (;;) {
        if (count_models(folder, base, rounds, &kept) < 0)
            return fault_system(fault, "cannot read the folder of %s", path);
        if (kept.count <= keep)
            return 0;
        char *name = name_of(path, kept.oldest, fault);
        int result = name ? unlink(name) : -1;
        if (name && result < 0)
            (void)fault_system(fault, "cannot remove %s", name);
        free(name);
        if (result < 0)
            return -1;
    }
}

int model_history_trim(const char *path, uint64_t rounds, uint64_t keep, struct fault *fault)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? path : "./");
    if (!name)
        return fault_no_room(fault, strlen(path) + 1);
    name[slash ? slash - path + 1 : 2] = '\0';
    DIR *folder = opendir(name);
    int result = folder ? trim(folder, path, rounds, keep, fault)
                        : fault_system(fault, "cannot open folder %s", name);
    if (folder)
        closedir(folder);
    free(name);
    return result;
}
