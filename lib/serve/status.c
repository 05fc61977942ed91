#include "serve/status.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system.h"
#include "stream/fresh_file.h"
#include "text/print.h"

enum { PERIOD = 5 }; /* seconds between two writes */

static const char *const error_names[STATUS_ERRORS] = { "request", "closed", "gone", "status" };

void status_round(struct status *status, double came, bool explored)
{
    status->latency[status->rounds % STATUS_LATENCIES] = came;
    status->pending_came += came;
    status->pending++;
    status->rounds++;
    status->explored += explored;
}

void status_answered(struct status *status, double now)
{
    size_t n = status->pending < STATUS_LATENCIES ? status->pending : STATUS_LATENCIES;
    for (size_t i = 1; i <= n; i++) {
        double *latency = &status->latency[(status->rounds - i) % STATUS_LATENCIES];
        *latency = now - *latency;
    }
    status->latency_sum += (double)status->pending * now - status->pending_came;
    status->pending = 0;
    status->pending_came = 0;
}

/* The lines of a number: what it is, its type, its value. */
static void put(struct print *text, const char *name, const char *type, const char *help,
                double value)
{
    print_text(text, "# HELP rankpipe_serve_%s %s\n# TYPE rankpipe_serve_%s %s\n"
               "rankpipe_serve_%s %.17g\n", name, help, name, type, name, value);
}

/* A fact of the pipeline. */
static void put_fact(void *to, const char *name, double value)
{
    put(to, name, strstr(name, "_total") ? "counter" : "gauge", "From the pipeline.", value);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_all(const struct status *status, double now, struct print *text)
{
    double passed = now - status->written, rounds = (double)(status->rounds - status->then);
    put(text, "rounds_total", "counter", "Rounds answered since the start.",
        (double)status->rounds);
    put(text, "rounds_per_second", "gauge", "Rounds a second since the last status.",
        passed > 0 ? rounds / passed : 0);
    put(text, "explored_total", "counter", "Rounds whose order was drawn at random.",
        (double)status->explored);
    put(text, "next_round", "gauge", "Number of the next round.", (double)status->next);
    put(text, "connections", "gauge", "Connections now.", (double)status->open);
    put(text, "connections_total", "counter", "Connections since the start.",
        (double)status->clients);
    put(text, "uptime_seconds", "gauge", "Seconds since the start.", now - status->started);

    /* Quantiles of the last latencies, then their sum and number since the start. */
    static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };
    double sorted[STATUS_LATENCIES];
    size_t n = status->rounds < STATUS_LATENCIES ? (size_t)status->rounds : STATUS_LATENCIES;
    const char *name = "rankpipe_serve_latency_seconds";
    memcpy(sorted, status->latency, sizeof sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    print_text(text, "# HELP %s From the last byte of a request to its answer; quantiles of the "
               "last %d.\n# TYPE %s summary\n", name, STATUS_LATENCIES, name);
    for (size_t i = 0; n && i < sizeof quantiles / sizeof *quantiles; i++)
        print_text(text, "%s{quantile=\"%g\"} %.9f\n", name, quantiles[i],
                   sorted[(size_t)(quantiles[i] * (double)(n - 1) + 0.5)]);
    print_text(text, "%s_sum %.9f\n%s_count %" PRIu64 "\n", name, status->latency_sum, name,
               status->rounds);

    /* By kind. */
    print_text(text, "# HELP rankpipe_serve_errors_total Errors, by kind.\n"
               "# TYPE rankpipe_serve_errors_total counter\n");
    for (size_t i = 0; i < STATUS_ERRORS; i++)
        print_text(text, "rankpipe_serve_errors_total{kind=\"%s\"} %" PRIu64 "\n",
                   error_names[i], status->errors[i]);

    chain_facts(status->chain, put_fact, text);
}

int status_write(struct status *status, bool now_due, struct fault *fault)
{
    struct fresh_file file;
    struct print text;
    double now = moment_seconds();
    if (!status->path || (!now_due && now - status->written < PERIOD))
        return 0;
    int result = fresh_file_open_as(&file, status->path, ".new", fault);
    print_start(&text, &file.writer, fault);
    if (result == 0) {
        (void)fchmod(file.writer.pending.fd, 0644); /* the monitor reads it, whatever the umask */
        put_all(status, now, &text);
        result = print_end(&text);
    }
    if (result == 0)
        result = fresh_file_finish_unsynced(&file, fault);
    fresh_file_close(&file);
    status->written = now;
    status->then = status->rounds;
    return result < 0 ? -1 : 1;
}
