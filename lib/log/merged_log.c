#include "log/merged_log.h"

#include <inttypes.h>
#include <stdlib.h>

#include "log/spool_reader.h"

/* Reads the next round of the log: 1, 0 at its end, or a fault. */
static int read_round(struct merged_log *log, struct spool_reader *reader, struct record *record,
                      struct fault *fault)
{
    int got = spool_reader_next(reader, record, fault);
    if (got <= 0)
        return got;
    const char *request = record_key(record, "request"), *t = record_key(record, "t");
    (void)record_number(t, RECORD_MOST, &log->last);
    if (!request)
        return fault_data(fault, "%s: round %s has no request=, so it was not stored by -u: give "
                          "merged rounds a folder or a name (-n) of their own",
                          reader->folders[0], t);
    return name_set_enter(&log->requests, request, fault) < 0 ? -1 : 1;
}

int merged_log_open(struct merged_log *log, const char *folder, const char *name,
                    struct fault *fault)
{
    char *const folders[] = { (char *)folder, NULL };
    struct spool_reader reader = { .folders = folders, .name = name, .first = 1, .follows = true };
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(fault, sizeof *record);
    int got = spool_reader_open(&reader, fault) < 0 ? -1 : 1;
    while (got > 0)
        got = read_round(log, &reader, record, fault);
    spool_reader_close(&reader);
    free(record);
    return got;
}

enum entered merged_log_number(struct merged_log *log, struct round *round, struct fault *fault)
{
    if (!round->request)
        return fault_data(fault, "the round has no request=, by which -u knows each round: send "
                          "'request: ID' to serve, or store it without -u");
    enum entered entered = name_set_enter(&log->requests, round->request, fault);
    if (entered != ENTERED_NEW)
        return entered;
    if (log->last >= RECORD_MOST - 1)
        return fault_other(fault, "no number is left for another round");
    return round_set(round, KEY_T, ++log->last, fault) < 0 ? ENTERED_FAULT : ENTERED_NEW;
}

void merged_log_close(struct merged_log *log)
{
    name_set_close(&log->requests);
}
