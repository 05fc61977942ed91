#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct board *board;
struct checks checks = { .allowance = 1 };

/* The commands of the case at hand. */
static char history[16384];
static size_t told;

void found(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s", history);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    fflush(stderr);
    _exit(EXIT_FOUND);
}

void check_digest(const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < n; i++)
        checks.digest = (checks.digest ^ byte[i]) * 0x100000001b3u;
}

static void tell(const struct command *command, const struct verdict *outcome)
{
    const char *line = memory_text("    %s  # exit %d: %.300s%s", command_text(command),
                                   outcome->status, outcome->err,
                                   outcome->err[0] ? "" : "\n");
    if (board->number != told)
        history[0] = '\0';
    told = board->number;
    size_t n = strlen(history);
    snprintf(history + n, sizeof history - n, "%s", line);
    if (checks.verbose)
        fputs(line, stderr);
}

/* The program that a line on standard error begins with; NULL: none. */
static const struct filter *speaker(const char *line)
{
    for (size_t i = 0; programs[i]; i++) {
        size_t n = strlen(programs[i]->name);
        if (strncmp(line, programs[i]->name, n) == 0 && strncmp(line + n, ": ", 2) == 0)
            return programs[i];
    }
    return NULL;
}

enum { NOT_YET = 4, WORSE = 5 }; /* verdicts of compare, which are no failures */

/* Every message is "program: ...: ...", printable, in one line; usage follows an exit of 2. */
static void check_words(const struct verdict *outcome)
{
    const char *err = outcome->err;
    size_t messages = 0;
    for (const char *p = err; *p; p++)
        if (*p != '\n' && (*p < ' ' || *p > '~') && !(*p & 0x80))
            found("standard error has a control character");
    for (const char *line = err; *line; line = strchr(line, '\n') + 1) {
        if (!strchr(line, '\n'))
            found("standard error does not end with its line");
        messages += speaker(line) != NULL;
        if (!speaker(line) && outcome->status != 2)
            found("a message does not begin with its program");
    }
    if (outcome->status && outcome->status < NOT_YET && (messages == 0 || !speaker(err)))
        found("exit %d without a message", outcome->status);
}

/* Programs take some time for a round, whatever its size, and for each byte that they read or
 * write: at most a fifth of this was measured, for the ranks of 100 features. A round of
 * 60,000 documents is 1 to 2 MB, for which 0.6 s are allowed: less than a third of a nanosecond
 * for each pair of them. */
static double allowed(const struct verdict *outcome)
{
    return checks.allowance * (0.1 + 3e-7 * (double)(outcome->read + outcome->written));
}

static void check_time(const struct verdict *outcome)
{
    double share = outcome->seconds / allowed(outcome);
    if (share > board->slowest) {
        board->slowest = share;
        board->slowest_case = board->number;
    }
    if (share <= 1)
        return;
    fprintf(stderr, "%scase %lu: %.2f s of the processor for %zu bytes, where %.2f s are allowed\n",
            history, (unsigned long)board->number, outcome->seconds,
            outcome->read + outcome->written, allowed(outcome));
    _exit(EXIT_SLOW);
}

static void check_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > 1200000 * (checks.allowance > 1 ? 2 : 1))
        found("%ld MB of memory were used", usage.ru_maxrss / 1024);
}

static void count(const struct command *command, const struct verdict *outcome)
{
    size_t i = 0;
    while (programs[i] && strcmp(programs[i]->name, command->word[0]) != 0)
        i++;
    board->runs++;
    (outcome->status ? board->refused : board->ok)[i < PROGRAMS_MOST ? i : 0]++;
}

struct verdict check_run(const struct command *command)
{
    struct verdict outcome = program_run(command);
    bool salvages = strcmp(command->word[0], "salvage") == 0;
    bool judges = strcmp(command->word[0], "compare") == 0;
    tell(command, &outcome);
    count(command, &outcome);
    checks.timed = checks.timed || command->timed;
    check_digest(&outcome.status, sizeof outcome.status);
    check_digest(outcome.out.data, outcome.out.n);
    check_digest(outcome.err, strlen(outcome.err));
    if (outcome.status < 0 || outcome.status > (judges ? WORSE : 3) ||
        (outcome.status == 3 && !salvages))
        found("exit status %d is not documented", outcome.status);
    check_words(&outcome);
    check_time(&outcome);
    check_memory();
    return outcome;
}

void check_started(const struct command *command, int status, const char *err)
{
    struct verdict outcome = { .err = (const char *)file_get(err).data };
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    tell(command, &outcome);
    count(command, &outcome);
    if (outcome.status < 0 || outcome.status > 2)
        found("the process ended by a signal, or with another status: %d", status);
    check_words(&outcome);
}

struct verdict check_ok(const struct command *command)
{
    struct verdict outcome = check_run(command);
    if (outcome.status)
        found("this should exit 0");
    return outcome;
}

struct stream check_stream(struct bytes bytes, enum second second)
{
    struct stream stream;
    const char *wrong = second_read(&stream, bytes.data, bytes.n, second);
    if (wrong)
        found("the second reader refuses the output: %s", wrong);
    board->streams++;
    return stream;
}

struct stream check_model(struct bytes bytes)
{
    struct stream stream = check_stream(bytes, SECOND_ALL);
    if (stream.n != 2 || strcmp(stream.record[0].kind, "model") != 0)
        found("this should be a file of one model");
    const char *learner = draft_value(&stream.record[0], "learner");
    for (size_t i = 0; learners[i] && i < LEARNERS_MOST; i++)
        board->models[i] += strcmp(learners[i]->name, learner) == 0;
    return stream;
}
