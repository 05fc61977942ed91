#include "serve/server.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/system.h"
#include "base/text.h"
#include "base/unaligned.h"
#include "stream/reader.h"
#include "stream/record_header.h"
#include "stream/round.h"
#include "stream/round_format.h"
#include "text/svm.h"

/* ---- a request that is a record of a stream (rankpipe(5)) ---- */

static const char magic[] = "rankpipe/";

/* Does a header line begin here, in n bytes? */
static bool sent_round_begins(const char *bytes, size_t n)
{
    return n >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0;
}

/* The bytes of a record, by its header line of n bytes with its LF; SIZE_MAX where they are more
 * than that. 0: the line does not say. It is checked no further. */
static size_t sent_round_bytes(const char *line, size_t n)
{
    enum { DIGITS = 20 };
    char digits[DIGITS];
    uint64_t bytes;
    size_t from = n - 1, most = n < DIGITS ? n : DIGITS;
    while (from > 0 && n - from < most && line[from - 1] != '=')
        from--;
    memcpy(digits, line + from, n - 1 - from);
    digits[n - 1 - from] = '\0';
    if (from < 7 || memcmp(line + from - 7, " bytes=", 7) != 0 ||
        !record_number(digits, RECORD_MOST, &bytes))
        return 0;
    return bytes > SIZE_MAX - n ? SIZE_MAX : n + (size_t)bytes;
}

static const unsigned keys_allowed = 1u << KEY_T | 1u << KEY_QID | 1u << KEY_REQUEST |
                                     1u << KEY_TIME | 1u << KEY_DOCS | 1u << KEY_DIM;

static bool is_allowed(const struct key *key)
{
    for (size_t k = 0; k < ROUND_KEYS; k++)
        if (keys_allowed >> k & 1 && name_is(key->name, format_keys[k].name))
            return true;
    return false;
}

static bool is_column_allowed(const struct column *column)
{
    enum round_column c = round_column_find(column->name);
    return c == ROUND_LABEL || c == ROUND_NAME_COLUMN || c == ROUND_BASE ||
           (c >= ROUND_X && c < ROUND_COLUMNS);
}

/* Scores, orders, propensities and feedback are not for clients to say. */
static int check_parts(const struct record *record, struct fault *fault)
{
    if (record->kind != RECORD_ROUND)
        return fault_data(fault, "a model, where a round should be");
    for (size_t k = 0; k < record->keys; k++)
        if (!is_allowed(&record->key[k]))
            return fault_data(fault, "key %.40s=: the rounds of a client have t, qid, request, "
                              "time, docs and dim", record->key[k].name);
    for (size_t c = 0; c < record->columns; c++)
        if (!is_column_allowed(&record->column[c]))
            return fault_data(fault, "column %.40s: the rounds of a client have label, name, base "
                              "and features", record->column[c].name);
    return 0;
}

static int check_limits(const struct round *round, const struct svm_options *options,
                        struct fault *fault)
{
    if (options->most && round->docs > options->most)
        return fault_data(fault, "more than %zu documents", options->most);
    if (options->widths && round->dim != options->dim)
        return fault_data(fault, "dim=%zu, but -d %zu", round->dim, options->dim);
    return 0;
}

/* Answers go by names, so each document has one, or none has. */
static int check_sent_names(struct round *round, struct fault *fault)
{
    const struct column *column = record_column(round->record, ROUND_NAMES);
    const char *const *name;
    if (!column)
        return 0;
    if (round_names(round, &round->scratch, &name, fault) < 0) return -1;
    for (size_t i = 0; i < round->docs; i++)
        if (!name[i][0])
            return round_names_wrong(i, fault);
    return 0;
}

static int check_finite(uint64_t n, const unsigned char *values, const char *column,
                        struct fault *fault)
{
    const uint32_t exponent = 0x7f800000;
    unsigned bad = 0;
    for (uint64_t i = 0; i < n; i++)
        bad |= (unaligned_u4(values + 4 * i) & exponent) == exponent;
    for (uint64_t i = 0; bad && i < n; i++)
        if ((unaligned_u4(values + 4 * i) & exponent) == exponent)
            return fault_data(fault, "column %s: value %zu is not finite", column, (size_t)i);
    return 0;
}

