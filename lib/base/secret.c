#include "base/secret.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static ssize_t read_random(uint64_t key[2])
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, key, 2 * sizeof *key);
    if (fd >= 0)
        close(fd);
    return got;
}

/* What another program can hardly know. */
static void gather(uint64_t key[2])
{
    struct timespec times[2];
    memset(times, 0, sizeof times);
    clock_gettime(CLOCK_REALTIME, &times[0]);
    clock_gettime(CLOCK_MONOTONIC, &times[1]);
    struct siphash hash = siphash_start((uintptr_t)&hash, 0);
    siphash_add(&hash, times, sizeof times);
    key[0] = siphash_end(&hash);
    siphash_add(&hash, "", 1);
    key[1] = siphash_end(&hash);
}

struct siphash secret_siphash(void)
{
    uint64_t key[2];
    if (read_random(key) != sizeof key)
        gather(key);
    return siphash_start(key[0], key[1]);
}
