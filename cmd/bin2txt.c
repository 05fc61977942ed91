/* bin2txt: rounds and models as text, for people and for other tools. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/unaligned.h"
#include "learn/weights.h"
#include "run/filter.h"
#include "stream/header.h"

struct bin2txt {
    struct host *host;
    enum weights_form weights; /* where it prints nothing else */
    int (*print)(struct bin2txt *my, const struct round *round);
    const char *const *name; /* name[docs], where the documents have names */
    struct buffer names;
    bool any;
    char last[ROUND_QID + 1]; /* qid of the round before, for svm */
};

#define TEXT(...) writer_text(my->host->out, my->host->fault, __VA_ARGS__)

/* ---- documents' names ---- */

static int wrong_name(struct bin2txt *my, size_t i)
{
    return fault_data(my->host->fault, "the name of document %zu is no word that text can hold "
                      "(blanks, control characters, or nothing)", i);
}

/* Finds the names in their column: docs of them, each ended by NUL. */
static int read_names(struct bin2txt *my, const struct round *round)
{
    const struct column *column = record_column(round->record, "name");
    my->name = NULL;
    if (!column)
        return 0;
    const char **name = buffer_for(&my->names, round->docs, sizeof *name, my->host->fault);
    const char *at = column->data, *end = at + column_bytes(column);
    if (!name)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul || column->type != COLUMN_U1)
            return fault_data(my->host->fault, "column name does not hold %zu names",
                              round->docs);
        for (const char *p = at; p < nul; p++)
            if ((unsigned char)*p <= ' ' || *p == 127)
                return wrong_name(my, i);
        name[i] = at;
        at = nul + 1;
    }
    if (at != end)
        return fault_data(my->host->fault, "column name holds more than %zu names", round->docs);
    my->name = name;
    return 0;
}

static int print_name(struct bin2txt *my, size_t i)
{
    return writer_bytes(my->host->out, my->name[i], strlen(my->name[i]), my->host->fault);
}

/* Behind the features. A name that begins as the sign of one does needs that sign before it. */
static int print_comment(struct bin2txt *my, size_t i)
{
    const char *sign = strncmp(my->name[i], "docid=", 6) == 0 ? " # docid=" : " # ";
    return TEXT("%s", sign) < 0 ? -1 : print_name(my, i);
}

static int print_document(struct bin2txt *my, size_t i)
{
    if (my->name)
        return my->name[i][0] ? print_name(my, i) : wrong_name(my, i);
    return TEXT("%zu", i);
}

static const char *qid_of(const struct round *round, char t[24])
{
    if (round->qid)
        return round->qid;
    snprintf(t, 24, "%" PRIu64, round->t);
    return t;
}

/* ---- svm ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A qid as the text had it, its %XX back to bytes. */
static int decode_qid(struct bin2txt *my, const char *qid, char plain[ROUND_QID + 1])
{
    char *to = plain;
    for (; *qid; qid++) {
        if (*qid == '%' && hex(qid[1]) >= 0 && hex(qid[2]) >= 0) {
            *to++ = (char)(16 * hex(qid[1]) + hex(qid[2]));
            qid += 2;
        } else {
            *to++ = *qid;
        }
    }
    *to = '\0';
    if (strlen(plain) != (size_t)(to - plain) || strpbrk(plain, " \t\n\r"))
        return fault_data(my->host->fault, "its qid has a blank or a NUL, which text cannot hold");
    return 0;
}

static int print_dense(struct bin2txt *my, const struct matrix *x, size_t i)
{
    for (size_t j = 0; j < x->dim; j++)
        if (TEXT(" %zu:%.9g", j + 1, (double)unaligned_f4(x->x + 4 * (i * x->dim + j))) < 0)
            return -1;
    return 0;
}

