#include "text/forms.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/unaligned.h"
#include "feature/constants.h"
#include "feature/steps.h"
#include "stream/record_header.h"
#include "model/model.h"
#include "stream/round.h"
#include "text/click_log.h"
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

void forms_lead(struct print *print, const struct printer *printer, const struct round *round,
                size_t i)
{
    print_round(print, round);
    print_document(print, printer, i);
    print_byte(print, '\t');
}

static void print_qid(struct print *print, const struct round *round)
{
    if (round->qid)
        print_word(print, round->qid);
    else
        print_whole(print, round->t);
}

/* ---- svm ---- */

/* " index:value", with the index from 1. */
static inline void print_feature(struct print *print, size_t index, float value)
{
    char *to = print_room(print, 2 * DIGITS_ROOM);
    *to = ' ';
    to = digits_whole(to + 1, index);
    *to = ':';
    print_piece(print, digits_nine(to + 1, value));
}

/* The line of document i. `qid` is empty where the text has none. */
static void print_line(struct print *print, const struct round *round, const struct matrix *x,
                       const char *qid, const char *name, size_t i)
{
    if (round->label)
        print_float(print, round->label[i]);
    else
        print_byte(print, '?');
    print_word(print, qid);
    if (x->kind == MATRIX_DENSE) {
        const unsigned char *row = x->x + 4 * i * x->dim;
        for (size_t j = 0; j < x->dim && print->failed == 0; j++)
            print_feature(print, j + 1, unaligned_f4(row + 4 * j));
    } else if (x->kind == MATRIX_SPARSE) {
        size_t end = unaligned_u4(x->ptr + 4 * (i + 1)), next = 0;
        for (size_t e = unaligned_u4(x->ptr + 4 * i); e < end && print->failed == 0; e++) {
            next = (size_t)unaligned_u4(x->idx + 4 * e) + 1;
            print_feature(print, next, unaligned_f4(x->val + 4 * e));
        }
        /* The width is nowhere else in the text: the first document always reaches it. */
        if (i == 0 && next < x->dim)
            print_feature(print, x->dim, 0);
    }
    if (name && *name) { /* svm takes the first docid= off */
        print_word(print, strncmp(name, "docid=", 6) == 0 ? " # docid=" : " # ");
        print_word(print, name);
    }
    print_byte(print, '\n');
}

/* What stands between label and features: nothing, " qid:" and the qid, or its number. */
enum { SIGN = sizeof " qid:" - 1 };
static int find_sign(struct printer *printer, const struct round *round,
                     char word[SIGN + QID_BYTES + 1], struct fault *fault)
{
    uint64_t number = 0;
    *word = '\0';
    if (printer->map) {
        /* A line of the map gives a qid's number when it first comes. Each round without a qid has
         * a new one. */
        const char *qid = round->qid;
        printer->numbers.numbered = true;
        int fresh = name_table_number(&printer->numbers, qid, qid ? strlen(qid) : 0, &number,
                                      fault);
        if ((fresh > 0 ? writer_text(printer->map, fault, "%" PRIu64 "\t%s\n", number,
                                     qid ? qid : "-") : fresh) < 0)
            return -1;
    }
    if (!number && !round->qid)
        return 0;
    memcpy(word, " qid:", SIGN);
    if (!number) {
        char *plain = word + SIGN;
        if (qid_word_decode(round->qid, plain) && !strpbrk(plain, " \t\n\r#"))
            return 0;
        return fault_data(fault, "its qid has a blank, a # or a NUL, which text cannot hold: give "
                          "queries numbers by -q map");
    }
    *digits_whole(word + SIGN, number) = '\0';
    return 0;
}

