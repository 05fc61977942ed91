#include "base/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char source[] = "/dev/urandom";

static int read_source(void *bytes, size_t n, struct fault *fault)
{
    int fd;
    ssize_t got;
    do
        fd = open(source, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", source);
    do
        got = read(fd, bytes, n);
    while (got < 0 && errno == EINTR);
    int result = got < 0 ? fault_system(fault, "cannot read %s", source)
                 : (size_t)got == n ? 0
                 : fault_other(fault, "cannot read %s: it is too short", source);
    close(fd);
    return result;
}

int entropy_seed(uint64_t *seed, struct fault *fault)
{
    uint64_t bits = 0;
    int result = read_source(&bits, sizeof bits, fault);
    *seed = bits >> 11;
    return result;
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

struct siphash entropy_siphash(void)
{
    uint64_t key[2];
    struct fault ignored = { FAULT_NONE, "" };
    if (read_source(key, sizeof key, &ignored) < 0)
        gather(key);
    return siphash_start(key[0], key[1]);
}
