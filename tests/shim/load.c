/* load: clients of serve. So many connections each send a request, wait for its answer, check it
 * and send the next one, until so many queries are answered. The requests are those of a file, over
 * and over. Meanwhile another process may run clients that misbehave, five of each kind: they send
 * garbage, stop within a request, never read their answers, or vanish before the answer comes.
 *
 *     load [-1] [-m] socket requests clients queries
 *
 * -1: each request has a connection of its own. -m: with the clients that misbehave.
 * Prints the queries, queries a second, the median and the 99th percentile of the time to an answer
 * in microseconds, and the first and last round number. Exits 1 if an answer is not that of its
 * request, or a round number came twice. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 1000, ANSWER = 1 << 18, EACH_KIND = 5, LATE = 20 /* seconds */ };

struct request {
    const char *text;
    size_t bytes, docs;
};

struct client {
    int fd;
    size_t at;    /* its request */
    size_t sent, got;
    double began;
    char answer[ANSWER];
};

static struct request *requests;
static size_t request_count;
static const char *path;
static bool single;
static struct client client[CLIENTS];
static struct pollfd polls[CLIENTS];
static double *waits;
static uint64_t *numbers;
static size_t answered, begun, wanted;

static void must(bool well, const char *what)
{
    if (well)
        return;
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int join(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    must(fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0, path);
    return fd;
}

/* Divides a text into requests, each with its blank line. */
static void divide(const char *text)
{
    size_t room = 1024;
    requests = malloc(room * sizeof *requests);
    for (const char *end; (end = strstr(text, "\n\n")); text = end + 2) {
        struct request request = { text, (size_t)(end + 2 - text), 0 };
        for (const char *p = text; p <= end; p++)
            request.docs += *p == '\n';
        if (request_count == room)
            requests = realloc(requests, (room *= 2) * sizeof *requests);
        must(requests != NULL, "memory");
        requests[request_count++] = request;
    }
    must(request_count > 0, "no requests");
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    must(file && fseek(file, 0, SEEK_END) == 0, name);
    size_t n = (size_t)ftell(file);
    char *text = malloc(n + 1);
    rewind(file);
    must(text && fread(text, 1, n, file) == n, name);
    text[n] = '\0';
    fclose(file);
    return text;
}

/* ---- clients that behave ---- */

static void send_rest(struct client *my)
{
    const struct request *request = &requests[my->at];
    ssize_t put = write(my->fd, request->text + my->sent, request->bytes - my->sent);
    must(put > 0, "write");
    my->sent += (size_t)put;
}

static void begin(struct client *my)
{
    if (single && my->fd >= 0)
        close(my->fd);
    if (single || my->fd < 0)
        my->fd = begun < wanted ? join() : -1;
    if (begun == wanted)
        return;
    my->at = begun++ % request_count;
    my->sent = my->got = 0;
    my->began = now();
    send_rest(my);
}

static void wrong(const struct client *my, const char *what)
{
    fprintf(stderr, "load: %s: %.200s\n", what, my->answer);
    exit(1);
}

/* The answer has a line for each document, of one round and of the query that was sent, and each
 * place and each document once. */
static uint64_t check(const struct client *my)
{
    const struct request *request = &requests[my->at];
    const char *qid = strstr(request->text, "qid:") + 4, *line = my->answer;
    unsigned char seen[1000] = { 0 };
    unsigned long long t, first = 0;
    size_t place, document, n = strcspn(qid, " ");
    char name[256];
    for (size_t i = 1; i <= request->docs; i++) {
        if (sscanf(line, "%llu %255s %zu %zu", &t, name, &place, &document) != 4 ||
            (i > 1 && t != first) || place != i || document >= request->docs || seen[document]++ ||
            strlen(name) != n || strncmp(name, qid, n) != 0)
            wrong(my, "not the answer of the request");
        first = t;
        line = strchr(line, '\n') + 1;
    }
    if (strcmp(line, "\n") != 0)
        wrong(my, "more than an answer");
    return first;
}

static void receive(struct client *my)
{
    ssize_t got = read(my->fd, my->answer + my->got, sizeof my->answer - 1 - my->got);
    must(got > 0, "read");
    my->got += (size_t)got;
    my->answer[my->got] = '\0';
    if (my->got < 2 || strcmp(my->answer + my->got - 2, "\n\n") != 0)
        return;
    waits[answered] = now() - my->began;
    numbers[answered++] = check(my);
    begin(my);
}

static void run(size_t clients)
{
    for (size_t i = 0; i < clients; i++) {
        client[i].fd = -1;
        begin(&client[i]);
    }
    while (answered < wanted) {
        for (size_t i = 0; i < clients; i++) {
            bool sends = client[i].sent < requests[client[i].at].bytes;
            polls[i] = (struct pollfd){ client[i].fd, sends ? POLLOUT : POLLIN, 0 };
        }
        must(poll(polls, clients, LATE * 1000) > 0, "no answer");
        for (size_t i = 0; i < clients; i++) {
            if (polls[i].revents & POLLOUT)
                send_rest(&client[i]);
            else if (polls[i].revents)
                receive(&client[i]);
        }
    }
}

/* ---- clients that misbehave ---- */

/* Joins without waiting; -1 where that is not possible now. */
static int join_soon(void)
{
    struct timeval soon = { 0, 1000 };
    int fd = join();
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
    return fd;
}

static void put(int fd, const void *bytes, size_t n)
{
    (void)!write(fd, bytes, n);
}

static void drain(int fd)
{
    char answers[4096];
    while (recv(fd, answers, sizeof answers, MSG_DONTWAIT) > 0)
        continue;
}

static void misbehave(void)
{
    struct timespec pause = { 0, 2000000 };
    int garbage[EACH_KIND], deaf[EACH_KIND], half[EACH_KIND];
    unsigned char bytes[8192];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i * 2654435761u >> 13);
    for (int i = 0; i < EACH_KIND; i++) {
        garbage[i] = join_soon();
        deaf[i] = join_soon();
        half[i] = join_soon();
        put(half[i], requests->text, requests->bytes / 2);
    }
    for (;;) {
        for (int i = 0; i < EACH_KIND; i++) {
            put(garbage[i], bytes, sizeof bytes);
            put(garbage[i], "\n\n", 2);
            drain(garbage[i]);
            put(deaf[i], requests->text, requests->bytes);
            int gone = join_soon();
            put(gone, requests->text, requests->bytes);
            close(gone);
        }
        nanosleep(&pause, NULL);
    }
}

