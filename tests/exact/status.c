/*
 * The status file of serve: latencies that are known, their quantiles, sum and number, worked by
 * hand: of n latencies quantile q is the one of rank q (n - 1), rounded, from 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/status.h"

enum { ROUNDS = 10000 };

static unsigned long wrong;

/* The number that follows a name in the file. */
static double number(const char *path, const char *name)
{
    char line[400];
    double value = -1;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ')
            value = strtod(line + strlen(name), NULL);
    if (file)
        fclose(file);
    return value;
}

static void same(const char *path, const char *name, double want)
{
    double got = number(path, name);
    if (got != want && wrong++ < 20)
        fprintf(stderr, "status: %s is %.17g, not %.17g\n", name, got, want);
}

static void save(struct status *status)
{
    struct fault fault = { FAULT_NONE, "" };
    if (status_write(status, true, &fault) != 1 && wrong++ < 20)
        fprintf(stderr, "status: not written: %s\n", fault.text);
}

#define LATENCY "rankpipe_serve_latency_seconds"

static void check_quantiles(const char *path, double half, double most, double more, double all)
{
    same(path, LATENCY "{quantile=\"0.5\"}", half);
    same(path, LATENCY "{quantile=\"0.9\"}", most);
    same(path, LATENCY "{quantile=\"0.99\"}", more);
    same(path, LATENCY "{quantile=\"0.999\"}", all);
}

int main(int argc, char **argv)
{
    static struct chain chain;
    static struct status status;
    const char *path = argc > 1 ? argv[1] : "status";
    status.path = path;
    status.chain = &chain;
    save(&status);
    check_quantiles(path, -1, -1, -1, -1); /* there are none yet */
    same(path, LATENCY "_count", 0);

    /* Rounds that came at 5, 3, 1, 4 and 2 are answered at 6, in two parts. */
    status_round(&status, 5, true);
    status_round(&status, 3, false);
    status_answered(&status, 6);
    status_round(&status, 1, false);
    status_round(&status, 4, false);
    status_round(&status, 2, false);
    status_answered(&status, 6);
    save(&status);
    check_quantiles(path, 3, 5, 5, 5); /* ranks 2, 3.6, 3.96 and 3.996 */
    same(path, LATENCY "_sum", 15);
    same(path, LATENCY "_count", 5);

    /* Latencies 1 to 10,000, of which the last 4096 count, from 5905 on. */
    status = (struct status){ .path = path, .chain = &chain };
    for (int i = 1; i <= ROUNDS; i++) {
        status_round(&status, 0, false);
        status_answered(&status, i);
    }
    save(&status);
    check_quantiles(path, 5905 + 2048, 5905 + 3686, 5905 + 4054, 5905 + 4091);
    same(path, LATENCY "_sum", 50005000);
    same(path, "rankpipe_serve_rounds_total", ROUNDS);
    remove(path);
    return wrong ? 1 : 0;
}
