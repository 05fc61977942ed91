#include "text/check_form.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stream/model.h"

static void count(struct checked *checked, const struct record *record)
{
    checked->rounds += record->kind == RECORD_ROUND;
    checked->models += record->kind == RECORD_MODEL;
    checked->crcs += record->has_crc != CRC_NONE;
}

int check_form(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct matrix x;
    bool features = false;
    for (size_t c = ROUND_X; c < ROUND_COLUMNS; c++)
        features = features || round->column[c];
    if (features && round_matrix(round, &x, fault) < 0)
        return -1;
    count(&printer->checked, round->record);
    return 0;
}

int check_form_model(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct model *model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    model->record = *record;
    int result = model_read_message(model, fault);
    free(model);
    if (result == 0)
        count(&printer->checked, record);
    return result;
}

/* "whole: 240 rounds, 1 model, 241 with crc=": the counts since the last such line. */
static int print_whole_file(struct printer *printer, const char *name, struct fault *fault)
{
    const struct checked checked = printer->checked;
    uint64_t records = checked.rounds + checked.models;
    printer->checked = (struct checked){ .any = true };
    if (writer_text(printer->out, fault, "%.900s: whole: ", name) < 0)
        return -1;
    if ((checked.rounds || !records) &&
        writer_text(printer->out, fault, "%" PRIu64 " round%s", checked.rounds,
                    checked.rounds == 1 ? "" : "s") < 0)
        return -1;
    if (checked.models &&
        writer_text(printer->out, fault, "%s%" PRIu64 " model%s", checked.rounds ? ", " : "",
                    checked.models, checked.models == 1 ? "" : "s") < 0)
        return -1;
    if (!records || (checked.crcs > 0 && checked.crcs < records))
        return writer_text(printer->out, fault, records ? ", %" PRIu64 " with crc=\n" : "\n",
                           checked.crcs);
    return writer_text(printer->out, fault, ", %s with crc=\n", checked.crcs ? "all" : "none");
}

/* Adds the place of a record to a fault, and what to do. */
static void add_place(const struct reader *reader, uint64_t record, struct fault *fault)
{
    static const char remedy[] = ": read another copy, or what salvage keeps of it";
    struct fault placed = { FAULT_NONE, "" };
    /* The reader may have taken the record whose values are wrong. */
    size_t at = reader->records == record ? reader->at : reader->from;
    (void)fault_data(&placed, "record %" PRIu64 " at byte %" PRIu64 " of %s%s", record,
                     reader->offset + at, fault->text, strstr(fault->text, remedy) ? "" : remedy);
    placed.kind = fault->kind;
    *fault = placed;
}

int check_form_input(struct printer *printer, const struct reader *reader, struct fault *fault)
{
    uint64_t good = printer->checked.rounds + printer->checked.models;
    if (fault->kind == FAULT_NONE)
        return print_whole_file(printer, reader->name, fault);
    if (fault->kind == FAULT_DATA || fault->kind == FAULT_CUT)
        add_place(reader, good + 1, fault);
    return 0;
}

int check_form_end(struct printer *printer, struct fault *fault)
{
    return printer->checked.any ? 0 : print_whole_file(printer, "<stdin>", fault);
}
