/* feedback-join: rounds that were shown earlier meet what people said of them since.
 *
 * Feedback is text, one line a round: "17 TAB 0 1 0" has the relevance of the first three documents
 * shown, "17 TAB -" says that no feedback will come. After the key a line may have, in this order,
 *   time=1732263060123  when it came, in milliseconds since 1970
 *   client=5f3759df     who gave it, written as a qid
 *   clicks=1            it is clicks, not relevance, each worth from 0, which is none, to 1
 * "- time=1732263060123" is no feedback, and "-" says that its file ends. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash_table.h"
#include "base/name_table.h"
#include "base/number_set.h"
#include "base/text.h"
#include "io/lines.h"
#include "run/filter.h"
#include "say.h"

struct answer { /* the feedback on one round */
    const char *file; /* where it was read; the caller's name */
    uint64_t line;
    size_t places; /* 0: no feedback will come */
    float *seen;   /* seen[places]: finite, at least 0, of clicks at most 1 */
    bool clicks;   /* is it clicks, not relevance? */
    const char *key;    /* t, qid or request of its round */
    const char *client; /* who gave it; NULL: not known */
    struct answer *older, *newer; /* by age */
};

struct keys { /* those so far, to notice one that comes twice */
    struct number_set numbers; /* of rounds, t */
    struct name_table names;   /* qids or requests */
};

struct join {
    struct host *host;
    char *const *files;
    double grade;    /* -g: the largest relevance of an answer */
    uint64_t places; /* -k: that an answer must have, at most the documents; 0: any number */
    const char *key; /* by which answers name rounds: "t", "qid" or "request" */
    char t[24];      /* the key "t" of the round at hand */

    bool opened;
    struct lines lines;
    struct buffer values;           /* of the current line */
    struct answer *oldest, *newest; /* those read whose rounds have not come yet */
    struct hash_table held;         /* the same, by their keys */
    struct keys in_lines, in_rounds;
    uint64_t rounds, never; /* so far; those without an answer */
    char first[ROUND_NAME]; /* of these */
};

static const struct option options_known[] = {
    { 'g', "grade", NULL, "largest relevance of an answer (default: any)",
      OPTION_POSITIVE(join, grade) },
    { 'k', "places", NULL,
      "positions in each line of feedback, 1 or more, or all (default: any "
      "number)",
      OPTION_PLACES(join, places, ROUND_DOCS) },
    { 'q', NULL, NULL, "feedback names rounds by qid (default: by number, t)", OPTION_OWN },
    { 'r', NULL, NULL, "feedback names rounds by request (default: by number, t)", OPTION_OWN },
    { 0 },
};

static int parse(void *self, struct options *options, struct host *host)
{
    struct join *my = self;
    struct fault *fault = options->fault;
    int letter;
    my->host = host;
    my->key = "t";
    my->grade = INFINITY;
    while ((letter = options_next(options)) > 0)
        if (letter == 'q' || letter == 'r') my->key = letter == 'q' ? "qid" : "request";
    if (letter < 0) return letter;
    my->files = options_operands(options);
    if (!*my->files) return fault_usage(fault, "no file of answers named");
    for (char *const *file = my->files; *file; file++)
        if (strcmp(*file, "-") == 0)
            return fault_usage(fault, "answers come from files: standard input has the rounds");
    return 0;
}

/* An entry of my->held is the address of an answer. */
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

static int open_join(void *self)
{
    struct join *my = self;
    my->held.key = key_of;
    my->opened = true;
    lines_open(&my->lines, my->files, my->host->watch);
    my->lines.waits = true;
    return lines_start(&my->lines, my->host->fault);
}

/* Adds a key: 1 where it is new, 0 where it was there; or a fault (memory). */
static int enter_key(const struct join *my, struct keys *keys, const char *key)
{
    uint64_t t;
    struct fault *fault = my->host->fault;
    if (*my->key != 't') return name_table_enter(&keys->names, key, strlen(key), fault);
    return record_number(key, RECORD_MOST - 1, &t) ? number_set_enter(&keys->numbers, t, fault) : 1;
}

