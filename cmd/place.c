#define _XOPEN_SOURCE 700 /* realpath */

#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/names.h"
#include "programs.h"

static const struct script {
    const char *name, *line;
} scripts[] = {
    { "train", "learns from SVM-light text: models, a held-out table, a picture" },
    { "sweep", "runs a grid of settings on this machine or on many" },
    { "plot", "draws a table of metric, in the terminal or in a file" },
    { "live", "searches manual pages, and learns from the person who searches" },
    { "export", "prints the weights of a model for another program" },
    { "import", "reads the weights of another program into a model" },
    { "service", "learns from the users of a ranking service, and keeps its state" },
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

/* The folder of the executable, as a real path, allocated; NULL if it cannot be found. */
static char *find_folder(const char *called)
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
    char *own = find_near(called, "../libexec", true, "score");
    bool apart = own != NULL;
    release(own);
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
    char *folder = place_programs(called), *file = folder ? find_script(called, argv[0]) : NULL;
    if (file && extend_path(folder))
        (void)execv(file, argv);
    fprintf(stderr, "rankpipe: cannot run the script %s: %s\n", argv[0],
            folder && !file && is_missing() ? "it is not installed beside this program"
                                              : strerror(errno));
    free(folder);
    free(file);
    return 1;
}

void place_list(FILE *to)
{
    for (size_t i = 0; scripts[i].name; i++)
        fprintf(to, "  %-14s %s\n", scripts[i].name, scripts[i].line);
}

/* ---- pages ---- */

enum { PATH_SIZE = 4096, NAME_SIZE = 80 };

/* A page by the name it may have, and where the programs are. */
struct page {
    char name[NAME_SIZE];
    char section;
    const char *folder; /* of the executable; NULL: not known */
};

/* Its file: in the source, or where it is installed. */
static bool find_page(const struct page *page, char path[PATH_SIZE])
{
    if (!page->folder)
        return false;
    snprintf(path, PATH_SIZE, "%s/../man/%s.%c", page->folder, page->name, page->section);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, PATH_SIZE, "%s/../share/man/man%c/%s.%c", page->folder, page->section,
             page->name, page->section);
    return access(path, R_OK) == 0;
}

/* Does man know it by name? */
static bool man_knows(const struct page *page)
{
    char section[] = { page->section, '\0' };
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            dup2(nowhere, fd);
        execvp("man", (char *[]){ "man", "-w", section, (char *)page->name, NULL });
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Becomes man, if the page exists; 0 if it does not. */
static int show(const struct page *page, struct fault *fault)
{
    char path[PATH_SIZE], section[] = { page->section, '\0' };
    if (find_page(page, path)) {
        execvp("man", (char *[]){ "man", path, NULL });
        execvp("mandoc", (char *[]){ "mandoc", "-a", path, NULL });
        return fault_system(fault, "cannot show %s: cannot run man", path);
    }
    if (man_knows(page)) {
        execvp("man", (char *[]){ "man", section, (char *)page->name, NULL });
        return fault_system(fault, "cannot run man");
    }
    return 0;
}

/* Shows the page before-name of a section, if it exists. Pages of section 1 also begin with what
 * comes before "rankpipe" in argv0. */
static int show_name(const char *argv0, char section, const char *before, const char *name,
                     struct fault *fault)
{
    char *folder = find_folder(argv0);
    struct page page = { .section = section, .folder = folder };
    const char *slash = strrchr(argv0, '/'), *base = slash ? slash + 1 : argv0;
    const char *own = strstr(base, "rankpipe");
    int prefix = section == '1' && own ? (int)(own - base) : 0;
    snprintf(page.name, sizeof page.name, "%.*s%s%.40s", prefix, base, before, name);
    int result = show(&page, fault);
    free(folder);
    return result;
}

static int no_page(const char *name, struct fault *fault)
{
    static const char *const others[] = {
        "rankpipe", "learners", "operating", "logs", "python", "compatibility",
    };
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    for (size_t i = 0; programs[i]; i++)
        names_offer(&names, name, programs[i]->name);
    for (size_t i = 0; place_script(i); i++)
        names_offer(&names, name, place_script(i));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        names_offer(&names, name, others[i]);
    (void)fault_quote(quoted, name, strlen(name));
    return names.nearest ? fault_usage(fault, "no page %s: did you mean %s?", quoted, names.nearest)
                         : fault_usage(fault, "no page %s", quoted);
}

/* A program's page may be installed with "rankpipe-" before its name, other pages always are, also
 * those of scripts. */
int place_page(const char *argv0, const char *name, struct fault *fault)
{
    bool program = name && (program_named(name) || strcmp(name, "rankpipe") == 0);
    bool script = name && place_is_script(name);
    char section = program || script ? '1' : '7';
    if (name && !strchr(name, '/') && show_name(argv0, section, "rankpipe-", name, fault) < 0)
        return -1;
    if (name && !program && !script)
        return no_page(name, fault);
    if (!script && show_name(argv0, section, "", name ? name : "rankpipe", fault) < 0) return -1;
    return fault_other(fault, "the page %s%s(%c) is not installed", script ? "rankpipe-" : "",
                       name ? name : "rankpipe", section);
}
