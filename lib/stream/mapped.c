#include "stream/mapped.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unaligned.h"

int mapped_open(struct mapped *mapped, int fd, const char *name, struct watch *watch,
                struct fault *fault)
{
    struct stat is;
    mapped->map = NULL;
    reader_open(&mapped->reader, fd, name, watch);
    mapped->reader.keep = true;
    if (fstat(fd, &is) < 0)
        return fault_system(fault, "cannot read %s", name);
    if (LITTLE_SWAPS || !S_ISREG(is.st_mode) || is.st_size == 0 || lseek(fd, 0, SEEK_CUR) > 0)
        return 0; /* another program may have read a part of standard input */
    if ((uintmax_t)is.st_size > SIZE_MAX)
        return fault_no_room(fault, SIZE_MAX);
    mapped->bytes = (size_t)is.st_size;
    mapped->device = is.st_dev;
    mapped->inode = is.st_ino;
    mapped->map = mmap(NULL, mapped->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped->map == MAP_FAILED) {
        mapped->map = NULL;
        return fault_system(fault, "cannot map %s", name);
    }
    reader_open_bytes(&mapped->reader, mapped->map, mapped->bytes, name);
    return 0;
}

int mapped_unchanged(const struct mapped *mapped, struct fault *fault)
{
    struct stat is;
    const char *name = mapped->reader.name;
    if (!mapped->map || stat(name, &is) < 0 || is.st_dev != mapped->device ||
        is.st_ino != mapped->inode || (uintmax_t)is.st_size >= mapped->bytes)
        return 0;
    return fault_other(fault, "%s became shorter while it was read", name);
}

void mapped_close(struct mapped *mapped)
{
    if (mapped->map)
        munmap(mapped->map, mapped->bytes);
    mapped->map = NULL;
    reader_close(&mapped->reader);
}
