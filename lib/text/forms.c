#include "text/forms.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/unaligned.h"
#include "stream/header.h"
#include "stream/round_names.h"
#include "text/print.h"

void forms_close(struct printer *printer)
{
    buffer_free(&printer->names);
    feature_names_close(&printer->feature_names);
    name_table_close(&printer->numbers);
    summary_close(&printer->summary);
    scales_close(&printer->scales.scales);
}

/* ---- documents' names ---- */

int forms_names(struct printer *printer, const struct round *round, struct fault *fault)
{
    return round_names(round, &printer->names, &printer->name, fault);
}

int forms_check_names(const struct printer *printer, const struct round *round,
                      struct fault *fault)
{
    for (size_t i = 0; printer->name && i < round->docs; i++)
        if (!printer->name[i][0])
            return round_names_wrong(i, fault);
    return 0;
}

/* The name of document i, or else its number. */
static void print_document(struct print *print, const struct printer *printer, size_t i)
{
    if (printer->name && printer->name[i][0])
        print_word(print, printer->name[i]);
    else
        print_whole(print, i);
}

/* What a line that names the round by columns begins with. */
static void print_round(struct print *print, const struct round *round)
{
    print_whole(print, round->t);
    print_byte(print, '\t');
    print_word(print, round->qid ? round->qid : "-");
    print_byte(print, '\t');
}

static void print_qid(struct print *print, const struct round *round)
{
    if (round->qid)
        print_word(print, round->qid);
    else
        print_whole(print, round->t);
}

/* ---- rank, run and qrels ---- */

/* What both forms of an order need. */
static int start_order(struct printer *printer, const struct round *round, struct fault *fault)
{
    if (forms_names(printer, round, fault) < 0 || forms_check_names(printer, round, fault) < 0)
        return -1;
    return round->order ? 0 : fault_data(fault, "needs order: put explore before bin2txt");
}

static void print_relevance(struct print *print, const struct round *round, size_t place)
{
    if (round->label)
        print_float(print, round->label[round->order[place]]);
    else if (place < round->places)
        print_float(print, round->seen[place]);
    else
        print_byte(print, '-');
}

static void print_place(struct print *print, const struct printer *printer,
                        const struct round *round, size_t place)
{
    uint32_t i = round->order[place];
    print_round(print, round);
    print_whole(print, place + 1);
    print_byte(print, '\t');
    print_document(print, printer, i);
    print_byte(print, '\t');
    if (round->score)
        print_double(print, round->score[i]);
    else
        print_byte(print, '-');
    print_byte(print, '\t');
    print_relevance(print, round, place);
    print_byte(print, '\n');
}

