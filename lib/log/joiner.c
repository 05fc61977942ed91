#include "log/joiner.h"

#include <inttypes.h>
#include <stdio.h>

int joiner_open(struct joiner *joiner, char *const *files, struct watch *watch,
                struct fault *fault)
{
    joiner->before.names = *joiner->key != 't';
    return feedback_log_open(&joiner->log, files, &joiner->before, watch, fault);
}

int joiner_key(struct joiner *joiner, const struct round *round, const char **key,
               struct fault *fault)
{
    snprintf(joiner->t, sizeof joiner->t, "%" PRIu64, round->t);
    *key = *joiner->key == 'q' ? round->qid : *joiner->key == 'r' ? round->request : joiner->t;
    if (!*key)
        return fault_data(fault, "the round has no %s, by which -%c finds the answer", joiner->key,
                          *joiner->key);
    if (!round->order)
        return fault_data(fault, "needs the column order, which says what was shown");
    if (round->seen)
        return fault_data(fault, "the round already has an answer (the column seen)");
    int fresh = key_set_enter(&joiner->before, *key, fault);
    if (fresh == 0 && !joiner->before.names)
        return fault_data(fault, "an earlier round has the same number, so an answer could be for "
                          "either: join one stream at a time, or by request (-r)");
    if (fresh == 0)
        return fault_data(fault, "an earlier round has the same %s, so an answer could be for "
                          "either: join by t, without -%c", joiner->key, *joiner->key);
    return fresh < 0 ? -1 : 0;
}

/* Has the answer as many relevances as it should? */
static int check_places(const struct joiner *joiner, const struct answer *answer,
                        const struct round *round, struct fault *fault)
{
    char name[ROUND_NAME];
    size_t n = answer->places, want = (size_t)joiner->places;
    for (size_t a = 0; a < n; a++)
        if (answer->seen[a] > joiner->grade)
            return fault_data(fault, "%s: line %" PRIu64 ": relevance %.9g of %s is above the top "
                              "grade %.9g", answer->file, answer->line, (double)answer->seen[a],
                              round_name(round, name), (double)joiner->grade);
    if (joiner->places > round->docs)
        want = round->docs;
    if (joiner->places && n != want)
        return fault_data(fault, "%s: line %" PRIu64 ": the answer has %zu relevance%s, not %zu, "
                          "for %s", answer->file, answer->line, n, n == 1 ? "" : "s", want,
                          round_name(round, name));
    if (n > round->docs)
        return fault_data(fault, "%s: line %" PRIu64 ": the answer has %zu relevances for the %zu "
                          "document%s of %s", answer->file, answer->line, n, round->docs,
                          round->docs == 1 ? "" : "s", round_name(round, name));
    return 0;
}

enum answered joiner_find(struct joiner *joiner, const struct round *round, const char *key,
                          struct answer **answer, struct fault *fault)
{
    enum answered answered = feedback_log_find(&joiner->log, key, answer, fault);
    if (answered != ANSWERED)
        return answered;
    if ((*answer)->places == 0)
        return ANSWERED_NOT;
    return check_places(joiner, *answer, round, fault) < 0 ? ANSWERED_FAULT : ANSWERED;
}

void joiner_close(struct joiner *joiner)
{
    if (joiner->log.lines.watch)
        feedback_log_close(&joiner->log);
    key_set_close(&joiner->before);
}