/* Of compact features round_matrix checks that values are finite. */
static int check_features(struct round *round, struct fault *fault)
{
    struct matrix x;
    if (round_matrix(round, &x, fault) < 0) return -1;
    if (x.kind == MATRIX_DENSE)
        return check_finite((uint64_t)x.docs * x.dim, x.x, "x", fault);
    if (x.kind == MATRIX_SPARSE)
        return check_finite(unaligned_u4(x.ptr + 4 * x.docs), x.val, "val", fault);
    return 0;
}

/* Makes round t of a record of n bytes, which must outlive it. It may hold what text can say: t,
 * which is ignored, qid, request, docs, dim, labels, names of all documents, base and features,
 * within the limits of the options. All of it is checked, features too: O(n). 0 or a data fault. */
static int sent_round_read(struct round *round, const char *bytes, size_t n, uint64_t t,
                           const struct svm_options *options, struct fault *fault)
{
    struct reader reader;
    reader_open_bytes(&reader, bytes, n, "request");
    int got = reader_next(&reader, round->record, fault);
    if (got > 0 && (check_parts(round->record, fault) < 0 || round_header(round, fault) < 0 ||
                    check_limits(round, options, fault) < 0 ||
                    round_columns_read(round, fault) < 0 || check_sent_names(round, fault) < 0 ||
                    check_features(round, fault) < 0)) {
        reader_refuse(&reader, round->record, fault);
        got = -1;
    }
    reader_close(&reader);
    if (got == 0)
        return fault_data(fault, "request: an empty stream");
    if (got < 0) {
        if (fault->kind == FAULT_CUT)
            fault->kind = FAULT_DATA; /* of this request, not of what serve reads */
        return -1;
    }
    return round_set(round, KEY_T, t, fault);
}

/* ---- a request and its answer ---- */

static char *const no_files[] = { NULL };

int answerer_open(struct answerer *my, struct fault *fault)
{
    my->options.blank_ends = my->options.unlabelled = my->options.names = true;
    svm_open(&my->svm, no_files, &my->options, NULL);
    my->printer.out = &my->answer;
    return writer_open_bytes(&my->answer, fault);
}

void answerer_close(struct answerer *my)
{
    svm_close(&my->svm);
    forms_close(&my->printer);
    writer_close(&my->answer);
}

/* Either all documents have a name, or none has; and a name can be printed. The pipeline must not
 * see a round, and log it, whose answer could not be printed. */
static int check_names(struct svm_query *query, struct fault *fault)
{
    size_t empty = 0;
    const char *name = query->names, *end = name + query->name_bytes;
    for (; name < end; name += strlen(name) + 1) {
        empty += !*name;
        for (const char *p = name; *p; p++)
            if ((unsigned char)*p < ' ' || *p == 127)
                return fault_data(fault, "request: the name of a document has a control "
                                  "character");
    }
    if (empty && empty < query->docs)
        return fault_data(fault, "request: %zu of %zu documents have no name in a comment", empty,
                          query->docs);
    if (empty)
        query->names = NULL;
    return 0;
}

/* Makes the round of a request: 0 or a fault. */
static int read_request(struct answerer *my, const char *text, size_t n, uint64_t stamp,
                        struct fault *fault)
{
    struct svm_query query;
    if (sent_round_begins(text, n)) {
        if (sent_round_read(my->round, text, n, my->next, &my->options, fault) < 0) return -1;
        return round_set(my->round, KEY_TIME, stamp, fault);
    }
    if (lines_text(&my->svm.lines, "request", text, n, fault) < 0) return -1;
    int found = svm_next(&my->svm, &query, fault);
    if (found == 0)
        return fault_data(fault, "request: it has no documents");
    if (found < 0 || check_names(&query, fault) < 0 ||
        svm_round(&my->svm, &query, my->next, my->round, fault) < 0 ||
        round_set(my->round, KEY_TIME, stamp, fault) < 0)
        return -1;
    return round_read(my->round, fault);
}

