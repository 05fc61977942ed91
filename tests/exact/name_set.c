/*
 * name_set: each qid is new once, whatever its hash; and no one can choose qids that collide,
 * because each set hashes under a key of its own.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_set.h"

enum { QIDS = 300000 };

static int wrong;

static void hold(bool right, const char *what, const char *qid)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "name_set: %s: '%.40s'\n", what, qid);
}

static int enter(struct name_set *qids, const char *qid)
{
    struct fault fault = { FAULT_NONE, "" };
    int new = name_set_enter(qids, qid, &fault);
    hold(new >= 0, fault.text, qid);
    return new;
}

static void check_many(void)
{
    struct name_set qids = { .bytes = 0 };
    char qid[24];
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < QIDS; i++) {
            snprintf(qid, sizeof qid, i % 2 ? "%u" : "query-%08u", i);
            hold(enter(&qids, qid) == (pass == 0), pass ? "new again" : "not new", qid);
        }
    hold(qids.table.used == QIDS, "not so many", "");
    hold(enter(&qids, "") == 1 && enter(&qids, "") == 0, "empty", "");
    name_set_close(&qids);
}

/* These two have one hash by FNV-1a, for instance. */
static void check_collision(void)
{
    static const char *const pair[] = { "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ" };
    struct name_set qids = { .bytes = 0 };
    for (size_t i = 0; i < 2; i++)
        hold(enter(&qids, pair[i]) == 1, "not new", pair[i]);
    for (size_t i = 0; i < 2; i++)
        hold(enter(&qids, pair[i]) == 0, "new again", pair[i]);
    name_set_close(&qids);
}

static void check_keys(void)
{
    struct name_set a = { .bytes = 0 }, b = { .bytes = 0 };
    (void)enter(&a, "17");
    (void)enter(&b, "17");
    hold(memcmp(&a.table.start, &b.table.start, sizeof a.table.start) != 0, "one key of two sets",
         "17");
    name_set_close(&a);
    name_set_close(&b);
}

int main(void)
{
    check_many();
    check_collision();
    check_keys();
    return wrong ? 1 : 0;
}
