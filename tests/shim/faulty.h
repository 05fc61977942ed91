/* faulty: what tests/shim/faulty.c can make fail, and how tests/faults.c asks it to.
 *
 * The environment says it: FAULTY_CALL a function's name; FAULTY_AT the number of the call, from 1,
 * with a + after it where all later ones are meant too; FAULTY_HOW an errno's number, or `one` or
 * `half`: so many of the bytes asked for, or `half28`: half of them, and from the next call on
 * errno 28. FAULTY_FD is a descriptor of a file whose first bytes, unsigned[FAULTY_CALLS], are then
 * the numbers of calls so far. */
#ifndef RANKPIPE_FAULTY_H
#define RANKPIPE_FAULTY_H

enum faulty {
    READ,
    WRITE,
    WRITEV,
    OPEN,
    CLOSE,
    FSYNC,
    RENAME,
    MMAP,
    POLL,
    SPLICE,
    TEE,
    PIPE,
    PIPE2,
    FCNTL,
    FSTAT,
    STAT,
    LSEEK,
    ACCESS,
    READLINK,
    FLOCK,
    FCHMOD,
    DUP2,
    UNLINK,
    ISATTY,
    REALPATH,
    SETENV,
    EXECV,
    EXECVP,
    FORK,
    WAITPID,
    MALLOC,
    CALLOC,
    REALLOC,
    ACCEPT,
    BIND,
    CONNECT,
    GETSOCKOPT,
    LISTEN,
    LSTAT,
    OPENDIR,
    READDIR,
    SEND,
    SHUTDOWN,
    SOCKET,
    FTRUNCATE,
    LINK,
    MKDIR,
    PREAD,
    PWRITE,
    PTHREAD_CREATE,
    STATVFS,
    FAULTY_CALLS
};

static const char *const faulty_names[] = {
    "read",   "write",  "writev", "open",     "close",    "fsync", "rename", "mmap",
    "poll",   "splice", "tee",    "pipe",  "pipe2",  "fcntl",
    "fstat",  "stat",   "lseek",  "access",   "readlink", "flock", "fchmod", "dup2",
    "unlink", "isatty", "realpath", "setenv", "execv", "execvp", "fork", "waitpid",
    "malloc", "calloc", "realloc", "accept", "bind", "connect", "getsockopt", "listen", "lstat",
    "opendir", "readdir", "send", "shutdown", "socket", "ftruncate", "link", "mkdir",
    "pread",  "pwrite", "pthread_create", "statvfs",
};

#endif
