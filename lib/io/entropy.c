#include "io/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/wait.h"

static const char source[] = "/dev/urandom";

int entropy_seed(uint64_t *seed, struct fault *fault)
{
    uint64_t bits = 0;
    ssize_t got;
    int fd = watch_open(NULL, source, O_RDONLY, 0, fault);
    if (fd < 0)
        return fault_system(fault, "cannot open %s", source);
    do
        got = read(fd, &bits, sizeof bits);
    while (got < 0 && errno == EINTR);
    int result = got < 0 ? fault_system(fault, "cannot read %s", source)
                 : got == sizeof bits ? 0
                 : fault_other(fault, "cannot read %s: it is too short", source);
    close(fd);
    *seed = bits >> 11;
    return result;
}
