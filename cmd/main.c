/* rankpipe: all programs in one; the name it is called by says which one runs. */
#define _XOPEN_SOURCE 700 /* realpath */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/names.h"
#include "programs.h"
#include "run/pump.h"
#include "say.h"
#include "stream/round_format.h"

/* Where this executable's programs, scripts and pages are, found from where it is itself. */

static const struct script {
    const char *name, *line;
} scripts[] = {
    { "train", "learns from SVM-light text: models, a held-out table, a picture" },
    { "sweep", "runs a grid of settings on this machine or on many" },
    { "plot", "draws a table of metric, in the terminal or in a file" },
    { "live", "searches manual pages, and learns from the person who searches" },
    { "export", "prints the weights of a model for another program" },
    { "import", "reads the weights of another program into a model" },
    { "log", "turns the logs of other systems into a table for log2bin" },
    { "service", "learns from the users of a ranking service, and keeps its state" },
    { "api", "ranks over HTTP for front ends, and stores what their users say" },
    { "up", "runs a ranking service in a folder: serve, the API and the learner" },
    { "site", "runs a search page over a folder of documents, which learns from clicks" },
    { "doctor", "says what is wrong with a ranking service, and what to do" },
    { "demo", "runs a shop whose simulated customers teach its search" },
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

/* The folder that holds every program by its plain name: ../libexec/NAME beside the folder of the
 * executable, which is called NAME, or else that folder itself. `called` is argv[0], used where the
 * system does not say which file runs. Allocated; NULL with errno if that cannot be found out. */
static char *place_programs(const char *called)
{
    char *own = find_near(called, "../libexec", true, "score");
    bool apart = own != NULL;
    release(own);
    if (!apart && !is_missing())
        return NULL;
    return find_near(called, apart ? "../libexec" : ".", apart, ".");
}

/* The name of script i; NULL: there are not so many. */
static const char *place_script(size_t i)
{
    return i < sizeof scripts / sizeof *scripts ? scripts[i].name : NULL;
}

/* Is this the name of a script that is run as `rankpipe NAME`? */
static bool place_is_script(const char *name)
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

/* The script's file, or NULL with errno. It is in the folder of its own name, if there is one. */
static char *find_script(const char *called, const char *name)
{
    char *within = format("%s/%s", name, name);
    char *file = within ? find_near(called, "../share", true, within) : NULL;
    release(within);
    if (!file && is_missing())
        file = find_near(called, "../share", true, name);
    return file || !is_missing() ? file : find_near(called, "../cmd", false, name);
}

/* Runs the script argv[0] with its arguments, and with place_programs() first on its PATH. The
 * script is in ../share/NAME beside the executable's folder, or in ../cmd, in the source tree.
 * Returns only on failure, with exit status 1, once it has reported why. */
static int place_run(const char *called, char **argv)
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

/* Becomes man with the page of a program or a script; NULL: with rankpipe(7). Returns only to fail:
 * a usage fault for a name that has no page, or a fault of the system. A program's page may be
 * installed with "rankpipe-" before its name; other pages and those of scripts always are. */
static int place_page(const char *argv0, const char *name, struct fault *fault)
{
    bool program = name && (program_named(name) || strcmp(name, "rankpipe") == 0);
    bool script = name && place_is_script(name);
    char section = program || script ? '1' : '7';
    if (name && !strchr(name, '/') && show_name(argv0, section, "rankpipe-", name, fault) < 0)
        return -1;
    if (name && !program && !script) {
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
        return names.nearest ? fault_usage(fault, "no page %s: did you mean %s?", quoted,
                                           names.nearest)
                             : fault_usage(fault, "no page %s", quoted);
    }
    if (!script && show_name(argv0, section, "", name ? name : "rankpipe", fault) < 0) return -1;
    return fault_other(fault, "the page %s%s(%c) is not installed", script ? "rankpipe-" : "",
                       name ? name : "rankpipe", section);
}

#ifndef VERSION /* which make makes of this one, and of the commit: package/version */
#define VERSION "0.4.0"
#endif

static int stop_pipe[2] = { -1, -1 };
static volatile sig_atomic_t caught;
static bool hurries; /* the program saves nothing: what it prints can be printed again */

/* A program that prints ends within a second, even in the middle of a long round. */
static void on_alarm(int number)
{
    (void)number;
    signal(caught, SIG_DFL);
    raise(caught);
}

static void on_signal(int number)
{
    int saved = errno;
    caught = number;
    if (hurries)
        (void)alarm(1);
    (void)!write(stop_pipe[1], "", 1);
    errno = saved;
}

/* A program that has nothing to save erases its progress and dies of the signal. */
static void on_death(int number)
{
    (void)!write(STDERR_FILENO, PROGRESS_ERASE, sizeof PROGRESS_ERASE - 1);
    signal(number, SIG_DFL);
    raise(number); /* takes effect when this handler returns */
}

/* Installs the handler. A signal that the parent process ignored stays ignored. */
static int catch_signals(void (*handler)(int), struct fault *fault)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = handler }, was;
    if (pipe(stop_pipe) < 0)
        return fault_system(fault, "cannot make a pipe");
    for (size_t i = 0; i < 2; i++) {
        fcntl(stop_pipe[i], F_SETFD, FD_CLOEXEC);
        fcntl(stop_pipe[i], F_SETFL, O_NONBLOCK);
    }
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(numbers[i], &act, NULL);
    return 0;
}