/* Sends the round through the pipeline: 0 or a fault. */
static int run(struct answerer *my, struct fault *fault)
{
    struct round *round = my->round;
    my->next++;
    my->named = round->request;
    enum outcome outcome = chain_each(my->chain, round, fault);
    if (outcome == FAIL) return -1;
    if (outcome != PASS)
        return fault_data(fault, "the pipeline dropped the round");
    if (!round->order)
        return fault_other(fault, "the pipeline gives no order to show: add explore");
    my->explored = round->greedy || round->grouped || round->subset;
    if (forms_rank(&my->printer, round, fault) < 0) return -1;
    bool unstored = my->named && !round->request;
    my->named = my->named && !unstored;
    return unstored ? writer_text(&my->answer, fault, ANSWERER_UNSTORED) : 0;
}

int answerer_refuse(struct answerer *my, const char *why, struct fault *fault)
{
    char line[sizeof fault->text];
    size_t n = 0;
    for (; why[n] && n + 1 < sizeof line; n++)
        line[n] = (unsigned char)why[n] < ' ' || why[n] == 127 ? '?' : why[n];
    line[n] = '\0';
    my->answer.pending.held = 0;
    return writer_text(&my->answer, fault, "! %.1000s\n\n", line);
}

int answerer_answer(struct answerer *my, const char *text, size_t n, uint64_t stamp,
                    struct fault *fault)
{
    my->answer.pending.held = 0;
    my->explored = false;
    if (my->next == RECORD_MOST)
        return fault_other(fault, "no number is left for another round");
    if (read_request(my, text, n, stamp, fault) == 0 && run(my, fault) == 0)
        return writer_bytes(&my->answer, "\n", 1, fault) < 0 ? -1 : 1;
    if (fault->kind != FAULT_DATA) return -1;
    struct fault why = *fault;
    *fault = (struct fault){ FAULT_NONE, "" };
    return answerer_refuse(my, why.text, fault);
}

/* Bytes of requests in a turn; of answers that a client may leave unread; seconds to wait for
 * clients at the end; clients accepted at once. */
enum { TURN = 64 * 1024, UNREAD = 64 * 1024, LAST_WAIT = 5, WELCOMES = 64 };

/* Bytes of one read; a buffer that grew beyond LARGE is freed when it is empty. */
enum { CHUNK = 64 * 1024, LARGE = 1024 * 1024 };

enum { AT_LISTENER, AT_STOP, AT_CLIENTS };

/* ---- the bytes of one client ---- */

static char *in_at(const struct connection *client, size_t at)
{
    return (char *)client->in.at + at;
}

/* Reads what is there, at most 64 KiB, as long as the request at hand has at most `most` bytes: 1,
 * 0 where the client is gone, or a fault. */
static int read_some(struct connection *client, size_t most, struct fault *fault)
{
    if (client->from > 0) { /* the bytes that are still to be used move to the front */
        memmove(client->in.at, in_at(client, client->from), client->until - client->from);
        client->until -= client->from;
        client->line -= client->from;
        client->looked -= client->from;
        client->from = 0;
    }
    if (client->until > most)
        return 1;
    size_t room = most + 1 - client->until;
    if (room > CHUNK)
        room = CHUNK;
    if (!buffer_for(&client->in, client->until + room, 1, fault)) return -1;
    ssize_t got = read(client->fd, in_at(client, client->until), room);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    client->until += (size_t)got;
    client->ended = got == 0;
    client->came = moment_seconds();
    client->stamp = moment_stamp();
    return 1;
}

/* The line that ends before `end` belongs to a request, ends one, or comes before it; or it is the
 * header line of a record. */
