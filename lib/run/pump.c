#include "run/pump.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unaligned.h"
#include "model/model_file.h"

int pump_parse(struct pump *pump, const struct filter *filter, int argc, char **argv)
{
    struct options options;
    memset(pump, 0, sizeof *pump);
    pump->filter = filter;
    pump->watch = WATCH_NOTHING;
    pump->host = (struct host){ .kind = filter->kind, .fault = &pump->fault,
                                .watch = &pump->watch, .out = &pump->out, .in = STDIN_FILENO,
                                .progress = &pump->progress, .last = true };
    pump->record = malloc(sizeof *pump->record);
    pump->self = pump->record ? calloc(1, filter->size) : NULL;
    if (!pump->self)
        return fault_no_room(&pump->fault, filter->size + sizeof *pump->record);
    round_open(&pump->round, pump->record);
    options_start(&options, argc, argv, filter->options, pump->self, &pump->fault);
    int asked = filter->parse(pump->self, &options, &pump->host);
    pump->progress.asked = pump->progress.asked || options.given['P'];
    return asked;
}

void pump_close(struct pump *pump)
{
    if (pump->self && !pump->over && pump->filter->close)
        (void)pump->filter->close(pump->self, FAILED);
    round_close(&pump->round);
    writer_close(&pump->out);
    buffer_free(&pump->patched);
    free(pump->record);
    free(pump->self);
}

/* Refuses binary streams from or to a terminal, which cannot be meant. */
static int check_terminals(struct pump *pump)
{
    const struct host *host = &pump->host;
    const enum kind kind = host->kind;
    if ((kind == FILTER || kind == SINK) && !host->files && !host->from && isatty(STDIN_FILENO))
        return fault_usage(&pump->fault, "standard input is a terminal, and rounds are binary: "
                           "read them from a file or a program");
    if ((kind == FILTER || kind == SOURCE) && !host->to && isatty(STDOUT_FILENO))
        return fault_usage(&pump->fault, "standard output is a terminal, and rounds are binary: "
                           "send them to a file or a program (bin2txt prints them)");
    return 0;
}

static void draw_progress(struct pump *pump)
{
    char measure[PROGRESS_MEASURE] = "";
    if (pump->filter->measure)
        pump->filter->measure(pump->self, measure, sizeof measure);
    progress_draw(&pump->progress, measure);
}

/* Shows progress after a round. Rows of a table on the same terminal take the place of the line. */
static int watch_round(struct pump *pump)
{
    if (!pump->progress.on)
        return 0;
    bool due = progress_round(&pump->progress);
    if (pump->rows && pump->out.pending.held) {
        progress_erase(&pump->progress);
        if (writer_flush(&pump->out, &pump->fault) < 0) return -1;
    }
    if (due)
        draw_progress(pump);
    return 0;
}

/* Writes the current record to standard output. */
static int pass_on(struct pump *pump)
{
    char name[ROUND_NAME];
    if (writer_record(&pump->out, pump->record, &pump->fault) < 0) {
        if (pump->fault.kind == FAULT_DATA && pump->record->kind == RECORD_ROUND)
            fault_place(&pump->fault, "%s: ", round_name(&pump->round, name));
        return -1;
    }
    pump->written++;
    return 0;
}

/* A malformed round: puts its place before the fault. */
static int refuse_round(struct pump *pump, const struct reader *reader)
{
    if (pump->fault.kind == FAULT_DATA)
        reader_refuse(reader, pump->record, &pump->fault);
    return -1;
}

static enum outcome each_round(struct pump *pump, const struct reader *reader)
{
    char name[ROUND_NAME];
    if (round_columns_read(&pump->round, &pump->fault) < 0) {
        refuse_round(pump, reader);
        return FAIL;
    }
    enum outcome outcome = pump->filter->each(pump->self, &pump->round);
    if (outcome == FAIL && pump->fault.kind == FAULT_DATA)
        fault_place(&pump->fault, "%s: %s: ", reader->name, round_name(&pump->round, name));
    return outcome;
}

static enum outcome each_model(struct pump *pump, const struct reader *reader)
{
    const struct filter *filter = pump->filter;
    bool is_whole = pump->record->kind == RECORD_MODEL ||
                    model_file_patched(reader->name, pump->record, &pump->patched,
                                       &pump->fault) == 0;
    enum outcome outcome = !is_whole ? FAIL
                           : filter->model ? filter->model(pump->self, pump->record) : PASS;
    if (outcome == FAIL && pump->fault.kind == FAULT_DATA)
        fault_place(&pump->fault, "%s: record %" PRIu64 ": ", reader->name, reader->records);
    return outcome;
}

/* Did a signal ask to stop? To ask after each small round would take a tenth of the time, so this
 * asks once in a millisecond. */
static int look_for_stop(struct pump *pump)
{
    long now = watch_now();
    if (pump->looked == now)
        return 0;
    pump->looked = now;
    return watch_stopped(&pump->watch, 0, &pump->fault);
}

