/* The socket at which clients connect. */
#include "serve/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { PASSED_BY_SYSTEMD = 3, SUFFIX = 12 /* of a name that is used once: .PID */ };

/* Makes a descriptor non-blocking, and one that no child inherits. */
static int prepare_descriptor(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* ---- a socket that was passed ---- */

/* Did systemd pass a socket to this process? */
static bool passed_by_systemd(void)
{
    char own[24];
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    snprintf(own, sizeof own, "%" PRIdMAX, (intmax_t)getpid());
    return process && count && strcmp(process, own) == 0 && strcmp(count, "0") != 0;
}

static int adopt_passed(struct listener *listener, struct fault *fault)
{
    int is_listening = 0, fd = passed_by_systemd() ? PASSED_BY_SYSTEMD : STDIN_FILENO;
    socklen_t size = sizeof is_listening;
    if (fd == PASSED_BY_SYSTEMD && strcmp(getenv("LISTEN_FDS"), "1") != 0)
        return fault_other(fault, "systemd passed %.10s sockets, but serve takes one",
                           getenv("LISTEN_FDS"));
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) < 0 || !is_listening)
        return fault_other(fault, "descriptor %d is not a listening socket", fd);
    listener->fd = fd;
    if (prepare_descriptor(fd) < 0)
        return fault_system(fault, "cannot use descriptor %d", fd);
    return 0;
}

/* ---- a socket of its own ---- */

/* The path has room there. */
static void set_address(struct sockaddr_un *address, const char *path)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    strcpy(address->sun_path, path);
}

/* Does a process listen at this path? */
static bool is_alive(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool alive = fd >= 0 && prepare_descriptor(fd) == 0 &&
                 (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
                  errno == EAGAIN || errno == EINPROGRESS);
    if (fd >= 0)
        close(fd);
    return alive;
}

/* May the path be used? Only a socket that nobody listens at is replaced. */
static int check_path(const struct sockaddr_un *address, const char *path, struct fault *fault)
{
    struct stat is;
    if (lstat(path, &is) < 0)
        return errno == ENOENT ? 0 : fault_system(fault, "cannot listen at %s", path);
    if (!S_ISSOCK(is.st_mode))
        return fault_other(fault, "%s exists and is not a socket", path);
    if (is_alive(address))
        return fault_other(fault, "another process listens at %s", path);
    return 0;
}

/* Binds the socket under a name of its own, listens, and renames it to `path`. */
static int appear(struct listener *listener, const struct sockaddr_un *own, const char *path)
{
    struct stat is;
    (void)unlink(own->sun_path);
    if (bind(listener->fd, (const struct sockaddr *)own, sizeof *own) < 0) return -1;
    if (listen(listener->fd, SOMAXCONN) < 0 || lstat(own->sun_path, &is) < 0 ||
        rename(own->sun_path, path) < 0) {
        int saved = errno;
        (void)unlink(own->sun_path);
        errno = saved;
        return -1;
    }
    listener->path = path;
    listener->device = is.st_dev;
    listener->inode = is.st_ino;
    return 0;
}

static int make(struct listener *listener, const char *path, struct fault *fault)
{
    struct sockaddr_un address, own;
    char name[sizeof own.sun_path + SUFFIX];
    size_t most = sizeof own.sun_path - SUFFIX;
    if (strlen(path) > most)
        return fault_usage(fault, "the path of a socket has at most %zu bytes, not %zu", most,
                           strlen(path));
    snprintf(name, sizeof name, "%s.%" PRIdMAX, path, (intmax_t)getpid());
    set_address(&address, path);
    set_address(&own, name);
    if (check_path(&address, path, fault) < 0) return -1;
    listener->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener->fd < 0 || prepare_descriptor(listener->fd) < 0 ||
        appear(listener, &own, path) < 0)
        return fault_system(fault, "cannot listen at %s", path);
    return 0;
}

int listener_open(struct listener *listener, const char *path, struct fault *fault)
{
    *listener = (struct listener){ .fd = -1 };
    return strcmp(path, "-") == 0 ? adopt_passed(listener, fault) : make(listener, path, fault);
}

int listener_accept(const struct listener *listener)
{
    for (;;) {
        int fd = accept(listener->fd, NULL, NULL);
        if (fd >= 0 && prepare_descriptor(fd) == 0)
            return fd;
        if (fd >= 0)
            close(fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            return -1;
        else if (errno != EINTR && errno != ECONNABORTED) {
            errno = 0;
            return -1;
        }
    }
}

void listener_close(struct listener *listener)
{
    struct stat is;
    if (listener->path && lstat(listener->path, &is) == 0 && is.st_dev == listener->device &&
        is.st_ino == listener->inode)
        (void)unlink(listener->path);
    if (listener->fd >= 0)
        close(listener->fd);
    *listener = (struct listener){ .fd = -1 };
}