static void pass_line(struct connection *client, size_t end)
{
    const char *line = in_at(client, client->line);
    if (!client->content && sent_round_begins(line, end - client->line)) {
        client->header = end + 1 - client->line;
        client->record = sent_round_bytes(line, client->header);
        client->lost = client->record == 0;
        client->record = client->lost ? client->header : client->record;
        return;
    }

    /* Is it blank, as svm_next has it? */
    size_t n = end - client->line;
    n -= n && line[n - 1] == '\r';
    while (n && text_is_blank(line[n - 1]))
        n--;
    bool blank = n == 0;

    client->line = client->looked = end + 1;
    if (!blank)
        client->content = true;
    else if (client->content)
        client->request = client->line - client->from;
    else
        client->from = client->line;
}

/* Looks for the end of the request at hand, which is a blank line, also one that is only blanks and
 * CR. Blank lines before a request are skipped. Is there a whole request: `request` bytes from
 * `from` on? */
static bool find_request(struct connection *client)
{
    while (!client->request && !client->record && client->looked < client->until) {
        const char *from = in_at(client, client->looked);
        const char *end = memchr(from, '\n', client->until - client->looked);
        if (end)
            pass_line(client, client->looked + (size_t)(end - from));
        else
            client->looked = client->until;
    }
    if (client->record && client->record <= client->until - client->from)
        client->request = client->record;
    return client->request > 0;
}

/* Has the request at hand more than so many bytes, without an end? Has it any? */
static bool is_too_long(const struct connection *client, size_t most)
{
    return !client->request && (client->until - client->from > most || client->record > most);
}

static bool is_within(const struct connection *client)
{
    return client->until > client->from;
}

/* Forgets the request that find_request found. */
static void next_request(struct connection *client)
{
    client->from += client->request;
    client->request = client->record = client->header = 0;
    client->content = false;
    client->line = client->looked = client->from;
    if (client->from < client->until)
        return;
    client->from = client->until = client->line = client->looked = 0;
    if (client->in.bytes > LARGE)
        buffer_free(&client->in);
}

/* Bytes of answers that are still to be written. */
static size_t held(const struct connection *client)
{
    return client->held - client->sent;
}

/* Adds to the answers. 0 or a fault. */
static int add_answer(struct connection *client, const void *text, size_t n, struct fault *fault)
{
    if (client->sent) {
        memmove(client->out.at, (char *)client->out.at + client->sent, held(client));
        client->held -= client->sent;
        client->sent = 0;
    }
    char *out = buffer_for(&client->out, client->held + n, 1, fault);
    if (!out) return -1;
    memcpy(out + client->held, text, n);
    client->held += n;
    return 0;
}

/* Forgets the marks of this turn; with a line of n bytes, adds it at the end of each answer that
 * has one. 0 or a fault. */
static int settle_marks(struct connection *client, const char *line, size_t n, struct fault *fault)
{
    const size_t *marks = client->marks.at;
    size_t left = client->marked, end = client->held;
    client->marked = 0;
    if (n == 0 || left == 0)
        return 0;
    char *out = buffer_for(&client->out, client->held + left * n, 1, fault);
    if (!out) return -1;
    for (; left > 0; left--) { /* what follows the last mark moves by all lines, and so on */
        size_t at = marks[left - 1];
        memmove(out + at + left * n, out + at, end - at);
        memcpy(out + at + (left - 1) * n, line, n);
        client->held += n;
        end = at;
    }
    return 0;
}

/* Writes as much of the answers as the client takes now. False: it is gone. */
static bool write_some(struct connection *client)
{
    size_t n = held(client);
    if (n == 0)
        return true;
    ssize_t put = write(client->fd, (char *)client->out.at + client->sent, n);
    if (put < 0)
        return errno == EAGAIN || errno == EINTR;
    client->sent += (size_t)put;
    client->since = moment_seconds();
    if (client->sent < client->held)
        return true;
    client->sent = client->held = 0;
    if (client->out.bytes > LARGE)
        buffer_free(&client->out);
    return true;
}

static void close_connection(struct connection *client)
{
    close(client->fd);
    buffer_free(&client->in);
    buffer_free(&client->out);
    buffer_free(&client->marks);
}

/* ---- all of them ---- */

int server_open(struct server *my, struct fault *fault)
{
    size_t bytes = my->clients * sizeof *my->client;
    my->client = calloc(my->clients, sizeof *my->client);
    my->polls = calloc(my->clients + AT_CLIENTS, sizeof *my->polls);
    return my->client && my->polls ? 0 : fault_no_room(fault, bytes);
}

