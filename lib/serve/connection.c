#include "serve/connection.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/moment.h"

/* Bytes of one read; a buffer that grew beyond LARGE is freed when it is empty. */
enum { CHUNK = 64 * 1024, LARGE = 256 * 1024 };

static char *in_at(const struct connection *client, size_t at)
{
    return (char *)client->in.at + at;
}

/* Moves the bytes that are still to be used to the front. */
static void pull(struct connection *client)
{
    if (client->from == 0)
        return;
    memmove(client->in.at, in_at(client, client->from), client->until - client->from);
    client->until -= client->from;
    client->line -= client->from;
    client->looked -= client->from;
    client->from = 0;
}

enum connection_state connection_read(struct connection *client, size_t most, struct fault *fault)
{
    pull(client);
    if (client->until > most)
        return CONNECTION_OPEN;
    size_t room = most + 1 - client->until;
    if (room > CHUNK)
        room = CHUNK;
    if (!buffer_for(&client->in, client->until + room, 1, fault))
        return CONNECTION_FAULT;
    ssize_t got = read(client->fd, in_at(client, client->until), room);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? CONNECTION_OPEN : CONNECTION_GONE;
    client->until += (size_t)got;
    client->ended = got == 0;
    client->came = moment_seconds();
    client->stamp = moment_stamp();
    return CONNECTION_OPEN;
}

/* Is the line of n bytes blank, as svm_next has it? */
static bool is_blank(const char *line, size_t n)
{
    n -= n && line[n - 1] == '\r';
    while (n && text_is_blank(line[n - 1]))
        n--;
    return n == 0;
}

/* The line that ends before `end` belongs to a request, ends one, or comes before it. */
static void pass_line(struct connection *client, size_t end)
{
    bool blank = is_blank(in_at(client, client->line), end - client->line);
    client->line = client->looked = end + 1;
    if (!blank)
        client->content = true;
    else if (client->content)
        client->request = client->line - client->from;
    else
        client->from = client->line;
}

bool connection_find(struct connection *client)
{
    while (client->request == 0 && client->looked < client->until) {
        const char *from = in_at(client, client->looked);
        const char *end = memchr(from, '\n', client->until - client->looked);
        if (end)
            pass_line(client, client->looked + (size_t)(end - from));
        else
            client->looked = client->until;
    }
    return client->request > 0;
}

const char *connection_text(const struct connection *client)
{
    return in_at(client, client->from);
}

bool connection_is_over(const struct connection *client, size_t most)
{
    return !client->request && client->until - client->from > most;
}

bool connection_is_within(const struct connection *client)
{
    return client->until > client->from;
}

void connection_next(struct connection *client)
{
    client->from += client->request;
    client->request = 0;
    client->content = false;
    if (client->from < client->until)
        return;
    client->from = client->until = client->line = client->looked = 0;
    if (client->in.bytes > LARGE)
        buffer_free(&client->in);
}

int connection_answer(struct connection *client, const void *text, size_t n, struct fault *fault)
{
    if (client->sent) {
        memmove(client->out.at, (char *)client->out.at + client->sent, connection_held(client));
        client->held -= client->sent;
        client->sent = 0;
    }
    char *out = buffer_for(&client->out, client->held + n, 1, fault);
    if (!out)
        return -1;
    memcpy(out + client->held, text, n);
    client->held += n;
    return 0;
}

size_t connection_held(const struct connection *client)
{
    return client->held - client->sent;
}

enum connection_state connection_write(struct connection *client)
{
    size_t n = connection_held(client);
    if (n == 0)
        return CONNECTION_OPEN;
    ssize_t put = write(client->fd, (char *)client->out.at + client->sent, n);
    if (put < 0)
        return errno == EAGAIN || errno == EINTR ? CONNECTION_OPEN : CONNECTION_GONE;
    client->sent += (size_t)put;
    client->since = moment_seconds();
    if (client->sent < client->held)
        return CONNECTION_OPEN;
    client->sent = client->held = 0;
    if (client->out.bytes > LARGE)
        buffer_free(&client->out);
    return CONNECTION_OPEN;
}

void connection_close(struct connection *client)
{
    close(client->fd);
    buffer_free(&client->in);
    buffer_free(&client->out);
}
