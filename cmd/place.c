#define _XOPEN_SOURCE 700 /* realpath */

#include "place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct script {
    const char *name, *line;
} scripts[] = {
    { "train", "learns from SVM-light text: models, a held-out table, a picture" },
    { "sweep", "runs a grid of settings on this machine or on many" },
    { "plot", "draws a table of metric, in the terminal or in a file" },
    { "live", "searches manual pages, and learns from the person who searches" },
    { "add-tables", "adds up the tables of metric -r for the shares of a run" },
    { NULL, NULL },
};

/* The text, allocated, or NULL if there is no memory for it. */
static char *format(const char *how, ...)
{
    va_list list, again;
    va_start(list, how);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, how, list);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (text)
        (void)vsnprintf(text, (size_t)n + 1, how, again);
    va_end(again);
    va_end(list);
    return text;
}

/* Frees, and leaves errno as it is. */
static void release(char *text)
{
    int error = errno;
    free(text);
    errno = error;
}

/* The real name of a file that can be executed (a folder: entered), or NULL with errno. Frees
 * `path`. */
static char *usable(char *path)
{
    char *real = path && access(path, X_OK) == 0 ? realpath(path, NULL) : NULL;
    release(path);
    return real;
}

/* Does errno say that a file does not exist? */
static bool is_missing(void)
{
    return errno == ENOENT || errno == ENOTDIR;
}

/* The first file of that name on the PATH, or NULL with errno. */
static char *find_on_path(const char *name)
{
    const char *rest = getenv("PATH");
    char *found = NULL;
    while (rest && !found) {
        size_t n = strcspn(rest, ":");
        found = usable(format("%.*s/%s", n ? (int)n : 1, n ? rest : ".", name));
        rest = rest[n] ? rest + n + 1 : NULL;
    }
    return found;
}

/* The real name of the executable: by Linux's word, or by argv[0]. */
static char *find_executable(const char *called)
{
    char *path = realpath("/proc/self/exe", NULL);
    if (path || !called || !(is_missing() || errno == EACCES)) /* no /proc, or a closed one */
        return path;
    return strchr(called, '/') ? realpath(called, NULL) : find_on_path(called);
}

char *place_folder(const char *called)
{
    char *path = find_executable(called), *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    return path;
}

/* The file FOLDER/room/file, or with `named` FOLDER/room/NAME/file, where the executable is
 * FOLDER/NAME; NULL with errno if it does not exist, or that cannot be found out. */
static char *find_near(const char *called, const char *room, bool named, const char *file)
{
    char *path = find_executable(called), *slash = path ? strrchr(path, '/') : NULL;
    char *found = NULL;
    if (slash) {
        *slash = '\0';
        found = usable(format("%s/%s/%s%s%s", path, room, named ? slash + 1 : "",
                              named ? "/" : "", file));
    }
    release(path);
    return found;
}

char *place_programs(const char *called)
{
    char *score = find_near(called, "../libexec", true, "score");
    bool apart = score != NULL;
    release(score);
    if (!apart && !is_missing())
        return NULL;
    return find_near(called, apart ? "../libexec" : ".", apart, ".");
}

const char *place_script(size_t i)
{
    return i < sizeof scripts / sizeof *scripts ? scripts[i].name : NULL;
}

bool place_is_script(const char *name)
{
    for (size_t i = 0; scripts[i].name; i++)
        if (strcmp(name, scripts[i].name) == 0)
            return true;
    return false;
}

/* Puts the folder first on the PATH. */
static bool extend_path(const char *folder)
{
    const char *was = getenv("PATH");
    char *path = format("%s%s%s", folder, was ? ":" : "", was ? was : "");
    bool done = path && setenv("PATH", path, 1) == 0;
    free(path);
    return done;
}

/* The script's file, or NULL with errno. */
static char *find_script(const char *called, const char *name)
{
    char *file = find_near(called, "../share", true, name);
    return file || !is_missing() ? file : find_near(called, "../cmd", false, name);
}

int place_run(const char *called, char **argv)
{
    char *programs = place_programs(called), *file = programs ? find_script(called, argv[0]) : NULL;
    if (file && extend_path(programs))
        (void)execv(file, argv);
    fprintf(stderr, "rankpipe: cannot run the script %s: %s\n", argv[0],
            programs && !file && is_missing() ? "it is not installed beside this program"
                                              : strerror(errno));
    free(programs);
    free(file);
    return 1;
}

void place_list(FILE *to)
{
    for (size_t i = 0; scripts[i].name; i++)
        fprintf(to, "  %-14s %s\n", scripts[i].name, scripts[i].line);
}