void server_close(struct server *my)
{
    while (my->count)
        close_connection(&my->client[--my->count]);
    free(my->client);
    free(my->polls);
}

/* ---- one client ---- */

/* Tells a client why its connection is closed, which follows. 0 or a fault. */
static int dismiss(struct server *my, struct connection *client, const char *why,
                   struct fault *fault)
{
    struct writer *text = &my->answerer->answer;
    my->status->errors[STATUS_CLOSED]++;
    client->leaving = true;
    if (answerer_refuse(my->answerer, why, fault) < 0) return -1;
    return add_answer(client, text->buffer, text->pending.held, fault);
}

/* An end record gets no answer if its count is right: 1 then, 0 where it is none, -1 and a data
 * fault where it is wrong. */
static int pass_end(struct server *my, struct connection *client, struct fault *fault)
{
    static const char end[] = "rankpipe/1 end";
    struct record *record = my->answerer->round->record;
    const char *line = in_at(client, client->from);
    const size_t n = client->header;
    const bool ends = n >= sizeof end && memcmp(line, end, sizeof end - 1) == 0;
    if (n == 0)
        return 0;
    if (ends && header_parse(record, line, n - 1, fault) < 0) return -1;
    if (!ends || record->kind != RECORD_END) {
        client->rounds++;
        return 0;
    }
    uint64_t came = client->rounds;
    client->rounds = 0;
    return record->rounds == came ? 1 : fault_data(fault, "request: the end record counts %" PRIu64
                                                   " rounds, but %" PRIu64 " came", record->rounds,
                                                   came);
}

/* Answers the request at hand. 0 or a fault. */
static int answer(struct server *my, struct connection *client, struct fault *fault)
{
    int ends = pass_end(my, client, fault);
    if (ends < 0) { /* what the client counts is not what it sent, so nothing of it is trusted */
        struct fault why = *fault;
        *fault = (struct fault){ FAULT_NONE, "" };
        next_request(client);
        return dismiss(my, client, why.text, fault);
    }
    if (ends > 0) {
        next_request(client);
        client->since = client->came;
        return 0;
    }
    bool lost = client->lost;
    struct answerer *answerer = my->answerer;
    int ranked = answerer_answer(answerer, in_at(client, client->from), client->request,
                                 client->stamp, fault);
    if (ranked < 0 ||
        add_answer(client, answerer->answer.buffer, answerer->answer.pending.held, fault) < 0)
        return -1;
    if (ranked && answerer->named) { /* its round is stored before the answer is written */
        size_t *mark = buffer_for(&client->marks, client->marked + 1, sizeof *mark, fault);
        if (!mark) return -1;
        mark[client->marked++] = client->held - 1; /* before the blank line */
    }
    if (ranked)
        status_round(my->status, client->came, answerer->explored);
    else
        my->status->errors[STATUS_REQUEST]++;
    client->since = client->came;
    client->leaving = client->leaving || lost; /* where the next record begins is not known */
    next_request(client);
    return 0;
}

/* May the client have more answers, unread ones being few? */
static bool may_answer(const struct connection *client)
{
    return !client->leaving && held(client) <= UNREAD;
}

/* Has it a whole request that could be answered now? */
static bool is_waiting(const struct connection *client)
{
    return client->request && may_answer(client);
}

/* What a client is waited for. A client that should first read its answers is not read from. */
static short events_of(const struct server *my, const struct connection *client)
{
    bool reads = !my->stopping && !client->ended && !client->request && may_answer(client);
    return (short)((reads ? POLLIN : 0) | (held(client) ? POLLOUT : 0));
}

/* Reads what is there, up to the end of the request at hand: the next client's turn would only push
 * it out of the caches. As read_some. */
static int read_request_bytes(struct connection *client, size_t most, struct fault *fault)
{
    for (;;) {
        size_t before = client->until - client->from;
        int open = read_some(client, most, fault);
        if (open <= 0 || client->ended || client->until - client->from == before ||
            find_request(client) || is_too_long(client, most))
            return open;
    }
}

