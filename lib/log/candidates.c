#include "log/candidates.h"

#include <stdint.h>
#include <string.h>

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

void candidates_close(struct candidates *candidates)
{
    round_store_close(&candidates->store);
    pair_names_close(&candidates->names);
    buffer_free(&candidates->list);
}
