#include "log/client_cap.h"

#include <string.h>

#define DAY ((uint64_t)86400000) /* milliseconds */

/* Answers of a client in a day that count at least, and the share of all. */
enum { CAP_LEAST = 10, CAP_SHARE = 100 };

static void close_counts(struct client_counts *counts)
{
    name_table_close(&counts->names);
    buffer_free(&counts->counts);
    *counts = (struct client_counts){ .names.numbered = true };
}

/* A later day begins. */
static void begin_day(struct client_cap *cap, uint64_t day)
{
    cap->day = day;
    cap->counted = 0;
    close_counts(&cap->queries);
    close_counts(&cap->clients);
}

/* The count of a name of n bytes, at first 0, good until the next call; NULL with a fault. */
static uint64_t *count_of(struct client_counts *counts, const char *name, size_t n,
                          struct fault *fault)
{
    uint64_t number;
    int fresh = name_table_number(&counts->names, name, n, &number, fault);
    uint64_t *count = fresh < 0 ? NULL : buffer_for(&counts->counts, number, sizeof *count, fault);
    if (count && fresh)
        count[number - 1] = 0;
    return count ? &count[number - 1] : NULL;
}

/* Client and query as one name: neither has blanks. NULL with a fault. */
static const char *name_pair(struct client_cap *cap, const char *client, const char *qid,
                             size_t *bytes, struct fault *fault)
{
    size_t n = strlen(client), more = strlen(qid);
    char *name = buffer_for(&cap->name, n + 1 + more + 1, 1, fault);
    if (!name)
        return NULL;
    memcpy(name, client, n);
    name[n] = ' ';
    memcpy(name + n + 1, qid, more + 1);
    *bytes = n + 1 + more;
    return name;
}

static uint64_t most_of_all(const struct client_cap *cap)
{
    uint64_t share = cap->counted / CAP_SHARE;
    return cap->all ? cap->all : share > CAP_LEAST ? share : CAP_LEAST;
}

int client_cap_admit(struct client_cap *cap, const char *client, const char *qid, uint64_t time,
                     struct fault *fault)
{
    size_t n;
    if (!cap->each)
        return 1;
    if (time / DAY > cap->day || !cap->clients.names.numbered)
        begin_day(cap, time / DAY);
    if (client) {
        const char *name = name_pair(cap, client, qid ? qid : "", &n, fault);
        uint64_t *each = name ? count_of(&cap->queries, name, n, fault) : NULL;
        uint64_t *all = each ? count_of(&cap->clients, client, strlen(client), fault) : NULL;
        if (!all) return -1;
        if (*each >= cap->each || *all >= most_of_all(cap))
            return 0;
        ++*each;
        ++*all;
    }
    cap->counted++;
    return 1;
}

void client_cap_close(struct client_cap *cap)
{
    close_counts(&cap->queries);
    close_counts(&cap->clients);
    buffer_free(&cap->name);
}
