/* log2bin: what a search engine logged, one line for each document shown, to rounds. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/decimal.h"
#include "base/fault.h"
#include "base/name_table.h"
#include "base/names.h"
#include "io/watch.h"
#include "log/pair_names.h"
#include "run/filter.h"
#include "say.h"
#include "stream/round.h"
#include "stream/round_store.h"
#include "text/click_log.h"
#include "text/trec_run.h"

/* The documents that could be shown for each query, with their features: stored
 * rounds, found by qid, and their documents by name. Logs seldom have features, so these are joined
 * with them. */

struct candidates { /* all zero at first */
    struct round_store store;
    struct pair_names names; /* queries by the numbers of their rounds; documents by theirs */
    struct buffer list;
};

enum { CANDIDATES_NAME = 256 };

/* Enters round q. 0 or a fault. */
static int enter_candidates(struct candidates *candidates, size_t q, const struct round *round,
                 struct fault *fault)
{
    struct pair_names *names = &candidates->names;
    const char *const *name;
    if (!round->qid)
        return fault_data(fault, "a candidate needs a qid, by which the log names its query");
    if (pair_names_query(names, round->qid) != PAIR_NAMES_NONE)
        return fault_data(fault, "the qid comes twice: all candidates of a query are one round");
    if (round_names(round, &candidates->list, &name, fault) < 0) return -1;
    if (!name)
        return fault_data(fault, "its documents have no names, by which the log names them: write "
                          "# NAME at the end of each line for svm2bin");
    for (size_t i = 0; i < round->docs; i++) {
        size_t n = strlen(name[i]);
        if (n == 0)
            return round_names_wrong(i, fault);
        if (pair_names_document(names, q, name[i], n, fault) != PAIR_NAMES_NONE)
            return fault_data(fault, "document %.60s comes twice: a document is known by its name",
                              name[i]);
        if (fault->kind != FAULT_NONE ||
            pair_names_add_document(names, q, name[i], n, i, fault) == PAIR_NAMES_NONE)
            return -1;
    }
    return pair_names_add_query(names, round->qid, q, fault) == PAIR_NAMES_NONE ? -1 : 0;
}

/* Reads all rounds of a file, "-" being standard input. Each has a qid that no other has, and names
 * of its documents, no two equal. `round` is space that may be used. 0 or a fault. O(bytes). */
static int candidates_read(struct candidates *candidates, const char *file, struct round *round,
                           struct watch *watch, struct fault *fault)
{
    char place[ROUND_NAME];
    if (round_store_add(&candidates->store, file, watch, fault) < 0) return -1;
    for (size_t q = 0; q < candidates->store.rounds; q++) {
        if (round_store_round(&candidates->store, q, round, fault) < 0 ||
            round_read(round, fault) < 0 || enter_candidates(candidates, q, round, fault) < 0) {
            if (fault->kind == FAULT_DATA)
                fault_place(fault, "%s: %s: ", strcmp(file, "-") == 0 ? "<stdin>" : file,
                            round_name(round, place));
            return -1;
        }
        if (q % 1024 == 0 && watch_stopped(watch, 0, fault) < 0) return -1;
    }
    return 0;
}

/* ---- what a name may have meant ---- */

