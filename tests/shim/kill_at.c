/* mortal who signal microseconds work command ...: runs the commands, each by a shell, as one
 * pipeline and one process group, and so many microseconds after their start sends the signal (a
 * number) to command `who`, counted from 1, or to the whole group (0). When all have ended it
 * prints, a line a command, the status that a shell would show, and for how many milliseconds it
 * lived after the signal, and after the file `work` was written to last: rounds that were on their
 * way are still to be learnt. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEMBERS = 16, HANG = 20 }; /* seconds that are no delay any more */

struct member {
    pid_t id;
    int status;
    double ended;
};

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

static double milliseconds(struct timespec t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t); /* as files have it */
    return milliseconds(t);
}

static double last_work(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 ? milliseconds(is.st_mtim) : 0;
}

static void on_alarm(int number)
{
    (void)number;
}

static _Noreturn void become(const char *command, int in, int out, int spare)
{
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(126);
    if (in != STDIN_FILENO)
        close(in);
    if (out != STDOUT_FILENO)
        close(out);
    if (spare >= 0)
        close(spare);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* No end of a pipe is held by anyone but the two that it joins. */
static int start(struct member *member, int members, char **command)
{
    int in = STDIN_FILENO;
    for (int i = 0; i < members; i++) {
        int ends[2] = { -1, STDOUT_FILENO };
        if (i + 1 < members && pipe(ends) < 0)
            return -1;
        member[i].id = fork();
        if (member[i].id < 0)
            return -1;
        if (member[i].id == 0) {
            setpgid(0, member[0].id);
            become(command[i], in, ends[1], ends[0]);
        }
        setpgid(member[i].id, member[0].id);
        if (in != STDIN_FILENO)
            close(in);
        if (ends[1] != STDOUT_FILENO)
            close(ends[1]);
        in = ends[0];
    }
    return 0;
}

static int exposure(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Nobody is waited for longer than that; what is over when the last has ended leaves no process. */
static int await(struct member *member, int members)
{
    struct sigaction act = { .sa_handler = on_alarm };
    sigaction(SIGALRM, &act, NULL);
    alarm(HANG);
    for (int left = members; left > 0; left--) {
        int status;
        pid_t id = waitpid(-1, &status, 0);
        if (id < 0) {
            kill(-member[0].id, SIGKILL);
            fprintf(stderr, "kill_at: %d of %d hang\n", left, members);
            return 1;
        }
        for (int i = 0; i < members; i++)
            if (member[i].id == id)
                member[i] = (struct member){ id, exposure(status), now() };
    }
    if (kill(-member[0].id, 0) == 0) {
        fprintf(stderr, "kill_at: a process is left behind\n");
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct member member[MEMBERS] = { { 0, 0, 0 } };
    int members = argc - 5;
    if (members < 1 || members > MEMBERS || atoi(argv[1]) > members) {
        fprintf(stderr, "usage: mortal who signal microseconds work command ...\n");
        return 2;
    }
    int who = atoi(argv[1]);
    long moment = atol(argv[3]);
    struct timespec pause = { moment / 1000000, moment % 1000000 * 1000 };
    /* Whoever started us may have had them ignored, as shells do in the background; and a member
     * may be hit before it has run at all. */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    if (start(member, members, argv + 5) < 0) {
        perror("kill_at");
        return 1;
    }
    nanosleep(&pause, NULL);
    double since = now();
    kill(who ? member[who - 1].id : -member[0].id, atoi(argv[2]));
    if (await(member, members) != 0)
        return 1;
    if (since < last_work(argv[4]))
        since = last_work(argv[4]);
    for (int i = 0; i < members; i++) {
        double ended = member[i].ended;
        printf("%d %.3f\n", member[i].status, ended < since ? 0 : ended - since);
    }
    return 0;
}
