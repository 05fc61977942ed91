/* structured: runs the programs on valid records, models and texts that were changed by what they
 * mean, and checks what must be true whatever the input. A case is a seed and a number:
 *
 *     structured [-s seed] [-b first] [-n cases] [-t seconds] [-o folder] [-v]
 *
 * reports each case that fails, and how to repeat it. With -v it prints every command, and with -o
 * the files of the last case stay in the folder. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "check.h"
#include "second.h"
#include "stream/round_format.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#if SANITIZED
int __lsan_do_recoverable_leak_check(void);
const char *__asan_default_options(void);

/* A number in a header line must not become memory: what is refused is no crash. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:detect_leaks=1";
}
#endif

enum { FAILURES_MOST = 20, CASE_SECONDS = 60, LEAK_CASES = 200, DESCRIPTORS_MOST = 40 };

struct run {
    uint64_t seed, first, cases;
    long seconds;       /* of the clock; 0: no limit */
    const char *folder; /* NULL: one that is removed */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What a program opened, it closed. */
static void check_descriptors(void)
{
    int next = fcntl(0, F_DUPFD, 5); /* the program's own pipe was at 3 and 4 */
    if (next > DESCRIPTORS_MOST)
        found("descriptors stay open: the next one is %d", next);
    close(next);
}

/* Every file of the case before is gone; one case in 16 runs twice, and must print the same. */
static void run_case(uint64_t seed, uint64_t number)
{
    board->number = number;
    files_remove();
    uint64_t digest = case_run(seed, number);
    if (number % 16 == 0 && digest) {
        files_remove();
        if (case_run(seed, number) != digest)
            found("the same case prints something else");
    }
    check_descriptors();
    board->digest += digest;
    if (checks.verbose)
        fprintf(stderr, "case %lu digest %016lx\n", (unsigned long)number, (unsigned long)digest);
    memory_free();
}

static void check_leaks(uint64_t number)
{
#if SANITIZED
    if (number % LEAK_CASES == 0 && __lsan_do_recoverable_leak_check())
        found("memory is lost");
#else
    (void)number;
#endif
}

/* The process that runs cases. */
static void work(const struct run *run, uint64_t from, double end)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    freopen("/dev/null", "r", stdin);
    freopen("/dev/null", "w", stdout);
    for (uint64_t i = from; i < run->first + run->cases; i++) {
        if (run->seconds && now() > end)
            break;
        run_case(run->seed, i);
        check_leaks(i);
    }
    check_leaks(0);
    fflush(stderr);
    _exit(0);
}

/* Waits for the process, and kills it where one case takes too long: its status as of waitpid. */
static int watch_over(pid_t pid)
{
    int status;
    uint64_t number = board->number;
    double since = now();
    while (waitpid(pid, &status, WNOHANG) == 0) {
        const struct timespec pause = { 0, 20000000 };
        nanosleep(&pause, NULL);
        if (board->number != number) {
            number = board->number;
            since = now();
        }
        if (now() - since > CASE_SECONDS * checks.allowance)
            kill(pid, SIGKILL);
    }
    return status;
}

static void report(const struct run *run, int status)
{
    struct bytes err = file_get("err");
    if (WIFSIGNALED(status))
        printf("%s%s by signal %d\n", (const char *)err.data,
               WTERMSIG(status) == SIGKILL ? "a hang, ended" : "ended", WTERMSIG(status));
    else if (WEXITSTATUS(status) != EXIT_FOUND && WEXITSTATUS(status) != EXIT_SLOW)
        printf("%sended with status %d\n", (const char *)err.data, WEXITSTATUS(status));
    printf("case %lu fails; to see it: structured -s %lu -b %lu -n 1 -v -o FOLDER\n\n",
           (unsigned long)board->number, (unsigned long)run->seed, (unsigned long)board->number);
    fflush(stdout);
}

/* All cases, each failure reported. Returns how many failed. */
static int run_all(const struct run *run)
{
    int failures = 0, slow = 0;
    double end = now() + (double)run->seconds;
    uint64_t from = run->first, last_slow = 0;
    while (from < run->first + run->cases && failures < FAILURES_MOST) {
        board->number = from;
        pid_t pid = fork();
        if (pid == 0)
            work(run, from, end);
        int status = watch_over(pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        from = board->number;
        slow = from == last_slow ? slow : 0;
        last_slow = from;
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SLOW && ++slow < 3)
            continue; /* the machine may have been busy */
        report(run, status);
        failures++;
        from++;
        memory_free();
    }
    return failures;
}

static void summarize(const struct run *run, double seconds)
{
    uint64_t cases = board->number + 1 - run->first;
    printf("%lu cases, %lu commands, %lu streams read by the second reader, in %.1f s: %.0f cases "
           "a second\n", (unsigned long)cases, (unsigned long)board->runs,
           (unsigned long)board->streams, seconds, (double)cases / seconds);
    printf("the slowest used %.2f of its processor time: case %lu\n", board->slowest,
           (unsigned long)board->slowest_case);
    for (size_t i = 0; programs[i]; i++)
        printf("program %-14s %8lu exit 0 %8lu refused\n", programs[i]->name,
               (unsigned long)board->ok[i], (unsigned long)board->refused[i]);
    for (size_t i = 0; learners[i]; i++)
        printf("learner %-14s %8lu models\n", learners[i]->name, (unsigned long)board->models[i]);
    printf("digest %016lx\n", (unsigned long)board->digest);
}

static unsigned long number_of(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || !*text) {
        fprintf(stderr, "structured: '%s' is not a whole number\n", text);
        exit(2);
    }
    return value;
}

static struct run read_options(int argc, char **argv)
{
    struct run run = { .seed = 1, .cases = 1000 };
    int letter;
    while ((letter = getopt(argc, argv, "s:b:n:t:o:v")) > 0) {
        if (letter == 's')
            run.seed = number_of(optarg);
        else if (letter == 'b')
            run.first = number_of(optarg);
        else if (letter == 'n')
            run.cases = number_of(optarg);
        else if (letter == 't')
            run.seconds = (long)number_of(optarg);
        else if (letter == 'o')
            run.folder = optarg;
        else if (letter == 'v')
            checks.verbose = true;
        else
            exit(2);
    }
    return run;
}

/* Goes to the folder: the one named, or a new one in memory, if the system has such. */
static void enter(const char *folder, char made[64])
{
    struct stat stat_of;
    if (folder) {
        (void)mkdir(folder, 0777);
    } else {
        bool memory = stat("/dev/shm", &stat_of) == 0 && access("/dev/shm", W_OK) == 0;
        snprintf(made, 64, "%s/structured-XXXXXX", memory ? "/dev/shm" : "/tmp");
        folder = mkdtemp(made);
    }
    if (!folder || chdir(folder) < 0) {
        fprintf(stderr, "structured: cannot use a folder: %s\n", strerror(errno));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    char made[64] = "", line[FORMAT_LINE];
    struct run run = read_options(argc, argv);
    for (size_t i = 0; format_line(i, line); i++)
        second_format(line);
    checks.allowance = SANITIZED ? 25 : 1;
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return 1;
    enter(run.folder, made);
    double begun = now();
    int failures = run_all(&run);
    summarize(&run, now() - begun);
    if (made[0]) {
        files_remove();
        (void)rmdir(made);
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
