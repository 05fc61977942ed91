#include "learn/reload.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "stream/model_file.h"

/* All of the new model, or all of the old one. */
static int take(const struct reload *reload, struct scoring *scoring, struct fault *fault)
{
    struct reader reader;
    struct model model;
    struct scoring fresh = { .learner = NULL };
    int result = model_file_read(reload->fd, reload->path, &reader, &model, fault);
    if (result > 0) {
        result = scoring_take(&fresh, &model, fault);
        if (result < 0)
            fault_place(fault, "model %s: ", reload->path);
    }
    reader_close(&reader);
    if (result < 0) {
        scoring_close(&fresh);
        return -1;
    }
    scoring_close(scoring);
    *scoring = fresh;
    return 0;
}

/* Holds the file that the path names now in the place of the one held. Without blocking: somebody
 * may have put a FIFO there. */
static int hold(struct reload *reload, struct fault *fault)
{
    struct stat is;
    int fd = watch_open(reload->watch, reload->path, O_RDONLY | O_NONBLOCK, 0, fault);
    if (fd < 0 || fstat(fd, &is) < 0) {
        fault_system(fault, "model %s", reload->path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    reload_close(reload);
    reload->fd = fd;
    reload->is = is;
    reload->away = reload->written = false;
    return 0;
}

static int check_file(const struct reload *reload, struct fault *fault)
{
    if (S_ISREG(reload->is.st_mode))
        return 0;
    return fault_other(fault, "model %s is %s, not a file", reload->path,
                         S_ISDIR(reload->is.st_mode) ? "a directory" : "a device or a pipe");
}

int reload_open(struct reload *reload, const char *path, const struct watch *watch,
                struct scoring *scoring, struct fault *fault)
{
    *reload = (struct reload){ .path = path, .watch = watch, .fd = -1 };
    if (hold(reload, fault) < 0 || check_file(reload, fault) < 0)
        return -1;
    return take(reload, scoring, fault);
}

static int tell_away(struct reload *reload, struct fault *why)
{
    bool reported = reload->away;
    if (why->kind == FAULT_STOPPED || reported) {
        *why = (struct fault){ FAULT_NONE, "" };
        return 0;
    }
    reload->away = true;
    return fault_system(why, "model %s", reload->path);
}

/* What is written over a file in use may be read half old and half new, and is not read at all. */
static int tell_written(struct reload *reload, const struct stat *now, struct fault *why)
{
    const struct stat *was = &reload->is;
    reload->away = false;
    if (reload->written ||
        (now->st_size == was->st_size && now->st_mtim.tv_sec == was->st_mtim.tv_sec &&
         now->st_mtim.tv_nsec == was->st_mtim.tv_nsec))
        return 0;
    reload->written = true;
    return fault_other(why, "model %s was changed where it is, and is not read again: rename "
                         "a new one over it", reload->path);
}

int reload_look(struct reload *reload, struct scoring *scoring, struct fault *why)
{
    struct stat now;
    if (stat(reload->path, &now) < 0)
        return tell_away(reload, why);
    if (now.st_dev == reload->is.st_dev && now.st_ino == reload->is.st_ino)
        return tell_written(reload, &now, why);
    if (hold(reload, why) < 0)
        return tell_away(reload, why);
    if (check_file(reload, why) < 0)
        return -1;
    return take(reload, scoring, why);
}

void reload_close(struct reload *reload)
{
    if (reload->fd >= 0)
        close(reload->fd);
    reload->fd = -1;
}
