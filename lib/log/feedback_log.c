#include "log/feedback_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stream/record.h"
#include "stream/round_fields.h"

/* An entry of log->held is the address of an answer. */
static struct answer *answer_at(uint64_t entry)
{
    return (struct answer *)(uintptr_t)entry;
}

static const void *key_of(const void *entries, uint64_t entry, size_t *n)
{
    const char *key = answer_at(entry)->key;
    (void)entries;
    *n = strlen(key);
    return key;
}

int feedback_log_open(struct feedback_log *log, char *const *files, const struct key_set *before,
                      struct watch *watch, struct fault *fault)
{
    memset(log, 0, sizeof *log);
    log->before = *before;
    log->held.key = key_of;
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
    hash_table_close(&log->held);
    key_set_close(&log->before);
    lines_close(&log->lines);
    buffer_free(&log->values);
}

/* ---- answers whose rounds have not come yet ---- */

static int hold(struct feedback_log *log, struct answer *answer, struct fault *fault)
{
    if (hash_table_add(&log->held, NULL, (uintptr_t)answer, fault) < 0) return -1;
    answer->older = log->newest;
    *(log->newest ? &log->newest->newer : &log->oldest) = answer;
    log->newest = answer;
    return 0;
}

/* The answer with that key, which is then the caller's; or NULL. */
static struct answer *release(struct feedback_log *log, const char *key)
{
    uint64_t entry = hash_table_find(&log->held, NULL, key, strlen(key));
    struct answer *answer = answer_at(entry);
    if (!answer)
        return NULL;
    hash_table_remove(&log->held, NULL, entry);
    *(answer->older ? &answer->older->newer : &log->oldest) = answer->newer;
    *(answer->newer ? &answer->newer->older : &log->newest) = answer->older;
    return answer;
}

/* ---- a line ---- */

/* The words of a line before the relevances. */
struct line {
    const char *key;
    size_t n; /* bytes of the key */
    const char *client; /* `clients` bytes; 0: not known */
    size_t clients;
    bool clicks;
};

/* Reads a word that is a decimal number, finite and at least 0. */
static bool read_relevance(const char *p, float *value)
{
    char *end;
    size_t n = text_word_bytes(p);
    *value = strtof(p, &end);
    return strspn(p, "0123456789.eE+-") >= n && end == p + n && *value >= 0 && isfinite(*value);
}

/* Reads the relevances, or the values of clicks, from p to the end of the line into log->values. 0
 * or a fault. */
static int read_values(struct feedback_log *log, const char *p, bool clicks, size_t *places,
                       struct fault *fault)
{
    struct lines *line = &log->lines;
    *places = 0;
    if (*p == '-' && !*text_skip_blanks(p + 1))
        return 0;
    for (; *p; p = text_skip_word(p)) {
        float *value = buffer_for(&log->values, *places + 1, sizeof *value, fault);
        if (!value) return -1;
        if (!read_relevance(p, &value[*places]))
            return lines_wrong(line, p, text_word_bytes(p), fault,
                               "not a relevance (a finite number of at least 0)");
        if (clicks && value[*places] > 1)
            return lines_wrong(line, p, text_word_bytes(p), fault,
                               "not the value of a click (a number from 0 to 1)");
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
    size_t room = sizeof(struct answer) + bytes + n + 1 + line->clients + 1;
    struct answer *answer = calloc(1, room);
    if (!answer) {
        fault_no_room(fault, room);
        return NULL;
    }
    answer->file = log->lines.name;
    answer->line = log->lines.number;
    answer->clicks = line->clicks;
    answer->places = places;
    answer->seen = (float *)(answer + 1);
    answer->key = (char *)(answer->seen + places);
    if (places)
        memcpy(answer->seen, log->values.at, bytes);
    memcpy(answer->key, line->key, n);
    answer->client = line->clients ? answer->key + n + 1 : NULL;
    if (answer->client)
        memcpy(answer->client, line->client, line->clients);
    return answer;
}

/* Reads the word time=..., if it is at p, and moves *p after it. 0 or a fault. */
static int read_time(struct feedback_log *log, const char **p, struct fault *fault)
{
    uint64_t time;
    char digits[24] = "";
    const char *word = *p;
    size_t n = text_word_bytes(word);
    if (strncmp(word, "time=", 5) != 0)
        return 0;
    if (n - 5 < sizeof digits)
        memcpy(digits, word + 5, n - 5);
    if (!record_number(digits, RECORD_MOST - 1, &time))
        return lines_wrong(&log->lines, word, n, fault, "not a time in milliseconds since 1970");
    *p = text_skip_word(word);
    return 0;
}

/* May a header have this word of n bytes, as rankpipe(5) writes a qid? */
static bool is_encoded(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] <= ' ' || p[i] > '~' ||
            (p[i] == '%' && (n - i < 3 || strspn(p + i + 1, "0123456789ABCDEF") < 2)))
            return false;
    return n > 0 && n <= ROUND_CLIENT;
}

