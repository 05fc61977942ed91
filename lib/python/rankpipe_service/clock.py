"""clock: what is old by days of running, because the clock of a machine may be wrong.

The table days has a row for each day (UTC) on which a run ended well, in the order in which they were made. What is kept
for N days goes once it was taken in before the last N rows, or is dated before the least time of these (store.past and
store.cutoff). So a jump of 500 days is one day, and a pause of ten days is none.
"""
# SPDX-License-Identifier: ISC

import json
import os

from rankpipe_service import AHEAD, BEYOND, DAY, HOUR, PENDING, WAITING, daily, say
from rankpipe_service.generations import iso

KEPT = 40  # days of counts by hour, and of what was in use


def look(store):
    """When a run begins: says once if its clock is a day or more from that of the last run."""
    run, told = store.set.get("run"), json.loads(store.set.get("clock") or "[0, 0, 0]")
    last = told[1] if told[0] == run else run  # runs that failed have said it already
    if run and abs(store.now - last) >= DAY:
        rows = store.one("SELECT coalesce(max(id), 0) FROM days")
        with store:
            store.put(clock=json.dumps([run, store.now, max(rows, store.day)]))
        say(moved(store))


def moved(store):
    """What the last run that found the clock moved said, until a run makes the next row; or None."""
    run, now, row = json.loads(store.set.get("clock") or "[0, 0, 0]")
    if not run or store.one("SELECT coalesce(max(id), 0) FROM days") > row:
        return None
    days = (abs(now - run) + DAY // 2) // DAY
    what = "no run for %d day%s, or the clock was moved" if now > run else "the clock was moved back by %d day%s"
    return (what + ": the last run was at %s, and one after it at %s: if the clock is wrong, set it; nothing was lost") % (
        days, "s"[days == 1:], iso(run), iso(now))


def warnings(store):
    """What an operator should know of clocks, a sentence each."""
    n, path = store.sql("SELECT count(*), min(path) FROM transit WHERE due > ?", (store.now + AHEAD,)).fetchone()
    ahead = "%d files of log/ and answers/ have records that are ahead of the clock, the first in %s: set the clock of the " \
        "machine that wrote them; they wait for at most %d days" % (n, os.path.dirname(path or ""), WAITING)
    return [each for each in (moved(store), ahead if n else None) if each]


def end(store):
    """When a run has ended well: the first one of a day makes its row, and removes what is old: a part of a
    transaction."""
    if not store.sql("INSERT OR IGNORE INTO days VALUES(?, ?, ?)", (store.day, store.now // DAY, store.now)).rowcount:
        return
    old, past = store.cutoff, store.past
    gone = "answers WHERE (time < ? OR day <= ?) AND state "
    values, soon = (old(store["days"]), past(store["days"])), (old(store["unanswered-days"]), past(store["unanswered-days"]))
    store.sql("UPDATE generations SET root = NULL WHERE last >= (SELECT min(seq) FROM %s <> %d)" % (gone, PENDING), values)
    store.sql("DELETE FROM %s <> %d" % (gone, PENDING), values)
    store.sql("DELETE FROM %s = %d" % (gone, BEYOND), soon)
    store.put(whole=max(store.set.get("whole", 0), 1 + store.one("SELECT coalesce(max(time), -1) FROM rounds WHERE time < ? OR day <= ?",
                                                                *soon) // DAY))
    store.sql("DELETE FROM rounds WHERE (time < ? OR day <= ?) AND id NOT IN (SELECT round FROM answers)", soon)
    store.sql("DELETE FROM events WHERE (time < ? OR day <= ?) AND state <> 0", soon)
    store.sql("DELETE FROM doubled WHERE round NOT IN (SELECT id FROM rounds)")
    store.sql("DELETE FROM lists WHERE id NOT IN (SELECT list FROM rounds) AND "
              "id NOT IN (SELECT whole FROM lists WHERE whole IS NOT NULL)")
    store.sql("DELETE FROM quarantine WHERE day <= ?", (past(store["quarantine-days"]),))
    for table in "tally", "happened":
        store.sql("DELETE FROM %s WHERE hour > 0 AND hour < ?" % table, (old(KEPT) // HOUR,))
    store.sql("DELETE FROM uses WHERE time < ?", (old(KEPT),))
    daily.tidy(store)