int forms_svm(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct matrix x;
    struct print print;
    char qid[SIGN + QID_BYTES + 1];
    if (forms_names(printer, round, fault) < 0) return -1;

    /* In text a query ends where the qid changes, and nowhere else. */
    const char *own = round->qid ? round->qid : "";
    bool numbered = printer->map && !round->qid; /* a number of its own */
    if (printer->any && !numbered && strcmp(own, printer->last) == 0)
        return fault_data(fault, "%s as the round before: as text the two would become one query",
                          *own ? "the same qid" : "no qid,");
    printer->any = true;
    strcpy(printer->last, own);
    if (find_sign(printer, round, qid, fault) < 0 || round_matrix(round, &x, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t i = 0; i < round->docs && print.failed == 0; i++)
        print_line(&print, round, &x, qid, printer->name ? printer->name[i] : NULL, i);
    return print_end(&print);
}

/* ---- a log of clicks ---- */

int forms_log_end(struct printer *printer, struct fault *fault)
{
    struct print print;
    if (printer->any)
        return 0;
    printer->any = true;
    print_start(&print, printer->out, fault);
    for (unsigned c = 0; c < CLICK_COLUMNS; c++) {
        print_word(&print, click_column_name((enum click_column)c));
        print_byte(&print, c + 1 < CLICK_COLUMNS ? '\t' : '\n');
    }
    return print_end(&print);
}

/* A name as the log had it. 0 or a fault. */
static int decode_word(const char *what, const char *encoded, char plain[QID_BYTES + 1],
                  struct fault *fault)
{
    if (qid_word_decode(encoded, plain) && !strpbrk(plain, "\t\n\r"))
        return 0;
    return fault_data(fault, "its %s has a tab, a line end or a NUL, which a log cannot "
                      "hold", what);
}

/* A number, or "-" where it is not known, after a tab. */
static void print_real(struct print *print, bool known, double value)
{
    print_byte(print, '\t');
    if (known)
        print_double(print, value);
    else
        print_byte(print, '-');
}

static void print_whole_or_none(struct print *print, bool known, uint64_t value)
{
    print_byte(print, '\t');
    if (known)
        print_whole(print, value);
    else
        print_byte(print, '-');
}

int forms_log(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    char request[QID_BYTES + 1] = "", qid[QID_BYTES + 1], client[QID_BYTES + 1];
    if (!round->seen)
        return fault_data(fault, "needs seen: put feedback-mask or feedback-join before bin2txt");
    if (!round->qid)
        return fault_data(fault, "needs a qid, by which a log names its query");
    if (decode_word("qid", round->qid, qid, fault) < 0 ||
        (round->request && decode_word("request", round->request, request, fault) < 0) ||
        (round->client && decode_word("client", round->client, client, fault) < 0) ||
        forms_names(printer, round, fault) < 0 || forms_check_names(printer, round, fault) < 0 ||
        forms_log_end(printer, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t a = 0; a < round->places && print.failed == 0; a++) {
        if (round->request)
            print_word(&print, request);
        else
            print_whole(&print, round->t);
        print_byte(&print, '\t');
        print_word(&print, qid);

        uint32_t i = round->order[a];
        print_byte(&print, '\t');
        print_document(&print, printer, i);
        print_whole_or_none(&print, true, a + 1);
        print_byte(&print, '\t');
        print_float(&print, round->seen[a]);
        print_whole_or_none(&print, round->timed, round->time);
        print_real(&print, round->propensity, round->propensity ? round->propensity[a] : 0);
        print_real(&print, round->score, round->score ? round->score[i] : 0);
        print_byte(&print, '\t');
        if (round->label)
            print_float(&print, round->label[i]);
        else
            print_byte(&print, '-');

        print_byte(&print, '\t');
        print_word(&print, round->client ? client : "-");
        print_byte(&print, '\n');
    }
    return print_end(&print);
}

/* ---- rank, run and qrels ---- */

/* What both forms of an order need. */
static int start_order(struct printer *printer, const struct round *round, struct fault *fault)
{
    if (forms_names(printer, round, fault) < 0 || forms_check_names(printer, round, fault) < 0)
        return -1;
    return round->order ? 0 : fault_data(fault, "needs order: put explore before bin2txt");
}

int forms_rank(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    if (start_order(printer, round, fault) < 0) return -1;
    print_start(&print, printer->out, fault);
    for (size_t place = 0; place < round->docs && print.failed == 0; place++) {
        uint32_t i = round->order[place];
        print_round(&print, round);
        print_whole(&print, place + 1);
        print_byte(&print, '\t');
        print_document(&print, printer, i);
        print_byte(&print, '\t');
        if (round->score)
            print_double(&print, round->score[i]);
        else
            print_byte(&print, '-');
        print_byte(&print, '\t');
        if (round->label)
            print_float(&print, round->label[i]);
        else if (place < round->places)
            print_float(&print, round->seen[place]);
        else
            print_byte(&print, '-');
        print_byte(&print, '\n');
    }
    return print_end(&print);
}

int forms_run(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    if (start_order(printer, round, fault) < 0) return -1;
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
    for (size_t i = 0; i < round->docs && print.failed == 0; i++) {
        float label = round->label[i];
        print_qid(&print, round);
        print_word(&print, " 0 ");
        print_document(&print, printer, i);
        print_byte(&print, ' ');
        if (signbit(label))
            print_byte(&print, '-'); /* -0 */
        print_whole(&print, (uint64_t)label);
        print_byte(&print, '\n');
    }
    return print_end(&print);
}

/* ---- summary and scales ---- */

int forms_summary(struct printer *printer, const struct round *round, struct fault *fault)
{
    if (forms_names(printer, round, fault) < 0) return -1;
    return summary_round(&printer->summary, round, printer->name != NULL, fault);
}

int forms_summary_end(struct printer *printer, struct fault *fault)
{
    return summary_print(&printer->summary, printer->out, fault);
}

int forms_scales(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct scales_form *form = &printer->scales;
    struct matrix x;
    const char *made = round->made ? round->made : "";
    if (feature_names_check(&printer->feature_names, round->named, "the round", fault) < 0 ||
        round_matrix(round, &x, fault) < 0)
        return -1;
    if (x.kind == MATRIX_UNIT)
        return fault_data(fault, "the round has no features (dim=0)");
    if (form->rounds++ == 0)
        strcpy(form->made, made);
    if (strcmp(made, form->made) != 0)
        return fault_data(fault, "its features are made by %s, those before it by %s: print the "
                          "scales of each by themselves", *made ? made : "nothing (raw)",
                          form->made[0] ? form->made : "nothing (raw)");
    if (scales_add(&form->scales, &x, fault) < 0) return -1;
    return form->scales.not_finite == 0 ? 0 : fault_data(fault, "a feature is not finite");
}

int forms_scales_end(struct printer *printer, struct fault *fault)
{
    const struct scales_form *form = &printer->scales;
    const struct feature_names *names = &printer->feature_names;
    struct writer *out = printer->out;
    struct print print;
    if (form->rounds == 0)
        return fault_data(fault, "no rounds: scales are of the features of rounds");
    size_t named = form->scales.width - steps_end_in_base(form->made);
    if (names->features && names->features < named)
        return fault_data(fault, "the rounds have %zu features, but there are names of %zu", named,
                          names->features);
    if (writer_text(out, fault, CONSTANTS_HEAD "%zu documents=%" PRIu64 "%s%s\n",
                    form->scales.width, form->scales.docs, form->made[0] ? CONSTANTS_MADE : "",
                    form->made) < 0 ||
        writer_text(out, fault, "# feature\tmean\tdeviation\tleast\tlargest\n") < 0)
        return -1;
    print_start(&print, out, fault);
    for (size_t j = 0; j < form->scales.width && print.failed == 0; j++) {
        const struct scale scale = scales_of(&form->scales, j);
        const double of[] = { scale.mean, scale.deviation, scale.least, scale.largest };
        const char *name = feature_names_made(names, form->made, j);
        if (name && *text_skip_digits(name)) /* it could not be taken for a number */
            print_word(&print, name);
        else
            print_whole(&print, j + 1);
        for (size_t c = 0; c < CONSTANTS; c++) {
            print_byte(&print, '\t');
            print_double(&print, of[c]);
        }
        print_byte(&print, '\n');
    }
    print_word(&print, CONSTANTS_END "\n");
    return print_end(&print);
}

/* ---- headers, and models ---- */

int forms_head_model(struct printer *printer, const struct record *model, struct fault *fault)
{
    size_t n;
    char line[RECORD_LINE + 1];
    if (header_print(model, line, &n, fault) < 0) return -1;
    return writer_bytes(printer->out, line, n, fault);
}

int forms_head(struct printer *printer, const struct round *round, struct fault *fault)
{
    return forms_head_model(printer, round->record, fault);
}

/* ---- values ---- */

static void print_value(struct print *print, const struct column *column, size_t i)
{
    const unsigned char *at = (const unsigned char *)column->data + i * column_width(column->type);
    if (column->type == COLUMN_F8)
        print_double(print, unaligned_f8(at));
    else if (column->type == COLUMN_F4)
        print_float(print, unaligned_f4(at));
    else if (column->type == COLUMN_U4 &&
             (name_is(column->name, "idx") || name_is(column->name, "index"))) /* from 0 there */
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
    case ROUND_BASE:
        return round->base[i];
    case ROUND_X:
    case ROUND_NUMBER:
        return i / round->dim;
    default:
        return !round_column_is_feature(column) && count == round->docs ? i : round->docs;
    }
}

int forms_values(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    const struct record *record = round->record;
    if (forms_names(printer, round, fault) < 0) return -1;
    print_start(&print, printer->out, fault);
    for (size_t k = 0; k < record->keys; k++) {
        print_round(&print, round);
        print_word(&print, "-\t");
        print_word(&print, record->key[k].name);
        print_byte(&print, '\t');
        print_word(&print, record->key[k].value);
        print_byte(&print, '\n');
    }
    for (size_t c = 0; c < record->columns; c++) {
        const struct column *column = &record->column[c];
        enum round_column number = round_column_find(column->name);
        bool names = name_is(column->name, "name"); /* the number of each document, and its name */
        for (size_t i = 0; names && i < round->docs && print.failed == 0; i++) {
            print_round(&print, round);
            print_whole(&print, i);
            print_word(&print, "\tname\t");
            print_word(&print, printer->name[i]);
            print_byte(&print, '\n');
        }
        for (size_t i = 0; !names && i < column->count && print.failed == 0; i++) {
            size_t document = document_of(round, number, (size_t)column->count, i);
            print_round(&print, round);
            if (document == round->docs)
                print_byte(&print, '-');
            else
                print_document(&print, printer, document);
            print_byte(&print, '\t');
            print_word(&print, column->name);
            print_byte(&print, '\t');
            print_value(&print, column, i);
        }
    }
    return print_end(&print);
}

/* ---- check ---- */

static void count_record(struct checked *checked, const struct record *record)
{
    checked->rounds += record->kind == RECORD_ROUND;
    checked->models += record->kind == RECORD_MODEL;
    checked->crcs += record->has_crc != CRC_NONE;
}

int forms_check(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct matrix x;
    bool features = false;
    for (size_t c = ROUND_X; c < ROUND_COLUMNS; c++)
        features = features || round->column[c];
    if (features && round_matrix(round, &x, fault) < 0) return -1;
    count_record(&printer->checked, round->record);
    return 0;
}

int forms_check_model(struct printer *printer, const struct record *record, struct fault *fault)
{
    struct model *model = malloc(sizeof *model);
    if (!model)
        return fault_no_room(fault, sizeof *model);
    model->record = *record;
    int result = model_read_message(model, fault);
    free(model);
    if (result == 0)
        count_record(&printer->checked, record);
    return result;
}

/* "whole: 240 rounds, 1 model, 241 with crc=": the counts since the last such line. */
static int print_whole_file(struct printer *printer, const char *name, struct fault *fault)
{
    const struct checked checked = printer->checked;
    uint64_t records = checked.rounds + checked.models;
    printer->checked = (struct checked){ .any = true };
    if (writer_text(printer->out, fault, "%.900s: whole: ", name) < 0) return -1;
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

int forms_check_input(struct printer *printer, const struct reader *reader, struct fault *fault)
{
    uint64_t good = printer->checked.rounds + printer->checked.models;
    if (fault->kind == FAULT_NONE)
        return print_whole_file(printer, reader->name, fault);
    if (fault->kind == FAULT_DATA || fault->kind == FAULT_CUT) {
        const uint64_t record = good + 1;
        static const char remedy[] = ": read another copy, or what salvage keeps of it";
        struct fault placed = { FAULT_NONE, "" };
        /* The reader may have taken the record whose values are wrong. */
        size_t at = reader->records == record ? reader->at : reader->from;
        (void)fault_data(&placed, "record %" PRIu64 " at byte %" PRIu64 " of %s%s", record,
                         reader->offset + at, fault->text,
                         strstr(fault->text, remedy) ? "" : remedy);
        placed.kind = fault->kind;
        *fault = placed;
    }
    return 0;
}

int forms_check_end(struct printer *printer, struct fault *fault)
{
    return printer->checked.any ? 0 : print_whole_file(printer, "<stdin>", fault);
}
