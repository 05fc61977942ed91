/* The programs' own main is a part of this file, so that messages and exit statuses are its own. */
#define main rankpipe_main
#include "main.c"
#undef main

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "program.h"

void command_word(struct command *command, const char *word)
{
    if (command->words < WORDS_MOST)
        command->word[command->words++] = word;
    command->word[command->words] = NULL;
}

void command_words(struct command *command, const char *words)
{
    char *copy = memory_text("%s", words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        command_word(command, word);
}

static const char *quoted(const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@,+=";
    if (*word && word[strspn(word, plain)] == '\0')
        return word;
    char *text = memory_take(4 * strlen(word) + 3), *to = text;
    *to++ = '\'';
    for (; *word; word++)
        to += *word == '\'' ? sprintf(to, "'\\''") : (*to = *word, 1);
    *to = '\'';
    return text;
}

const char *command_text(const struct command *command)
{
    char *text = memory_text("%s", "");
    for (size_t i = 0; i < command->words; i++)
        text = memory_text("%s%s%s", text, i ? " " : "", quoted(command->word[i]));
    return memory_text("%s <%s >%s", text, command->in ? command->in : "/dev/null",
                       command->out ? command->out : "out");
}

static void need(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "structured: %s: %s\n", what, strerror(errno));
    _exit(1);
}

void file_put(const char *name, const void *bytes, size_t n)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    need(fd >= 0 && (n == 0 || write(fd, bytes, n) == (ssize_t)n), name);
    close(fd);
}

static struct bytes contents(int fd)
{
    struct stat stat;
    need(fstat(fd, &stat) == 0, "a file");
    struct bytes bytes = { memory_take((size_t)stat.st_size + 1), (size_t)stat.st_size };
    need(pread(fd, bytes.data, bytes.n, 0) == (ssize_t)bytes.n, "a file");
    return bytes;
}

struct bytes file_get(const char *name)
{
    int fd = open(name, O_RDONLY);
    if (fd < 0)
        return (struct bytes){ memory_take(1), 0 };
    struct bytes bytes = contents(fd);
    close(fd);
    return bytes;
}

/* Calls `look` for each file of a folder of this one, or of this one. */
static void each_file(const char *folder, void (*look)(const char *path, const struct stat *stat))
{
    DIR *dir = opendir(folder);
    char path[512];
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat stat;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (lstat(path, &stat) == 0 && S_ISDIR(stat.st_mode))
            each_file(path, look);
        else
            look(path, &stat);
    }
    if (dir)
        closedir(dir);
}

static size_t size_found;

static void add_size(const char *path, const struct stat *stat)
{
    (void)path;
    size_found += S_ISREG(stat->st_mode) ? (size_t)stat->st_size : 0;
}

static void remove_file(const char *path, const struct stat *stat)
{
    (void)stat;
    unlink(path);
}

size_t files_size(void)
{
    size_found = 0;
    each_file(".", add_size);
    return size_found;
}

void files_remove(void)
{
    each_file(".", remove_file);
    (void)rmdir("folder");
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What main does, and what it leaves to the end of its process. */
static int call_main(const struct command *command)
{
    char *argv[WORDS_MOST + 1] = { NULL };
    for (size_t i = 0; i < command->words; i++)
        argv[i] = memory_text("%s", command->word[i]);
    hurries = false;
    int status = rankpipe_main((int)command->words, argv);
    fflush(stdout);
    for (size_t i = 0; i < 2; i++)
        if (stop_pipe[i] >= 0)
            close(stop_pipe[i]);
    stop_pipe[0] = stop_pipe[1] = -1;
    static const int caught_here[] = { SIGALRM, SIGINT, SIGTERM, SIGHUP, SIGBUS };
    for (size_t i = 0; i < sizeof caught_here / sizeof *caught_here; i++)
        signal(caught_here[i], SIG_DFL);
    return status;
}

/* Puts `fd` in the place of a standard stream. */
static void become(int fd, int standard)
{
    need(fd >= 0 && dup2(fd, standard) == standard, "a standard stream");
    if (fd != standard)
        close(fd);
}

struct verdict program_run(const struct command *command)
{
    struct verdict outcome = { .read = files_size() };
    int saved = fcntl(2, F_DUPFD_CLOEXEC, 200); /* far from what a program opens */
    const char *out = command->out ? command->out : "out";
    become(open(command->in ? command->in : "/dev/null", O_RDONLY), 0);
    become(open(out, O_RDWR | O_CREAT | O_TRUNC, 0666), 1);
    become(open("err", O_RDWR | O_CREAT | O_TRUNC, 0666), 2);
    double before = processor_time();
    outcome.status = call_main(command);
    outcome.seconds = processor_time() - before;
    outcome.err = (const char *)contents(2).data;
    become(saved, 2);
    become(open("/dev/null", O_RDONLY), 0);
    become(open("/dev/null", O_WRONLY), 1);
    outcome.out = file_get(out);
    outcome.written = files_size();
    return outcome;
}

int program_start(const struct command *command, int in, int out, int err, const int *others)
{
    int pid = fork();
    need(pid >= 0, "fork");
    if (pid)
        return pid;
    in = fcntl(in, F_DUPFD, 20);
    out = fcntl(out, F_DUPFD, 20);
    err = fcntl(err, F_DUPFD, 20);
    for (; *others >= 0; others++)
        close(*others);
    become(in, 0);
    become(out, 1);
    become(err, 2);
    _exit(call_main(command));
}
