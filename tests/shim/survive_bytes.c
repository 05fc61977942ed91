/* bear [-f file] [-i input] ended|held|cut|flip whole command ...: runs a command on what a
 * stranger might send, and sees that it bears it. `ended` gives it the bytes of the file `whole` by
 * a pipe; `held` by one that then stays open: the command must refuse them without waiting for
 * more. `cut` gives it each of their beginnings, `flip` them with each byte changed, twice;
 * with $STRIDE, each so manieth. -f
 * writes the bytes into that file instead, and -i says where standard input comes from.
 *
 * Refused means: exit 1, and one line on standard error, of printable characters, that begins with
 * the command's name. What has been flipped may also pass, with exit 0 and no word. The line that
 * update resumes from a model may come before, and does not count. In either case
 * within 64 MiB ($BEAR_KIB says otherwise) and 5 seconds. With `ended` and `held` the line goes to
 * standard output. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t wait4(pid_t, int *, int, struct rusage *); /* of BSD, and of every libc at hand */

enum { SECONDS = 5, WORDS = 8192, WHOLE = 1 << 24 };

struct trial {
    const char *file, *input; /* -f and -i, or NULL */
    bool held, may_pass;
    char **command;
    long most; /* KiB */
    size_t stride;
};

struct verdict {
    int status; /* as the shell has it; 128 and up: killed */
    long kib;
    char words[WORDS + 1];
};

static volatile sig_atomic_t running; /* the command's process */
static unsigned char whole[WHOLE];

static void give_up(int number)
{
    (void)number;
    kill((pid_t)running, SIGKILL);
}

static void must(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "survive_bytes: %s: %s\n", what, strerror(errno));
        exit(2);
    }
}

static size_t read_whole(const char *name)
{
    int fd = open(name, O_RDONLY);
    size_t n = 0;
    ssize_t got;
    must(fd >= 0, name);
    while ((got = read(fd, whole + n, WHOLE - n)) > 0)
        n += (size_t)got;
    must(got == 0 && n < WHOLE, name);
    close(fd);
    return n;
}

static void write_all(int fd, const unsigned char *bytes, size_t n)
{
    ssize_t wrote = 1;
    for (; n > 0 && wrote > 0; n -= (size_t)wrote, bytes += wrote)
        wrote = write(fd, bytes, n);
}

/* A process that writes the bytes, and with `held` then stays, the pipe in its hand. */
static pid_t feed(int fd, const unsigned char *bytes, size_t n, bool held)
{
    pid_t pid = fork();
    must(pid >= 0, "fork");
    if (pid > 0)
        return pid;
    write_all(fd, bytes, n);
    while (held)
        pause();
    _exit(0);
}

static pid_t start(const struct trial *trial, int in, int words)
{
    pid_t pid = fork();
    must(pid >= 0, "fork");
    if (pid > 0)
        return pid;
    int out = open("/dev/null", O_WRONLY);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execvp(trial->command[0], trial->command);
    _exit(127);
}

static void await(pid_t pid, struct verdict *outcome)
{
    int status;
    struct rusage usage;
    running = pid;
    alarm(SECONDS);
    while (wait4(pid, &status, 0, &usage) < 0)
        must(errno == EINTR, "wait4");
    alarm(0);
    outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome->kib = usage.ru_maxrss;
}

