#include "text/log_form.h"

#include <string.h>

#include "text/click_log.h"
#include "text/print.h"
#include "text/qid_word.h"

int log_form_end(struct printer *printer, struct fault *fault)
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
static int decode(const char *what, const char *encoded, char plain[QID_BYTES + 1],
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

static void print_shown(struct print *print, const struct printer *printer,
                        const struct round *round, size_t a)
{
    uint32_t i = round->order[a];
    print_byte(print, '\t');
    if (printer->name)
        print_word(print, printer->name[i]);
    else
        print_whole(print, i);
    print_whole_or_none(print, true, a + 1);
    print_byte(print, '\t');
    print_float(print, round->seen[a]);
    print_whole_or_none(print, round->timed, round->time);
    print_real(print, round->propensity, round->propensity ? round->propensity[a] : 0);
    print_real(print, round->score, round->score ? round->score[i] : 0);
    print_byte(print, '\t');
    if (round->label)
        print_float(print, round->label[i]);
    else
        print_byte(print, '-');
}

int log_form(struct printer *printer, const struct round *round, struct fault *fault)
{
    struct print print;
    char request[QID_BYTES + 1] = "", qid[QID_BYTES + 1], client[QID_BYTES + 1];
    if (!round->seen)
        return fault_data(fault, "needs seen: put feedback-mask or feedback-join before bin2txt");
    if (!round->qid)
        return fault_data(fault, "needs a qid, by which a log names its query");
    if (decode("qid", round->qid, qid, fault) < 0 ||
        (round->request && decode("request", round->request, request, fault) < 0) ||
        (round->client && decode("client", round->client, client, fault) < 0) ||
        forms_names(printer, round, fault) < 0 || forms_check_names(printer, round, fault) < 0 ||
        log_form_end(printer, fault) < 0)
        return -1;
    print_start(&print, printer->out, fault);
    for (size_t a = 0; a < round->places && print.failed == 0; a++) {
        if (round->request)
            print_word(&print, request);
        else
            print_whole(&print, round->t);
        print_byte(&print, '\t');
        print_word(&print, qid);
        print_shown(&print, printer, round, a);
        print_byte(&print, '\t');
        print_word(&print, round->client ? client : "-");
        print_byte(&print, '\n');
    }
    return print_end(&print);
}