/* Handles the records of one stream to its end; counts the records passed on. */
static int pump_stream(struct pump *pump, struct reader *reader)
{
    int got;
    while ((got = reader_header(reader, pump->record, &pump->fault)) > 0) {
        const bool erased = round_erased(pump->record);
        if (pump->record->kind == RECORD_ROUND && !erased &&
            round_header(&pump->round, &pump->fault) < 0)
            return refuse_round(pump, reader);
        if ((got = reader_payload(reader, pump->record, &pump->fault)) < 0)
            break;
        if (erased)
            continue;
        enum outcome outcome = pump->record->kind == RECORD_ROUND ? each_round(pump, reader)
                                                                  : each_model(pump, reader);
        if (outcome == FAIL) return -1;
        if (outcome == PASS && pump->host.kind != SINK && pass_on(pump) < 0) {
            if (pump->fault.kind == FAULT_DATA)
                fault_place(&pump->fault, "%s: ", reader->name);
            return -1;
        }
        if (pump->record->kind == RECORD_ROUND && watch_round(pump) < 0) return -1;
        /* While rounds are still in the buffer; otherwise waiting for more checks it. */
        if (reader->from < reader->until && look_for_stop(pump) < 0) return -1;
    }
    /* The rounds before a malformed record are kept, like those before a cut. */
    if (pump->fault.kind == FAULT_DATA)
        pump->fault.kind = FAULT_CUT;
    return got;
}

static int pump_input(struct pump *pump, int fd, const char *name)
{
    struct reader reader;
    struct splice spliced;
    reader_open(&reader, fd, name, &pump->watch);
    if (!LITTLE_SWAPS && pump->host.kind == FILTER && splice_open(&spliced, fd, STDOUT_FILENO))
        reader.spliced = &spliced;
    reader.once = pump->host.once;
    reader.patches = fd != STDIN_FILENO; /* named, so that the file beside it is known */
    reader.copies = !pump->filter->no_features || pump->host.features;
    int result = pump_stream(pump, &reader);
    if (pump->filter->input && pump->filter->input(pump->self, &reader) < 0)
        result = -1;
    if (reader.spliced)
        splice_close(reader.spliced);
    reader_close(&reader);
    return result;
}

static int pump_files(struct pump *pump)
{
    int result = 0;
    for (char *const *file = pump->host.files; *file && result == 0; file++) {
        if (strcmp(*file, "-") == 0) {
            result = pump_input(pump, STDIN_FILENO, "<stdin>");
            continue;
        }
        int fd = watch_open(&pump->watch, *file, O_RDONLY, 0, &pump->fault);
        if (fd < 0)
            return fault_system(&pump->fault, "cannot open %s", *file);
        result = pump_input(pump, fd, *file);
        close(fd);
    }
    return result;
}

/* Emits what the filter makes, until it has no more: 0 or a fault. */
static int pump_source(struct pump *pump)
{
    enum outcome outcome;
    uint64_t n = 0;
    while ((outcome = pump->filter->each(pump->self, &pump->round)) == PASS || outcome == DROP) {
        if (outcome == PASS && pass_on(pump) < 0) return -1;
        if (watch_round(pump) < 0) return -1;
        /* Most sources take less time for a round than reading the clock. */
        if (++n % 16 == 0 && watch_stopped(&pump->watch, 0, &pump->fault) < 0) return -1;
    }
    return outcome == DONE ? 0 : -1;
}

static int close_output(struct pump *pump)
{
    if (writer_flush(&pump->out, &pump->fault) < 0) return -1;
    pump->watch.out = NULL;
    if (watch_close(STDOUT_FILENO) < 0)
        return fault_system(&pump->fault, "cannot write <stdout>");
    return 0;
}

static enum ended how_ended(const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_NONE:
        return CLEAN;
    case FAULT_CUT:
        return CUT;
    case FAULT_STOPPED:
        return STOPPED;
    default:
        return FAILED;
    }
}

int pump_run(struct pump *pump, int stop)
{
    const struct filter *filter = pump->filter;
    enum kind kind = pump->host.kind;
    struct fault *fault = &pump->fault;
    pump->watch.stop = stop;
    pump->watch.out = &pump->out.pending;
    if (check_terminals(pump) == 0 &&
        writer_open(&pump->out, STDOUT_FILENO, "<stdout>", &pump->watch, fault) == 0 &&
        (!filter->open || filter->open(pump->self) == 0)) {
        progress_start(&pump->progress, STDERR_FILENO, filter->name,
                       filter->rounds ? filter->rounds(pump->self) : 0);
        pump->rows = pump->progress.on && isatty(STDOUT_FILENO);
        if (kind == SOURCE || kind == WHOLE)
            (void)pump_source(pump);
        else if (pump->host.files)
            (void)pump_files(pump);
        else
            (void)pump_input(pump, STDIN_FILENO, "<stdin>");
    }

    /* Whole records before a fault still go to the next program, but only a clean end writes an end
     * record. */
    int (*close_filter)(void *, enum ended) = pump->filter->close;
    if (progress_ends(&pump->progress))
        draw_progress(pump);
    if (pump->fault.kind == FAULT_NONE && pump->filter->end)
        (void)pump->filter->end(pump->self);
    enum ended ended = how_ended(&pump->fault);
    pump->over = true;
    bool sink = pump->host.kind == SINK || pump->host.kind == WHOLE;
    if (sink && close_filter)
        (void)close_filter(pump->self, ended);
    if (!sink && ended == CLEAN)
        (void)writer_end(&pump->out, pump->written, &pump->fault);
    progress_erase(&pump->progress);
    (void)close_output(pump);
    if (!sink && close_filter)
        (void)close_filter(pump->self, how_ended(&pump->fault));
    return pump->fault.kind == FAULT_NONE ? 0 : -1;
}
