#include "text/forms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unaligned.h"
#include "stream/header.h"

#define TEXT(...) writer_text(printer->out, fault, __VA_ARGS__)

void printer_close(struct printer *printer)
{
    buffer_free(&printer->names);
    summary_close(&printer->summary);
}

/* ---- documents' names ---- */

static int wrong_name(size_t i, struct fault *fault)
{
    return fault_data(fault, "the name of document %zu is not one word: it is empty, or has blanks "
                      "or control characters", i);
}

/* The column holds docs names, each ended by NUL. */
int printer_names(struct printer *printer, const struct round *round, struct fault *fault)
{
    const struct column *column = record_column(round->record, "name");
    printer->name = NULL;
    if (!column)
        return 0;
    const char **name = buffer_for(&printer->names, round->docs, sizeof *name, fault);
    const char *at = column->data, *end = at + column_bytes(column);
    if (!name)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul || column->type != COLUMN_U1)
            return fault_data(fault, "column name does not hold %zu names", round->docs);
        for (const char *p = at; p < nul; p++)
            if ((unsigned char)*p <= ' ' || *p == 127)
                return wrong_name(i, fault);
        name[i] = at;
        at = nul + 1;
    }
    if (at != end)
        return fault_data(fault, "column name holds more than %zu names", round->docs);
    printer->name = name;
    return 0;
}

static int print_document(struct printer *printer, size_t i, struct fault *fault)
{
    if (!printer->name)
        return TEXT("%zu", i);
    const char *name = printer->name[i];
    return *name ? writer_bytes(printer->out, name, strlen(name), fault) : wrong_name(i, fault);
}

static const char *qid_of(const struct round *round, char t[24])
{
    if (round->qid)
        return round->qid;
    snprintf(t, 24, "%" PRIu64, round->t);
    return t;
}

/* ---- rank, run and qrels ---- */

/* What both forms of an order need. */
static int start_order(struct printer *printer, const struct round *round, struct fault *fault)
{
    if (printer_names(printer, round, fault) < 0)
        return -1;
    return round->order ? 0 : fault_data(fault, "needs order: put explore before bin2txt");
}

static int print_relevance(struct printer *printer, const struct round *round, size_t place,
                           struct fault *fault)
{
    if (round->label)
        return TEXT("\t%.9g\n", (double)round->label[round->order[place]]);
    if (place < round->places)
        return TEXT("\t%.9g\n", (double)round->seen[place]);
    return writer_bytes(printer->out, "\t-\n", 3, fault);
}

/* A line up to its score. Services print many of these: whole numbers are made here, which takes a
 * third of the time of printf. */
static int print_place(struct printer *printer, const char *start, size_t place, uint32_t i,
                       struct fault *fault)
{
    char digits[TEXT_DIGITS], number[TEXT_DIGITS];
    const char *from = text_from_number(digits, place + 1);
    if (writer_bytes(printer->out, start, strlen(start), fault) < 0 ||
        writer_bytes(printer->out, from, strlen(from), fault) < 0 ||
        writer_bytes(printer->out, "\t", 1, fault) < 0)
        return -1;
    if (printer->name)
        return print_document(printer, i, fault);
    from = text_from_number(number, i);
    return writer_bytes(printer->out, from, strlen(from), fault);
}

int form_rank(struct printer *printer, const struct round *round, struct fault *fault)
{
    char start[ROUND_QID + 30];
    snprintf(start, sizeof start, "%" PRIu64 "\t%s\t", round->t, round->qid ? round->qid : "-");
    if (start_order(printer, round, fault) < 0)
        return -1;
    for (size_t place = 0; place < round->docs; place++) {
        uint32_t i = round->order[place];
        if (print_place(printer, start, place, i, fault) < 0 ||
            (round->score ? TEXT("\t%.17g", round->score[i]) : TEXT("\t-")) < 0 ||
            print_relevance(printer, round, place, fault) < 0)
            return -1;
    }
    return 0;
}

int form_run(struct printer *printer, const struct round *round, struct fault *fault)
{
    char t[24];
    if (start_order(printer, round, fault) < 0)
        return -1;
    for (size_t place = 0; place < round->docs; place++)
        if (TEXT("%s Q0 ", qid_of(round, t)) < 0 ||
            print_document(printer, round->order[place], fault) < 0 ||
            TEXT(" %zu %zu rankpipe\n", place + 1, round->docs - place) < 0)
            return -1;
    return 0;
}

int form_qrels(struct printer *printer, const struct round *round, struct fault *fault)
{
    char t[24];
    if (printer_names(printer, round, fault) < 0)
        return -1;
    if (!round->label)
        return fault_data(fault, "needs label: qrels are made of labels");
    for (size_t i = 0; i < round->docs; i++) {
        if (round->label[i] != floorf(round->label[i]) || round->label[i] > 1e9f)
            return fault_data(fault, "label %g is not a whole number, which qrels need",
                              (double)round->label[i]);
        if (TEXT("%s 0 ", qid_of(round, t)) < 0 || print_document(printer, i, fault) < 0 ||
            TEXT(" %.0f\n", (double)round->label[i]) < 0)
            return -1;
    }
    return 0;
}

int form_summary(struct printer *printer, const struct round *round, struct fault *fault)
{
    if (printer_names(printer, round, fault) < 0)
        return -1;
    return summary_round(&printer->summary, round, printer->name != NULL, fault);
}

int form_summary_end(struct printer *printer, struct fault *fault)
{
    return summary_print(&printer->summary, printer->out, fault);
}

/* ---- headers, and models ---- */

int form_head_model(struct printer *printer, const struct record *model, struct fault *fault)
{
    size_t n;
    char line[RECORD_LINE + 1];
    if (header_print(model, line, &n, fault) < 0)
        return -1;
    return writer_bytes(printer->out, line, n, fault);
}

int form_head(struct printer *printer, const struct round *round, struct fault *fault)
{
    return form_head_model(printer, round->record, fault);
}

static int print_value(struct printer *printer, const struct column *column, size_t i,
                       struct fault *fault)
{
    const unsigned char *at = (const unsigned char *)column->data + i * column_width(column->type);
    switch (column->type) {
    case COLUMN_F8:
        return TEXT("%s\t%zu\t%.17g\n", column->name, i, unaligned_f8(at));
    case COLUMN_F4:
        return TEXT("%s\t%zu\t%.9g\n", column->name, i, (double)unaligned_f4(at));
    case COLUMN_U8:
        return TEXT("%s\t%zu\t%" PRIu64 "\n", column->name, i, unaligned_u8(at));
    case COLUMN_U4:
        return TEXT("%s\t%zu\t%" PRIu32 "\n", column->name, i, unaligned_u4(at));
    default:
        return TEXT("%s\t%zu\t%u\n", column->name, i, *at);
    }
}

int form_values(struct printer *printer, const struct record *model, struct fault *fault)
{
    if (TEXT("# ") < 0 || form_head_model(printer, model, fault) < 0)
        return -1;
    for (size_t c = 0; c < model->columns; c++)
        for (size_t i = 0; i < model->column[c].count; i++)
            if (print_value(printer, &model->column[c], i, fault) < 0)
                return -1;
    return 0;
}