int forms_rank(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    if (start_order(printer, round, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t place = 0; place < round->docs && print.failed == 0; place++)
        print_place(&print, printer, round, place);
    return print_end(&print);
}

int forms_run(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    if (start_order(printer, round, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t place = 0; place < round->docs && print.failed == 0; place++) {
        print_qid(&print, round);
        print_word(&print, " Q0 ");
        print_document(&print, printer, round->order[place]);
        print_byte(&print, ' ');
        print_whole(&print, place + 1);
        print_byte(&print, ' ');
        print_whole(&print, round->docs - place);
        print_word(&print, " rankpipe\n");
    }
    return print_end(&print);
}

static void print_judgement(struct print *print, const struct printer *printer,
                            const struct round *round, size_t i)
{
    float label = round->label[i];
    print_qid(print, round);
    print_word(print, " 0 ");
    print_document(print, printer, i);
    print_byte(print, ' ');
    if (signbit(label))
        print_byte(print, '-'); /* -0 */
    print_whole(print, (uint64_t)label);
    print_byte(print, '\n');
}

int forms_qrels(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    if (forms_names(printer, round, fault) < 0 || forms_check_names(printer, round, fault) < 0)
        return -1;
    if (!round->label)
        return fault_data(fault, "needs label: qrels are made of labels");
    for (size_t i = 0; i < round->docs; i++)
        if (round->label[i] != floorf(round->label[i]) || round->label[i] > 1e9f)
            return fault_data(fault, "label %g is not a whole number, which qrels need",
                              (double)round->label[i]);
    print_start(&print, printer->out, fault);
    for (size_t i = 0; i < round->docs && print.failed == 0; i++)
        print_judgement(&print, printer, round, i);
    return print_end(&print);
}

int forms_summary(struct printer *printer, const struct round *round, struct fault *fault)
{
    if (forms_names(printer, round, fault) < 0)
        return -1;
    return summary_round(&printer->summary, round, printer->name != NULL, fault);
}

int forms_summary_end(struct printer *printer, struct fault *fault)
{
    return summary_print(&printer->summary, printer->out, fault);
}

int forms_scales(struct printer *printer, const struct round *round, struct fault *fault)
{
    return scales_form_round(&printer->scales, &printer->feature_names, round, fault);
}

int forms_scales_end(struct printer *printer, struct fault *fault)
{
    return scales_form_print(&printer->scales, &printer->feature_names, printer->out, fault);
}

/* ---- headers, and models ---- */

int forms_head_model(struct printer *printer, const struct record *model, struct fault *fault)
{
    size_t n;
    char line[RECORD_LINE + 1];
    if (header_print(model, line, &n, fault) < 0)
        return -1;
    return writer_bytes(printer->out, line, n, fault);
}

int forms_head(struct printer *printer, const struct round *round, struct fault *fault)
{
    return forms_head_model(printer, round->record, fault);
}

/* ---- values ---- */

/* Are its values numbers of features? They are from 0 in streams, and from 1 in text. */
static bool is_of_features(const struct column *column)
{
    return column->type == COLUMN_U4 &&
           (name_is(column->name, "idx") || name_is(column->name, "index"));
}

static void print_value(struct print *print, const struct column *column, size_t i)
{
    const unsigned char *at = (const unsigned char *)column->data + i * column_width(column->type);
    if (column->type == COLUMN_F8)
        print_double(print, unaligned_f8(at));
    else if (column->type == COLUMN_F4)
        print_float(print, unaligned_f4(at));
    else if (is_of_features(column))
        print_whole(print, (uint64_t)unaligned_u4(at) + 1);
    else
        print_whole(print, column->type == COLUMN_U8 ? unaligned_u8(at)
                           : column->type == COLUMN_U4 ? unaligned_u4(at)
                           : column->type == COLUMN_U2 ? unaligned_u2(at) : *at);
    print_byte(print, '\n');
}

int forms_values_model(struct printer *printer, const struct record *model, struct fault *fault)
{
    struct print print;
    if (writer_bytes(printer->out, "# ", 2, fault) < 0 ||
        forms_head_model(printer, model, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t c = 0; c < model->columns; c++)
        for (size_t i = 0; i < model->column[c].count && print.failed == 0; i++) {
            print_word(&print, model->column[c].name);
            print_byte(&print, '\t');
            print_whole(&print, i + 1);
            print_byte(&print, '\t');
            print_value(&print, &model->column[c], i);
        }
    return print_end(&print);
}

/* The document that value i of a column is about; docs of the round: none. */
static size_t document_of(const struct round *round, enum round_column column, size_t count,
                          size_t i)
{
    switch (column) {
    case ROUND_ORDER:
    case ROUND_TEAM:
    case ROUND_SEEN:
        return round->order[i];
    case ROUND_GREEDY:
        return round->greedy[i];
    case ROUND_X:
    case ROUND_NUMBER:
        return i / round->dim;
    default:
        return !round_column_is_feature(column) && count == round->docs ? i : round->docs;
    }
}

static void print_column(struct print *print, const struct printer *printer,
                         const struct round *round, const struct column *column)
{
    enum round_column number = round_column_find(column->name);
    for (size_t i = 0; i < column->count && print->failed == 0; i++) {
        size_t document = document_of(round, number, (size_t)column->count, i);
        print_round(print, round);
        if (document == round->docs)
            print_byte(print, '-');
        else
            print_document(print, printer, document);
        print_byte(print, '\t');
        print_word(print, column->name);
        print_byte(print, '\t');
        print_value(print, column, i);
    }
}

/* The column name: the number of each document, and its name. */
static void print_names(struct print *print, const struct printer *printer,
                        const struct round *round)
{
    for (size_t i = 0; i < round->docs && print->failed == 0; i++) {
        print_round(print, round);
        print_whole(print, i);
        print_word(print, "\tname\t");
        print_word(print, printer->name[i]);
        print_byte(print, '\n');
    }
}

int forms_values(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    const struct record *record = round->record;
    if (forms_names(printer, round, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t k = 0; k < record->keys; k++) {
        print_round(&print, round);
        print_word(&print, "-\t");
        print_word(&print, record->key[k].name);
        print_byte(&print, '\t');
        print_word(&print, record->key[k].value);
        print_byte(&print, '\n');
    }
    for (size_t c = 0; c < record->columns; c++)
        if (name_is(record->column[c].name, "name"))
            print_names(&print, printer, round);
        else
            print_column(&print, printer, round, &record->column[c]);
    return print_end(&print);
}