/* Reads the word client=..., if it is at p, and moves *p after it. 0 or a fault. */
static int read_client(struct feedback_log *log, const char **p, struct line *line,
                       struct fault *fault)
{
    const char *word = *p;
    size_t n = text_word_bytes(word);
    if (strncmp(word, "client=", 7) != 0)
        return 0;
    line->client = word + 7;
    line->clients = n - 7;
    if (!is_encoded(line->client, line->clients))
        return lines_wrong(&log->lines, word, n, fault, "not a client: 1 to 64 bytes, written as "
                           "in a qid");
    *p = text_skip_word(word);
    return 0;
}

/* Reads the word clicks=1, if it is at p, and moves *p after it. 0 or a fault. */
static int read_clicks(struct feedback_log *log, const char **p, struct line *line,
                       struct fault *fault)
{
    const char *word = *p;
    size_t n = text_word_bytes(word);
    if (strncmp(word, "clicks=", 7) != 0)
        return 0;
    line->clicks = n == 8 && word[7] == '1';
    if (!line->clicks)
        return lines_wrong(&log->lines, word, n, fault, "not clicks=1");
    *p = text_skip_word(word);
    return 0;
}

/* Is the key of an answer, from the current line, one of a round, and new? 0 or a fault. */
static int check_key(struct feedback_log *log, const struct answer *answer, struct fault *fault)
{
    const char *key = answer->key;
    if (!key_set_valid(&log->before, key))
        return lines_wrong(&log->lines, key, strlen(key), fault, "not the number of a round "
                           "(use -q if keys are qids)");
    int fresh = key_set_enter(&log->before, key, fault);
    if (fresh == 0)
        return lines_wrong(&log->lines, key, strlen(key), fault, "a second answer for one round");
    return fresh < 0 ? -1 : 0;
}

/* Reads the next line: *answer is what it has, or NULL. 1, 0 at the end of the log, or a fault. */
static int read_line(struct feedback_log *log, struct answer **answer, struct fault *fault)
{
    size_t places;
    struct line line = { .n = 0 };
    *answer = NULL;
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
    if (read_time(log, &next, fault) < 0) return -1;
    if (bare && !*next) /* has a time alone */
        return 1;
    if (read_client(log, &next, &line, fault) < 0 || read_clicks(log, &next, &line, fault) < 0 ||
        read_values(log, next, line.clicks, &places, fault) < 0)
        return -1;
    *answer = make(log, &line, places, fault);
    return *answer ? 1 : -1;
}

/* The same, and holds the answer, unless its key came before. */
static int read_answer(struct feedback_log *log, struct fault *fault)
{
    struct answer *answer;
    int got = read_line(log, &answer, fault);
    if (got <= 0 || !answer)
        return got;
    if (check_key(log, answer, fault) == 0 && hold(log, answer, fault) == 0)
        return got;
    free(answer);
    return -1;
}

enum answered feedback_log_find(struct feedback_log *log, const char *key, struct answer **found,
                                struct fault *fault)
{
    int got = 1;
    while (!(*found = release(log, key)) && got > 0)
        got = read_answer(log, fault);
    return *found ? ANSWERED : got < 0 ? ANSWERED_FAULT : ANSWERED_NOT;
}

enum answered feedback_log_rest(struct feedback_log *log, struct answer **found,
                                struct fault *fault)
{
    int got;
    lines_wait_no_more(&log->lines);
    while ((got = read_answer(log, fault)) > 0)
        continue;
    if (got < 0)
        return ANSWERED_FAULT;
    *found = log->oldest ? release(log, log->oldest->key) : NULL;
    return *found ? ANSWERED : ANSWERED_NOT;
}
