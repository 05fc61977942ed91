#include "log/batch_join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/state_file.h"

#define AHEAD ((uint64_t)600000) /* milliseconds that a clock may be ahead of the run's */

static struct answer **answers(const struct batch_join *join)
{
    return join->answers.at;
}

static const void *key_of(const void *entries, uint64_t entry, size_t *n)
{
    const char *key = answers(entries)[entry - 1]->key;
    *n = strlen(key);
    return key;
}

/* ---- answers ---- */

/* Counts an answer that cannot be used, and frees it. 0 or a fault. */
static int refuse(struct batch_join *join, struct answer *answer, enum trouble trouble,
                  struct fault *fault, const char *why)
{
    int result = troubles_add(&join->troubles, trouble, answer->file, fault, "%.255s: %s",
                              answer->key, why);
    free(answer);
    return result;
}

/* An answer of the batch, in the order of files and lines. 0 or a fault. */
static int take_answer(struct batch_join *join, struct answer *answer, struct fault *fault)
{
    join->status.answers++;
    if (strlen(answer->key) > ROUND_REQUEST)
        return refuse(join, answer, ANSWER_MALFORMED, fault, "the name of the request is too long");
    if (answer->time > join->batch.time + AHEAD)
        return refuse(join, answer, ANSWER_FUTURE, fault, "its time is more than ten minutes past "
                      "that of the run");
    for (size_t a = 0; a < answer->places; a++)
        if (answer->seen[a] > join->grade)
            return refuse(join, answer, ANSWER_GRADE, fault, "a relevance is above the top grade");
    struct answer **list = buffer_for(&join->answers, join->count + 1, sizeof *list, fault);
    if (!list) {
        free(answer);
        return -1;
    }
    list[join->count++] = answer;
    return 0;
}

/* Reads bytes from..until of a file of answers; until 0: all of it. 0 or a fault. */
static int read_answers(struct batch_join *join, const char *path, uint64_t from, uint64_t until,
                        struct watch *watch, struct fault *fault)
{
    char *const files[] = { (char *)path, NULL };
    const struct key_set none = { .names = true };
    struct feedback_log log;
    struct answer *answer;
    enum answered got = ANSWERED;
    int result = feedback_log_open(&log, files, &none, watch, fault);
    log.timed = log.whole = true;
    if (until > 0)
        lines_part(&log.lines, from, until);
    if (result == 0 && lseek(log.lines.fd, (off_t)from, SEEK_SET) < 0)
        result = fault_system(fault, "cannot read %s", path);
    while (result == 0 && (got = feedback_log_next(&log, &answer, fault)) != ANSWERED_NOT) {
        struct fault wrong = *fault;
        if (got == ANSWERED) {
            result = take_answer(join, answer, fault);
            continue;
        }
        if (wrong.kind != FAULT_DATA)
            break;
        *fault = (struct fault){ FAULT_NONE, "" };
        result = troubles_add(&join->troubles, ANSWER_MALFORMED, path, fault, "%s", wrong.text);
        if (lines_endless(&log.lines))
            break;
    }
    feedback_log_close(&log);
    return fault->kind == FAULT_NONE ? result : -1;
}

/* By time, else as they were read, which their line numbers say now. */
static int by_time(const void *a, const void *b)
{
    const struct answer *one = *(struct answer *const *)a, *other = *(struct answer *const *)b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return (one->line > other->line) - (one->line < other->line);
}

/* Puts the answers in their order, each request once. 0 or a fault. */
static int order_answers(struct batch_join *join, struct fault *fault)
{
    struct answer **list = answers(join);
    join->table.key = key_of;
    for (size_t i = 0; i < join->count; i++)
        list[i]->line = i;
    if (join->count)
        qsort(list, join->count, sizeof *list, by_time);
    for (size_t i = 0; i < join->count; i++) {
        struct answer *answer = list[i];
        uint64_t first = hash_table_find(&join->table, join, answer->key, strlen(answer->key));
        if (!first && hash_table_add(&join->table, join, i + 1, fault) < 0)
            return -1;
        if (first)
            list[i] = NULL;
        if (first && refuse(join, answer, ANSWER_TWICE, fault, "a second answer") < 0)
            return -1;
    }
    return 0;
}

