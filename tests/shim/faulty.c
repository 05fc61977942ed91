/* faulty: a shim for LD_PRELOAD, under which one call of one function fails, is interrupted or does
 * less than it was asked for, as ../faulty.h says. A file that could not be synced, or that could
 * not be closed before it was synced, loses what was written to it since it was synced, as it may
 * on a disk: a program that ignores what these two return is left with an empty file. */
#ifdef __linux__
#define _GNU_SOURCE /* RTLD_NEXT, splice, tee, pipe2 */
#endif
#include "faulty.h"

#ifdef __linux__

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The function that we stand before. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum look { AS_ASKED, FEWER, FAILS };
enum { FILES = 1024, PIECES = 16 };

static struct {
    const char *call;
    unsigned at;
    bool on;    /* all later ones too                     */
    bool fewer; /* it does less than it was asked for:    */
    bool half;  /* half of it, or one byte                */
    int error;  /* how it fails, or those after it if not */
    int report_fd;   /* the descriptor for numbers             */
} plan = { .report_fd = -1 };

static unsigned calls[FAULTY_CALLS];
static bool unsynced[FILES], doomed[FILES]; /* written to; not synced when it was asked for */
static off_t synced[FILES]; /* bytes that were synced, or there when it was opened */

__attribute__((constructor)) static void read_plan(void)
{
    const char *call = getenv("FAULTY_CALL"), *at = getenv("FAULTY_AT");
    const char *how = getenv("FAULTY_HOW"), *report_fd = getenv("FAULTY_FD");
    char *end;
    if (!call || !at || !how || !report_fd)
        return;
    plan.at = (unsigned)strtoul(at, &end, 10);
    plan.half = strncmp(how, "half", 4) == 0;
    plan.fewer = plan.half || strcmp(how, "one") == 0;
    plan.error = atoi(plan.half ? how + 4 : how);
    plan.on = *end == '+' || (plan.fewer && plan.error);
    plan.report_fd = atoi(report_fd);
    plan.call = call;
}

static bool is_kind(int fd, mode_t kind)
{
    struct stat is;
    return NEXT(fstat)(fd, &is) == 0 && (is.st_mode & S_IFMT) == kind;
}

/* Counts the call, and says what becomes of it. Only what flows can be told to come back later, and
 * only standard output that nobody reads it: in a ring it is known who reads. */
static enum look look(enum faulty call, int fd)
{
    int saved = errno;
    unsigned n = ++calls[call];
    const struct iovec all = { calls, sizeof calls };
    if (plan.report_fd >= 0)
        (void)!pwritev(plan.report_fd, &all, 1, 0);
    errno = saved;
    if (!plan.call || strcmp(plan.call, faulty_names[call]) != 0 || n < plan.at ||
        (n > plan.at && !plan.on))
        return AS_ASKED;
    if ((plan.error == EAGAIN || plan.error == EPIPE) && !is_kind(fd, S_IFIFO))
        return AS_ASKED;
    if (plan.error == EPIPE && fd != STDOUT_FILENO)
        return AS_ASKED;
    if (plan.fewer && (n == plan.at || plan.error == 0))
        return FEWER;
    errno = plan.error;
    return FAILS;
}

static size_t fewer(size_t n)
{
    size_t less = plan.half ? n / 2 : 1;
    return less < n ? (less ? less : 1) : n;
}

/* Fewer than n, and than are there. */
static size_t fewer_of(int fd, size_t n)
{
    int saved = errno, there = 0;
    if (ioctl(fd, FIONREAD, &there) < 0)
        errno = saved;
    return fewer(there > 0 && (size_t)there < n ? (size_t)there : n);
}

static bool *flag(bool flags[FILES], int fd)
{
    static bool none;
    return fd >= 0 && fd < FILES ? &flags[fd] : &none;
}

/* What is synced is kept. */
static void lose(int fd)
{
    int saved = errno;
    if (is_kind(fd, S_IFREG))
        (void)!NEXT(ftruncate)(fd, fd < FILES ? synced[fd] : 0);
    errno = saved;
}

static void note_synced(int fd, bool closes)
{
    struct stat is;
    if (fd >= 0 && fd < FILES)
        synced[fd] = !closes && NEXT(fstat)(fd, &is) == 0 ? is.st_size : 0;
}

/* ---- bytes ---- */

