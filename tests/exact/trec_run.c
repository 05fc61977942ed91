/* trec_run: what a TREC run says of queries and documents, and what is no run. */
#include <stdio.h>
#include <string.h>

#include "text/trec_run.h"

static unsigned long wrong;

static void tell(int right, const char *what, const char *text)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "trec_run: %s (%s)\n", what, text);
}

/* Reads the text as the file "run". The fault's text, "" for none. */
static const char *read_text(struct trec_run *run, const char *text, struct fault *fault)
{
    char *const none[] = { NULL };
    struct lines lines;
    *fault = (struct fault){ FAULT_NONE, "" };
    lines_open(&lines, none, NULL);
    if (lines_text(&lines, "run", text, strlen(text), fault) == 0 &&
        trec_run_read(run, &lines, fault) == 0)
        tell(fault->kind == FAULT_NONE, "read, with a fault", fault->text);
    else
        tell(fault->kind == FAULT_DATA, "not read, without a data fault", fault->text);
    lines_close(&lines);
    return fault->text;
}

static void check_entries(void)
{
    struct trec_run run = { 0 };
    struct buffer room = { 0 };
    struct fault fault;
    tell(!*read_text(&run, "a Q0 d1 1 9 x\r\n\nb\tQ0 d1 7 -2.5 x\na Q0 d2 1 1e1 x", &fault),
         "a run is refused", fault.text);
    struct trec_entry *a = trec_run_query(&run, "a", &room, &fault);
    struct trec_entry *first = trec_run_document(&run, "a", "d1", &room, &fault);
    struct trec_entry *second = trec_run_document(&run, "a", "d2", &room, &fault);
    struct trec_entry *other = trec_run_document(&run, "b", "d1", &room, &fault);
    tell(first && second && first->score == 9 && second->score == 10, "scores of a", "");
    tell(other && other->score == -2.5, "the score of b", "");
    size_t documents = 0;
    for (; a && (a = trec_run_next(&run, a)); documents++)
        tell(a == first || a == second, "an entry of another query", "");
    tell(documents == 2, "not all documents of the query", "");
    tell(!trec_run_query(&run, "c", &room, &fault), "a query that is not in the run", "");
    tell(!trec_run_document(&run, "b", "d2", &room, &fault), "a document of another query", "");
    tell(fault.kind == FAULT_NONE, "a fault where nothing is wrong", fault.text);
    trec_run_close(&run);
    buffer_free(&room);
}

static void check_refused(const char *text, const char *want)
{
    struct trec_run run = { 0 };
    struct fault fault;
    const char *got = read_text(&run, text, &fault);
    tell(strncmp(got, want, strlen(want)) == 0, want, got);
    trec_run_close(&run);
}

int main(void)
{
    check_entries();
    check_refused("a Q0 d1 1 9 x\na Q0 d1 2 8 x\n",
                  "run: line 2: the document comes twice for its query: 'd1'");
    check_refused("a Q0 d1 1 nan x\n", "run: line 1: not a finite score: 'nan'");
    check_refused("a Q0 d1 1 9\n", "run: line 1: 5 fields, but a line of a TREC run has 6");
    return wrong > 0;
}