static int hex_digit(char c)
{
    int small = c | 32;
    return c >= '0' && c <= '9' ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* Decodes %XX and ~XX once. Returns whether there were some. */
static bool decode(char *text)
{
    char *to = text;
    bool any = false;
    for (; *text; text++) {
        int high = *text == '%' || *text == '~' ? hex_digit(text[1]) : -1;
        int low = high < 0 ? -1 : hex_digit(text[2]);
        bool code = low >= 0 && 16 * high + low > 0;
        *to++ = code ? (char)(16 * high + low) : *text;
        text += code ? 2 : 0;
        any = any || code;
    }
    *to = '\0';
    return any;
}

/* Copies the name without what people spell in several ways. */
static void strip(const char *name, char bare[CANDIDATES_NAME])
{
    snprintf(bare, CANDIDATES_NAME, "%s", name);
    while (decode(bare))
        continue;
    for (char *p = bare; *p; p++)
        *p = *p == '+' ? ' ' : *p >= 'A' && *p <= 'Z' ? (char)(*p | 32) : *p;
}

/* The best match so far. */
struct match {
    const char *name;
    char bare[CANDIDATES_NAME], found[CANDIDATES_NAME];
    bool same; /* but for spelling */
};

static void offer(struct match *match, const char *name)
{
    char bare[CANDIDATES_NAME];
    struct names names = { .bytes = 0 };
    strip(name, bare);
    bool same = strcmp(bare, match->bare) == 0;
    if (match->same)
        return;
    if (*match->found)
        names_offer(&names, match->name, match->found);
    names_offer(&names, match->name, name);
    if (same || names.nearest == name)
        snprintf(match->found, sizeof match->found, "%s", name);
    match->same = same;
}

static bool matched(const struct match *match, char nearest[CANDIDATES_NAME])
{
    strcpy(nearest, match->found);
    return *nearest != '\0';
}

/* Which query, or which document of query q, a name may have meant that is not there: one that is
 * the same when %XX and ~XX are bytes, however often they were encoded, + is a blank, and capitals
 * do not count; else the nearest (names.h). Copies it, ended by NUL. False: none is near, or
 * something failed. O(candidates). */
static bool candidates_nearest_query(const struct candidates *candidates, const char *qid,
                                     struct round *round, char nearest[CANDIDATES_NAME])
{
    struct fault fault = { FAULT_NONE, "" };
    struct match match = { .name = qid };
    strip(qid, match.bare);
    for (size_t q = 0; q < candidates->store.rounds; q++) {
        if (round_store_round(&candidates->store, q, round, &fault) < 0)
            break;
        offer(&match, round->qid);
    }
    return matched(&match, nearest);
}

static bool candidates_nearest_document(struct candidates *candidates, size_t q, const char *name,
                                        struct round *round, char nearest[CANDIDATES_NAME])
{
    struct fault fault = { FAULT_NONE, "" };
    struct match match = { .name = name };
    const char *const *names = NULL;
    strip(name, match.bare);
    if (round_store_round(&candidates->store, q, round, &fault) == 0 &&
        round_names(round, &candidates->list, &names, &fault) == 0)
        for (size_t i = 0; names && i < round->docs; i++)
            offer(&match, names[i]);
    return matched(&match, nearest);
}

/* The lists that users were shown, from the run of the ranker that made them, for a log
 * that has clicks alone. */

struct run_lists { /* all zero at first */
    struct trec_run run;
    size_t places;    /* of a list, at most */
    bool coded;       /* qids of the run have %XX already, as those of the log */
    uint64_t clicks;  /* on documents that are in no list */
    uint64_t requests; /* without a click on a document of their list, or without a list */
    struct buffer list, shown, names, room;
};

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

/* Makes shown[places] and their names. Returns the bytes of these, or 0 and a fault. */
static size_t show(struct run_lists *lists, size_t places, struct fault *fault)
{
    size_t bytes = 0;
    struct trec_entry **list = lists->list.at;
    struct click_shown *shown = buffer_for(&lists->shown, places, sizeof *shown, fault);
    for (size_t a = 0; shown && a < places; a++) {
        const char *name = strchr((const char *)lists->run.text.at + list[a]->key, ' ') + 1;
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

/* Makes of a request that has clicks alone the one that was shown: the first documents of its query
 * by score, equal ones in the order of the run's lines. Its shown and names are then those of
 * `lists`, until the next call; propensity, score and label are not known. 1; 0: none of its clicks
 * is in a list, so nothing is known of what it was shown; or a fault. O(n log n) for n documents of
 * the query. */
static int run_lists_show(struct run_lists *lists, struct click_request *request,
                          struct fault *fault)
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

enum { SKIPS = 5 }; /* with more than one of so many requests skipped, a warning */

struct log2bin {
    struct host *host;
    bool bare;  /* without candidates */
    bool skips;
    bool ranked;
    char *const *files;
    struct buffer actions;
    size_t n; /* actions */
    struct click_log log;
    struct candidates candidates;
    struct buffer mark; /* of documents: are they in the order? */
    bool opened;
    uint64_t t;       /* rounds so far */
    uint64_t skipped; /* requests with an error */
    uint64_t partial; /* rounds without the score or label that the log gave */
    uint64_t clicked; /* rounds with a click */
    const char *run;  /* -r */
    uint64_t places;  /* -p */
    struct run_lists lists;
    uint64_t most;    /* -n */
    struct name_table asked; /* clients with a query */
    struct buffer requests;  /* uint64_t of each of these, by its number: how many requests */
    uint64_t limited, limited_clicks; /* requests left out by -n */
};

static const struct option options_known[] = {
    { '0', NULL, NULL, "make rounds without features of the documents shown alone (default: "
                       "standard input has the candidates)", OPTION_FLAG(log2bin, bare) },
    OPTION_PROGRESS,
    { 'Q', NULL, NULL, "qids have %XX already, as in rounds (default: % is a byte as others are)",
      OPTION_FLAG(log2bin, log.line.coded) },
    { 'e', NULL, NULL, "the candidates of a query are in the engine's order, first to last "
                       "(default: as they say themselves)", OPTION_FLAG(log2bin, ranked) },
    { 'g', "action=value", NULL, "count this word of the column click as that number, 0 to 1 "
                                 "(default: numbers alone)", OPTION_OWN },
    { 'k', NULL, NULL, "skip a request with an error, warn, and go on (default: stop there)",
      OPTION_FLAG(log2bin, skips) },
    { 'n', "most", NULL, "requests of a client for the same query that become rounds, 1 to "
                         "9007199254740991 (default 10)",
      OPTION_WHOLE(log2bin, most, 1, RECORD_MOST - 1) },
    { 'p', "places", NULL, "with -r: documents of a list, 1 to 1000000 (default 10)",
      OPTION_WHOLE(log2bin, places, 1, 1000000) },
    { 'r', "run", NULL, "the log has clicks alone: TREC run of the ranker that made the lists "
                        "(default: it has all documents shown)", OPTION_TEXT(log2bin, run) },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct log2bin *my = self;
    int letter;
    my->host = host;
    my->most = my->places = 10;
    while ((letter = options_next(options)) > 0)
        if (letter == 'g') {
            double value;
            const char *equals = strrchr(options->value, '=');
            struct click_action *action = buffer_for(&my->actions, my->n + 1, sizeof *action,
                                                     options->fault);
            if (!action) return -1;
            if (!equals || equals == options->value || !decimal_double(equals + 1, &value) ||
                value < 0 || value > 1)
                return fault_usage(options->fault, "-g %.60s: not a word, = and a number from 0 to "
                                   "1", options->value);
            action[my->n++] = (struct click_action){
                options->value, (size_t)(equals - options->value), (float)value };
        }
    my->files = options_operands(options);
    if (letter < 0)
        return letter;
    if (my->bare && my->ranked)
        return fault_usage(options->fault, "-e and -0 exclude each other: -e says in what order "
                           "the candidates are");
    if (options->given['p'] && !my->run)
        return fault_usage(options->fault, "-p needs -r: a log of all documents shown has its "
                           "lists");
    if (my->run && strcmp(my->run, "-") == 0)
        return fault_usage(options->fault, "the run comes from a file: standard input has the "
                           "candidates, or with -0 the log");
    if (my->bare)
        return 0;
    if (!*my->files)
        return fault_usage(options->fault, "no log named: standard input is for the candidates "
                           "(-0 does without them)");
    for (char *const *file = my->files; *file; file++)
        if (strcmp(*file, "-") == 0)
            return fault_usage(options->fault, "the log comes from a file: standard input has the "
                               "candidates (-0 does without them)");
    return 0;
}

static int open_log(void *self)
{
    struct log2bin *my = self;
    struct host *host = my->host;
    struct fault *fault = host->fault;
    struct round round;
    bool input = !my->bare || !*my->files;
    if (input && !host->from && isatty(STDIN_FILENO))
        return fault_usage(fault, my->bare ? "no log named, and standard input is a terminal"
                                           : "standard input is a terminal: it has the candidates, "
                                             "rounds with names and features (-0 does without)");
    my->opened = true;
    bool coded = my->log.line.coded;
    click_log_open(&my->log, my->files, my->actions.at, my->n, host->watch);
    my->log.line.coded = coded;
    my->log.line.alone = my->run != NULL;
    my->asked.numbered = true;
    if (my->run) {
        struct lines lines;
        char *const files[] = { (char *)my->run, NULL };
        my->lists.places = (size_t)my->places;
        my->lists.coded = coded;
        lines_open(&lines, files, host->watch);
        int result = trec_run_read(&my->lists.run, &lines, fault);
        lines_close(&lines);
        if (result < 0) return -1;
    }
    if (my->bare)
        return 0;
    struct record *record = malloc(sizeof *record);
    if (!record)
        return fault_no_room(fault, sizeof *record);
    round_open(&round, record);
    int result = candidates_read(&my->candidates, "-", &round, host->watch, fault);
    round_close(&round);
    free(record);
    return result;
}

/* ---- a round ---- */

/* Says which query is not among the candidates, or which document of query q. Returns -1. */
static int report_missing(struct log2bin *my, size_t q, const char *document, struct round *round)
{
    char nearest[CANDIDATES_NAME] = "", advice[CANDIDATES_NAME + 120] = "";
    struct fault *fault = my->host->fault;
    const char *qid = my->log.now.qid;
    struct candidates *all = &my->candidates;
    bool near = my->skipped < WARNINGS &&
                (document ? candidates_nearest_document(all, q, document, round, nearest)
                          : candidates_nearest_query(all, qid, round, nearest));
    bool coded = !document && !my->log.line.coded && strchr(qid, '%') != NULL;
    if (near)
        snprintf(advice, sizeof advice, ": the nearest is %.100s%s", nearest,
                 coded ? "; -Q takes %XX in the log, and in svm2bin's text, as encoded already"
                       : "");
    return document ? click_log_wrong(&my->log, fault, "document %.60s is not among the candidates "
                                      "of qid %.60s%s", document, qid, advice)
                    : click_log_wrong(&my->log, fault, "qid %.60s is not among the candidates%s",
                                      qid, advice);
}

/* The candidates of the request become the round: order[docs] begins with the documents shown, and
 * the others follow as they come. 0 or a fault. */
static int join(struct log2bin *my, struct round *round, uint32_t **order)
{
    struct fault *fault = my->host->fault;
    const struct click_request *now = &my->log.now;
    const char *name = now->names;
    struct pair_names *names = &my->candidates.names;
    size_t q = pair_names_query(names, now->qid), a = 0;
    if (q == PAIR_NAMES_NONE)
        return report_missing(my, q, NULL, round);
    if (round_store_round(&my->candidates.store, q, round, fault) < 0) return -1;
    round_forget_service(round);
    if (my->ranked && round_base_in_line_order(round, fault) < 0) return -1;
    unsigned char *mark = buffer_for(&my->mark, round->docs, 1, fault);
    if (!mark || !(*order = round_new(round, ROUND_ORDER, fault))) return -1;
    memset(mark, 0, round->docs);
    for (; a < now->places; a++, name += strlen(name) + 1) {
        size_t i = pair_names_document(names, q, name, strlen(name), fault);
        if (i == PAIR_NAMES_NONE)
            return fault->kind != FAULT_NONE ? -1 : report_missing(my, q, name, round);
        mark[i] = 1;
        (*order)[a] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < round->docs; i++)
        if (!mark[i])
            (*order)[a++] = i;
    return round_set(round, KEY_T, my->t + 1, fault);
}

/* The same without candidates. */
static int make(struct log2bin *my, struct round *round, uint32_t **order)
{
    struct fault *fault = my->host->fault;
    const struct click_request *now = &my->log.now;
    if (now->places > ROUND_BARE)
        return click_log_wrong(&my->log, fault, "%zu documents shown: at most %" PRIu64 " are "
                               "allowed", now->places, ROUND_BARE);
    if (round_start(round, my->t + 1, now->qid, now->places, 0, fault) < 0 ||
        record_put(round->record, ROUND_NAMES, COLUMN_U1, now->name_bytes, now->names, fault) < 0 ||
        !(*order = round_new(round, ROUND_ORDER, fault)))
        return -1;
    for (uint32_t a = 0; a < now->places; a++)
        (*order)[a] = a;
    return 0;
}

/* Adds score and label where the log gives them of all documents of the round. 0 or a fault. */
static int add_known(struct log2bin *my, struct round *round, const uint32_t *order)
{
    struct fault *fault = my->host->fault;
    const struct click_request *now = &my->log.now;
    bool score = now->given[CLICK_SCORE], label = now->given[CLICK_LABEL];
    if (now->places < round->docs) {
        my->partial += score || label;
        return 0;
    }
    double *scores = score ? round_new(round, ROUND_SCORE, fault) : NULL;
    float *labels = label ? round_new(round, ROUND_LABEL, fault) : NULL;
    if ((score && !scores) || (label && !labels)) return -1;
    for (size_t a = 0; score && a < now->places; a++)
        scores[order[a]] = now->shown[a].score;
    for (size_t a = 0; label && a < now->places; a++)
        labels[order[a]] = (float)now->shown[a].label;
    return 0;
}

/* Makes the round of the request at hand. 0 or a fault. */
static int make_round(struct log2bin *my, struct round *round)
{
    uint32_t *order;
    float *seen;
    double *propensity = NULL;
    bool clicked = false;
    struct fault *fault = my->host->fault;
    const struct click_request *now = &my->log.now;
    if ((my->bare ? make : join)(my, round, &order) < 0 ||
        round_set_text(round, KEY_REQUEST, now->request, fault) < 0 ||
        (now->timed && round_set(round, KEY_TIME, now->time, fault) < 0) ||
        (*now->client && round_set_text(round, KEY_CLIENT, now->client, fault) < 0) ||
        add_known(my, round, order) < 0 || !(seen = round_new_seen(round, now->places, fault)) ||
        round_set(round, KEY_CLICKS, 1, fault) < 0)
        return -1;
    if (now->given[CLICK_PROPENSITY] && !(propensity = round_new(round, ROUND_PROPENSITY, fault)))
        return -1;
    for (size_t a = 0; a < now->places; a++) {
        seen[a] = now->shown[a].click;
        clicked = clicked || seen[a] > 0;
        if (propensity)
            propensity[a] = now->shown[a].propensity;
    }
    my->clicked += clicked;
    return 0;
}

/* ---- the log ---- */

/* Is it one of the first requests of its client for its query? 1; 0: others came before; or a
 * fault (memory). */
static int is_within(struct log2bin *my)
{
    struct fault *fault = my->host->fault;
    const struct click_request *now = &my->log.now;
    char key[sizeof now->client + sizeof now->qid + 1];
    uint64_t number, *requests;
    if (!*now->client)
        return 1;
    int n = sprintf(key, "%s %s", now->client, now->qid);
    int fresh = name_table_number(&my->asked, key, (size_t)n, &number, fault);
    if (fresh < 0 ||
        !(requests = buffer_for(&my->requests, (size_t)number, sizeof *requests, fault)))
        return -1;
    requests += number - 1;
    *requests = fresh ? 1 : *requests + 1;
    if (*requests <= my->most)
        return 1;
    my->limited++;

    uint64_t clicks = 0;
    for (size_t a = 0; a < now->places; a++)
        clicks += now->shown[a].click > 0;
    my->limited_clicks += clicks;

    return 0;
}

/* Reads on to the next request that becomes a round: 1, 0 at the end, or a fault. */
static int next_request(struct log2bin *my)
{
    struct fault *fault = my->host->fault;
    int found, taken = 1;
    do
        if ((found = click_log_next(&my->log, fault)) > 0 && (taken = is_within(my)) > 0 && my->run)
            taken = run_lists_show(&my->lists, &my->log.now, fault);
    while (found > 0 && taken == 0);
    return taken < 0 ? -1 : found;
}

/* After a fault in a request, with -k: warns, and skips it. 0 or a fault. */
static int skip(struct log2bin *my)
{
    struct fault *fault = my->host->fault, why = *fault;
    if (!my->skips || fault->kind != FAULT_DATA) return -1;
    *fault = (struct fault){ FAULT_NONE, "" };
    if (my->skipped++ < WARNINGS)
        warn(my->host, "log2bin", "%s", why.text);
    return click_log_skip(&my->log, fault);
}

static enum outcome each(void *self, struct round *round)
{
    struct log2bin *my = self;
    int found;
    while ((found = next_request(my)) < 0 ||
           (found > 0 && make_round(my, round) < 0))
        if (skip(my) < 0) return FAIL;

    struct click_line *line = &my->log.line;
    if (line->unknowns > 0)
        warn(my->host, "log2bin", "%zu column%s of the log %s not used: %.200s", line->unknowns,
             line->unknowns == 1 ? "" : "s", line->unknowns == 1 ? "is" : "are",
             (const char *)line->unknown.at);
    line->unknowns = 0;

    if (found == 0) {
        const char *name = my->log.line.lines.name;
        /* What became no round, though nothing is wrong with it. */
        if (my->limited)
            warn(my->host, "log2bin", "requests left out: %" PRIu64 ", with %" PRIu64 " clicks: of "
                 "a client only the first %" PRIu64 " requests of a query count (-n)", my->limited,
                 my->limited_clicks, my->most);
        if (my->lists.clicks)
            warn(my->host, "log2bin", "clicks on documents that are not among the first %" PRIu64
                 " of the run: %" PRIu64 "; requests without other clicks, which are left out: %"
                 PRIu64, my->places, my->lists.clicks, my->lists.requests);
        if (my->t == 0 && my->skipped == 0)
            return fault_data(my->host->fault, "%s: the log has no requests%s", name,
                              my->lists.requests ? " with a click on a document of their list"
                                                 : "");
        if (my->t == 0)
            return fault_data(my->host->fault, "%s: each of the %" PRIu64 " requests has an error",
                              name, my->skipped);
        if (my->skipped)
            warn(my->host, "log2bin", "skipped %" PRIu64 " of %" PRIu64 " requests%s", my->skipped,
                 my->skipped + my->t, my->skipped > (my->skipped + my->t) / SKIPS ? ": more than a "
                 "fifth, and what is left may be no sample of them: mend the log" : "");
        if (my->partial)
            warn(my->host, "log2bin", "%" PRIu64 " of %" PRIu64 " rounds lack the log's score or "
                 "label, which it does not give of candidates that were not shown", my->partial,
                 my->t);
        if (my->clicked == 0)
            warn(my->host, "log2bin", "none of %" PRIu64 " requests has a click", my->t);
        return DONE;
    }
    my->t++;
    record_want_crc(round->record);
    return PASS;
}

static int end_log(void *self)
{
    struct log2bin *my = self;
    return my->bare ? 0 : round_store_unchanged(&my->candidates.store, my->host->fault);
}

static int close_log(void *self, enum ended ended)
{
    struct log2bin *my = self;
    (void)ended;
    if (my->opened)
        click_log_close(&my->log);
    round_store_close(&my->candidates.store);
    pair_names_close(&my->candidates.names);
    buffer_free(&my->candidates.list);
    buffer_free(&my->actions);
    buffer_free(&my->mark);
    trec_run_close(&my->lists.run);
    buffer_free(&my->lists.list);
    buffer_free(&my->lists.shown);
    buffer_free(&my->lists.names);
    buffer_free(&my->lists.room);
    name_table_close(&my->asked);
    buffer_free(&my->requests);
    return 0;
}

const struct filter log2bin = {
    .name = "log2bin",
    .usage = "[-0PQek] [-g action=value ...] [-n most] [-p places] [-r run] [file ...]",
    .line = "converts a log of clicks to rounds",
    .options = options_known,
    .operand = { .value = "file",
                 .text = "file of the log, with tabs between columns (default with -0: standard "
                         "input)" },
    .size = sizeof(struct log2bin),
    .kind = SOURCE,
    .parse = parse,
    .open = open_log,
    .each = each,
    .end = end_log,
    .close = close_log,
};
