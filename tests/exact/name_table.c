/*
 * name_table: each qid is new once, whatever its hash, and keeps its number; and no one can choose
 * qids that collide, because each table hashes under a key of its own.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_table.h"

enum { QIDS = 300000 };

static int wrong;

static void hold(bool right, const char *what, const char *qid)
{
    if (!right && wrong++ < 20)
        fprintf(stderr, "name_table: %s: '%.40s'\n", what, qid);
}

static uint64_t last; /* the number of the qid entered last */

static int enter(struct name_table *qids, const char *qid)
{
    struct fault fault = { FAULT_NONE, "" };
    size_t n = strlen(qid);
    uint64_t before = qids->names, number = 0;
    bool was = name_table_has(qids, qid, n);
    int new = name_table_number(qids, qid, n, &number, &fault);
    hold(new >= 0, fault.text, qid);
    hold(new != was, "said to be there", qid);
    hold(new ? number == before + 1 : number <= before, "another number", qid);
    last = number;
    return new;
}

static void check_many(void)
{
    struct name_table qids = { .numbered = true };
    char qid[24];
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < QIDS; i++) {
            snprintf(qid, sizeof qid, i % 2 ? "%u" : "query-%08u", i);
            hold(enter(&qids, qid) == (pass == 0), pass ? "new again" : "not new", qid);
            hold(last == i + 1, "another number", qid);
        }
    const char *name = NULL;
    for (unsigned i = 0; i < QIDS; i++) {
        name = name_table_next(&qids, name);
        snprintf(qid, sizeof qid, i % 2 ? "%u" : "query-%08u", i);
        hold(strcmp(name, qid) == 0, "another name", qid);
    }
    hold(qids.table.used == QIDS, "not so many", "");
    hold(enter(&qids, "") == 1 && enter(&qids, "") == 0, "empty", "");
    name_table_close(&qids);
}

/* These two have one hash by FNV-1a, for instance. */
static void check_collision(void)
{
    static const char *const pair[] = { "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ" };
    struct name_table qids = { .numbered = true };
    for (size_t i = 0; i < 2; i++)
        hold(enter(&qids, pair[i]) == 1, "not new", pair[i]);
    for (size_t i = 0; i < 2; i++)
        hold(enter(&qids, pair[i]) == 0, "new again", pair[i]);
    name_table_close(&qids);
}

static void check_keys(void)
{
    struct name_table a = { .numbered = true }, b = { .numbered = true };
    (void)enter(&a, "17");
    (void)enter(&b, "17");
    hold(memcmp(&a.table.start, &b.table.start, sizeof a.table.start) != 0, "one key of two sets",
         "17");
    name_table_close(&a);
    name_table_close(&b);
}

/* A name of NULL is new each time, and is no name. */
static void check_nameless(void)
{
    struct name_table qids = { .numbered = true };
    struct fault fault = { FAULT_NONE, "" };
    for (uint64_t i = 1; i <= 3; i++) {
        uint64_t number = 0;
        int new = name_table_number(&qids, NULL, 0, &number, &fault);
        hold(new == 1 && number == i, "not new", "-");
    }
    hold(!name_table_has(&qids, "", 0), "found", "");
    hold(enter(&qids, "17") == 1 && last == 4, "not the fourth", "17");
    name_table_close(&qids);
}

/* Of n names, each ended by NUL. Large lists leave nothing behind that small ones meet. */
static void check_differ(void)
{
    static const struct list {
        const char *text;
        size_t n;
        int differ;
    } lists[] = { { "", 0, 1 }, { "a", 1, 1 }, { "a\0b\0ab", 3, 1 }, { "a\0b\0a", 3, 0 },
                  { "b\0\0a", 3, 0 }, { "a\0b", 2, 1 }, { "a\0a\0", 1, 1 } };
    struct hash_table names = { .used = 0 };
    struct fault fault = { FAULT_NONE, "" };
    static char text[16 * QIDS];
    size_t bytes = 0;
    for (unsigned i = 0; i < QIDS; i++)
        bytes += (size_t)sprintf(text + bytes, "%u", i) + 1;
    for (unsigned pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            hold(name_table_differ(&names, lists[i].text, lists[i].n, &fault) == lists[i].differ,
                 "differ", lists[i].text);
        hold(pass > 0 || name_table_differ(&names, text, QIDS, &fault) == 1, "many", "");
    }
    hold(names.slots < 2000, "a large table is kept for small lists", "");
    hash_table_close(&names);
}

int main(void)
{
    check_nameless();
    check_differ();
    check_many();
    check_collision();
    check_keys();
    return wrong ? 1 : 0;
}