/* ---- the whole ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void report(double seconds)
{
    qsort(waits, wanted, sizeof *waits, by_size);
    qsort(numbers, wanted, sizeof *numbers, by_number);
    for (size_t i = 1; i < wanted; i++)
        must(numbers[i] != numbers[i - 1], "a round number came twice");
    printf("%zu %.0f %.0f %.0f %llu %llu\n", wanted, (double)wanted / seconds,
           waits[wanted / 2] * 1e6, waits[wanted * 99 / 100] * 1e6,
           (unsigned long long)numbers[0], (unsigned long long)numbers[wanted - 1]);
}

int main(int argc, char **argv)
{
    bool bad = false;
    pid_t other = 0;
    for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
        single = single || argv[1][1] == '1';
        bad = bad || argv[1][1] == 'm';
    }
    if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > CLIENTS || atol(argv[4]) < 1)
        return fprintf(stderr, "usage: load [-1] [-m] socket requests clients queries\n"), 2;
    signal(SIGPIPE, SIG_IGN);
    path = argv[1];
    divide(read_file(argv[2]));
    wanted = (size_t)atol(argv[4]);
    waits = calloc(wanted, sizeof *waits);
    numbers = calloc(wanted, sizeof *numbers);
    must(waits && numbers, "memory");
    if (bad && (other = fork()) == 0)
        misbehave();
    double start = now();
    run((size_t)atoi(argv[3]));
    double seconds = now() - start;
    if (other > 0)
        kill(other, SIGKILL);
    report(seconds);
    return 0;
}
