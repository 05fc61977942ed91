#include "run/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

static const double EVERY = 0.1; /* seconds between two lines */

void progress_start(struct progress *progress, int fd, const char *name, uint64_t all)
{
    progress->on = progress->asked && isatty(fd);
    if (!progress->on)
        return;
    progress->fd = fd;
    progress->name = name;
    progress->all = all;
    progress->start = progress->drawn_at = moment_seconds();
}

static bool is_due(const struct progress *progress)
{
    return moment_seconds() - progress->drawn_at >= EVERY;
}

bool progress_round(struct progress *progress)
{
    progress->rounds++;
    return is_due(progress);
}

/* Adds a piece to the line, if all of it fits. */
static void __attribute__((format(printf, 2, 3))) add(char *line, const char *format, ...)
{
    char piece[PROGRESS_LINE];
    va_list values;
    va_start(values, format);
    int n = vsnprintf(piece, sizeof piece, format, values);
    va_end(values);
    size_t held = strlen(line);
    if (n > 0 && held + (size_t)n < PROGRESS_LINE)
        memcpy(line + held, piece, (size_t)n + 1);
}

char *progress_line(const struct progress *progress, double seconds, const char *measure,
                    char line[PROGRESS_LINE])
{
    double rounds = (double)progress->rounds, rate = seconds > 0 ? rounds / seconds : 0;
    double more = progress->all > progress->rounds ? (double)progress->all - rounds : 0;
    line[0] = '\0';
    add(line, "%s: %" PRIu64, progress->name, progress->rounds);
    if (progress->all)
        add(line, " of %" PRIu64, progress->all);
    add(line, progress->rounds == 1 && !progress->all ? " round" : " rounds");
    if (rate > 0)
        add(line, rate < 100 ? ", %.1f a second" : ", %.0f a second", rate);
    if (progress->all && rate > 0 && more / rate < 1e9) {
        /* The time left: 0:07, 59:59, 1:00:00. */
        uint64_t s = (uint64_t)(more / rate + 0.5), minutes = s / 60, hours = minutes / 60;
        if (hours)
            add(line, ", %" PRIu64 ":%02d:%02d left", hours, (int)(minutes % 60), (int)(s % 60));
        else
            add(line, ", %d:%02d left", (int)minutes, (int)(s % 60));
    }
    if (*measure)
        add(line, ", %s", measure);
    return line;
}

void progress_draw(struct progress *progress, const char *measure)
{
    char line[PROGRESS_LINE], drawn[PROGRESS_LINE + sizeof PROGRESS_ERASE];
    double now = moment_seconds();
    progress_line(progress, now - progress->start, measure, line);
    int n = snprintf(drawn, sizeof drawn, "%s%s", PROGRESS_ERASE, line);
    progress->drawn_at = now;
    progress->drawn = true;
    (void)!write(progress->fd, drawn, (size_t)n);
}

bool progress_ends(struct progress *progress)
{
    return progress->on && (progress->drawn || is_due(progress));
}

void progress_erase(struct progress *progress)
{
    if (progress->drawn)
        (void)!write(progress->fd, PROGRESS_ERASE, sizeof PROGRESS_ERASE - 1);
    progress->drawn = false;
}
