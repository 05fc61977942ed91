#include "serving.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "change.h"
#include "stage.h"

enum { ANSWER_MOST = 1 << 20, PATIENCE = 30 }; /* bytes; seconds */

/* A connection to the service, once it listens; -1 where it ended before. */
static int connect_to(const char *name, int pid, int *status)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const struct timespec pause = { 0, 500000 };
    strncpy(address.sun_path, name, sizeof address.sun_path - 1);
    for (;;) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
            return fd;
        close(fd);
        if (waitpid(pid, status, WNOHANG) == pid)
            return -1;
        nanosleep(&pause, NULL);
    }
}

/* Sends the request and reads all answers. */
static struct bytes converse(int fd, struct bytes request)
{
    struct bytes answer = { memory_take(ANSWER_MOST), 0 };
    struct timeval patience = { PATIENCE, 0 };
    ssize_t n;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)!send(fd, request.data, request.n, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    while ((n = recv(fd, answer.data + answer.n, ANSWER_MOST - 1 - answer.n, 0)) > 0)
        answer.n += (size_t)n;
    if (n < 0 && errno != ECONNRESET)
        found("serve does not answer, or does not close the connection");
    close(fd);
    return answer;
}

/* One line of an answer: a reason, or six words, of which the third is the position. */
static void check_line(const char *line, size_t length, size_t *position)
{
    size_t tabs = 0;
    const char *third = line;
    for (size_t i = 0; i < length; i++) {
        if (line[i] != '\t')
            continue;
        if (++tabs == 2)
            third = line + i + 1;
    }
    if (line[0] == '!' ? *position != 0 : tabs != 5 || strtoul(third, NULL, 10) != ++*position)
        found("a line of an answer is neither a reason nor the next position");
}

/* Lines, and a blank one after each answer. */
static void check_answers(struct bytes answer)
{
    const char *line = (const char *)answer.data, *end;
    size_t position = 0;
    bool open = false;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        open = end != line;
        if (open)
            check_line(line, (size_t)(end - line), &position);
        else
            position = 0;
    }
    if (open || *line)
        found("an answer does not end with a blank line");
}

static struct bytes draw_requests(struct dice *draw)
{
    const char *text = make_svm(draw, draw_below(draw, 2) ? 12 : 0);
    char *all = memory_text("%s%s", draw_one_in(draw, 3) ? "request: a\n" : "", text);
    if (draw_below(draw, 3))
        all = memory_text("%s\n%s\n", all, make_svm(draw, 0));
    struct bytes bytes = { (unsigned char *)all, strlen(all) };
    if (draw_one_in(draw, 3))
        change_bytes(draw, &bytes);
    return bytes;
}

static struct command draw_service(struct dice *draw)
{
    static const char *const pipelines[] = {
        "score -m model | explore", "score -m model | explore -g 0.5 | spool folder",
        "explore -g 1", "score -r -m model | explore -p plackett-luce", "score -m model",
        "score -m model | explore | metric -t table ndcg", "explore | update -a kl", NULL,
    };
    struct command command = { .in = NULL };
    command_word(&command, "serve");
    if (draw_one_in(draw, 3))
        options_draw(draw, &command, &serve, 8);
    command_words(&command, "socket");
    if (draw_below(draw, 20))
        command_word(&command, draw_word(draw, pipelines));
    return command;
}

void case_serve(struct dice *draw)
{
    const struct learner *learner = stage_learner(draw);
    int status = 0, null = open("/dev/null", O_RDWR);
    int err = open("err-serve", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0666);
    const int others[] = { null, err, -1 };
    (void)stage_model(draw, learner);
    struct bytes request = draw_requests(draw);
    struct command command = draw_service(draw);
    file_put("requests", request.data, request.n);
    int pid = program_start(&command, null, null, err, others);
    close(null);
    close(err);
    int fd = connect_to("socket", pid, &status);
    if (fd >= 0) {
        check_answers(converse(fd, request));
        kill(pid, SIGTERM);
        waitpid(pid, &status, 0);
    }
    check_started(&command, status, "err-serve");
}