static int read_batch(struct batch_join *join, struct watch *watch, struct fault *fault)
{
    (void)snprintf(join->early_path, sizeof join->early_path, "%s/early", join->before);
    const uint64_t before = join->status.answers;
    if (access(join->early_path, F_OK) == 0 &&
        read_answers(join, join->early_path, 0, 0, watch, fault) < 0)
        return -1;
    join->status.answers = before; /* they were counted when they were new */
    for (size_t i = 0; i < join->batch.count; i++) {
        const struct batch_file *file = batch_file(&join->batch, i);
        if (file->until > file->from &&
            read_answers(join, file->path, file->from, file->until, watch, fault) < 0)
            return -1;
    }
    return order_answers(join, fault);
}

/* ---- opening ---- */

/* "REQUEST TAB REASON", as update -q writes it. */
static int read_refused(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    struct batch_join *join = self;
    if (fields != 2)
        return fault_data(fault, "not a round that the learner refused");
    return waiting_add(&join->refused, text[0], text[1], 0, fault) < 0 ? -1 : 0;
}

/* "FILE TAB REASON", as spool -r -s writes it. */
static int read_damaged(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    struct batch_join *join = self;
    if (fields != 2)
        return fault_data(fault, "not a file that is damaged");
    return troubles_add(&join->troubles, LOG_DAMAGED, text[0], fault, "%s", text[1]);
}

int batch_join_open(struct batch_join *join, char *const *folders, struct watch *watch,
                    struct fault *fault)
{
    const char *before = join->before;
    if ((size_t)snprintf(join->before, sizeof join->before, "%s/before", join->state) >=
        sizeof join->before)
        return fault_other(fault, "the name of the folder %.40s... is too long", join->state);
    if (troubles_open(&join->troubles, join->state, fault) < 0 ||
        learner_status_read(&join->status, before, fault) < 0 ||
        waiting_read(&join->waiting, before, fault) < 0 ||
        learnt_open(&join->learnt, before, fault) < 0 ||
        batch_open(&join->batch, join->state, folders, fault) < 0 ||
        state_lines_read(join->state, "refused", read_refused, join, fault) < 0)
        return -1;
    return read_batch(join, watch, fault);
}

/* ---- rounds ---- */

static bool is_over(const struct batch_join *join, uint64_t time)
{
    return join->batch.time > time + join->wait + join->delay;
}

int batch_join_malformed(struct batch_join *join, const struct record *record, const char *why,
                         struct fault *fault)
{
    const char *stored = record_key(record, "stored");
    join->status.rounds++;
    return troubles_add(&join->troubles, ROUND_MALFORMED, stored ? stored : "?", fault, "%s", why);
}

int batch_join_round(struct batch_join *join, const struct round *round, struct fault *fault)
{
    struct troubles *troubles = &join->troubles;
    const char *request = round->request, *stored = round->stored;
    if (!stored && round->seen)
        return request ? learnt_add(&join->learnt, request, fault) : 0;
    if (!stored)
        return fault_data(fault, "the round has no key stored: read the logs by spool -r -s");
    join->status.rounds++;
    if (!request)
        return troubles_add(troubles, ROUND_NAMELESS, stored, fault, "no request=");
    if (!round->timed)
        return troubles_add(troubles, ROUND_TIMELESS, stored, fault, "%s: no time=", request);
    if (!round->order || round->seen || round->in_block)
        return troubles_add(troubles, ROUND_UNSHOWN, stored, fault, "%s: %s", request,
                            !round->order ? "no column order, which says what was shown"
                            : round->seen ? "it has an answer already (the column seen)"
                                          : "it is a part of a block (block=)");
    if (round->time > join->batch.time + AHEAD)
        return troubles_add(troubles, ROUND_FUTURE, stored, fault, "%s: its time is more than ten "
                            "minutes past that of the run", request);
    int before = waiting_find(&join->waiting, request) ? 1
                                                       : learnt_find(&join->learnt, request, fault);
    if (before < 0)
        return -1;
    if (before)
        return troubles_add(troubles, ROUND_TWICE, stored, fault, "%s: an earlier round has this "
                            "request", request);
    if (is_over(join, round->time) &&
        !hash_table_find(&join->table, join, request, strlen(request))) {
        join->status.given_up++;
        return 0;
    }
    return waiting_add(&join->waiting, request, stored, round->time, fault) < 0 ? -1 : 0;
}