static int print_sparse(struct bin2txt *my, const struct matrix *x, size_t i)
{
    size_t end = unaligned_u4(x->ptr + 4 * (i + 1)), next = 0;
    for (size_t e = unaligned_u4(x->ptr + 4 * i); e < end; e++) {
        next = (size_t)unaligned_u4(x->idx + 4 * e) + 1;
        if (TEXT(" %zu:%.9g", next, (double)unaligned_f4(x->val + 4 * e)) < 0)
            return -1;
    }
    /* The width is nowhere else in the text: the first document always reaches it. */
    return i == 0 && next < x->dim ? TEXT(" %zu:0", x->dim) : 0;
}

/* In text only the qid parts one query from the next. */
static int check_parted(struct bin2txt *my, const struct round *round)
{
    const char *qid = round->qid ? round->qid : "";
    if (my->any && strcmp(qid, my->last) == 0)
        return fault_data(my->host->fault, "%s as the round before: as text the two would be one "
                          "query", *qid ? "the same qid" : "no qid,");
    my->any = true;
    strcpy(my->last, qid);
    return 0;
}

static int print_svm(struct bin2txt *my, const struct round *round)
{
    struct matrix x;
    char qid[ROUND_QID + 1] = "";
    if (read_names(my, round) < 0 || check_parted(my, round) < 0 ||
        (round->qid && decode_qid(my, round->qid, qid) < 0) ||
        round_features(round, &x, my->host->fault) < 0)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        if ((round->label ? TEXT("%.9g", (double)round->label[i]) : TEXT("?")) < 0 ||
            (round->qid && TEXT(" qid:%s", qid) < 0) ||
            (x.form == MATRIX_DENSE && print_dense(my, &x, i) < 0) ||
            (x.form == MATRIX_SPARSE && print_sparse(my, &x, i) < 0) ||
            (my->name && my->name[i][0] && print_comment(my, i) < 0) ||
            TEXT("\n") < 0)
            return -1;
    }
    return 0;
}

/* ---- rank, run and qrels ---- */

static int needs_order(struct bin2txt *my)
{
    return fault_data(my->host->fault, "needs order: put explore before bin2txt");
}

static int print_relevance(struct bin2txt *my, const struct round *round, size_t place)
{
    if (round->label)
        return TEXT("\t%.9g\n", (double)round->label[round->order[place]]);
    if (place < round->places)
        return TEXT("\t%.9g\n", (double)round->seen[place]);
    return TEXT("\t-\n");
}

static int print_rank(struct bin2txt *my, const struct round *round)
{
    if (read_names(my, round) < 0)
        return -1;
    if (!round->order)
        return needs_order(my);
    for (size_t place = 0; place < round->docs; place++) {
        uint32_t i = round->order[place];
        const char *qid = round->qid ? round->qid : "-";
        if (TEXT("%" PRIu64 "\t%s\t%zu\t", round->t, qid, place + 1) < 0 ||
            print_document(my, i) < 0 ||
            (round->score ? TEXT("\t%.17g", round->score[i]) : TEXT("\t-")) < 0 ||
            print_relevance(my, round, place) < 0)
            return -1;
    }
    return 0;
}

/* trec_eval sorts by the score and breaks ties its own way, so that what stands for it here falls
 * with the place: the order judged is the order shown. */
static int print_run(struct bin2txt *my, const struct round *round)
{
    char t[24];
    if (read_names(my, round) < 0)
        return -1;
    if (!round->order)
        return needs_order(my);
    for (size_t place = 0; place < round->docs; place++)
        if (TEXT("%s Q0 ", qid_of(round, t)) < 0 || print_document(my, round->order[place]) < 0 ||
            TEXT(" %zu %zu rankpipe\n", place + 1, round->docs - place) < 0)
            return -1;
    return 0;
}

static int print_qrels(struct bin2txt *my, const struct round *round)
{
    char t[24];
    if (read_names(my, round) < 0)
        return -1;
    if (!round->label)
        return fault_data(my->host->fault, "needs label: qrels are the labels");
    for (size_t i = 0; i < round->docs; i++) {
        if (round->label[i] != floorf(round->label[i]) || round->label[i] > 1e9f)
            return fault_data(my->host->fault, "label %g is not a whole number, as qrels want it",
                              (double)round->label[i]);
        if (TEXT("%s 0 ", qid_of(round, t)) < 0 || print_document(my, i) < 0 ||
            TEXT(" %.0f\n", (double)round->label[i]) < 0)
            return -1;
    }
    return 0;
}