/* Reads from a client whose turn it is, and answers it. 0 or a fault. */
static int hear(struct server *my, struct connection *client, short events, struct fault *fault)
{
    client->gone = events & (POLLERR | POLLHUP | POLLNVAL);
    if (client->gone)
        return 0;
    int open = events & POLLIN ? read_request_bytes(client, my->bytes, fault) : 1;
    client->gone = open == 0;
    if (open <= 0)
        return open;

    char why[100];
    size_t bytes = 0;
    while (bytes < TURN && may_answer(client) && find_request(client)) {
        bytes += client->request;
        if (answer(my, client, fault) < 0) return -1;
    }
    if (client->leaving || find_request(client))
        return 0;
    if (is_too_long(client, my->bytes)) {
        snprintf(why, sizeof why, "request: more than %zu bytes: the connection is closed",
                 my->bytes);
        return dismiss(my, client, why, fault);
    }
    if (!client->ended && !my->stopping)
        return 0;
    if (is_within(client))
        return dismiss(my, client, client->record  ? "request: the record is cut short"
                                   : client->ended ? "request: no blank line ends it"
                                   : "request: not whole when the service stopped", fault);
    client->leaving = true;
    return 0;
}

/* Writes its answers. Does it stay? */
static bool tell(struct server *my, struct connection *client)
{
    client->turn = false;
    client->gone = client->gone || !write_some(client);
    if (client->gone)
        my->status->errors[STATUS_GONE] += client->request || held(client);
    return !client->gone && (!client->leaving || held(client));
}

static void remove_client(struct server *my, size_t i)
{
    close_connection(&my->client[i]);
    my->client[i] = my->client[--my->count];
    my->crowded = false;
}

/* ---- all clients ---- */

/* Gives each client that is ready its turn. 0 or a fault. */
static int serve_all(struct server *my, struct fault *fault)
{
    for (size_t i = 0; i < my->count; i++) {
        struct connection *client = &my->client[i];
        short events = my->polls[AT_CLIENTS + i].revents;
        client->turn = events || is_waiting(client) || my->stopping;
        if (client->turn && hear(my, client, events, fault) < 0) return -1;
    }

    /* The rounds of a turn are committed; where that failed, their answers say so. */
    struct writer *gate = my->gate;
    bool due = my->status->pending && gate->before;
    int lost = due ? gate->before(gate->self, fault) : 0;
    for (size_t i = 0; lost >= 0 && i < my->count; i++)
        if (settle_marks(&my->client[i], ANSWERER_UNSTORED,
                         lost ? sizeof ANSWERER_UNSTORED - 1 : 0, fault) < 0)
            return -1;
    if (lost < 0) return -1;

    status_answered(my->status, moment_seconds());
    for (size_t i = my->count; i-- > 0;)
        if (my->client[i].turn && !tell(my, &my->client[i]))
            remove_client(my, i); /* the one that takes its place has been told */
    return 0;
}

/* The client that has waited longest, and at least a second, with nothing to be answered, or with
 * answers that it does not read; my->count: none. It gives its place to a new one: so clients that
 * open and wait keep nobody out. */
static size_t most_idle(const struct server *my, double now)
{
    size_t found = my->count;
    double since = now - 1;
    for (size_t i = 0; i < my->count; i++) {
        const struct connection *client = &my->client[i];
        if (client->since <= since && !is_waiting(client)) {
            found = i;
            since = client->since;
        }
    }
    return found;
}

static bool has_room(const struct server *my)
{
    return my->count < my->clients || most_idle(my, moment_seconds()) < my->count;
}

static void welcome(struct server *my)
{
    for (int i = 0; i < WELCOMES && has_room(my); i++) {
        int fd = listener_accept(my->listener);
        if (fd < 0) {
            my->crowded = errno != 0;
            return;
        }
        if (my->count == my->clients) {
            my->status->errors[STATUS_CLOSED]++;
            remove_client(my, most_idle(my, moment_seconds()));
        }
        my->client[my->count++] = (struct connection){ .fd = fd, .since = moment_seconds() };
        my->status->clients++;
    }
}

