/* fence: a shim for LD_PRELOAD, under which each piece of memory ends where a page begins that may
 * not be touched, so that a program that reads or writes one number too many dies of SIGSEGV. What
 * was freed may not be touched either, and what was not yet written is NaN. Sizes are rounded up to
 * 8 bytes. The file that FENCE names is made when a program begins, as a sign that this works. */
#ifdef __linux__
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, UNIT = 8, UNWRITTEN = 0xff };

/* At the beginning of the first page. The bytes are at the end of the last page but one. */
struct head {
    size_t mapped, bytes;
};

static struct head *head_of(void *at)
{
    uintptr_t page = (uintptr_t)at / PAGE;
    return (struct head *)((page - ((uintptr_t)at % PAGE < sizeof(struct head))) * PAGE);
}

__attribute__((constructor)) static void begin(void)
{
    const char *sign = getenv("FENCE");
    if (sign)
        close(open(sign, O_WRONLY | O_CREAT, 0600));
}

/* Under another name, since a compiler may make a call of calloc out of malloc and memset. */
static void *take(size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        errno = ENOMEM;
        return NULL;
    }
    size_t room = (bytes + UNIT - 1) / UNIT * UNIT;
    size_t open_to = (room + sizeof(struct head) + PAGE - 1) / PAGE * PAGE;
    unsigned char *from = mmap(NULL, open_to + PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (from == MAP_FAILED || mprotect(from + open_to, PAGE, PROT_NONE) < 0) {
        errno = ENOMEM;
        return NULL;
    }
    *(struct head *)from = (struct head){ open_to + PAGE, bytes };
    return memset(from + open_to - room, UNWRITTEN, room);
}

void *malloc(size_t bytes)
{
    return take(bytes);
}

void free(void *at)
{
    if (at)
        munmap(head_of(at), head_of(at)->mapped);
}

void *calloc(size_t n, size_t size)
{
    void *at = size && n > SIZE_MAX / size ? take(SIZE_MAX) : take(n * size);
    return at ? memset(at, 0, n * size) : NULL;
}

void *realloc(void *old, size_t bytes)
{
    void *at = take(bytes);
    if (at && old) {
        size_t had = head_of(old)->bytes;
        memcpy(at, old, had < bytes ? had : bytes);
        free(old);
    }
    return at;
}
#endif