/* ---- head, and models ---- */

static int print_header(struct bin2txt *my, const struct record *record)
{
    size_t n;
    char line[RECORD_LINE + 1];
    if (header_print(record, line, &n, my->host->fault) < 0)
        return -1;
    return writer_bytes(my->host->out, line, n, my->host->fault);
}

static int print_head(struct bin2txt *my, const struct round *round)
{
    return print_header(my, round->record);
}

static int refuse_round(struct bin2txt *my, const struct round *round)
{
    (void)round;
    return fault_data(my->host->fault, "a round, and this is a form of models' weights");
}

static int print_value(struct bin2txt *my, const struct column *column, size_t i)
{
    const unsigned char *at = (const unsigned char *)column->data + i * column_width(column->type);
    switch (column->type) {
    case COLUMN_F8:
        return TEXT("%s\t%zu\t%.17g\n", column->name, i, unaligned_f8(at));
    case COLUMN_F4:
        return TEXT("%s\t%zu\t%.9g\n", column->name, i, (double)unaligned_f4(at));
    case COLUMN_U4:
        return TEXT("%s\t%zu\t%" PRIu32 "\n", column->name, i, unaligned_u4(at));
    default:
        return TEXT("%s\t%zu\t%u\n", column->name, i, *at);
    }
}

/* A model: its header line behind a #, then a line for each value it holds. */
static enum step step_model(void *self, struct record *record)
{
    struct bin2txt *my = self;
    bool head = my->print == print_head;
    if (my->print == refuse_round)
        return weights_write(record, my->weights, my->host->out, my->host->fault) < 0 ? FAIL : DROP;
    if ((!head && TEXT("# ") < 0) || print_header(my, record) < 0)
        return FAIL;
    for (size_t c = 0; c < record->columns && !head; c++)
        for (size_t i = 0; i < record->column[c].count; i++)
            if (print_value(my, &record->column[c], i) < 0)
                return FAIL;
    return DROP;
}

/* ---- the filter ---- */

static const char *form_word(size_t i)
{
    static const char *const words[] = { "svm", "rank", "run", "qrels", "head", "tsv",
                                         "svm-light", "ranklib", NULL }; /* as weights_form */
    return words[i];
}

static const struct option options_known[] = {
    { 'f', "form", form_word, "form of the text (default svm)" },
    { 0 },
};

static const struct option operand_known = {
    0, "file", NULL, "file of rounds or of a model; - is standard input, the default"
};

static int parse(void *self, struct options *options, struct host *host)
{
    static int (*const prints[])(struct bin2txt *, const struct round *) = {
        print_svm, print_rank, print_run, print_qrels, print_head,
    };
    enum { WEIGHTS = sizeof prints / sizeof *prints };
    struct bin2txt *my = self;
    int letter;
    my->host = host;
    my->print = print_svm;
    while ((letter = options_next(options)) > 0) {
        int form = options_word(options);
        if (form < 0)
            return -1;
        my->print = form < WEIGHTS ? prints[form] : refuse_round;
        my->weights = (enum weights_form)(form < WEIGHTS ? 0 : form - WEIGHTS);
    }
    if (*options_operands(options))
        host->files = options_operands(options);
    return letter;
}

static enum kind kind(const void *self)
{
    (void)self;
    return SINK;
}

static enum step step(void *self, struct round *round)
{
    struct bin2txt *my = self;
    return my->print(my, round) < 0 ? FAIL : DROP;
}

static int close_bin2txt(void *self, enum ended ended)
{
    (void)ended;
    buffer_free(&((struct bin2txt *)self)->names);
    return 0;
}

const struct filter bin2txt = {
    .name = "bin2txt",
    .usage = "[-f form] [file ...]",
    .line = "rounds and models as text",
    .options = options_known,
    .operand = &operand_known,
    .size = sizeof(struct bin2txt),
    .parse = parse,
    .kind = kind,
    .step = step,
    .model = step_model,
    .close = close_bin2txt,
};
