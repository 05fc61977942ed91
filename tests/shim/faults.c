/* faults [-a file] [-c calls] [-i file] [-m model] [-n name] [-o file] [-p program] [-t table]
 *        command [+ command ...]
 *
 * Runs the pipeline as it is, and then again for each call that a program in it makes of the
 * system: failing, interrupted or falling short, by way of faulty.so, which lies beside us. Each
 * run must give the bytes of the first, or end in words that name what failed. Prints those that do
 * not, and at last how often each call was made and how many runs there were; exit 1 if one was
 * wrong.
 *
 * Standard input is a pipe that holds -i; standard output is one, or the file -o. A table (-t) is
 * written from its beginning on, so that after a failure it is a part of what it should be; a model
 * (-m) is replaced whole: as it was, as it should be, or one of MODEL.1, MODEL.2 ... Both are put
 * back before each run. -n names a file that messages may name; -c picks calls ("read,write"), and
 * -p the program that makes them; -a names a file that standard output may be instead.
 * $STRIDE tries each so manieth call, from the first of each kind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faulty.h"

#if defined(__linux__) && !defined(F_SETPIPE_SZ)
#define F_SETPIPE_SZ 1031
#endif

enum { MEMBERS = 8, KNOWN = 8, WHOLE = 6, LIMIT = 10000 /* ms: more is a hang */ };

struct bytes {
    bool there;
    char *at;
    size_t n;
};

struct member {
    char **argv;
    pid_t pid;
    int status, err; /* err: what it says is read from here */
    struct bytes words;
};

/* A file that the pipeline writes. */
struct known_file {
    const char *name;
    bool table;
    mode_t mode;
    struct bytes was, right, whole[WHOLE];
};

/* How a call goes wrong. */
struct mishap {
    int error;       /* it fails, if not 0                                                */
    const char *how; /* "one", "half": it does so much, and those after it fail, or NULL  */
    bool on;         /* this call and all after it                                        */
    bool smooth;     /* nobody is to notice                                               */
};

struct fault {
    size_t member;
    enum faulty call;
    const struct mishap *mishap; /* NULL: all goes well */
    unsigned at;
};

static struct member members[MEMBERS];
static size_t member_count, known_count, name_count;
static struct known_file known_files[KNOWN];
static const char *names[KNOWN], *output, *picked, *program;
static struct bytes input, out, right_out, other_out;
static char shim[4096];
static int report_fd;
static unsigned long runs, wrongs;
static unsigned stride = 1;
static unsigned made[FAULTY_CALLS];

