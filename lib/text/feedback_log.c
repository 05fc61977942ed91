#include "text/feedback_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stream/record.h"

int feedback_log_open(struct feedback_log *log, char *const *files, bool by_qid,
                      struct watch *watch, struct fault *fault)
{
    memset(log, 0, sizeof *log);
    log->by_qid = by_qid;
    lines_open(&log->lines, files, watch);
    return lines_start(&log->lines, fault);
}

void feedback_log_close(struct feedback_log *log)
{
    for (struct answer *next, *answer = log->oldest; answer; answer = next) {
        next = answer->newer;
        free(answer);
    }
    free(log->bucket);
    qids_close(&log->before);
    lines_close(&log->lines);
    buffer_free(&log->values);
}

/* ---- answers whose rounds have not come yet ---- */

/* The pointer in its bucket that points to the answer, or the NULL where it would go. */
static struct answer **find_place(const struct feedback_log *log, const char *key)
{
    struct answer **at = &log->bucket[qids_hash(&log->before, key) % log->buckets];
    while (*at && strcmp((*at)->key, key) != 0)
        at = &(*at)->chain;
    return at;
}

static int add_buckets(struct feedback_log *log, struct fault *fault)
{
    size_t buckets = 2 * log->buckets + 61;
    struct answer **bucket = calloc(buckets, sizeof *bucket);
    if (!bucket)
        return fault_memory(fault, buckets * sizeof *bucket);
    free(log->bucket);
    log->bucket = bucket;
    log->buckets = buckets;
    for (struct answer *answer = log->oldest; answer; answer = answer->newer) {
        answer->chain = NULL;
        *find_place(log, answer->key) = answer;
    }
    return 0;
}

static int put(struct feedback_log *log, struct answer *answer, struct fault *fault)
{
    if (log->held >= log->buckets && add_buckets(log, fault) < 0)
        return -1;
    *find_place(log, answer->key) = answer;
    answer->older = log->newest;
    *(log->newest ? &log->newest->newer : &log->oldest) = answer;
    log->newest = answer;
    log->held++;
    return 0;
}

static struct answer *take(struct feedback_log *log, const char *key)
{
    struct answer **at = log->held ? find_place(log, key) : NULL;
    struct answer *answer = at ? *at : NULL;
    if (!answer)
        return NULL;
    *at = answer->chain;
    *(answer->older ? &answer->older->newer : &log->oldest) = answer->newer;
    *(answer->newer ? &answer->newer->older : &log->newest) = answer->older;
    log->held--;
    return answer;
}

/* ---- a line ---- */

/* Reads a word that is a decimal number, finite and at least 0. */
static bool read_relevance(const char *p, float *value)
{
    char *end;
    size_t n = text_word_bytes(p);
    *value = strtof(p, &end);
    return strspn(p, "0123456789.eE+-") >= n && end == p + n && *value >= 0 && isfinite(*value);
}

/* Reads the relevances from p to the end of the line into log->values. 0 or a fault. */
static int read_values(struct feedback_log *log, const char *p, size_t *places, struct fault *fault)
{
    const struct lines *line = &log->lines;
    *places = 0;
    if (*p == '-' && !*text_skip_blanks(p + 1))
        return 0;
    for (; *p; p = text_skip_word(p)) {
        float *value = buffer_for(&log->values, *places + 1, sizeof *value, fault);
        if (!value)
            return -1;
        if (!read_relevance(p, &value[*places]))
            return lines_wrong(line, p, text_word_bytes(p), fault,
                               "not a relevance (a finite number of at least 0)");
        ++*places;
    }
    return *places ? 0 : lines_wrong(line, line->text, line->bytes, fault,
                                     "no relevance after the key (- says that none will come)");
}

/* A new answer, whose arrays are in the same block of memory; or NULL and a fault. */
static struct answer *make(const struct feedback_log *log, const char *key, size_t n, size_t places,
                           struct fault *fault)
{
    size_t bytes = places * sizeof(float);
    struct answer *answer = calloc(1, sizeof *answer + bytes + n + 1);
    if (!answer) {
        fault_memory(fault, sizeof *answer + bytes + n + 1);
        return NULL;
    }
    answer->file = log->lines.name;
    answer->line = log->lines.number;
    answer->places = places;
    answer->seen = (float *)(answer + 1);
    answer->key = (char *)(answer->seen + places);
    if (places)
        memcpy(answer->seen, log->values.at, bytes);
    memcpy(answer->key, key, n);
    return answer;
}

static bool is_key(const struct feedback_log *log, const struct answer *answer)
{
    uint64_t t;
    return log->by_qid || (record_number(answer->key, RECORD_MOST - 1, &t) && t > 0);
}

/* Adds the answer whose key is the n bytes at `key`, unless that key came before: 1 or a fault. */
static int enter(struct feedback_log *log, const char *key, size_t n, size_t places,
                 struct fault *fault)
{
    const struct lines *line = &log->lines;
    struct answer *answer = make(log, key, n, places, fault);
    if (!answer)
        return -1;
    int result = 1;
    if (!is_key(log, answer))
        result = lines_wrong(line, key, n, fault, "not the number of a round (use -q if "
                             "keys are qids)");
    if (result > 0)
        result = qids_enter(&log->before, answer->key, fault);
    if (result == 0)
        result = lines_wrong(line, key, n, fault, "a second answer for one round");
    if (result > 0)
        result = put(log, answer, fault);
    if (result < 0)
        free(answer);
    return result;
}

/* Reads the next line: 1, 0 at the end of the log, or a fault. */
static int read_answer(struct feedback_log *log, struct fault *fault)
{
    size_t places;
    int got = lines_next(&log->lines, fault);
    if (got <= 0)
        return got;
    const char *key = text_skip_blanks(log->lines.text);
    if (!*key)
        return 1;
    size_t n = text_word_bytes(key);
    if (read_values(log, text_skip_blanks(key + n), &places, fault) < 0 ||
        enter(log, key, n, places, fault) < 0)
        return -1;
    return 1;
}

int feedback_log_find(struct feedback_log *log, const char *key, struct answer **found,
                      struct fault *fault)
{
    int got = 1;
    while (!(*found = take(log, key)) && got > 0)
        got = read_answer(log, fault);
    return *found ? 1 : got;
}

int feedback_log_rest(struct feedback_log *log, struct answer **found, struct fault *fault)
{
    int got;
    while ((got = read_answer(log, fault)) > 0)
        continue;
    if (got < 0)
        return -1;
    *found = log->oldest ? take(log, log->oldest->key) : NULL;
    return *found != NULL;
}