/* ---- what is answered ---- */

/* Reads the record of a round into `round`. ANSWERED_NOT: it cannot be used. */
static enum answered fetch(struct batch_join *join, const char *request, const char *stored,
                           struct round *round, struct fault *fault)
{
    struct fault wrong = { FAULT_NONE, "" };
    enum trouble trouble = ROUND_GONE;
    enum spooled found = spool_fetch(&join->fetch, stored, round->record, &wrong);
    if (found == SPOOL_NONE)
        (void)fault_data(&wrong, "its file has gone");
    if (found == SPOOL_FOUND && round_read(round, &wrong) < 0)
        trouble = ROUND_MALFORMED;
    else if (found == SPOOL_FOUND &&
             (!round->request || !round->order || strcmp(round->request, request) != 0))
        (void)fault_data(&wrong, "another round is stored there");
    if (wrong.kind == FAULT_NONE)
        return ANSWERED;
    if (wrong.kind != FAULT_DATA) {
        *fault = wrong;
        return ANSWERED_FAULT;
    }
    return troubles_add(&join->troubles, trouble, stored, fault, "%s: %s", request, wrong.text) < 0
               ? ANSWERED_FAULT : ANSWERED_NOT;
}

/* An answer keeps waiting for its round, in place number join->early of the list. */
static void keep_early(struct batch_join *join, struct answer *answer)
{
    answers(join)[join->early++] = answer;
}

static bool has_length(const struct batch_join *join, const struct answer *answer, size_t docs)
{
    if (answer->places > docs)
        return false;
    return !join->places || answer->places == (join->places > docs ? docs : join->places);
}

/* An answer without a round that waits. 0 or a fault. */
static int find_no_round(struct batch_join *join, struct answer *answer, struct fault *fault)
{
    int learnt = learnt_find(&join->learnt, answer->key, fault);
    if (learnt < 0)
        return -1;
    if (learnt)
        return refuse(join, answer, ANSWER_TWICE, fault, "its round was learnt already");
    if (is_over(join, answer->time))
        return refuse(join, answer, ANSWER_ROUNDLESS, fault, "no round has this request");
    keep_early(join, answer);
    return 0;
}

/* The round of an answer. ANSWERED_NOT: one of them cannot be used. */
static enum answered join_round(struct batch_join *join, struct waiting_round *waits,
                                struct answer *answer, struct round *round, struct fault *fault)
{
    const char *stored = waiting_text(&join->waiting, waits->stored);
    const struct waiting_round *refused = waiting_find(&join->refused, answer->key);
    enum answered got = ANSWERED;
    if (answer->time > waits->time + join->wait) {
        return refuse(join, answer, ANSWER_LATE, fault, "it came too long after its round") < 0
                   ? ANSWERED_FAULT : ANSWERED_NOT;
    }
    if (answer->places == 0) {
        join->status.given_up++;
        got = ANSWERED_NOT;
    } else if (refused) {
        got = troubles_add(&join->troubles, ROUND_REFUSED, stored, fault, "%s: %s", answer->key,
                           waiting_text(&join->refused, refused->stored)) < 0 ||
              learnt_add(&join->learnt, answer->key, fault) < 0 ? ANSWERED_FAULT : ANSWERED_NOT;
    } else {
        got = fetch(join, answer->key, stored, round, fault);
    }
    if (got == ANSWERED && !has_length(join, answer, round->docs)) {
        return refuse(join, answer, ANSWER_LENGTH, fault, "not as many relevances as wanted") < 0
                   ? ANSWERED_FAULT : ANSWERED_NOT;
    }
    if (got == ANSWERED && learnt_add(&join->learnt, answer->key, fault) < 0)
        got = ANSWERED_FAULT;
    waiting_remove(&join->waiting, waits);
    if (got != ANSWERED)
        free(answer);
    return got;
}