/* Looks for clients that have been idle too long. */
static int look_for_idle(struct server *my, double now, struct fault *fault)
{
    char why[100];
    for (size_t i = my->count; i-- > 0;) {
        struct connection *client = &my->client[i];
        if (now - client->since < my->idle)
            continue;
        bool within = !client->leaving && !held(client) && is_within(client);
        snprintf(why, sizeof why, "request: not whole after %g seconds", my->idle);
        if (within && dismiss(my, client, why, fault) < 0) return -1;
        if (within)
            (void)write_some(client);
        else
            my->status->errors[STATUS_CLOSED] += held(client) > 0;
        remove_client(my, i);
    }
    return 0;
}

/* What is done once a second. 0 or a fault. */
static int tick(struct server *my, struct fault *fault)
{
    double now = moment_seconds();
    if (now - my->checked < 1)
        return 0;
    my->checked = now;
    my->crowded = false;
    return watch_ring(my->watch, fault) < 0 ? -1 : look_for_idle(my, now, fault);
}

static void report(struct server *my, bool now_due)
{
    struct fault why = { FAULT_NONE, "" };
    my->status->open = my->count;
    my->status->next = my->answerer->next;
    int wrote = status_write(my->status, now_due, &why);
    if (wrote > 0)
        my->warned = false;
    if (wrote >= 0)
        return;
    my->status->errors[STATUS_FILE]++;
    if (!my->warned)
        my->warn(my->to, why.text);
    my->warned = true;
}

/* Waits for the next event, or for a second. */
static int wait(struct server *my, struct fault *fault)
{
    struct pollfd *polls = my->polls;
    bool room = !my->stopping && !my->crowded && has_room(my);
    bool waiting = false;
    polls[AT_LISTENER] = (struct pollfd){ room ? my->listener->fd : -1, POLLIN, 0 };
    polls[AT_STOP] = (struct pollfd){ my->stopping ? -1 : my->stop, POLLIN, 0 };
    for (size_t i = 0; i < my->count; i++) {
        struct connection *client = &my->client[i];
        waiting = waiting || is_waiting(client);
        polls[AT_CLIENTS + i] = (struct pollfd){ client->fd, events_of(my, client), 0 };
    }
    bool idle = my->count == 0 && !my->status->path && !my->crowded && !my->watch->alarms;
    double left = my->stopped + LAST_WAIT - moment_seconds();
    int most = !my->stopping || left > 1 ? 1000 : left > 0 ? (int)(1000 * left) + 1 : 0;
    if (poll(polls, AT_CLIENTS + my->count, waiting ? 0 : idle ? -1 : most) >= 0)
        return 0;
    for (size_t i = 0; i < AT_CLIENTS + my->count; i++)
        polls[i].revents = 0;
    return errno == EINTR ? 0 : fault_system(fault, "cannot wait for clients");
}

/* A signal came. What clients have sent whole is still answered; read it. */
static int begin_to_stop(struct server *my, struct fault *fault)
{
    listener_close(my->listener);
    my->stopping = true;
    my->stopped = moment_seconds();
    for (size_t i = 0; i < my->count; i++) {
        struct connection *client = &my->client[i];
        bool reads = !client->ended && !client->request && may_answer(client);
        if (reads && read_some(client, my->bytes, fault) < 0) return -1;
    }
    return 0;
}

int server_run(struct server *my, struct fault *fault)
{
    int result = 0;
    report(my, true);
    while (result == 0 &&
           !(my->stopping && (my->count == 0 || moment_seconds() - my->stopped > LAST_WAIT))) {
        result = wait(my, fault);
        if (result == 0 && my->polls[AT_STOP].revents)
            result = begin_to_stop(my, fault);
        if (result == 0)
            result = serve_all(my, fault);
        if (result == 0 && my->polls[AT_LISTENER].revents)
            welcome(my);
        if (result == 0)
            result = tick(my, fault);
        report(my, false);
    }
    report(my, true);
    return result;
}
