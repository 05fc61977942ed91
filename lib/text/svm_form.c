#include "text/svm_form.h"

#include <inttypes.h>
#include <string.h>

#include "base/unaligned.h"
#include "text/print.h"
#include "text/qid_word.h"

/* A qid as the text had it, its %XX back to bytes. */
static int decode_qid(const char *qid, char plain[QID_BYTES + 1], struct fault *fault)
{
    if (!qid_word_decode(qid, plain) || strpbrk(plain, " \t\n\r#"))
        return fault_data(fault, "its qid has a blank, a # or a NUL, which text cannot hold");
    return 0;
}

/* " index:value", with the index from 1. */
static inline void print_feature(struct print *print, size_t index, float value)
{
    char *to = print_room(print, 2 * DIGITS_ROOM);
    *to = ' ';
    to = digits_whole(to + 1, index);
    *to = ':';
    print_piece(print, digits_nine(to + 1, value));
}

static void print_dense(struct print *print, const struct matrix *x, size_t i)
{
    const unsigned char *row = x->x + 4 * i * x->dim;
    for (size_t j = 0; j < x->dim && print->failed == 0; j++)
        print_feature(print, j + 1, unaligned_f4(row + 4 * j));
}

static void print_sparse(struct print *print, const struct matrix *x, size_t i)
{
    size_t end = unaligned_u4(x->ptr + 4 * (i + 1)), next = 0;
    for (size_t e = unaligned_u4(x->ptr + 4 * i); e < end && print->failed == 0; e++) {
        next = (size_t)unaligned_u4(x->idx + 4 * e) + 1;
        print_feature(print, next, unaligned_f4(x->val + 4 * e));
    }
    /* The width is nowhere else in the text: the first document always reaches it. */
    if (i == 0 && next < x->dim)
        print_feature(print, x->dim, 0);
}

/* In text a query ends where the qid changes, and nowhere else. */
static int check_parted(struct printer *printer, const struct round *round, struct fault *fault)
{
    const char *qid = round->qid ? round->qid : "";
    bool numbered = printer->map && !round->qid; /* a number of its own */
    if (printer->any && !numbered && strcmp(qid, printer->last) == 0)
        return fault_data(fault, "%s as the round before: as text the two would become one "
                          "query", *qid ? "the same qid" : "no qid,");
    printer->any = true;
    strcpy(printer->last, qid);
    return 0;
}

/* A document's name, after its features. A name that begins with "docid=" has it once more before
 * it, since svm takes the first one off. */
static void print_comment(struct print *print, const char *name)
{
    print_word(print, strncmp(name, "docid=", 6) == 0 ? " # docid=" : " # ");
    print_word(print, name);
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
    if (x->form == MATRIX_DENSE)
        print_dense(print, x, i);
    else if (x->form == MATRIX_SPARSE)
        print_sparse(print, x, i);
    if (name && *name)
        print_comment(print, name);
    print_byte(print, '\n');
}

/* The number of a qid, which a line of the map gives when it first comes; each round without a qid
 * has a new one. 0 or a fault. */
static int number_qid(struct printer *printer, const char *qid, uint64_t *number,
                      struct fault *fault)
{
    printer->numbers.numbered = true;
    int fresh = name_table_number(&printer->numbers, qid, qid ? strlen(qid) : 0, number, fault);
    return fresh > 0 ? writer_text(printer->map, fault, "%" PRIu64 "\t%s\n", *number,
                                   qid ? qid : "-") : fresh;
}

/* What stands between label and features: nothing, " qid:" and the qid, or its number. */
enum { SIGN = sizeof " qid:" - 1 };
static int print_qid(struct printer *printer, const struct round *round,
                     char word[SIGN + QID_BYTES + 1], struct fault *fault)
{
    uint64_t number = 0;
    *word = '\0';
    if (printer->map && number_qid(printer, round->qid, &number, fault) < 0)
        return -1;
    if (!number && !round->qid)
        return 0;
    memcpy(word, " qid:", SIGN);
    if (!number)
        return decode_qid(round->qid, word + SIGN, fault);
    *digits_whole(word + SIGN, number) = '\0';
    return 0;
}

int svm_form(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct matrix x;
    struct print print;
    char qid[SIGN + QID_BYTES + 1];
    if (forms_names(printer, round, fault) < 0 || check_parted(printer, round, fault) < 0 ||
        print_qid(printer, round, qid, fault) < 0 || round_matrix(round, &x, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t i = 0; i < round->docs && print.failed == 0; i++)
        print_line(&print, round, &x, qid, printer->name ? printer->name[i] : NULL, i);
    return print_end(&print);
}
