#include "log/learner_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/fresh_file.h"
#include "log/state_file.h"

static const char file_name[] = "status", quarantined[] = "rankpipe_learner_quarantined_total";

static const struct fact {
    const char *name, *help, *type;
    size_t at;
    bool stamp; /* printed as seconds */
} facts[] = {
#define AT(member) offsetof(struct learner_status, member)
    { "rankpipe_learner_run_time_seconds", "time of the last run", "gauge", AT(time), true },
    { "rankpipe_learner_learnt_time_seconds", "time of the last run that learnt", "gauge",
      AT(learnt_time), true },
    { "rankpipe_learner_rounds_total", "rounds read from logs", "counter", AT(rounds), false },
    { "rankpipe_learner_answers_total", "answers read", "counter", AT(answers), false },
    { "rankpipe_learner_learnt_total", "rounds learnt", "counter", AT(learnt), false },
    { "rankpipe_learner_unanswered_total", "rounds given up, as no answer came in time", "counter",
      AT(given_up), false },
    { "rankpipe_learner_waiting_rounds", "rounds that wait for an answer", "gauge", AT(waiting),
      false },
    { "rankpipe_learner_early_answers", "answers that wait for their round", "gauge", AT(early),
      false },
    { "rankpipe_learner_oldest_round_time_seconds", "time of the oldest round that waits, 0: none",
      "gauge", AT(oldest), true },
};
enum { FACTS = sizeof facts / sizeof *facts };

static uint64_t *number_at(struct learner_status *status, size_t at)
{
    return (uint64_t *)(void *)((char *)status + at);
}

/* Reads "name value" into the member of that name; other lines are passed over. */
static int read_line(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    struct learner_status *status = self;
    const char *line = text[0], *value = strrchr(line, ' ');
    (void)fault;
    if (fields != 1 || *line == '#' || !value)
        return 0;
    size_t n = (size_t)(value - line);
    for (size_t i = 0; i < FACTS; i++)
        if (strlen(facts[i].name) == n && strncmp(line, facts[i].name, n) == 0)
            *number_at(status, facts[i].at) = facts[i].stamp
                ? (uint64_t)(strtod(value, NULL) * 1000 + 0.5) : strtoull(value, NULL, 10);
    for (size_t i = 0; i < TROUBLES; i++) {
        char name[120];
        (void)snprintf(name, sizeof name, "%s{what=\"%s\"}", quarantined,
                       trouble_name((enum trouble)i));
        if (strlen(name) == n && strncmp(line, name, n) == 0)
            status->troubles[i] = strtoull(value, NULL, 10);
    }
    return 0;
}

int learner_status_read(struct learner_status *status, const char *folder, struct fault *fault)
{
    int got = state_lines_read(folder, file_name, read_line, status, fault);
    if (got < 0 && fault->kind == FAULT_DATA) { /* damaged: what counts on is not worth a stop */
        *fault = (struct fault){ FAULT_NONE, "" };
        got = 0;
    }
    return got < 0 ? -1 : 0;
}

static int write_fact(struct writer *out, struct learner_status *status, const struct fact *fact,
                      struct fault *fault)
{
    uint64_t value = *number_at(status, fact->at);
    if (writer_text(out, fault, "# HELP %s %s\n# TYPE %s %s\n%s ", fact->name, fact->help,
                    fact->name, fact->type, fact->name) < 0)
        return -1;
    return fact->stamp ? writer_text(out, fault, "%" PRIu64 ".%03d\n", value / 1000,
                                     (int)(value % 1000))
                       : writer_text(out, fault, "%" PRIu64 "\n", value);
}

int learner_status_write(const struct learner_status *status, const char *folder,
                         struct fault *fault)
{
    struct fresh_file file;
    struct learner_status copy = *status;
    int result = fresh_file_open_in(&file, folder, file_name, fault);
    for (size_t i = 0; result == 0 && i < FACTS; i++)
        result = write_fact(&file.writer, &copy, &facts[i], fault);
    if (result == 0)
        result = writer_text(&file.writer, fault, "# HELP %s records that could not be used\n"
                             "# TYPE %s counter\n", quarantined, quarantined);
    for (size_t i = 0; result == 0 && i < TROUBLES; i++)
        result = writer_text(&file.writer, fault, "%s{what=\"%s\"} %" PRIu64 "\n", quarantined,
                             trouble_name((enum trouble)i), status->troubles[i]);
    if (result == 0)
        result = fresh_file_finish(&file, fault);
    fresh_file_close(&file);
    return result;
}