/* After a fault of an answer that cannot be used: the stream ends here, and the rounds before are
 * valid. Returns -1. */
static int cut(struct fault *fault)
{
    fault->kind = fault->kind == FAULT_DATA ? FAULT_CUT : fault->kind;
    return -1;
}

/* ---- a line ---- */

/* May a header have this word of n bytes, as rankpipe(5) writes a qid? */
static bool is_encoded(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] <= ' ' || p[i] > '~' ||
            (p[i] == '%' && (n - i < 3 || strspn(p + i + 1, "0123456789ABCDEF") < 2)))
            return false;
    return n > 0 && n <= ROUND_CLIENT;
}

/* Reads the relevances, or the values of clicks, from p to the end of the line into my->values. 0
 * or a fault. */
static int read_values(struct join *my, const char *p, struct answer *answer)
{
    char *end;
    struct lines *lines = &my->lines;
    struct fault *fault = my->host->fault;
    if (*p == '-' && !*text_skip_blanks(p + 1)) return 0;
    for (; *p; p = text_skip_word(p)) {
        size_t n = text_word_bytes(p);
        float *value = buffer_for(&my->values, answer->places + 1, sizeof *value, fault);
        if (!value) return -1;
        value += answer->places++;
        *value = strtof(p, &end);
        if (strspn(p, "0123456789.eE+-") < n || end != p + n || !(*value >= 0) || !isfinite(*value))
            return lines_wrong(lines, p, n, fault,
                               "not a relevance (a finite number of at least 0)");
        if (answer->clicks && *value > 1)
            return lines_wrong(lines, p, n, fault,
                               "not the value of a click (a number from 0 to 1)");
    }
    return answer->places ? 0 : lines_wrong(lines, lines->text, lines->bytes, fault,
                                            "no relevance after the key (- says that none will "
                                            "come)");
}

/* Holds what was read of a line, whose key has n bytes and whose client has `clients`, and its
 * values in one block of memory. 0 or a fault. */
static int hold(struct join *my, const struct answer *read, size_t n, size_t clients)
{
    const size_t bytes = read->places * sizeof(float);
    const size_t room = sizeof *read + bytes + n + 1 + clients + 1;
    struct answer *answer = calloc(1, room);
    if (!answer) return fault_no_room(my->host->fault, room);
    *answer = *read;
    answer->seen = (float *)(answer + 1);
    char *text = (char *)(answer->seen + answer->places);
    answer->key = memcpy(text, read->key, n);
    if (bytes) memcpy(answer->seen, my->values.at, bytes);
    if (clients) answer->client = memcpy(text + n + 1, read->client, clients);

    int fresh = enter_key(my, &my->in_lines, answer->key);
    if (fresh == 0)
        (void)lines_wrong(&my->lines, read->key, n, my->host->fault,
                          "a second answer for one round");
    if (fresh <= 0 || hash_table_add(&my->held, NULL, (uintptr_t)answer, my->host->fault) < 0) {
        free(answer);
        return -1;
    }
    answer->older = my->newest;
    *(my->newest ? &my->newest->newer : &my->oldest) = answer;
    my->newest = answer;
    return 0;
}

/* Reads the next line, and holds its answer, if it has one. 1, 0 at the end of the files, or a
 * fault. */