ssize_t read(int fd, void *bytes, size_t n)
{
    enum look is = look(READ, fd);
    return is == FAILS ? -1 : NEXT(read)(fd, bytes, is == FEWER ? fewer_of(fd, n) : n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t at)
{
    return look(PREAD, fd) == FAILS ? -1 : NEXT(pread)(fd, bytes, n, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    enum look is = look(PWRITE, fd);
    *flag(unsynced, fd) = true;
    return is == FAILS ? -1 : NEXT(pwrite)(fd, bytes, is == FEWER ? fewer(n) : n, at);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*run)(void *), void *of)
{
    int saved = errno;
    bool fails = look(PTHREAD_CREATE, -1) == FAILS;
    int error = errno;
    errno = saved;
    return fails ? error : NEXT(pthread_create)(thread, with, run, of);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    enum look is = look(WRITE, fd);
    *flag(unsynced, fd) = true;
    return is == FAILS ? -1 : NEXT(write)(fd, bytes, is == FEWER ? fewer(n) : n);
}

ssize_t writev(int fd, const struct iovec *piece, int pieces)
{
    struct iovec some[PIECES];
    size_t n = 0;
    enum look is = look(WRITEV, fd);
    *flag(unsynced, fd) = true;
    if (is != FEWER || pieces > PIECES)
        return is == FAILS ? -1 : NEXT(writev)(fd, piece, pieces);
    for (int i = 0; i < pieces; i++)
        n += piece[i].iov_len;
    n = fewer(n);
    for (int i = 0; i < pieces; i++) {
        some[i] = piece[i];
        some[i].iov_len = some[i].iov_len < n ? some[i].iov_len : n;
        n -= some[i].iov_len;
    }
    return NEXT(writev)(fd, some, pieces);
}

ssize_t splice(int from, off64_t *at, int to, off64_t *at_to, size_t n, unsigned flags)
{
    enum look is = look(SPLICE, from);
    n = is == FEWER ? fewer_of(from, n) : n;
    return is == FAILS ? -1 : NEXT(splice)(from, at, to, at_to, n, flags);
}

ssize_t tee(int from, int to, size_t n, unsigned flags)
{
    enum look is = look(TEE, from);
    return is == FAILS ? -1 : NEXT(tee)(from, to, is == FEWER ? fewer_of(from, n) : n, flags);
}

int poll(struct pollfd *at, nfds_t n, int timeout)
{
    return look(POLL, -1) == FAILS ? -1 : NEXT(poll)(at, n, timeout);
}

/* ---- sockets ---- */

int socket(int family, int type, int protocol)
{
    return look(SOCKET, -1) == FAILS ? -1 : NEXT(socket)(family, type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return look(BIND, fd) == FAILS ? -1 : NEXT(bind)(fd, address, size);
}

int listen(int fd, int backlog)
{
    return look(LISTEN, fd) == FAILS ? -1 : NEXT(listen)(fd, backlog);
}

int accept(int fd, struct sockaddr *address, socklen_t *size)
{
    return look(ACCEPT, fd) == FAILS ? -1 : NEXT(accept)(fd, address, size);
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    return look(CONNECT, fd) == FAILS ? -1 : NEXT(connect)(fd, address, size);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    return look(GETSOCKOPT, fd) == FAILS ? -1 : NEXT(getsockopt)(fd, level, name, value, size);
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
    enum look is = look(SEND, fd);
    return is == FAILS ? -1 : NEXT(send)(fd, bytes, is == FEWER ? fewer(n) : n, flags);
}

int shutdown(int fd, int how)
{
    return look(SHUTDOWN, fd) == FAILS ? -1 : NEXT(shutdown)(fd, how);
}

/* ---- folders ---- */

DIR *opendir(const char *path)
{
    return look(OPENDIR, -1) == FAILS ? NULL : NEXT(opendir)(path);
}

struct dirent *readdir(DIR *folder)
{
    return look(READDIR, -1) == FAILS ? NULL : NEXT(readdir)(folder);
}

/* ---- files ---- */

int lstat(const char *restrict path, struct stat *restrict is)
{
    return look(LSTAT, -1) == FAILS ? -1 : NEXT(lstat)(path, is);
}

int statvfs(const char *restrict path, struct statvfs *restrict is)
{
    return look(STATVFS, -1) == FAILS ? -1 : NEXT(statvfs)(path, is);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list rest;
    va_start(rest, flags);
    if (flags & O_CREAT)
        mode = va_arg(rest, mode_t);
    va_end(rest);
    int fd = look(OPEN, -1) == FAILS ? -1 : NEXT(open)(path, flags, mode);
    note_synced(fd, false);
    return fd;
}

/* The descriptor is gone in any case, as on Linux. */
int close(int fd)
{
    enum look is = look(CLOSE, fd);
    bool lost = is == FAILS && plan.error != EINTR && *flag(unsynced, fd);
    if (lost || *flag(doomed, fd))
        lose(fd);
    *flag(unsynced, fd) = *flag(doomed, fd) = false;
    note_synced(fd, true);
    int error = errno, closed = NEXT(close)(fd);
    if (is == FAILS)
        errno = error;
    return is == FAILS ? -1 : closed;
}

/* Nothing has to outlive a test: where it is not to fail, nobody waits for the disk. */
int fsync(int fd)
{
    bool fails = look(FSYNC, fd) == FAILS;
    if (fails && plan.error != EINTR)
        lose(fd);
    *flag(doomed, fd) = fails;
    if (!fails) {
        *flag(unsynced, fd) = false;
        note_synced(fd, false);
    }
    return fails ? -1 : 0;
}

int rename(const char *from, const char *to)
{
    return look(RENAME, -1) == FAILS ? -1 : NEXT(rename)(from, to);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
    return look(MMAP, fd) == FAILS ? MAP_FAILED : NEXT(mmap)(at, n, protection, flags, fd, from);
}

int pipe(int ends[2])
{
    return look(PIPE, -1) == FAILS ? -1 : NEXT(pipe)(ends);
}

int pipe2(int ends[2], int flags)
{
    return look(PIPE2, -1) == FAILS ? -1 : NEXT(pipe2)(ends, flags);
}

int fcntl(int fd, int what, ...)
{
    va_list rest;
    va_start(rest, what);
    long value = va_arg(rest, long);
    va_end(rest);
    return look(FCNTL, fd) == FAILS ? -1 : NEXT(fcntl)(fd, what, value);
}

int fstat(int fd, struct stat *is)
{
    return look(FSTAT, fd) == FAILS ? -1 : NEXT(fstat)(fd, is);
}

int stat(const char *path, struct stat *is)
{
    return look(STAT, -1) == FAILS ? -1 : NEXT(stat)(path, is);
}

off_t lseek(int fd, off_t by, int whence)
{
    return look(LSEEK, fd) == FAILS ? -1 : NEXT(lseek)(fd, by, whence);
}

int access(const char *path, int mode)
{
    return look(ACCESS, -1) == FAILS ? -1 : NEXT(access)(path, mode);
}

ssize_t readlink(const char *path, char *target, size_t n)
{
    return look(READLINK, -1) == FAILS ? -1 : NEXT(readlink)(path, target, n);
}

int flock(int fd, int how)
{
    return look(FLOCK, fd) == FAILS ? -1 : NEXT(flock)(fd, how);
}

int fchmod(int fd, mode_t mode)
{
    return look(FCHMOD, fd) == FAILS ? -1 : NEXT(fchmod)(fd, mode);
}

int dup2(int fd, int to)
{
    return look(DUP2, fd) == FAILS ? -1 : NEXT(dup2)(fd, to);
}

char *realpath(const char *restrict path, char *restrict real)
{
    return look(REALPATH, -1) == FAILS ? NULL : NEXT(realpath)(path, real);
}

int setenv(const char *name, const char *value, int replace)
{
    return look(SETENV, -1) == FAILS ? -1 : NEXT(setenv)(name, value, replace);
}

int execv(const char *path, char *const argv[])
{
    return look(EXECV, -1) == FAILS ? -1 : NEXT(execv)(path, argv);
}

int execvp(const char *file, char *const argv[])
{
    return look(EXECVP, -1) == FAILS ? -1 : NEXT(execvp)(file, argv);
}

pid_t fork(void)
{
    return look(FORK, -1) == FAILS ? -1 : NEXT(fork)();
}

pid_t waitpid(pid_t child, int *status, int options)
{
    return look(WAITPID, -1) == FAILS ? -1 : NEXT(waitpid)(child, status, options);
}

int unlink(const char *path)
{
    return look(UNLINK, -1) == FAILS ? -1 : NEXT(unlink)(path);
}

int ftruncate(int fd, off_t size)
{
    return look(FTRUNCATE, fd) == FAILS ? -1 : NEXT(ftruncate)(fd, size);
}

int link(const char *from, const char *to)
{
    return look(LINK, -1) == FAILS ? -1 : NEXT(link)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return look(MKDIR, -1) == FAILS ? -1 : NEXT(mkdir)(path, mode);
}

int isatty(int fd)
{
    return look(ISATTY, fd) == FAILS ? 0 : NEXT(isatty)(fd);
}

/* ---- memory ---- */

void *malloc(size_t n)
{
    return look(MALLOC, -1) == FAILS ? NULL : NEXT(malloc)(n);
}

void *calloc(size_t n, size_t width)
{
    return look(CALLOC, -1) == FAILS ? NULL : NEXT(calloc)(n, width);
}

void *realloc(void *at, size_t n)
{
    return look(REALLOC, -1) == FAILS ? NULL : NEXT(realloc)(at, n);
}

#endif
