/* rankpipe: all programs in one; the name it is called by says which one runs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "place.h"
#include "programs.h"
#include "run/pump.h"
#include "say.h"
#include "stream/format.h"

#define VERSION "0.4.0"

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

static int tell(const struct filter *program, const struct fault *fault)
{
    if (fault->kind == FAULT_NONE)
        return 0;
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
    int status = asked < OPTIONS_FAULT ? print(stdout, 0) : tell(program, &pump.fault);
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
    place_list(to);
    fprintf(to, "\nrankpipe program -h    explains the options of a program\n"
                "rankpipe help name     opens its page, also that of a script\n"
                "rankpipe help          opens the tour, rankpipe(7)\n"
                "rankpipe --path        prints the folder that holds all programs\n"
                "rankpipe --format      prints the keys and columns of rounds\n");
    return print(to, status);
}

static int print_path(const char *called)
{
    char *folder = place_programs(called);
    if (!folder) {
        fprintf(stderr, "rankpipe: cannot find this program's folder: %s\n", strerror(errno));
        return 1;
    }
    fprintf(stdout, "%s\n", folder);
    free(folder);
    return print(stdout, 0);
}

static int print_format(void)
{
    char line[FORMAT_LINE];
    for (size_t i = 0; format_line(i, line); i++)
        puts(line);
    return print(stdout, 0);
}

/* "rankpipe --near word name ...", for scripts: prints the name that was meant, if one is near. */
static int print_near(char **argv)
{
    struct names names = { 0 };
    for (char **name = argv + 1; *argv && *name; name++)
        names_offer(&names, *argv, *name);
    if (names.nearest)
        printf("%s\n", names.nearest);
    return print(stdout, 0);
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
    if (strcmp(argv[1], "--path") == 0)
        return print_path(argv[0]);
    if (strcmp(argv[1], "--format") == 0)
        return print_format();
    if (strcmp(argv[1], "--near") == 0)
        return print_near(argv + 2);
    if (strcmp(argv[1], "help") == 0)
        return help(argc, argv);
    program = program_named(argv[1]);
    if (program)
        return run(program, argc - 1, argv + 1);
    return no_program(argv[1]);
}