static void stop(const char *what)
{
    fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- what goes wrong ---- */

#define FAILS(error) { error, NULL, false, false }
#define FAILS_ON(error) { error, NULL, true, false }
#define FAILS_THEN(error) { error, "half", true, false }
#define GOES_ON(error) { error, NULL, false, true }
#define FALLS_SHORT { 0, "one", false, true }, { 0, "half", false, true }, { 0, "half", true, true }

/* Each ends with one that is all zero. */
static const struct mishap reads[] = { FAILS(EIO), FAILS_THEN(EIO), GOES_ON(EINTR), GOES_ON(EAGAIN),
                                       FALLS_SHORT, { 0 } };
static const struct mishap writes[] = { FAILS(EIO), FAILS_ON(ENOSPC), FAILS_THEN(ENOSPC),
                                        FAILS_ON(EPIPE), GOES_ON(EINTR), GOES_ON(EAGAIN),
                                        FALLS_SHORT, { 0 } };
static const struct mishap moves[] = { FAILS(ENOMEM), FAILS_ON(EINVAL), FAILS_THEN(EINVAL),
                                       GOES_ON(EINTR), GOES_ON(EAGAIN), FALLS_SHORT, { 0 } };
static const struct mishap opens[] = { FAILS(EMFILE), FAILS_ON(EACCES), GOES_ON(EINTR), { 0 } };
static const struct mishap polls[] = { FAILS(ENOMEM), GOES_ON(EINTR), { 0 } };
static const struct mishap syncs[] = { FAILS(EIO), FAILS_ON(ENOSPC), GOES_ON(EINTR), { 0 } };
static const struct mishap closes[] = { FAILS(EIO), GOES_ON(EINTR), { 0 } };
static const struct mishap memory[] = { FAILS(ENOMEM), FAILS_ON(ENOMEM), { 0 } };
static const struct mishap others[] = { FAILS(EIO), FAILS_ON(EPERM), { 0 } };

static const struct mishap *mishaps(enum faulty call)
{
    switch (call) {
    case READ:
        return reads;
    case WRITE:
    case WRITEV:
    case PWRITE:
        return writes;
    case OPEN:
        return opens;
    case CLOSE:
        return closes;
    case FSYNC:
        return syncs;
    case POLL:
        return polls;
    case SPLICE:
    case TEE:
        return moves;
    case MALLOC:
    case CALLOC:
    case REALLOC:
    case MMAP:
        return memory;
    default:
        return others;
    }
}

/* ---- bytes and files ---- */

static void append(struct bytes *bytes, const char *more, size_t n)
{
    bytes->at = realloc(bytes->at, bytes->n + n + 1);
    if (!bytes->at)
        stop("memory");
    if (n)
        memcpy(bytes->at + bytes->n, more, n);
    bytes->n += n;
    bytes->at[bytes->n] = '\0';
    bytes->there = true;
}

static void empty(struct bytes *bytes)
{
    bytes->n = 0;
    append(bytes, "", 0);
}

static void read_file(const char *name, struct bytes *bytes)
{
    char some[8192];
    ssize_t got;
    int fd = open(name, O_RDONLY);
    empty(bytes);
    bytes->there = fd >= 0;
    while (fd >= 0 && (got = read(fd, some, sizeof some)) > 0)
        append(bytes, some, (size_t)got);
    if (fd >= 0)
        close(fd);
}

static const char *const traces[] = { ".lock", ".lock.new" }; /* that a model leaves if it can */

/* Removes the files that an update left next to a model. Were there any? */
static bool remove_trace(const struct known_file *file)
{
    char trace[300];
    bool any = false;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        snprintf(trace, sizeof trace, "%s%s", file->name, traces[i]);
        any = unlink(trace) == 0 || any;
    }
    return any;
}

static void put_back(const struct known_file *file)
{
    (void)unlink(file->name);
    (void)remove_trace(file);
    if (!file->was.there)
        return;
    int fd = open(file->name, O_WRONLY | O_CREAT | O_EXCL, file->mode);
    if (fd < 0 || fchmod(fd, file->mode) < 0 ||
        write(fd, file->was.at, file->was.n) != (ssize_t)file->was.n)
        stop(file->name);
    close(fd);
}