enum answered batch_join_next(struct batch_join *join, struct round *round,
                              const struct answer **found, struct fault *fault)
{
    if (*found)
        free((void *)*found);
    *found = NULL;
    while (join->at < join->count) {
        struct answer **place = answers(join) + join->at++, *answer = *place;
        *place = NULL;
        if (!answer)
            continue;
        struct waiting_round *waits = waiting_find(&join->waiting, answer->key);
        enum answered got = ANSWERED_NOT;
        if (answer->time > join->batch.time)
            keep_early(join, answer);
        else if (!waits)
            got = find_no_round(join, answer, fault) < 0 ? ANSWERED_FAULT : ANSWERED_NOT;
        else
            got = join_round(join, waits, answer, round, fault);
        if (got == ANSWERED) {
            join->status.learnt++;
            join->status.learnt_time = join->batch.time;
            *found = answer;
        }
        if (got != ANSWERED_NOT)
            return got;
    }
    return ANSWERED_NOT;
}

/* ---- the end ---- */

static int write_early(const struct batch_join *join, struct fault *fault)
{
    struct fresh_file file;
    int result = fresh_file_open_in(&file, join->state, "early", fault);
    for (size_t i = 0; result == 0 && i < join->early; i++)
        result = answer_write(&file.writer, answers(join)[i], fault);
    if (result == 0)
        result = fresh_file_finish(&file, fault);
    fresh_file_close(&file);
    return result;
}

static void give_up(struct batch_join *join)
{
    struct learner_status *status = &join->status;
    status->oldest = 0;
    for (size_t i = 0; i < join->waiting.count; i++) {
        struct waiting_round *round = waiting_at(&join->waiting, i);
        if (!round->gone && is_over(join, round->time)) {
            waiting_remove(&join->waiting, round);
            status->given_up++;
        }
        if (!round->gone && (!status->oldest || round->time < status->oldest))
            status->oldest = round->time;
    }
    status->time = join->batch.time;
    status->waiting = join->waiting.count - join->waiting.gone;
    status->early = join->early;
    for (size_t i = 0; i < TROUBLES; i++)
        status->troubles[i] += join->troubles.count[i];
}

int batch_join_finish(struct batch_join *join, struct fault *fault)
{
    if (state_lines_read(join->state, "damaged", read_damaged, join, fault) < 0)
        return -1;
    give_up(join);
    return waiting_write(&join->waiting, join->state, fault) < 0 ||
           write_early(join, fault) < 0 ||
           learnt_write(&join->learnt, join->state, fault) < 0 ||
           troubles_finish(&join->troubles, fault) < 0 ||
           learner_status_write(&join->status, join->state, fault) < 0 ? -1 : 0;
}

void batch_join_close(struct batch_join *join)
{
    for (size_t i = 0; i < join->count; i++)
        free(answers(join)[i]);
    buffer_free(&join->answers);
    hash_table_close(&join->table);
    waiting_close(&join->waiting);
    waiting_close(&join->refused);
    learnt_close(&join->learnt);
    spool_fetch_close(&join->fetch);
    troubles_close(&join->troubles);
    batch_close(&join->batch);
}
