/*
 * qids: each qid is new once, whatever its hash; and no one can choose qids that collide, because
 * each set hashes under a key of its own.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/qids.h"

enum { QIDS = 300000 };

static int wrong;

static void hold(bool right, const char *what, const char *qid)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "qids: %s: '%.40s'\n", what, qid);
}

static int enter(struct qids *qids, const char *qid)
{
    struct fault fault = { FAULT_NONE, "" };
    int new = qids_enter(qids, qid, &fault);
    hold(new >= 0, fault.text, qid);
    return new;
}

static void check_many(void)
{
    struct qids qids = { .used = 0 };
    char qid[24];
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < QIDS; i++) {
            snprintf(qid, sizeof qid, i % 2 ? "%u" : "query-%08u", i);
            hold(enter(&qids, qid) == (pass == 0), pass ? "new again" : "not new", qid);
        }
    hold(qids.used == QIDS, "not so many", "");
    hold(enter(&qids, "") == 1 && enter(&qids, "") == 0, "empty", "");
    qids_close(&qids);
}

/* These two have one hash by FNV-1a, for instance. */
static void check_collision(void)
{
    static const char *const pair[] = { "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ" };
    struct qids qids = { .used = 0 };
    for (size_t i = 0; i < 2; i++)
        hold(enter(&qids, pair[i]) == 1, "not new", pair[i]);
    for (size_t i = 0; i < 2; i++)
        hold(enter(&qids, pair[i]) == 0, "new again", pair[i]);
    qids_close(&qids);
}

static void check_keys(void)
{
    struct qids a = { .used = 0 }, b = { .used = 0 };
    (void)enter(&a, "17");
    (void)enter(&b, "17");
    hold(qids_hash(&a, "17") == qids_hash(&a, "17"), "another hash in one set", "17");
    hold(qids_hash(&a, "17") != qids_hash(&b, "17"), "one hash in two sets", "17");
    qids_close(&a);
    qids_close(&b);
}

int main(void)
{
    check_many();
    check_collision();
    check_keys();
    return wrong ? 1 : 0;
}
