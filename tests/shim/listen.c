/* listen fd socket command ...: runs a command with a listening Unix socket as descriptor fd: 0, as
 * from inetd, or 3 with LISTEN_PID and LISTEN_FDS, as from systemd. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char process[24];
    if (argc < 4)
        return fprintf(stderr, "usage: listen fd socket command ...\n"), 2;
    int as = atoi(argv[1]), fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[2]);
    snprintf(process, sizeof process, "%ld", (long)getpid());
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
        listen(fd, 16) < 0 || (fd != as && dup2(fd, as) < 0)) {
        perror("listen");
        return 1;
    }
    if (fd != as)
        close(fd);
    if (as == 3) {
        setenv("LISTEN_PID", process, 1);
        setenv("LISTEN_FDS", "1", 1);
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 127;
}
