#include "text/run_lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int run_lists_read(struct run_lists *lists, char *file, size_t places, bool coded,
                   struct watch *watch, struct fault *fault)
{
    struct lines lines;
    char *const files[] = { file, NULL };
    lists->places = places;
    lists->coded = coded;
    lines_open(&lines, files, watch);
    int result = trec_run_read(&lists->run, &lines, fault);
    lines_close(&lines);
    return result;
}

void run_lists_close(struct run_lists *lists)
{
    trec_run_close(&lists->run);
    buffer_free(&lists->list);
    buffer_free(&lists->shown);
    buffer_free(&lists->names);
    buffer_free(&lists->room);
}

/* By falling score; the earlier line first, whose key is. */
static int by_score(const void *a, const void *b)
{
    const struct trec_entry *one = *(struct trec_entry *const *)a;
    const struct trec_entry *two = *(struct trec_entry *const *)b;
    if (one->score != two->score)
        return one->score > two->score ? -1 : 1;
    return one->key < two->key ? -1 : 1;
}

/* Lists the documents of a query, best first: returns how many; 0 with or without a fault. */
static size_t rank(struct run_lists *lists, const char *qid, struct fault *fault)
{
    size_t n = 0;
    struct trec_entry *query = trec_run_query(&lists->run, qid, &lists->room, fault);
    struct trec_entry *entry = query ? trec_run_next(&lists->run, query) : NULL;
    for (; entry; entry = trec_run_next(&lists->run, entry)) {
        struct trec_entry **list = buffer_for(&lists->list, n + 1, sizeof *list, fault);
        if (!list)
            return 0;
        list[n++] = entry;
    }
    if (n > 0)
        qsort(lists->list.at, n, sizeof entry, by_score);
    return n;
}

/* The document of an entry: its key is the qid, a blank and the document. */
static const char *document_of(const struct run_lists *lists, const struct trec_entry *entry)
{
    return strchr((const char *)lists->run.text.at + entry->key, ' ') + 1;
}

/* Makes shown[places] and their names. Returns the bytes of these, or 0 and a fault. */
static size_t show(struct run_lists *lists, size_t places, struct fault *fault)
{
    size_t bytes = 0;
    struct trec_entry **list = lists->list.at;
    struct click_shown *shown = buffer_for(&lists->shown, places, sizeof *shown, fault);
    for (size_t a = 0; shown && a < places; a++) {
        const char *name = document_of(lists, list[a]);
        size_t n = strlen(name);
        char *names = buffer_for(&lists->names, bytes + n + 1, 1, fault);
        if (!names)
            return 0;
        memcpy(names + bytes, name, n + 1);
        shown[a] = (struct click_shown){ .name = bytes, .bytes = n, .position = (uint32_t)a + 1,
                                         .propensity = NAN, .score = NAN, .label = NAN };
        list[a]->mark = a + 1;
        bytes += n + 1;
    }
    return shown ? bytes : 0;
}

/* Gives the clicks of the request to the documents shown. Returns how many have one. */
static size_t give_clicks(struct run_lists *lists, const char *qid,
                          const struct click_request *request, struct fault *fault)
{
    struct click_shown *shown = lists->shown.at;
    const char *name = request->names;
    size_t clicked = 0;
    for (size_t i = 0; i < request->places; i++, name += strlen(name) + 1) {
        if (!(request->shown[i].click > 0))
            continue;
        const struct trec_entry *entry = trec_run_document(&lists->run, qid, name, &lists->room,
                                                           fault);
        struct click_shown *at = entry && entry->mark ? &shown[entry->mark - 1] : NULL;
        lists->clicks += !at;
        clicked += at && at->click == 0;
        if (at && request->shown[i].click > at->click)
            at->click = request->shown[i].click;
    }
    return clicked;
}

int run_lists_show(struct run_lists *lists, struct click_request *request, struct fault *fault)
{
    char plain[QID_BYTES + 1] = "";
    bool coded = lists->coded || !qid_word_decode(request->qid, plain) ||
                 strpbrk(plain, " \t\n\r#"); /* then bin2txt -f run prints it as it is, too */
    const char *qid = coded ? request->qid : plain;
    size_t n = rank(lists, qid, fault), places = n < lists->places ? n : lists->places;
    size_t bytes = places ? show(lists, places, fault) : 0;
    size_t clicked = fault->kind == FAULT_NONE ? give_clicks(lists, qid, request, fault) : 0;
    for (size_t a = 0; bytes && a < places; a++)
        ((struct trec_entry **)lists->list.at)[a]->mark = 0;
    if (fault->kind != FAULT_NONE) return -1;
    if (clicked == 0) {
        lists->requests++;
        return 0;
    }
    request->places = places;
    request->shown = lists->shown.at;
    request->names = lists->names.at;
    request->name_bytes = bytes;
    memset(request->given, 0, sizeof request->given);
    return 1;
}