static const char *bus_name; /* the program's */

/* A mapped file lost bytes that are read now, or its disk failed: there is no way to go on. */
static void on_bus_error(int number)
{
    static const char text[] = ": a file that is mapped became shorter, or cannot be read\n";
    (void)number;
    (void)!write(STDERR_FILENO, bus_name, strlen(bus_name));
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
}

static int die_of(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return 128 + number;
}

/* A closed standard stream must not become some other file. It is opened the wrong way round, so
 * that it fails when it is used; a folder serves for that where /dev is missing. */
static bool hold_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0 &&
            open("/", O_RDONLY) < 0)
            return false;
    return true;
}

static int print(FILE *to, int status)
{
    if (ferror(to) || fflush(to) != 0) {
        fprintf(stderr, "rankpipe: cannot write <stdout>: %s\n", strerror(errno));
        return 1;
    }
    return status;
}

static int tell(const struct filter *program, const struct fault *fault, int status)
{
    if (fault->kind == FAULT_NONE)
        return status;
    if (fault->kind == FAULT_GONE)
        return die_of(SIGPIPE);
    if (fault->kind == FAULT_STOPPED)
        return die_of(caught);
    say(program->name, fault->text);
    if (fault->kind != FAULT_USAGE)
        return fault->kind == FAULT_LOST ? 3 : 1;
    help_usage(stderr, program);
    fprintf(stderr, "%s -h explains the options\n", program->name);
    return 2;
}

static int handle_signals(struct pump *pump)
{
    const enum kind kind = pump->host.kind;
    hurries = !pump->host.saves;
    signal(SIGALRM, on_alarm);
    /* A program that takes rounds in finishes its round and saves when a signal comes. */
    if (pump->host.saves || kind == SINK || kind == WHOLE)
        return catch_signals(on_signal, &pump->fault);
    if (pump->progress.asked && isatty(STDERR_FILENO))
        return catch_signals(on_death, &pump->fault);
    return 0;
}

/* A program that waits long for another one says what for, so that one sees who is at fault. */
static void report_wait(const struct slow *slow, const char *awaited)
{
    const struct pump *pump = slow->self;
    warn(&pump->host, pump->filter->name, "still waiting for %s after %d seconds", awaited,
         WATCH_SLOW / 1000);
}

static int run(const struct filter *program, int argc, char **argv)
{
    struct pump pump;
    struct slow slow = { .report = report_wait, .self = &pump };
    int asked = pump_parse(&pump, program, argc, argv);
    pump.watch.slow = &slow;
    bus_name = program->name;
    signal(SIGBUS, on_bus_error);
    if (asked == OPTIONS_HELP && !(program->explain && program->explain(pump.self, stdout)))
        help_print(stdout, program);
    else if (asked == OPTIONS_VERSION)
        printf("%s (rankpipe) %s\n", program->name, VERSION);
    else if (asked == 0 && handle_signals(&pump) == 0)
        (void)pump_run(&pump, stop_pipe[0]);
    int status = asked < OPTIONS_FAULT ? print(stdout, 0)
                                       : tell(program, &pump.fault, pump.host.status);
    pump_close(&pump);
    return status;
}

