#include "log/candidates.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "stream/round.h"

static int add_document(struct candidates *candidates, size_t q, size_t i, const char *name,
                        struct fault *fault)
{
    struct pair_names *names = &candidates->names;
    size_t n = strlen(name);
    if (n == 0)
        return round_names_wrong(i, fault);
    if (pair_names_document(names, q, name, n, fault) != PAIR_NAMES_NONE)
        return fault_data(fault, "document %.60s comes twice: a document is known by its name",
                          name);
    size_t at = fault->kind == FAULT_NONE ? pair_names_add_document(names, q, name, n, i, fault)
                                          : PAIR_NAMES_NONE;
    return at == PAIR_NAMES_NONE ? -1 : 0;
}

/* Enters round q. 0 or a fault. */
static int enter(struct candidates *candidates, size_t q, const struct round *round,
                 struct fault *fault)
{
    const char *const *name;
    if (!round->qid)
        return fault_data(fault, "a candidate needs a qid, by which the log names its query");
    if (pair_names_query(&candidates->names, round->qid) != PAIR_NAMES_NONE)
        return fault_data(fault, "the qid comes twice: all candidates of a query are one round");
    if (round_names(round, &candidates->list, &name, fault) < 0) return -1;
    if (!name)
        return fault_data(fault, "its documents have no names, by which the log names them: write "
                          "# NAME at the end of each line for svm2bin");
    for (size_t i = 0; i < round->docs; i++)
        if (add_document(candidates, q, i, name[i], fault) < 0) return -1;
    size_t at = pair_names_add_query(&candidates->names, round->qid, q, fault);
    return at == PAIR_NAMES_NONE ? -1 : 0;
}

int candidates_read(struct candidates *candidates, const char *file, struct round *round,
                    struct watch *watch, struct fault *fault)
{
    char place[ROUND_NAME];
    if (round_store_add(&candidates->store, file, watch, fault) < 0) return -1;
    for (size_t q = 0; q < candidates->store.rounds; q++) {
        if (round_store_round(&candidates->store, q, round, fault) < 0 ||
            round_read(round, fault) < 0 || enter(candidates, q, round, fault) < 0) {
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

bool candidates_nearest_query(const struct candidates *candidates, const char *qid,
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

bool candidates_nearest_document(struct candidates *candidates, size_t q, const char *name,
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

void candidates_close(struct candidates *candidates)
{
    round_store_close(&candidates->store);
    pair_names_close(&candidates->names);
    buffer_free(&candidates->list);
}
