#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

int account_not_root(struct fault *fault)
{
    const char *allowed = getenv("RANKPIPE_ROOT");
    if (geteuid() != 0 || (allowed && strcmp(allowed, "yes") == 0))
        return 0;
    return fault_other(fault, "not as root: run it as an account of its own, for instance by "
                       "runuser -u rank; where root is the only account, set RANKPIPE_ROOT=yes");
}

struct siphash entropy_siphash(void)
{
    uint64_t key[2];
    struct timespec now;
    struct fault ignored = { FAULT_NONE, "" };
    if (read_source(key, sizeof key, &ignored) < 0) {
        clock_gettime(CLOCK_REALTIME, &now);
        key[0] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        key[1] = (uintptr_t)&now;
    }
    return siphash_start(key[0], key[1]);
}