static int list_programs(FILE *to, int status)
{
    fprintf(to, "usage: rankpipe program [argument ...]\n"
                "       rankpipe script [argument ...]\n"
                "       rankpipe help [page]\n"
                "       rankpipe -h | -V | --path | --format\n\nprograms:\n");
    for (size_t i = 0; programs[i]; i++)
        fprintf(to, "  %-14s %s\n", programs[i]->name, programs[i]->line);
    fprintf(to, "\nscripts:\n");
    for (size_t i = 0; scripts[i].name; i++)
        fprintf(to, "  %-14s %s\n", scripts[i].name, scripts[i].line);
    fprintf(to, "\nrankpipe program -h    explains the options of a program\n"
                "rankpipe help name     opens its page, also that of a script\n"
                "rankpipe help          opens the tour, rankpipe(7)\n"
                "rankpipe --path        prints the folder that holds all programs\n"
                "rankpipe --format      prints the keys and columns of rounds\n");
    return print(to, status);
}

/* A word that is no command: names one that is near, or lists all. */
static int no_program(const char *word)
{
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    for (size_t i = 0; programs[i]; i++)
        names_offer(&names, word, programs[i]->name);
    for (size_t i = 0; place_script(i); i++)
        names_offer(&names, word, place_script(i));
    names_offer(&names, word, "help");
    fprintf(stderr, "rankpipe: no program %s", fault_quote(quoted, word, strlen(word)));
    if (!names.nearest) {
        fprintf(stderr, "\n");
        return list_programs(stderr, 2);
    }
    fprintf(stderr, ": did you mean %s? rankpipe -h lists all\n", names.nearest);
    return 2;
}

/* "rankpipe help ..." */
static int help(int argc, char **argv)
{
    struct fault fault = { FAULT_NONE, "" };
    signal(SIGPIPE, SIG_DFL); /* as the pager expects them */
    signal(SIGXFSZ, SIG_DFL);
    if (argc > 3)
        (void)fault_usage(&fault, "help opens one page at a time");
    else
        (void)place_page(argv[0], argv[2], &fault);
    say("rankpipe", fault.text);
    return fault.kind == FAULT_USAGE ? list_programs(stderr, 2) : 1;
}

int main(int argc, char **argv)
{
    if (!hold_standard_streams())
        return 1;
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    const struct filter *program = program_find(name);
    if (!program && argc > 1 && place_is_script(argv[1]))
        return place_run(argv[0], argv + 1); /* which takes signals as they came */
    signal(SIGPIPE, SIG_IGN); /* a write fails instead, and die_of raises it at the end */
    signal(SIGXFSZ, SIG_IGN); /* a write beyond ulimit -f fails as on a full disk */
    if (program)
        return run(program, argc, argv);
    if (argc < 2 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)
        return list_programs(stdout, 0);
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        printf("rankpipe %s\n", VERSION);
        return print(stdout, 0);
    }
    if (strcmp(argv[1], "--path") == 0) {
        char *folder = place_programs(argv[0]);
        if (!folder) {
            fprintf(stderr, "rankpipe: cannot find this program's folder: %s\n", strerror(errno));
            return 1;
        }
        fprintf(stdout, "%s\n", folder);
        free(folder);
        return print(stdout, 0);
    }
    if (strcmp(argv[1], "--format") == 0) {
        char line[FORMAT_LINE];
        for (size_t i = 0; format_line(i, line); i++)
            puts(line);
        return print(stdout, 0);
    }
    if (strcmp(argv[1], "--near") == 0) { /* word name ...: for scripts, the name that was meant */
        struct names names = { 0 };
        for (char **word = argv + 3; argv[2] && *word; word++)
            names_offer(&names, argv[2], *word);
        if (names.nearest)
            printf("%s\n", names.nearest);
        return print(stdout, 0);
    }
    if (strcmp(argv[1], "help") == 0)
        return help(argc, argv);
    program = program_named(argv[1]);
    if (program)
        return run(program, argc - 1, argv + 1);
    return no_program(argv[1]);
}
