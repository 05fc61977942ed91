"""tally: counts of what users said, and whether the newest answers are unlike those before."""
# SPDX-License-Identifier: ISC

import bisect
import json
import math

from rankpipe_service import HOUR, daily
from rankpipe_service.records import seen_of

PLACES = 10  # places of a list that are counted one by one
RECENT, REFERENCE = 5, 300  # runs that are compared with those before
FEW = 10, 50  # answers that each of the two must have
SIGMAS, DROP, CALM = 4.5, 0.5, 0.75


class Tally:
    """Counts the answers of a run, by hour, generation, chance and place; stored with them."""

    def __init__(self, store):
        self.db, self.rows, self.clusters = store, {}, {}
        self.uses = store.sql("SELECT time, generation FROM uses ORDER BY time").fetchall()
        self.times = [when for when, _ in self.uses]
        self.grade = store["grade"] or 1
        self.answers = 0

    def add(self, then, when, client, chance, seen):
        """An answer at `when` to a round of `then`, by a client or None."""
        at = bisect.bisect_right(self.times, then)
        used = self.uses[at - 1][1] if at else 0
        places = [(0, sum(map(bool, seen)), sum(seen), when - then if when else 0)]
        places += [(a, value > 0, value, 0) for a, value in enumerate(seen[:PLACES], 1)]
        for hour, generation in {(then // HOUR, 0), (0, used), (0, 0)}:
            for place, clicks, relevance, delay in places:
                row = self.rows.setdefault((hour, generation, int(chance), place), [0, 0, 0, 0])
                row[0] += 1
                row[1] += clicks
                row[2] += relevance
                row[3] += delay
        self.answers += 1
        if not chance:
            cluster = self.clusters.setdefault(("client", client) if client else self.answers, [0, 0])
            cluster[0] += 1
            cluster[1] += contrast(seen) / self.grade

    def change(self, sign=1):
        """Adds to the counts of the database, or takes away from them."""
        rows = [(*key, *(sign * value for value in row)) for key, row in self.rows.items()]
        if sign > 0:
            self.db.many("INSERT OR IGNORE INTO tally VALUES(?, ?, ?, ?, 0, 0, 0, 0)", [row[:4] for row in rows])
        self.db.many("UPDATE tally SET n = n + ?5, clicks = clicks + ?6, relevance = relevance + ?7, delay = delay + ?8 "
                     "WHERE hour = ?1 AND generation = ?2 AND chance = ?3 AND place = ?4", rows)
        self.db.sql("DELETE FROM tally WHERE n <= 0")

    def store_it(self):
        self.change()
        groups = self.clusters.values()
        if groups:
            self.db.sql("INSERT INTO runs(time, answers, n, total, clusters, sums, cross, sizes) "
                        "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
                        (self.db.now, self.answers, sum(n for n, _ in groups), sum(s for _, s in groups),
                         len(groups), sum(s * s for _, s in groups), sum(s * n for n, s in groups),
                         sum(n * n for n, _ in groups)))


def recount(store, sign, where, *values):
    """Adds answers of the database to the counts of those that count, or takes them away."""
    tally = Tally(store)
    for then, when, chance, seen in store.sql(
            "SELECT r.time, a.time, h.chance, a.seen FROM answers a JOIN rounds r ON r.id = a.round "
            "JOIN hows h ON h.id = r.how WHERE " + where, values):
        tally.add(then, when, None, chance, seen_of(seen))
    tally.change(sign)
    daily.count_clicks(store, sign, where, *values)


def count_answered(store, sign, where, *values):
    """The same for the rounds that were answered, whatever became of the answers."""
    rows = store.sql("SELECT r.time / %d, count(*) FROM answers a JOIN rounds r ON r.id = a.round WHERE a.seen <> x'00' "
                     "AND %s GROUP BY 1" % (HOUR, where), values).fetchall()
    store.many("UPDATE hours SET answered = answered + ? WHERE hour = ?", ((sign * n, hour) for hour, n in rows))


def contrast(seen):
    """Relevance in the upper half of the places that were seen, less that in the lower half. A good
    ranker has it above 0, whichever queries users ask; of one place it is the relevance."""
    half = (len(seen) + 1) // 2
    lower = seen[half:]
    return math.fsum(seen[:half]) / half - (math.fsum(lower) / len(lower) if lower else 0)


# ---- are the newest answers unlike those before? ----


def mean_of(rows):
    """(answers, mean, its standard error over clusters) of rows of runs."""
    n, total, sums, cross, sizes = (math.fsum(row[i] for row in rows) for i in range(1, 6))
    if not n:
        return 0, 0.0, 0.0
    mean = total / n
    return n, mean, math.sqrt(max(0.0, sums - 2 * mean * cross + mean * mean * sizes)) / n


def compare(recent, reference):
    """(is it suspect, is it calm, the two figures with their errors)"""
    n, mean, error = mean_of(recent)
    m, base, spread = mean_of(reference)
    both = math.hypot(error, spread)
    differs = n >= FEW[0] and m >= FEW[1] and base - mean > SIGMAS * both and both > 0
    return (differs and mean < DROP * base, n >= FEW[0] and mean > CALM * base,
            {"recent": mean, "recent_error": error, "before": base, "before_error": spread})


def watch(store):
    """After a run: compares its answers, and those of the runs just before, with earlier ones."""
    rows = store.sql("SELECT id, n, total, sums, cross, sizes, time FROM runs ORDER BY id DESC LIMIT ?",
                     (RECENT + REFERENCE,)).fetchall()
    if not rows:
        return
    was, since = store.set.get("suspect", 0), store.set.get("suspect_since", 0)
    values, begin = {"suspect": was}, None
    if was:
        reference = store.sql("SELECT id, n, total, sums, cross, sizes FROM runs WHERE id < ? "
                              "ORDER BY id DESC LIMIT ?", (since, REFERENCE)).fetchall()
        recent = [row for row in rows[:RECENT] if row[0] >= since]
        figures = compare(recent[:2], reference)
        values["suspect"] = int(not figures[1])
    else:
        for n in range(1, RECENT + 1):
            figures = compare(rows[:n], rows[n:n + REFERENCE])
            if figures[0]:
                values["suspect"], begin = 1, rows[:n][-1]
                break
    values.update(contrast=json.dumps(figures[2]))
    if begin:
        values.update(suspect_since=begin[0], kept=store.one(
            "SELECT max(id) FROM generations WHERE time < ?", begin[6]))
    elif was and not values["suspect"]:
        values.update(kept=None)
    with store:
        store.put(**values)
