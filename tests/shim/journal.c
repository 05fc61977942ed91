/* journal: a shim for LD_PRELOAD that writes down what a program does to files, for power_loss.c.
 * JOURNAL in the environment names the file to append to. An entry is a line; bytes follow a write:
 *
 *     new INODE               a file or folder was made
 *     name FOLDER INODE NAME  it has this name in the folder, an inode too
 *     gone FOLDER INODE NAME  it has that name no longer
 *     move FOLDER INODE OLD TO-FOLDER NEW
 *     write INODE OFFSET N
 *     size INODE N
 *     sync INODE              of a file or of a folder
 *     shown N                 so many bytes went to standard output
 *
 * Nothing is synced in fact: no test outlives a power failure. */
#ifdef __linux__
#define _GNU_SOURCE /* RTLD_NEXT, splice */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The function that we stand before. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { HIGH = 900, LINE = 9000 };

static int journal = -1;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("JOURNAL");
    int fd = path ? NEXT(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) journal = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
    if (fd >= 0) NEXT(close)(fd);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    char line[LINE];
    va_list rest;
    int saved = errno;
    va_start(rest, format);
    int n = vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    if (journal >= 0 && NEXT(write)(journal, line, (size_t)n) != n) abort();
    errno = saved;
}

/* The inode of a path from a folder on, 0 where there is none. */
static unsigned long inode(int at, const char *path)
{
    struct stat is;
    int saved = errno;
    bool there = NEXT(fstatat)(at, path, &is, AT_SYMLINK_NOFOLLOW) == 0;
    errno = saved;
    return there ? (unsigned long)is.st_ino : 0;
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static unsigned long folder(int at, const char *path)
{
    char of[LINE];
    int n = (int)(base(path) - path);
    snprintf(of, sizeof of, "%.*s.", n, path);
    return inode(at, of);
}

static void made(int at, const char *path)
{
    note("new %lu\nname %lu %lu %s\n", inode(at, path), folder(at, path), inode(at, path),
         base(path));
}

static bool regular(int fd, struct stat *is)
{
    return NEXT(fstat)(fd, is) == 0 && S_ISREG(is->st_mode);
}

/* Where a write to a file is about to go; -1 for all else. */
static off_t place(int fd)
{
    struct stat is;
    int saved = errno;
    off_t at = -1;
    if (journal >= 0 && fd != journal && regular(fd, &is))
        at = fcntl(fd, F_GETFL) & O_APPEND ? is.st_size : lseek(fd, 0, SEEK_CUR);
    errno = saved;
    return at;
}

static ssize_t wrote(int fd, off_t at, const struct iovec *piece, ssize_t n)
{
    struct stat is;
    if (n > 0 && at >= 0 && fd != STDOUT_FILENO && regular(fd, &is)) {
        note("write %lu %ld %zd\n", (unsigned long)is.st_ino, (long)at, n);
        for (ssize_t left = n; left > 0; piece++) {
            size_t some = (size_t)left < piece->iov_len ? (size_t)left : piece->iov_len;
            if (NEXT(write)(journal, piece->iov_base, some) != (ssize_t)some) abort();
            left -= (ssize_t)some;
        }
    } else if (n > 0 && fd == STDOUT_FILENO) {
        note("shown %zd\n", n);
    }
    return n;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    struct iovec piece = { .iov_base = (void *)(size_t)bytes, .iov_len = n };
    off_t at = place(fd);
    return wrote(fd, at, &piece, NEXT(write)(fd, bytes, n));
}

ssize_t writev(int fd, const struct iovec *piece, int pieces)
{
    off_t at = place(fd);
    return wrote(fd, at, piece, NEXT(writev)(fd, piece, pieces));
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    struct iovec piece = { .iov_base = (void *)(size_t)bytes, .iov_len = n };
    return wrote(fd, place(fd) < 0 ? -1 : at, &piece, NEXT(pwrite)(fd, bytes, n, at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    return pwrite(fd, bytes, n, (off_t)at);
}

ssize_t splice(int from, off64_t *at, int to, off64_t *at_to, size_t n, unsigned flags)
{
    return wrote(to, -1, NULL, NEXT(splice)(from, at, to, at_to, n, flags));
}

static int opened(int at, const char *path, int flags, mode_t mode)
{
    bool there = inode(at, path) != 0;
    int fd = NEXT(openat)(at, path, flags, mode);
    if (fd >= 0 && !there)
        made(at, path);
    else if (fd >= 0 && flags & O_TRUNC)
        note("size %lu 0\n", inode(at, path));
    return fd;
}

/* The mode that follows the flags, where they say so. */
#define MODE(mode, flags) \
    mode_t mode = 0; \
    va_list rest; \
    va_start(rest, flags); \
    if ((flags)&O_CREAT) mode = va_arg(rest, mode_t); \
    va_end(rest)

int open(const char *path, int flags, ...)
{
    MODE(mode, flags);
    return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(mode, flags);
    return opened(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    MODE(mode, flags);
    return opened(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...)
{
    MODE(mode, flags);
    return opened(at, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    int result = NEXT(mkdir)(path, mode);
    if (result == 0) made(AT_FDCWD, path);
    return result;
}

int symlink(const char *to, const char *path)
{
    int result = NEXT(symlink)(to, path);
    if (result == 0) made(AT_FDCWD, path);
    return result;
}

int ftruncate(int fd, off_t size)
{
    struct stat is;
    int result = NEXT(ftruncate)(fd, size);
    if (result == 0 && regular(fd, &is))
        note("size %lu %ld\n", (unsigned long)is.st_ino, (long)size);
    return result;
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, (off_t)size);
}

int fsync(int fd)
{
    struct stat is;
    if (NEXT(fstat)(fd, &is) == 0) note("sync %lu\n", (unsigned long)is.st_ino);
    return 0;
}

int fdatasync(int fd)
{
    return fsync(fd);
}

int renameat(int at, const char *from, int to_at, const char *to)
{
    unsigned long moved = inode(at, from);
    int result = NEXT(renameat)(at, from, to_at, to);
    if (result == 0)
        note("move %lu %lu %s %lu %s\n", folder(at, from), moved, base(from), folder(to_at, to),
             base(to));
    return result;
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int linkat(int at, const char *from, int to_at, const char *to, int flags)
{
    int result = NEXT(linkat)(at, from, to_at, to, flags);
    if (result == 0) note("name %lu %lu %s\n", folder(to_at, to), inode(to_at, to), base(to));
    return result;
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int at, const char *path, int flags)
{
    unsigned long removed = inode(at, path);
    int result = NEXT(unlinkat)(at, path, flags);
    if (result == 0) note("gone %lu %lu %s\n", folder(at, path), removed, base(path));
    return result;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
#endif
