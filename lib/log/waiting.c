#include "log/waiting.h"

#include <inttypes.h>
#include <string.h>

#include "log/state_file.h"
#include "stream/round_fields.h"

static const char file_name[] = "waiting";

struct waiting_round *waiting_at(const struct waiting *waiting, size_t i)
{
    return (struct waiting_round *)waiting->list.at + i;
}

const char *waiting_text(const struct waiting *waiting, size_t at)
{
    return (const char *)waiting->text.at + at;
}

static const void *key_of(const void *entries, uint64_t entry, size_t *n)
{
    const struct waiting *waiting = entries;
    const char *request = waiting_text(waiting, waiting_at(waiting, entry - 1)->request);
    *n = strlen(request);
    return request;
}

struct waiting_round *waiting_find(const struct waiting *waiting, const char *request)
{
    if (!waiting->table.key)
        return NULL;
    uint64_t entry = hash_table_find(&waiting->table, waiting, request, strlen(request));
    return entry ? waiting_at(waiting, entry - 1) : NULL;
}

/* Copies a text, and sets *at to where it is now. */
static int add_text(struct waiting *waiting, const char *text, size_t *at, struct fault *fault)
{
    size_t n = strlen(text) + 1;
    char *all = buffer_for(&waiting->text, waiting->bytes + n, 1, fault);
    if (!all)
        return -1;
    memcpy(all + waiting->bytes, text, n);
    *at = waiting->bytes;
    waiting->bytes += n;
    return 0;
}

int waiting_add(struct waiting *waiting, const char *request, const char *stored, uint64_t time,
                struct fault *fault)
{
    struct waiting_round round = { .time = time };
    waiting->table.key = key_of;
    if (waiting_find(waiting, request))
        return 0;
    struct waiting_round *list = buffer_for(&waiting->list, waiting->count + 1, sizeof *list,
                                            fault);
    if (!list || add_text(waiting, request, &round.request, fault) < 0 ||
        add_text(waiting, stored, &round.stored, fault) < 0)
        return -1;
    list[waiting->count++] = round;
    return hash_table_add(&waiting->table, waiting, waiting->count, fault) < 0 ? -1 : 1;
}

void waiting_remove(struct waiting *waiting, struct waiting_round *round)
{
    hash_table_remove(&waiting->table, waiting, (uint64_t)(round - waiting_at(waiting, 0)) + 1);
    round->gone = true;
    waiting->gone++;
}

static int read_line(void *self, const char *const *text, size_t fields, struct fault *fault)
{
    uint64_t time;
    if (fields != 3 || strlen(text[1]) > ROUND_REQUEST || strlen(text[2]) > ROUND_STORED)
        return fault_data(fault, "not a round that waits");
    if (state_number(text[0], &time, fault) < 0)
        return -1;
    int added = waiting_add(self, text[1], text[2], time, fault);
    if (added == 0)
        return fault_data(fault, "a second round of one request");
    return added < 0 ? -1 : 0;
}

int waiting_read(struct waiting *waiting, const char *folder, struct fault *fault)
{
    return state_file_read(folder, file_name, read_line, waiting, fault);
}

static int write_round(struct writer *out, const struct waiting *waiting,
                       const struct waiting_round *round, struct fault *fault)
{
    const char *stored = waiting_text(waiting, round->stored);
    if (writer_text(out, fault, "%" PRIu64 "\t%s\t", round->time,
                    waiting_text(waiting, round->request)) < 0 ||
        writer_bytes(out, stored, strlen(stored), fault) < 0)
        return -1;
    return writer_text(out, fault, "\n");
}

int waiting_write(const struct waiting *waiting, const char *folder, struct fault *fault)
{
    struct fresh_file file;
    int result = fresh_file_open_in(&file, folder, file_name, fault);
    for (size_t i = 0; i < waiting->count && result == 0; i++)
        if (!waiting_at(waiting, i)->gone)
            result = write_round(&file.writer, waiting, waiting_at(waiting, i), fault);
    if (result == 0)
        result = state_file_finish(&file, waiting->count - waiting->gone, fault);
    fresh_file_close(&file);
    return result;
}

void waiting_close(struct waiting *waiting)
{
    hash_table_close(&waiting->table);
    buffer_free(&waiting->text);
    buffer_free(&waiting->list);
    waiting->count = waiting->bytes = waiting->gone = 0;
}
