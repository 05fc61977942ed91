#include "text/svm_form.h"

#include <string.h>

#include "base/unaligned.h"

#define TEXT(...) writer_text(printer->out, fault, __VA_ARGS__)

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A qid as the text had it, its %XX back to bytes. */
static int decode_qid(const char *qid, char plain[ROUND_QID + 1], struct fault *fault)
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
    if (strlen(plain) != (size_t)(to - plain) || strpbrk(plain, " \t\n\r#"))
        return fault_data(fault, "its qid has a blank, a # or a NUL, which text cannot hold");
    return 0;
}

static int print_dense(struct printer *printer, const struct matrix *x, size_t i,
                       struct fault *fault)
{
    for (size_t j = 0; j < x->dim; j++)
        if (TEXT(" %zu:%.9g", j + 1, (double)unaligned_f4(x->x + 4 * (i * x->dim + j))) < 0)
            return -1;
    return 0;
}

static int print_sparse(struct printer *printer, const struct matrix *x, size_t i,
                        struct fault *fault)
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

/* In text a query ends where the qid changes, and nowhere else. */
static int check_parted(struct printer *printer, const struct round *round, struct fault *fault)
{
    const char *qid = round->qid ? round->qid : "";
    if (printer->any && strcmp(qid, printer->last) == 0)
        return fault_data(fault, "%s as the round before: as text the two would become one "
                          "query", *qid ? "the same qid" : "no qid,");
    printer->any = true;
    strcpy(printer->last, qid);
    return 0;
}

/* A document's name, after its features. A name that begins with "docid=" has it once more before
 * it, since svm takes the first one off. */
static int print_comment(struct printer *printer, size_t i, struct fault *fault)
{
    const char *sign = strncmp(printer->name[i], "docid=", 6) == 0 ? " # docid=" : " # ";
    return TEXT("%s%s", sign, printer->name[i]);
}

int svm_form(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct matrix x;
    char qid[ROUND_QID + 1] = "";
    if (printer_names(printer, round, fault) < 0 || check_parted(printer, round, fault) < 0 ||
        (round->qid && decode_qid(round->qid, qid, fault) < 0) ||
        round_features(round, &x, fault) < 0)
        return -1;
    for (size_t i = 0; i < round->docs; i++) {
        if ((round->label ? TEXT("%.9g", (double)round->label[i]) : TEXT("?")) < 0 ||
            (round->qid && TEXT(" qid:%s", qid) < 0) ||
            (x.form == MATRIX_DENSE && print_dense(printer, &x, i, fault) < 0) ||
            (x.form == MATRIX_SPARSE && print_sparse(printer, &x, i, fault) < 0) ||
            (printer->name && printer->name[i][0] && print_comment(printer, i, fault) < 0) ||
            TEXT("\n") < 0)
            return -1;
    }
    return 0;
}

