#include "text/feedback_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "base/text.h"
#include "stream/record.h"

int feedback_log_open(struct feedback_log *log, char *const *files, const struct key_set *before,
                      struct watch *watch, struct fault *fault)
{
    memset(log, 0, sizeof *log);
    log->before = *before;
    log->start = secret_siphash();
    lines_open(&log->lines, files, watch);
    log->lines.waits = true;
    return lines_start(&log->lines, fault);
}

void feedback_log_close(struct feedback_log *log)
{
    for (struct answer *next, *answer = log->oldest; answer; answer = next) {
        next = answer->newer;
        free(answer);
    }
    free(log->bucket);
    key_set_close(&log->before);
    lines_close(&log->lines);
    buffer_free(&log->values);
}

/* ---- answers whose rounds have not come yet ---- */

/* The pointer in its bucket that points to the answer, or the NULL where it would go. */
static struct answer **find_place(const struct feedback_log *log, const char *key)
{
    struct siphash hash = log->start;
    siphash_add(&hash, key, strlen(key));
    struct answer **at = &log->bucket[siphash_end(&hash) % log->buckets];
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

/* The words of a line before the relevances. */
struct line {
    const char *key;
    size_t n; /* bytes of the key */
    bool timed;
    uint64_t time;
};

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
    struct lines *line = &log->lines;
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
static struct answer *make(const struct feedback_log *log, const struct line *line, size_t places,
                           struct fault *fault)
{
    size_t bytes = places * sizeof(float), n = line->n;
    struct answer *answer = calloc(1, sizeof *answer + bytes + n + 1);
    if (!answer) {
        fault_memory(fault, sizeof *answer + bytes + n + 1);
        return NULL;
    }
    answer->file = log->lines.name;
    answer->line = log->lines.number;
    answer->timed = line->timed;
    answer->time = line->time;
    answer->places = places;
    answer->seen = (float *)(answer + 1);
    answer->key = (char *)(answer->seen + places);
    if (places)
        memcpy(answer->seen, log->values.at, bytes);
    memcpy(answer->key, line->key, n);
    return answer;
}

/* Reads the word time=..., if it is at p, and moves *p after it. 0 or a fault. */
static int read_time(struct feedback_log *log, const char **p, struct line *line,
                     struct fault *fault)
{
    char digits[24] = "";
    const char *word = *p;
    size_t n = text_word_bytes(word);
    line->timed = strncmp(word, "time=", 5) == 0;
    if (!line->timed)
        return log->timed && *word ? lines_wrong(&log->lines, word, n, fault,
                                                 "not time=..., which -t needs after the key") : 0;
    if (n - 5 < sizeof digits)
        memcpy(digits, word + 5, n - 5);
    if (!record_number(digits, RECORD_MOST - 1, &line->time))
        return lines_wrong(&log->lines, word, n, fault, "not a time in milliseconds since 1970");
    if (line->time > log->clock)
        log->clock = line->time;
    *p = text_skip_word(word);
    return 0;
}

/* Adds the answer of a line, unless its key came before: 1 or a fault. */
static int enter(struct feedback_log *log, const struct line *line, size_t places,
                 struct fault *fault)
{
    struct answer *answer = make(log, line, places, fault);
    if (!answer)
        return -1;
    int result = 1;
    if (!key_set_valid(&log->before, answer->key))
        result = lines_wrong(&log->lines, line->key, line->n, fault, "not the number of a round "
                             "(use -q if keys are qids)");
    if (result > 0)
        result = key_set_enter(&log->before, answer->key, line->time, fault);
    if (result == 0)
        result = lines_wrong(&log->lines, line->key, line->n, fault,
                             "a second answer for one round");
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
    struct line line = { .time = 0 };
    int got = lines_next(&log->lines, fault);
    if (got <= 0)
        return got;
    line.key = text_skip_blanks(log->lines.text);
    line.n = text_word_bytes(line.key);
    const char *next = text_skip_blanks(line.key + line.n);
    bool bare = line.n == 1 && *line.key == '-';
    if (bare && !*next)
        lines_end_file(&log->lines);
    if (!*line.key || (bare && !*next))
        return 1;
    if (read_time(log, &next, &line, fault) < 0)
        return -1;
    if (bare && !*next) /* tells the time alone */
        return 1;
    return read_values(log, next, &places, fault) < 0 || enter(log, &line, places, fault) < 0
               ? -1 : 1;
}

int feedback_log_find(struct feedback_log *log, const char *key, uint64_t until,
                      struct answer **found, struct fault *fault)
{
    int got = 1;
    while (!(*found = take(log, key)) && got > 0 && log->clock <= until)
        got = read_answer(log, fault);
    return *found ? 1 : got < 0 ? -1 : 0;
}

int feedback_log_keep(struct feedback_log *log, struct answer *answer, struct fault *fault)
{
    answer->older = answer->newer = answer->chain = NULL;
    return put(log, answer, fault);
}

int feedback_log_rest(struct feedback_log *log, struct answer **found, struct fault *fault)
{
    int got;
    lines_wait_no_more(&log->lines);
    while ((got = read_answer(log, fault)) > 0)
        continue;
    if (got < 0)
        return -1;
    *found = log->oldest ? take(log, log->oldest->key) : NULL;
    return *found != NULL;
}
