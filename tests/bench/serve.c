/* serve: how long an answer takes, pipe to pipe. A command is given one round, and the next one
 * only when the answer to it, one record, has come whole; so many times. Prints the median and the
 * 99th percentile, in microseconds. The rounds are those of a file, over and over, each less than a
 * pipe holds.
 *
 *     serve rounds file command */
#include "stored.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 4096 };

struct service {
    int to, from; /* pipes */
    pid_t child;
    char *answer;
    size_t room, got;
};

static void must(int well)
{
    if (!well) {
        perror("serve");
        exit(1);
    }
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static struct service start(const char *command)
{
    int to[2], from[2];
    must(pipe(to) == 0 && pipe(from) == 0);
    struct service service = { .to = to[1], .from = from[0], .child = fork() };
    must(service.child >= 0);
    if (service.child == 0) {
        must(dup2(to[0], STDIN_FILENO) >= 0 && dup2(from[1], STDOUT_FILENO) >= 0);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return service;
}

static void ask(const struct service *service, const char *at, size_t n)
{
    while (n) {
        ssize_t put = write(service->to, at, n);
        must(put > 0);
        at += put;
        n -= (size_t)put;
    }
}

/* Reads until there are n bytes of the answer at least. */
static void read_to(struct service *service, size_t n)
{
    while (service->got < n) {
        ssize_t got = read(service->from, service->answer + service->got,
                           service->room - service->got);
        must(got > 0);
        service->got += (size_t)got;
    }
}

static void await(struct service *service)
{
    char *end = NULL;
    service->got = 0;
    while (!end) {
        read_to(service, service->got + 1);
        end = memchr(service->answer, '\n', service->got);
    }
    size_t bytes = stored_number(service->answer, " bytes=");
    read_to(service, (size_t)(end + 1 - service->answer) + bytes);
}

static const char *line_of(const struct stored *stored, size_t i)
{
    const struct bare *before = &stored->round[i] - 1;
    return (const char *)(i ? before->label + before->bytes : stored->bytes);
}

static int by_size(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

int main(int argc, char **argv)
{
    int status;
    if (argc != 4)
        return 2;
    size_t n = strtoul(argv[1], NULL, 10);
    struct stored stored = stored_open(argv[2]);
    struct service service = start(argv[3]);
    double *us = malloc(n * sizeof *us);
    service.room = 2 * (LINE + stored.round[0].bytes + 12 * stored.round[0].docs);
    service.answer = malloc(service.room);
    must(us && service.answer && n > 0);
    for (size_t t = 0; t < n; t++) {
        const struct bare *round = &stored.round[t % stored.rounds];
        const char *line = line_of(&stored, t % stored.rounds);
        double from = microseconds();
        ask(&service, line, (size_t)((const char *)round->label - line) + round->bytes);
        await(&service);
        us[t] = microseconds() - from;
    }
    char end[64];
    ask(&service, end, (size_t)snprintf(end, sizeof end, "rankpipe/1 end rounds=%zu bytes=0\n", n));
    close(service.to);
    must(waitpid(service.child, &status, 0) >= 0 && status == 0);
    qsort(us, n, sizeof *us, by_size);
    printf("%.1f %.1f\n", us[n / 2], us[n - 1 - n / 100]);
    return 0;
}