static int read_feedback(struct join *my)
{
    struct lines *lines = &my->lines;
    struct fault *fault = my->host->fault;
    size_t clients = 0;
    uint64_t number;
    int got = lines_next(lines, fault);
    if (got <= 0) return got;

    const char *key = text_skip_blanks(lines->text);
    const size_t n = text_word_bytes(key);
    const char *next = text_skip_blanks(key + n);
    const bool bare = n == 1 && *key == '-';
    if (bare && !*next) lines_end_file(lines);
    if (!*key || (bare && !*next)) return 1;
    struct answer read = { .file = lines->name, .line = lines->number, .key = key };

    size_t word = text_word_bytes(next);
    if (strncmp(next, "time=", 5) == 0) {
        if (record_digits(next + 5, RECORD_MOST - 1, &number) != next + word)
            return lines_wrong(lines, next, word, fault, "not a time in milliseconds since 1970");
        next = text_skip_word(next);
        word = text_word_bytes(next);
    }
    if (bare && !*next) return 1; /* a time alone */
    if (strncmp(next, "client=", 7) == 0) {
        read.client = next + 7;
        clients = word - 7;
        if (!is_encoded(read.client, clients))
            return lines_wrong(lines, next, word, fault,
                               "not a client: 1 to 64 bytes, written as in a qid");
        next = text_skip_word(next);
        word = text_word_bytes(next);
    }
    if (strncmp(next, "clicks=", 7) == 0) {
        read.clicks = word == 8 && next[7] == '1';
        if (!read.clicks) return lines_wrong(lines, next, word, fault, "not clicks=1");
        next = text_skip_word(next);
    }
    if (read_values(my, next, &read) < 0) return -1;

    if (*my->key == 't' &&
        (record_digits(key, RECORD_MOST - 1, &number) != key + n || number == 0))
        return lines_wrong(lines, key, n, fault,
                           "not the number of a round (use -q if keys are qids)");
    return hold(my, &read, n, clients) < 0 ? -1 : 1;
}

/* The answer with that key, which is then the caller's; or NULL. */
static struct answer *release(struct join *my, const char *key)
{
    uint64_t entry = hash_table_find(&my->held, NULL, key, strlen(key));
    struct answer *answer = answer_at(entry);
    if (!answer) return NULL;
    hash_table_remove(&my->held, NULL, entry);
    *(answer->older ? &answer->older->newer : &my->oldest) = answer->newer;
    *(answer->newer ? &answer->newer->older : &my->newest) = answer->older;
    return answer;
}

/* ---- a round ---- */

/* The key of a round that can be joined: its key is there and new, it was shown, and has no
 * feedback. Valid until the next call. NULL and a data fault. */
static const char *key_of_round(struct join *my, const struct round *round)
{
    struct fault *fault = my->host->fault;
    snprintf(my->t, sizeof my->t, "%" PRIu64, round->t);
    const char *key = *my->key == 'q' ? round->qid : *my->key == 'r' ? round->request : my->t;
    int fresh = -1;
    if (!key)
        (void)fault_data(fault, "the round has no %s, by which -%c finds the answer", my->key,
                         *my->key);
    else if (!round->order)
        (void)fault_data(fault, "needs the column order, which says what was shown");
    else if (round->seen)
        (void)fault_data(fault, "the round already has an answer (the column seen)");
    else if ((fresh = enter_key(my, &my->in_rounds, key)) == 0 && *my->key == 't')
        (void)fault_data(fault, "an earlier round has the same number, so an answer could be for "
                         "either: join one stream at a time, or by request (-r)");
    else if (fresh == 0)
        (void)fault_data(fault, "an earlier round has the same %s, so an answer could be for "
                         "either: join by t, without -%c", my->key, *my->key);
    return fresh > 0 ? key : NULL;
}

