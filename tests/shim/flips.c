/* flips FILE PLACE COMMAND...: for each bit of FILE, writes a copy with this bit flipped to PLACE
 * and runs the command, whose standard output is dropped. On standard output stands what the
 * commands wrote on standard error. Exit 1 where one of them exits with another status than 1.
 * EVERY=n in the environment: each n-th bit alone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char **command, const char *input)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR), in = open(input, O_RDONLY);
        dup2(in, 0);
        dup2(1, 2);
        dup2(null, 1);
        close(null);
        close(in);
        execvp(command[0], command);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    static char bytes[1 << 20];
    const char *every = getenv("EVERY");
    FILE *from = argc > 3 ? fopen(argv[1], "rb") : NULL;
    size_t n = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    size_t step = every ? (size_t)atol(every) : 1;
    long accepted = 0;
    for (size_t bit = 0; bit < 8 * n; bit += step) {
        FILE *to = fopen(argv[2], "wb");
        if (!to)
            return 2;
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        fwrite(bytes, 1, n, to);
        fclose(to);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        int status = run(argv + 3, argv[2]);
        if (status != 1)
            printf("bit %zu of byte %zu: status %d\n", bit % 8, bit / 8, status), accepted++;
    }
    return n == 0 || accepted > 0;
}