static bool same(const struct bytes *a, const struct bytes *b)
{
    return a->there == b->there && a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

static bool part_of(const struct bytes *a, const struct bytes *b)
{
    return a->n <= b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

/* ---- a run ---- */

/* A pipe that goes no further than the members it is for. */
static void make_pipe(int ends[2])
{
    if (pipe(ends) < 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(ends[1], F_SETFD, FD_CLOEXEC) < 0)
        stop("pipe");
}

static int feed(void)
{
    int ends[2];
    make_pipe(ends);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
#ifdef F_SETPIPE_SZ
    fcntl(ends[1], F_SETPIPE_SZ, 1024 * 1024);
#endif
    if (input.n && write(ends[1], input.at, input.n) != (ssize_t)input.n)
        stop("no room in a pipe for -i");
    close(ends[1]);
    return ends[0];
}

static void plan(const struct fault *fault)
{
    char at[24], how[24], fd[24];
    const struct mishap *mishap = fault->mishap;
    bool on = mishap && mishap->on && !(mishap->how && mishap->error);
    sprintf(at, "%u%s", fault->at, on ? "+" : "");
    sprintf(how, "%s", mishap && mishap->how ? mishap->how : "");
    if (mishap && mishap->error)
        sprintf(how + strlen(how), "%d", mishap->error);
    sprintf(fd, "%d", report_fd);
    setenv("FAULTY_CALL", faulty_names[fault->call], 1);
    setenv("FAULTY_AT", at, 1);
    setenv("FAULTY_HOW", how, 1);
    setenv("FAULTY_FD", fd, 1);
}

static void start(struct member *member, int in, int to, const struct fault *fault)
{
    int ends[2];
    make_pipe(ends);
    member->err = ends[0];
    empty(&member->words);
    member->pid = fork();
    if (member->pid < 0)
        stop("fork");
    if (member->pid == 0) {
        dup2(in, 0);
        dup2(to, 1);
        dup2(ends[1], 2);
        signal(SIGPIPE, SIG_DFL);
        if (fault)
            setenv("LD_PRELOAD", shim, 1);
        if (fault && member == &members[fault->member])
            plan(fault);
        execvp(member->argv[0], member->argv);
        stop(member->argv[0]);
    }
    close(ends[1]);
    close(in);
    close(to);
}

/* Starts all; a descriptor for standard output. */
static int start_all(const struct fault *fault)
{
    int in = feed(), ends[2];
    for (size_t i = 0; i < member_count; i++) {
        bool last = i + 1 == member_count;
        make_pipe(ends);
        if (last && output) {
            close(ends[1]);
            ends[1] = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        }
        start(&members[i], in, ends[1], fault);
        in = ends[0];
    }
    return in;
}

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Reads a descriptor that has something. */
static void take(int *fd, struct bytes *bytes)
{
    char some[65536];
    ssize_t got = read(*fd, some, sizeof some);
    if (got > 0) {
        append(bytes, some, (size_t)got);
        return;
    }
    close(*fd);
    *fd = -1;
}

/* Takes what the members write until they end. False: they have not in time, and are killed. */
static bool listen_to(int from)
{
    long end = now() + LIMIT;
    bool in_time = true;
    empty(&out);
    for (;;) {
        struct pollfd at[MEMBERS + 1] = { { from, POLLIN, 0 } };
        bool open = from >= 0;
        for (size_t i = 0; i < member_count; i++) {
            at[i + 1] = (struct pollfd){ members[i].err, POLLIN, 0 };
            open = open || members[i].err >= 0;
        }
        if (!open)
            return in_time;
        if (poll(at, member_count + 1, in_time ? LIMIT : -1) == 0 || (in_time && now() > end)) {
            in_time = false;
            for (size_t i = 0; i < member_count; i++)
                kill(members[i].pid, SIGKILL);
        }
        if (at[0].revents)
            take(&from, &out);
        for (size_t i = 0; i < member_count; i++)
            if (at[i + 1].revents)
                take(&members[i].err, &members[i].words);
    }
}

static bool run(const struct fault *fault)
{
    for (size_t i = 0; i < known_count; i++)
        put_back(&known_files[i]);
    if (ftruncate(report_fd, 0) < 0)
        stop("counts");
    bool in_time = listen_to(start_all(fault));
    for (size_t i = 0; i < member_count; i++)
        waitpid(members[i].pid, &members[i].status, 0);
    if (output)
        read_file(output, &out);
    return in_time;
}

/* ---- what came of it ---- */

static bool well(const struct member *member)
{
    return WIFEXITED(member->status) && WEXITSTATUS(member->status) == 0;
}

static bool all_well(void)
{
    for (size_t i = 0; i < member_count; i++)
        if (!well(&members[i]))
            return false;
    return true;
}

/* Do the words say which file it was, or what else there was none of? */
static bool names_it(const char *words)
{
    static const char *const known[] = { "<std", "no room for", "cannot wait for", "a pipe" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(words, known[i]))
            return true;
    for (size_t i = 0; i < name_count; i++)
        if (strstr(words, names[i]))
            return true;
    return false;
}

/* What a member said after the lines by which it reports, when nothing failed, that update resumes
 * and what judge found. */
static const char *after_reports(const char *words)
{
    static const char *const reports[] = { "update: resuming from round ", "judge: users ",
                                           "judge: position " };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        const char *end = strchr(words, '\n');
        if (end && strncmp(words, reports[i], strlen(reports[i])) == 0)
            words = end + 1;
    }
    return words;
}

/* NULL, or what is wrong with how a member ended. */
static const char *check_end(const struct member *member, const struct mishap *mishap)
{
    const char *words = after_reports(member->words.at), *line = strchr(words, '\n');
    size_t n = strlen(member->argv[0]);
    bool broken = WIFSIGNALED(member->status) && WTERMSIG(member->status) == SIGPIPE;
    if (well(member) || (broken && (member_count > 1 || mishap->error == EPIPE)))
        return *words ? "it has words for no failure" : NULL;
    if (!WIFEXITED(member->status))
        return "it dies of a signal";
    if (WEXITSTATUS(member->status) != 1)
        return "it does not exit 0 or 1";
    if (!line || line[1] || strncmp(words, member->argv[0], n) != 0 || words[n] != ':')
        return "it does not say one line that begins with its name";
    if (!mishap)
        return NULL; /* its own words: a stream cut short, a partner that is gone */
    if (!strstr(words, strerror(mishap->error)) && !strstr(words, "out of memory"))
        return "it does not say what happened";
    return names_it(words) ? NULL : "it does not say what to";
}

static bool is_whole(const struct known_file *file, const struct bytes *is)
{
    if (same(is, &file->was) || same(is, &file->right))
        return true;
    for (size_t i = 0; i < WHOLE; i++)
        if (is->there && same(is, &file->whole[i]))
            return true;
    return false;
}

/* Did the program that should write the file report success? */
static bool answered_for(const char *name)
{
    for (size_t i = 0; i < member_count; i++)
        for (char **word = members[i].argv; *word; word++)
            if (well(&members[i]) && strstr(*word, name))
                return true;
    return false;
}

static const char *check_file(const struct known_file *file, enum faulty call)
{
    static struct bytes is;
    struct stat now_is;
    read_file(file->name, &is);
    if (answered_for(file->name) && !same(&is, &file->right))
        return "all is well, it says, but the file is wrong";
    if (!is_whole(file, &is) && !(file->table && part_of(&is, &file->right)))
        return "the file is broken";
    if (file->was.there && (stat(file->name, &now_is) < 0 || (now_is.st_mode & ~file->mode & 0777)))
        return "more may be done with the file than before";
    /* A lock that could not be asked for may be somebody else's. */
    if (remove_trace(file) && call != UNLINK && call != FLOCK)
        return "a file is left behind";
    return NULL;
}

static const char *check(const struct fault *fault, bool in_time)
{
    const char *bad = NULL;
    if (!in_time)
        return "it hangs";
    if (fault->mishap->smooth && !all_well())
        return "it was only to go on";
    if (fault->call == FSYNC && !fault->mishap->smooth && all_well())
        return "nobody says that the disk failed";
    if (well(&members[fault->member]) && !all_well())
        return "all is well, it says, but not to the others";
    for (size_t i = 0; i < member_count && !bad; i++)
        bad = check_end(&members[i], i == fault->member ? fault->mishap : NULL);
    if (well(&members[member_count - 1]) && !same(&out, &right_out))
        return "all is well, it says, but standard output is wrong";
    if (!part_of(&out, &right_out) && !part_of(&out, &other_out))
        return "standard output is wrong";
    for (size_t i = 0; i < known_count && !bad; i++)
        bad = check_file(&known_files[i], fault->call);
    return bad;
}

static void complain(const struct fault *fault, const char *bad)
{
    const struct mishap *mishap = fault->mishap;
    printf("%s: call %u%s of %s: %s%s%s: %s\n", members[fault->member].argv[0], fault->at,
           mishap->on ? " and on" : "", faulty_names[fault->call], mishap->how ? mishap->how : "",
           mishap->how && mishap->error ? ", then " : "",
           mishap->error ? strerror(mishap->error) : "", bad);
    for (size_t i = 0; i < member_count; i++)
        printf("    %s: status %x: %s%s", members[i].argv[0], (unsigned)members[i].status,
               members[i].words.at, members[i].words.n ? "" : "\n");
    wrongs++;
}

/* ---- all runs ---- */

static void go_wrong(size_t member, enum faulty call, unsigned times)
{
    for (const struct mishap *mishap = mishaps(call); mishap->error || mishap->how; mishap++) {
        unsigned last = mishap->on && mishap->smooth ? times > 0 : times;
        for (unsigned n = 1; n <= last; n += stride) {
            struct fault fault = { member, call, mishap, n };
            const char *bad = check(&fault, run(&fault));
            runs++;
            if (bad)
                complain(&fault, bad);
        }
    }
}

static bool is_picked(const char *call)
{
    size_t n = strlen(call);
    for (const char *at = picked; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, call, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return !picked;
}

/* Counts the member's calls in a run where all goes well, and then has each go wrong. */
static void try_member(size_t member)
{
    unsigned calls[FAULTY_CALLS] = { 0 };
    struct fault none = { member, READ, NULL, 0 };
    if (!run(&none) || !all_well() || !same(&out, &right_out))
        stop("with the shim it is not the same");
    if (pread(report_fd, calls, sizeof calls, 0) != (ssize_t)sizeof calls)
        stop("the shim does not count: is there no LD_PRELOAD?");
    for (enum faulty call = 0; call < FAULTY_CALLS; call++) {
        if (!is_picked(faulty_names[call]))
            continue;
        made[call] += calls[call];
        go_wrong(member, call, calls[call]);
    }
}

static void keep(const char *name, bool table)
{
    char other[300];
    struct stat is;
    struct known_file *file = &known_files[known_count++];
    file->name = names[name_count++] = name;
    file->table = table;
    read_file(name, &file->was);
    file->mode = stat(name, &is) == 0 ? is.st_mode & 0777 : 0666;
    for (size_t i = 0; i < WHOLE && !table; i++) {
        snprintf(other, sizeof other, "%s.%zu", name, i + 1);
        read_file(other, &file->whole[i]);
    }
}

static void read_options(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "+a:c:i:m:n:o:p:t:")) != -1) {
        if (option == 'a')
            read_file(optarg, &other_out);
        else if (option == 'c')
            picked = optarg;
        else if (option == 'i')
            read_file(optarg, &input);
        else if (option == 'm' || option == 't')
            keep(optarg, option == 't');
        else if (option == 'n')
            names[name_count++] = optarg;
        else if (option == 'o')
            output = optarg;
        else if (option == 'p')
            program = optarg;
        else
            exit(2);
    }
    for (char **word = argv + optind; *word && member_count < MEMBERS; word++) {
        members[member_count++].argv = word;
        while (*word && strcmp(*word, "+") != 0)
            word++;
        if (!*word)
            return;
        *word = NULL;
    }
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    char counts[] = "faults.XXXXXX";
    snprintf(shim, sizeof shim, "%.*s/faulty.so", slash ? (int)(slash - argv[0]) : 1,
             slash ? argv[0] : ".");
    report_fd = mkstemp(counts);
    if (report_fd < 0 || unlink(counts) < 0)
        stop("counts");
    signal(SIGPIPE, SIG_IGN);
    if (getenv("STRIDE"))
        stride = (unsigned)atoi(getenv("STRIDE"));
    read_options(argc, argv);
    if (member_count == 0 || !run(NULL) || !all_well()) {
        fprintf(stderr, "faults: it is not well from the first\n");
        return 2;
    }
    append(&right_out, out.at, out.n);
    for (size_t i = 0; i < known_count; i++)
        read_file(known_files[i].name, &known_files[i].right);
    for (size_t i = 0; i < member_count; i++)
        if (!program || strcmp(members[i].argv[0], program) == 0)
            try_member(i);
    for (enum faulty call = 0; call < FAULTY_CALLS; call++)
        if (made[call])
            printf("%s %u, ", faulty_names[call], made[call]);
    printf("%lu runs, %lu wrong\n", runs, wrongs);
    return wrongs > 0;
}