/* Has an answer as many relevances as it should, and none above the top grade? 0 or a fault. */
static int check_places(const struct join *my, const struct answer *answer,
                        const struct round *round)
{
    struct fault *fault = my->host->fault;
    char name[ROUND_NAME];
    const float grade = (float)my->grade;
    const size_t n = answer->places;
    const size_t want = my->places > round->docs ? round->docs : (size_t)my->places;
    if (n == 0) return 0; /* no feedback will come */
    for (size_t a = 0; a < n; a++)
        if (answer->seen[a] > grade)
            return fault_data(fault, "%s: line %" PRIu64 ": relevance %.9g of %s is above the top "
                              "grade %.9g", answer->file, answer->line, (double)answer->seen[a],
                              round_name(round, name), (double)grade);
    if (my->places && n != want)
        return fault_data(fault, "%s: line %" PRIu64 ": the answer has %zu relevance%s, not %zu, "
                          "for %s", answer->file, answer->line, n, n == 1 ? "" : "s", want,
                          round_name(round, name));
    if (n > round->docs)
        return fault_data(fault, "%s: line %" PRIu64 ": the answer has %zu relevances for the %zu "
                          "document%s of %s", answer->file, answer->line, n, round->docs,
                          round->docs == 1 ? "" : "s", round_name(round, name));
    return 0;
}

static enum outcome answer_round(struct join *my, struct round *round, const struct answer *answer)
{
    float *seen = round_new_seen(round, answer->places, my->host->fault);
    if (!seen) return FAIL;
    memcpy(seen, answer->seen, answer->places * sizeof *seen);
    round_drop_labels(round);
    if (answer->clicks && round_set(round, KEY_CLICKS, 1, my->host->fault) < 0) return FAIL;
    if (answer->client && round_set_text(round, KEY_CLIENT, answer->client, my->host->fault) < 0)
        return FAIL;
    return PASS;
}

static enum outcome each(void *self, struct round *round)
{
    struct join *my = self;
    struct answer *answer;
    enum outcome outcome = DROP;
    int got = 1;
    const char *key = key_of_round(my, round);
    if (!key) return FAIL;
    my->rounds++;
    while (!(answer = release(my, key)) && got > 0)
        got = read_feedback(my);
    if (got < 0 || (answer && check_places(my, answer, round) < 0))
        outcome = cut(my->host->fault);
    else if (answer && answer->places > 0)
        outcome = answer_round(my, round, answer);
    else if (my->never++ == 0)
        round_name(round, my->first);
    free(answer);
    return outcome;
}

/* Reports the number of rounds without an answer; an answer without a round is a fault. */
static int end_join(void *self)
{
    struct join *my = self;
    struct fault *fault = my->host->fault;
    int got;
    lines_wait_no_more(&my->lines);
    while ((got = read_feedback(my)) > 0)
        continue;
    const struct answer *left = my->oldest;
    if (got == 0 && left)
        got = fault_data(fault, "%s: line %" PRIu64 ": an answer without a round: no round has "
                         "%s=%.40s", left->file, left->line, my->key, left->key);
    if (got < 0) return cut(fault);
    if (my->never > 0)
        warn(my->host, "feedback-join", "%" PRIu64 " of %" PRIu64 " round%s without an answer; the "
             "first is %s", my->never, my->rounds, my->rounds == 1 ? "" : "s", my->first);
    return 0;
}

static int close_join(void *self, enum ended ended)
{
    struct join *my = self;
    (void)ended;
    for (struct answer *newer, *answer = my->oldest; answer; answer = newer) {
        newer = answer->newer;
        free(answer);
    }
    hash_table_close(&my->held);
    if (my->opened) lines_close(&my->lines);
    buffer_free(&my->values);
    number_set_close(&my->in_lines.numbers);
    name_table_close(&my->in_lines.names);
    number_set_close(&my->in_rounds.numbers);
    name_table_close(&my->in_rounds.names);
    return 0;
}

const struct filter feedback_join = {
    .name = "feedback-join",
    .usage = "[-q | -r] [-g grade] [-k places] file ...",
    .line = "joins users' feedback with the rounds that were shown",
    .options = options_known,
    .operand = { .value = "file", .text = "file of feedback as text" },
    .size = sizeof(struct join),
    .no_features = true,
    .kind = FILTER,
    .parse = parse,
    .open = open_join,
    .each = each,
    .end = end_join,
    .close = close_join,
};
