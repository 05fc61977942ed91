/* relay [-c bytes] [-n bytes] [-p bytes] [-s pieces]: passes standard input on, a piece of at most
 * so many bytes (-c) at a time, nothing held back, resting 2 ms after every so many pieces (-s),
 * through pipes that hold so much (-p, where the system lets us say it), and leaves after so many
 * bytes in all (-n). */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__) && !defined(F_SETPIPE_SZ)
#define F_SETPIPE_SZ 1031
#endif

static char buffer[1 << 20];

static void hold(int fd, int bytes)
{
#ifdef F_SETPIPE_SZ
    (void)fcntl(fd, F_SETPIPE_SZ, bytes); /* what is no pipe is left as it is */
#else
    (void)fd, (void)bytes;
#endif
}

static int pass(long piece, long most, long rest)
{
    ssize_t got = 0;
    for (long pieces = 1; most > 0; pieces++, most -= got) {
        got = read(STDIN_FILENO, buffer, (size_t)(piece < most ? piece : most));
        if (got <= 0)
            break;
        for (ssize_t at = 0, wrote; at < got; at += wrote)
            if ((wrote = write(STDOUT_FILENO, buffer + at, (size_t)(got - at))) < 0)
                return 1;
        if (rest && pieces % rest == 0)
            poll(NULL, 0, 2);
    }
    return got < 0;
}

int main(int argc, char **argv)
{
    int option;
    long piece = sizeof buffer, most = LONG_MAX, rest = 0;
    signal(SIGPIPE, SIG_DFL);
    while ((option = getopt(argc, argv, "c:n:p:s:")) != -1) {
        long n = option == '?' ? 0 : atol(optarg);
        if (n <= 0 || (option == 'c' && n > (long)sizeof buffer)) {
            fprintf(stderr, "usage: relay [-c bytes] [-n bytes] [-p bytes] [-s pieces]\n");
            return 2;
        }
        if (option == 'c') {
            piece = n;
        } else if (option == 'n') {
            most = n;
        } else if (option == 's') {
            rest = n;
        } else {
            hold(STDIN_FILENO, (int)n);
            hold(STDOUT_FILENO, (int)n);
        }
    }
    return pass(piece, most, rest);
}
