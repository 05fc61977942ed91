#include "serve/answerer.h"

#include <string.h>

#include "text/svm.h"

static char *const no_files[] = { NULL };

int answerer_open(struct answerer *my, struct fault *fault)
{
    my->options.blank_ends = my->options.unlabelled = my->options.names = true;
    svm_open(&my->svm, no_files, &my->options, NULL);
    my->printer.out = &my->answer;
    return writer_open_bytes(&my->answer, fault);
}

void answerer_close(struct answerer *my)
{
    svm_close(&my->svm);
    forms_close(&my->printer);
    writer_close(&my->answer);
}

/* Either all documents have a name, or none has; and a name can be printed. The pipeline must not
 * see a round, and log it, whose answer could not be printed. */
static int check_names(struct svm_query *query, struct fault *fault)
{
    size_t empty = 0;
    const char *name = query->names, *end = name + query->name_bytes;
    for (; name < end; name += strlen(name) + 1) {
        empty += !*name;
        for (const char *p = name; *p; p++)
            if ((unsigned char)*p < ' ' || *p == 127)
                return fault_data(fault, "request: the name of a document has a control "
                                  "character");
    }
    if (empty && empty < query->docs)
        return fault_data(fault, "request: %zu of %zu documents have no name in a comment", empty,
                          query->docs);
    if (empty)
        query->names = NULL;
    return 0;
}

/* Makes the round of a request: 0 or a fault. */
static int read_request(struct answerer *my, const char *text, size_t n, uint64_t stamp,
                        struct fault *fault)
{
    struct svm_query query;
    if (lines_text(&my->svm.lines, "request", text, n, fault) < 0) return -1;
    int found = svm_next(&my->svm, &query, fault);
    if (found == 0)
        return fault_data(fault, "request: it has no documents");
    if (found < 0 || check_names(&query, fault) < 0 ||
        svm_round(&my->svm, &query, my->next, my->round, fault) < 0 ||
        round_set(my->round, KEY_TIME, stamp, fault) < 0)
        return -1;
    return round_read(my->round, fault);
}

/* Sends the round through the pipeline: 0 or a fault. */
static int run(struct answerer *my, struct fault *fault)
{
    struct round *round = my->round;
    my->next++;
    my->named = round->request;
    enum outcome outcome = chain_each(my->chain, round, fault);
    if (outcome == FAIL) return -1;
    if (outcome != PASS)
        return fault_data(fault, "the pipeline dropped the round");
    if (!round->order)
        return fault_other(fault, "the pipeline gives no order to show: add explore");
    my->explored = round->greedy || round->grouped;
    if (forms_rank(&my->printer, round, fault) < 0) return -1;
    bool unstored = my->named && !round->request;
    my->named = my->named && !unstored;
    return unstored ? writer_text(&my->answer, fault, ANSWERER_UNSTORED) : 0;
}

int answerer_refuse(struct answerer *my, const char *why, struct fault *fault)
{
    char line[sizeof fault->text];
    size_t n = 0;
    for (; why[n] && n + 1 < sizeof line; n++)
        line[n] = (unsigned char)why[n] < ' ' || why[n] == 127 ? '?' : why[n];
    line[n] = '\0';
    my->answer.pending.held = 0;
    return writer_text(&my->answer, fault, "! %.1000s\n\n", line);
}

int answerer_answer(struct answerer *my, const char *text, size_t n, uint64_t stamp,
                    struct fault *fault)
{
    my->answer.pending.held = 0;
    my->explored = false;
    if (my->next == RECORD_MOST)
        return fault_other(fault, "no number is left for another round");
    if (read_request(my, text, n, stamp, fault) == 0 && run(my, fault) == 0)
        return writer_bytes(&my->answer, "\n", 1, fault) < 0 ? -1 : 1;
    if (fault->kind != FAULT_DATA) return -1;
    struct fault why = *fault;
    *fault = (struct fault){ FAULT_NONE, "" };
    return answerer_refuse(my, why.text, fault);
}