/* The descriptor that standard input is to be; *feeder is who writes to it, or 0. */
static int input(const struct trial *trial, const unsigned char *bytes, size_t n, pid_t *feeder)
{
    int ends[2];
    *feeder = 0;
    if (trial->file) {
        int fd = open(trial->file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        must(fd >= 0, trial->file);
        write_all(fd, bytes, n);
        close(fd);
        return open(trial->input ? trial->input : "/dev/null", O_RDONLY);
    }
    must(pipe(ends) == 0, "pipe");
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    if (trial->held)
        *feeder = feed(ends[1], bytes, n, true);
    else if (n > 4096)
        *feeder = feed(ends[1], bytes, n, false);
    else
        write_all(ends[1], bytes, n);
    close(ends[1]);
    return ends[0];
}

/* Removes the line by which update reports that it resumes. */
static void drop_resuming(char *words)
{
    static const char report[] = "update: resuming from round ";
    char *end = strchr(words, '\n');
    if (end && strncmp(words, report, sizeof report - 1) == 0)
        memmove(words, end + 1, strlen(end + 1) + 1);
}

static void run(const struct trial *trial, const unsigned char *bytes, size_t n,
                struct verdict *outcome)
{
    int words[2];
    pid_t feeder;
    int in = input(trial, bytes, n, &feeder);
    must(in >= 0 && pipe(words) == 0, "input");
    pid_t pid = start(trial, in, words[1]);
    close(words[1]);
    await(pid, outcome);
    close(in);
    if (feeder > 0) {
        kill(feeder, SIGKILL);
        waitpid(feeder, NULL, 0);
    }
    ssize_t got = read(words[0], outcome->words, WORDS);
    outcome->words[got > 0 ? got : 0] = '\0';
    drop_resuming(outcome->words);
    close(words[0]);
}

/* "name: words" and an LF, all of it printable. */
static bool is_message(const char *words, const char *name)
{
    size_t n = strlen(name), length = strlen(words);
    if (strncmp(words, name, n) != 0 || strncmp(words + n, ": ", 2) != 0 || length < n + 8)
        return false;
    for (const char *p = words; p < words + length - 1; p++)
        if (*p < ' ' || *p > '~')
            return false;
    return words[length - 1] == '\n';
}

static int wrong(const struct verdict *outcome, const char *how, size_t at, const char *what)
{
    printf("%s %zu: %s: exit %d, %ld KiB, %s\n", how, at, what, outcome->status, outcome->kib,
           outcome->words);
    return 1;
}

static int judge(const struct trial *trial, const struct verdict *outcome, const char *how,
                 size_t at)
{
    if (outcome->status >= 126)
        return wrong(outcome, how, at, "it was killed, or took too long");
    if (outcome->kib > trial->most)
        return wrong(outcome, how, at, "it took too much memory");
    if (outcome->status == 0 && trial->may_pass)
        return *outcome->words ? wrong(outcome, how, at, "exit 0, with words") : 0;
    if (outcome->status != 1)
        return wrong(outcome, how, at, "it was to be refused with exit 1");
    if (!is_message(outcome->words, trial->command[0]))
        return wrong(outcome, how, at, "its words are no line that begins with its name");
    return 0;
}

static int try(const struct trial *trial, size_t n, const char *how, size_t at, bool explained)
{
    struct verdict outcome;
    run(trial, whole, n, &outcome);
    int bad = judge(trial, &outcome, how, at);
    if (!bad && explained)
        fputs(outcome.words, stdout);
    return bad;
}

static int cut(const struct trial *trial, size_t n)
{
    int bad = 0;
    for (size_t at = 0; at < n && !bad; at += trial->stride)
        bad = try(trial, at, "cut at", at, false);
    return bad;
}

static int flip(const struct trial *trial, size_t n)
{
    int bad = 0;
    for (size_t at = 0; at < n && !bad; at += trial->stride) {
        unsigned char was = whole[at];
        const unsigned char now[] = { was ^ 0x01, was ^ 0x10 };
        for (size_t v = 0; v < sizeof now && !bad; v++) {
            whole[at] = now[v];
            bad = try(trial, n, "flipped at", at, false);
        }
        whole[at] = was;
    }
    return bad;
}

int main(int argc, char **argv)
{
    int option;
    struct trial trial = { .most = 64 * 1024 };
    while ((option = getopt(argc, argv, "+f:i:")) != -1)
        *(option == 'f' ? &trial.file : &trial.input) = optarg;
    if (argc - optind < 3) {
        fprintf(stderr, "usage: bear [-f file] [-i input] ended|held|cut|flip whole command ...\n");
        return 2;
    }
    const char *how = argv[optind], *kib = getenv("BEAR_KIB"), *stride = getenv("STRIDE");
    trial.command = argv + optind + 2;
    trial.most = kib ? atol(kib) : trial.most;
    trial.stride = stride ? (size_t)atol(stride) : 1;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, give_up);
    size_t n = read_whole(argv[optind + 1]);
    if (strcmp(how, "cut") == 0)
        return cut(&trial, n);
    trial.may_pass = strcmp(how, "flip") == 0;
    if (trial.may_pass)
        return flip(&trial, n);
    trial.held = strcmp(how, "held") == 0;
    return try(&trial, n, how, n, true);
}
